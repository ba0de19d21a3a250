//! A signal handler that a process is about to set: the kernel's description of it in the memory of that process.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Handlers below are none: the default action, and none at all.
const FIRST_HANDLER: u64 = 2;
/// The flags come second, after the handler's address, on every architecture that we know.
const FLAGS: u64 = 8;

/// Makes system calls that the signal interrupts go on after its handler. `thread` waits in `rt_sigaction`, with `action`
/// as the address of what it sets; that another thread of its own changes it meanwhile harms that process alone.
///
/// # Errors
/// When the memory cannot be read or written.
pub(crate) fn let_calls_go_on(thread: u32, action: u64) -> io::Result<()> {
    let memory = File::options().read(true).write(true).open(format!("/proc/{thread}/mem"))?;
    let word = |address: u64| {
        let mut bytes = [0; 8];
        memory.read_exact_at(&mut bytes, address)?;
        Ok::<u64, io::Error>(u64::from_ne_bytes(bytes))
    };
    let place = action.wrapping_add(FLAGS);
    let (handler, flags) = (word(action)?, word(place)?);
    let restarting = flags | u64::from(libc::SA_RESTART.cast_unsigned());
    if handler < FIRST_HANDLER || flags == restarting {
        return Ok(());
    }
    memory.write_all_at(&restarting.to_ne_bytes(), place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(action: [u64; 4]) -> [u64; 4] {
        let action = Box::new(action);
        // SAFETY: a system call without pointers.
        let thread = unsafe { libc::gettid() }.cast_unsigned();
        let_calls_go_on(thread, std::ptr::from_ref(&*action).expose_provenance() as u64).unwrap();
        // SAFETY: the place is valid; it was changed from outside of the language.
        unsafe { std::ptr::read_volatile(&raw const *action) }
    }

    #[test]
    fn only_handlers_are_changed_and_only_this_flag() {
        let restart = u64::from(libc::SA_RESTART.cast_unsigned());
        assert_eq!(changed([4096, 4, 5, 6]), [4096, 4 | restart, 5, 6]);
        assert_eq!(changed([4096, restart, 5, 6]), [4096, restart, 5, 6]);
        assert_eq!(changed([0, 4, 5, 6]), [0, 4, 5, 6], "the default action");
        assert_eq!(changed([1, 4, 5, 6]), [1, 4, 5, 6], "ignored");
        assert!(let_calls_go_on(1 << 30, 4096).is_err());
    }
}
