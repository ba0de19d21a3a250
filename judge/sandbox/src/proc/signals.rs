//! Sets of signals.

use std::mem::MaybeUninit;

use libc::{c_int, sigset_t};

/// The set of these signals. Allocates nothing: a child calls it on its way to its program.
pub(crate) fn set(signals: &[c_int]) -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the whole set, and fails for no valid place.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for &signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Blocks the signals of this set in this thread, and no others.
pub(crate) fn block_only(set: &sigset_t) -> c_int {
    // SAFETY: the set is valid during the call, which writes no old one.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, set, std::ptr::null_mut()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_its_signals_alone() {
        let some = set(&[libc::SIGCHLD, libc::SIGPIPE]);
        for signal in 1..=31 {
            // SAFETY: the set is valid.
            let is_in = unsafe { libc::sigismember(&raw const some, signal) } == 1;
            assert_eq!(is_in, [libc::SIGCHLD, libc::SIGPIPE].contains(&signal), "{signal}");
        }
    }
}
