//! When a program started: a number that the init of a jail leaves where the helper sees it, without a message.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// A word of memory that a process shares with those that it clones.
pub(crate) struct StartStamp(NonNull<AtomicU64>);

impl StartStamp {
    pub(crate) fn new() -> io::Result<StartStamp> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, wherever the kernel likes.
        let place = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<AtomicU64>(), protection, flags, -1, 0) };
        if place == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(place.cast()).map(StartStamp).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Notes a time on the monotonic clock; 0 for "not yet".
    pub(crate) fn set(&self, nanoseconds: u64) {
        self.word().store(nanoseconds, Ordering::Release);
    }

    /// The time noted last, if any.
    pub(crate) fn get(&self) -> Option<u64> {
        Some(self.word().load(Ordering::Acquire)).filter(|time| *time > 0)
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: the mapping is as large as the word, aligned to a page, zeroed at first, and lives as long as `self`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for StartStamp {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing borrowed from it outlives `self`.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<AtomicU64>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_process_stamps_for_its_parent() {
        let stamp = StartStamp::new().unwrap();
        assert_eq!(stamp.get(), None);
        assert!(crate::names::in_child(|| {
            stamp.set(17);
            true
        }));
        assert_eq!(stamp.get(), Some(17));
        stamp.set(0);
        assert_eq!(stamp.get(), None);
    }
}
