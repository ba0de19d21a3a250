//! What the process that starts a program notes about the run: numbers that the helper reads without a message.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// A page of memory that a process shares with those that it clones.
pub(crate) struct Notes(NonNull<Page>);

/// All zeroes at first: nothing is known.
#[repr(C)]
struct Page {
    started: AtomicU64,
    reaped: AtomicU64,
    service: AtomicU64,
}

/// How far who serves the judge has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    /// It has answered all orders that it has taken.
    Idle,
    /// It has taken an order, and not answered it.
    Taken,
    /// It may have taken an order, or answered it.
    Unknown,
}

impl Notes {
    pub(crate) fn new() -> io::Result<Notes> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, wherever the kernel likes.
        let place = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<Page>(), protection, flags, -1, 0) };
        if place == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(place.cast()).map(Notes).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// A new page, for the next run.
    pub(crate) fn clear(&self) {
        self.page().started.store(0, Ordering::Release);
        self.page().reaped.store(0, Ordering::Release);
    }

    /// When the program started, in nanoseconds of the monotonic clock.
    pub(crate) fn set_started(&self, nanoseconds: u64) {
        self.page().started.store(nanoseconds, Ordering::Release);
    }

    /// See [`Notes::set_started`].
    pub(crate) fn started(&self) -> Option<u64> {
        Some(self.page().started.load(Ordering::Acquire)).filter(|time| *time > 0)
    }

    /// CPU time, in nanoseconds, of those that were orphaned during the run, have ended and were waited for.
    pub(crate) fn set_reaped(&self, nanoseconds: u64) {
        self.page().reaped.store(nanoseconds, Ordering::Release);
    }

    /// See [`Notes::set_reaped`].
    pub(crate) fn reaped(&self) -> u64 {
        self.page().reaped.load(Ordering::Acquire)
    }

    /// Read by the process that goes on if this one dies.
    pub(crate) fn set_service(&self, service: Service) {
        self.page().service.store(service as u64, Ordering::Release);
    }

    /// See [`Notes::set_service`].
    pub(crate) fn service(&self) -> Service {
        let number = self.page().service.load(Ordering::Acquire);
        let known = [Service::Idle, Service::Taken].into_iter().find(|service| *service as u64 == number);
        known.unwrap_or(Service::Unknown)
    }

    fn page(&self) -> &Page {
        // SAFETY: the mapping is as large as the structure, aligned to a page, zeroed at first, and lives as long as
        // `self`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value, and nothing borrowed from it outlives `self`.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Page>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_process_notes_for_its_parent() {
        let notes = Notes::new().unwrap();
        assert_eq!((notes.started(), notes.reaped(), notes.service()), (None, 0, Service::Idle));
        let note = || {
            notes.set_started(17);
            notes.set_reaped(4);
            notes.set_service(Service::Taken);
            true
        };
        // SAFETY: the closure writes to shared memory.
        assert!(unsafe { crate::api::child::in_child(note) });
        assert_eq!((notes.started(), notes.reaped()), (Some(17), 4));
        notes.clear();
        assert_eq!((notes.started(), notes.reaped(), notes.service()), (None, 0, Service::Taken));
        notes.set_service(Service::Unknown);
        assert_eq!(notes.service(), Service::Unknown);
    }
}
