//! What the processes of the sandbox begin with: each is the calling program again. One that is executed is told by its
//! only argument what to become.

use std::fs::File;
use std::path::Path;

use crate::helper::keeper::KEEPER;
use crate::helper::serve::HELPER;
use crate::namespace::mounts::ADDRESSES;
use crate::supervisor::serve::SUPERVISOR;
use crate::supervisor::stub;

/// The only argument of a process that reports, as a program of a tier, what it can see.
pub(crate) const SELF_TEST: &str = "--judge-sandbox-self-test";

/// The exit codes of a self-test that sees a `/proc`: without addresses of sockets, and with them.
pub(crate) const HAS_PROC: i32 = 33;
pub(crate) const SEES_ADDRESSES: i32 = 34;

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
        std::process::exit(what_is_seen());
    }
}

fn what_is_seen() -> i32 {
    match (Path::new("/proc/self/exe").exists(), File::open(ADDRESSES).is_ok()) {
        (false, _) => 0,
        (true, false) => HAS_PROC,
        (true, true) => SEES_ADDRESSES,
    }
}
