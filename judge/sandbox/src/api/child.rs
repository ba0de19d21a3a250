//! Child processes that are copies of this one.

use rustix::process::{Pid, WaitOptions};

/// Ends the process if it is dropped: a panic must not leave the child through the frames of its parent.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// Starts a forked child that ends with the exit code that `act` returns there, where it may change anything about its own
/// process. A panic aborts the child. `None` if there can be none.
///
/// # Safety
/// The child has a copy of the calling thread alone. `act` may allocate, since glibc keeps its allocator usable in the
/// child, but must take no other lock that another thread of this process may hold at the moment, and must not rely on
/// any other thread.
pub(crate) unsafe fn fork(act: impl FnOnce() -> i32) -> Option<Pid> {
    // SAFETY: the child runs `act` alone, which the caller vouches for, and leaves by `_exit` or `abort`.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let guard = AbortOnUnwind;
        let code = act();
        std::mem::forget(guard);
        // SAFETY: leaves without running the parent's destructors, or writing what it has in its buffers.
        unsafe { libc::_exit(code) };
    }
    Pid::from_raw(pid.max(0))
}

/// What `act` returns in a forked child. False if it panics, or if no child can be made.
///
/// # Safety
/// As for [`fork`].
pub(crate) unsafe fn in_child(act: impl FnOnce() -> bool) -> bool {
    // SAFETY: the caller vouches for `act`.
    let Some(child) = (unsafe { fork(|| i32::from(!act())) }) else { return false };
    let waited = rustix::process::waitpid(Some(child), WaitOptions::empty());
    matches!(waited, Ok(Some((_, status))) if status.exit_status() == Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_tells_what_the_closure_returns() {
        // SAFETY: neither closure takes a lock.
        assert!(unsafe { in_child(|| true) && !in_child(|| false) });
    }

    /// Unwinding would run the rest of this test a second time, in the child.
    #[test]
    fn a_panic_ends_the_child_by_an_abort() {
        let parent = std::process::id();
        // Panics without a message, which would take the lock of standard error.
        // SAFETY: the closure takes no lock.
        let answer = unsafe { in_child(|| std::panic::resume_unwind(Box::new(()))) };
        assert_eq!(std::process::id(), parent);
        assert!(!answer);
    }
}
