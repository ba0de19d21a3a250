//! A run that another judge has started ends with it, as by Ctrl-C.

use super::failure::Failure;
use judge_problem::RunId;
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::os::unix::process::parent_id;
use std::thread::Builder;

/// The variable of the environment that names the process that a run ends with: the one that starts it, and that holds the
/// other end of its standard input. It is no part of the command line, which is recorded.
pub const PARENT: &str = "JUDGE_PARENT";

/// The variable of the environment that names the run that is to go on: if it cannot, nothing is started.
pub const RESUMED: &str = "JUDGE_RESUMED";

/// Returns the run that the process that has started this one wants to go on, if it is that.
pub(crate) fn resumed_run() -> Option<RunId> {
    is_asked().then(|| std::env::var(RESUMED).ok()?.parse().ok().map(RunId)).flatten()
}

/// What this process starts has the variable, too.
fn is_asked() -> bool {
    std::env::var(PARENT).is_ok_and(|parent| parent == parent_id().to_string())
}

/// Interrupts this process when the one that has started it ends, if it asks for that.
pub fn end_with_parent() -> Result<(), Failure> {
    if is_asked() {
        let wait = || {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            let _ = kill_process(getpid(), Signal::INT);
        };
        Builder::new().name("parent".to_owned()).spawn(wait).map_err(Failure::fault)?;
    }
    Ok(())
}
