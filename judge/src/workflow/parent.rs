//! A run that another judge has started ends with it, as by Ctrl-C.

use super::failure::Failure;
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::os::unix::process::parent_id;
use std::thread::Builder;

/// The variable of the environment that names the process that a run ends with: the one that starts it, and that holds the
/// other end of its standard input. It is no part of the command line, which is recorded.
pub(crate) const PARENT: &str = "JUDGE_PARENT";

/// Interrupts this process when the one that has started it ends, if it asks for that.
pub(crate) fn end_with_parent() -> Result<(), Failure> {
    // What this process starts has the variable, too.
    if std::env::var(PARENT).is_ok_and(|parent| parent == parent_id().to_string()) {
        let wait = || {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            let _ = kill_process(getpid(), Signal::INT);
        };
        Builder::new().name("parent".to_owned()).spawn(wait).map_err(Failure::fault)?;
    }
    Ok(())
}
