//! Which process group the keeper kills when its helper was killed, or lets it run for much too long: noted in shared
//! memory, since a helper that was killed sends nothing.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use rustix::fs::MemfdFlags;
use rustix::mm::{MapFlags, ProtFlags};

use crate::api::clock;

/// A process group, in memory that a helper, what it starts and its keeper share.
pub(crate) struct Charge(NonNull<Page>);

// SAFETY: the page is never unmapped, and holds atomics only.
unsafe impl Send for Charge {}
// SAFETY: as above.
unsafe impl Sync for Charge {}

/// All zeroes at first: there is none.
#[repr(C)]
struct Page {
    group: AtomicI32,
    /// Nanoseconds of the monotonic clock; 0 for none.
    deadline: AtomicU64,
}

impl Charge {
    /// A new file in memory for one.
    pub(crate) fn file() -> io::Result<OwnedFd> {
        let file = rustix::fs::memfd_create("judge-charge", MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&file, size_of::<Page>() as u64)?;
        Ok(file)
    }

    /// The one in `file`.
    pub(crate) fn map(file: impl AsFd) -> io::Result<Charge> {
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping, wherever the kernel likes.
        let place = unsafe { rustix::mm::mmap(std::ptr::null_mut(), size_of::<Page>(), protection, flags, file, 0) };
        NonNull::new(place?.cast()).map(Charge).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Allocates nothing: a child calls it on its way to its program.
    pub(crate) fn set(&self, group: i32) {
        self.page().group.store(group, Ordering::Release);
    }

    /// From when on the keeper kills the group, in nanoseconds of the monotonic clock.
    pub(crate) fn set_deadline(&self, deadline: Option<u64>) {
        self.page().deadline.store(deadline.unwrap_or(0), Ordering::Release);
    }

    /// There is no group any more.
    pub(crate) fn clear(&self) {
        self.set_deadline(None);
        self.set(0);
    }

    /// The process group that was noted last; 0 for none.
    pub(crate) fn group(&self) -> i32 {
        self.page().group.load(Ordering::Acquire)
    }

    /// Whether its deadline has passed.
    pub(crate) fn is_overdue(&self) -> bool {
        let deadline = self.page().deadline.load(Ordering::Acquire);
        deadline > 0 && clock::now() > deadline
    }

    fn page(&self) -> &Page {
        // SAFETY: the mapping is as large as the page, aligned to a page, zeroed at first, and never unmapped.
        unsafe { self.0.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_is_seen_through_another_mapping() {
        let file = Charge::file().unwrap();
        let (one, other) = (Charge::map(&file).unwrap(), Charge::map(&file).unwrap());
        one.set(17);
        assert_eq!((other.group(), other.is_overdue()), (17, false));
        one.set_deadline(Some(1));
        assert!(other.is_overdue());
        one.clear();
        assert_eq!((other.group(), other.is_overdue()), (0, false));
    }
}
