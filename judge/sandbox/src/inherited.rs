//! What a parent may have left behind in this process: ignored and blocked signals.

use std::ptr;

/// Undoes what a careless parent may have left: no signal stays blocked, and `SIGCHLD` gets its default back. While it
/// is ignored, the kernel reaps children by itself, and whoever waits for one waits in vain.
///
/// To be called before any thread is started.
pub fn reset_inherited_signals() {
    // SAFETY: the set is initialised by `sigemptyset` before it is read, and both calls only read their arguments.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    }
}
