//! Which process group the keeper kills when its helper was killed: noted in shared memory, since a helper that was
//! killed sends nothing.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::fs::MemfdFlags;
use rustix::mm::{MapFlags, ProtFlags};

/// A process group, 0 for none, in memory that a helper, what it starts and its keeper share.
pub(crate) struct Charge(NonNull<AtomicI32>);

impl Charge {
    /// A new file in memory for one.
    pub(crate) fn file() -> io::Result<OwnedFd> {
        let file = rustix::fs::memfd_create("judge-charge", MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&file, size_of::<AtomicI32>() as u64)?;
        Ok(file)
    }

    /// The one in `file`.
    pub(crate) fn map(file: impl AsFd) -> io::Result<Charge> {
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping, wherever the kernel likes.
        let place =
            unsafe { rustix::mm::mmap(std::ptr::null_mut(), size_of::<AtomicI32>(), protection, flags, file, 0) };
        NonNull::new(place?.cast()).map(Charge).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Allocates nothing: a child calls it on its way to its program.
    pub(crate) fn set(&self, group: i32) {
        self.place().store(group, Ordering::Release);
    }

    /// The process group that was noted last.
    pub(crate) fn group(&self) -> i32 {
        self.place().load(Ordering::Acquire)
    }

    fn place(&self) -> &AtomicI32 {
        // SAFETY: the mapping is as large as the number, aligned to a page, zeroed at first, and never unmapped.
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
        assert_eq!(other.group(), 17);
    }
}
