//! What the processes of the sandbox begin with: each is the calling program again. One that is executed is told by its
//! only argument what to become.

use crate::helper::keeper::KEEPER;
use crate::helper::serve::HELPER;
use crate::supervisor::serve::SUPERVISOR;
use crate::supervisor::stub;

/// The only argument of a process that reports, as a program of a tier, what it can see.
pub(crate) const SELF_TEST: &str = "--judge-sandbox-self-test";

/// The exit code of a self-test that sees a `/proc`.
pub(crate) const HAS_PROC: i32 = 33;

/// The first thing that a program using this crate does in `main`: if this process was started to be a helper, it
/// becomes one and never returns.
pub fn become_helper_if_asked() {
    stub::become_stub_if_asked();
    let mut arguments = std::env::args_os().skip(1);
    let (Some(argument), None) = (arguments.next(), arguments.next()) else { return };
    if let Some(role) = [HELPER, KEEPER, SUPERVISOR].into_iter().find(|role| argument == role.argument) {
        std::process::exit(role.play());
    }
    if argument == SELF_TEST {
        std::process::exit(if std::path::Path::new("/proc/self/exe").exists() { HAS_PROC } else { 0 });
    }
}
