//! Memory that processes share: the status of a run, the process group that the keeper kills, and files in memory for
//! inputs and outputs.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

use crate::clock;

/// The status of a run: numbers that the helper reads without a message. It is a page that a process shares with its
/// clones.
pub(crate) struct StatusPage(NonNull<Page>);

/// All zeroes means that nothing is known.
#[repr(C)]
struct Page {
    started: AtomicU64,
    reaped: AtomicU64,
    order_state: AtomicU64,
}

/// The state of the process that serves the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderState {
    /// It has answered all orders that it has taken.
    Idle,
    /// It has taken an order and not answered it.
    Taken,
    /// It may have taken an order, or answered it.
    Unknown,
}

impl StatusPage {
    pub(crate) fn new() -> io::Result<StatusPage> {
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping at an address that the kernel chooses.
        let place = unsafe { mmap_anonymous(std::ptr::null_mut(), size_of::<Page>(), protection, flags) };
        NonNull::new(place?.cast()).map(StatusPage).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Resets the page for the next run.
    pub(crate) fn clear(&self) {
        self.page().started.store(0, Ordering::Release);
        self.page().reaped.store(0, Ordering::Release);
    }

    /// When the program started, in nanoseconds of the monotonic clock.
    pub(crate) fn set_started(&self, nanoseconds: u64) {
        self.page().started.store(nanoseconds, Ordering::Release);
    }

    /// See [`StatusPage::set_started`].
    pub(crate) fn started(&self) -> Option<u64> {
        Some(self.page().started.load(Ordering::Acquire)).filter(|time| *time > 0)
    }

    /// CPU time in nanoseconds of orphans that were reaped during the run.
    pub(crate) fn set_reaped(&self, nanoseconds: u64) {
        self.page().reaped.store(nanoseconds, Ordering::Release);
    }

    /// See [`StatusPage::set_reaped`].
    pub(crate) fn reaped(&self) -> u64 {
        self.page().reaped.load(Ordering::Acquire)
    }

    /// Sets the state, which the helper reads if this process dies.
    pub(crate) fn set_order_state(&self, order_state: OrderState) {
        self.page().order_state.store(order_state as u64, Ordering::Release);
    }

    /// See [`StatusPage::set_order_state`].
    pub(crate) fn order_state(&self) -> OrderState {
        let number = self.page().order_state.load(Ordering::Acquire);
        let known = [OrderState::Idle, OrderState::Taken].into_iter().find(|order_state| *order_state as u64 == number);
        known.unwrap_or(OrderState::Unknown)
    }

    fn page(&self) -> &Page {
        // SAFETY: the mapping is as large as the structure, aligned to a page, zeroed at first, and lives as long as
        // `self`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for StatusPage {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value, and nothing borrowed from it outlives `self`.
        let _ = unsafe { munmap(self.0.as_ptr().cast(), size_of::<Page>()) };
    }
}

/// The process group that the keeper kills if its helper was killed, or lets the group run too long. It is in shared
/// memory, as a killed helper cannot send a message.
pub(crate) struct KillTarget(NonNull<KillTargetPage>);

// SAFETY: the page is never unmapped, and holds atomics only.
unsafe impl Send for KillTarget {}
// SAFETY: as above.
unsafe impl Sync for KillTarget {}

/// All zeroes means that there is no group.
#[repr(C)]
struct KillTargetPage {
    group: AtomicI32,
    /// Nanoseconds of the monotonic clock; 0 for none.
    deadline: AtomicU64,
}

impl KillTarget {
    /// Makes a file for one.
    pub(crate) fn file() -> io::Result<OwnedFd> {
        let file = rustix::fs::memfd_create("judge-kill-target", MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&file, size_of::<KillTargetPage>() as u64)?;
        Ok(file)
    }

    /// Maps the one in `file`.
    pub(crate) fn map(file: impl AsFd) -> io::Result<KillTarget> {
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping at an address that the kernel chooses.
        let place = unsafe { mmap(std::ptr::null_mut(), size_of::<KillTargetPage>(), protection, flags, file, 0) };
        NonNull::new(place?.cast()).map(KillTarget).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Allocates nothing, as a child calls this before `execve`.
    pub(crate) fn set(&self, group: i32) {
        self.page().group.store(group, Ordering::Release);
    }

    /// Sets when the keeper kills the group, in nanoseconds of the monotonic clock.
    pub(crate) fn set_deadline(&self, deadline: Option<u64>) {
        self.page().deadline.store(deadline.unwrap_or(0), Ordering::Release);
    }

    /// There is no group any more.
    pub(crate) fn clear(&self) {
        self.set_deadline(None);
        self.set(0);
    }

    /// The process group; 0 for none.
    pub(crate) fn group(&self) -> i32 {
        self.page().group.load(Ordering::Acquire)
    }

    /// Whether its deadline has passed.
    pub(crate) fn is_overdue(&self) -> bool {
        let deadline = self.page().deadline.load(Ordering::Acquire);
        deadline > 0 && clock::now() > deadline
    }

    fn page(&self) -> &KillTargetPage {
        // SAFETY: the mapping is as large as the page, aligned to a page, zeroed at first, and never unmapped.
        unsafe { self.0.as_ref() }
    }
}

/// Makes an empty file in memory. It cannot be executed, if the kernel supports that.
pub(crate) fn create() -> io::Result<File> {
    let create = |flags| memfd_create("judge", MemfdFlags::CLOEXEC | flags);
    let file = match create(MemfdFlags::ALLOW_SEALING | MemfdFlags::NOEXEC_SEAL) {
        // Before Linux 6.3.
        Err(Errno::INVAL) => create(MemfdFlags::ALLOW_SEALING),
        made => made,
    };
    Ok(file?.into())
}

/// Opens it again, for reading only, with a position of its own.
pub(crate) fn reopened(file: impl AsFd) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Makes it immutable.
pub(crate) fn seal(file: &File) -> io::Result<()> {
    // The kernel refuses while it holds a page itself, to move it or to write it out, as on a busy machine. Each try
    // waits for a while.
    const TRIES: usize = 20;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    for _ in 1..TRIES {
        match fcntl_add_seals(file, seals) {
            Err(Errno::BUSY) => {}
            sealed => return Ok(sealed?),
        }
    }
    Ok(fcntl_add_seals(file, seals)?)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_child_process_notes_for_its_parent() {
        let status_page = StatusPage::new().unwrap();
        assert_eq!(
            (status_page.started(), status_page.reaped(), status_page.order_state()),
            (None, 0, OrderState::Idle)
        );
        let note = || {
            status_page.set_started(17);
            status_page.set_reaped(4);
            status_page.set_order_state(OrderState::Taken);
            true
        };
        // SAFETY: the closure writes to shared memory.
        assert!(unsafe { crate::process::in_child(note) });
        assert_eq!((status_page.started(), status_page.reaped()), (Some(17), 4));
        status_page.clear();
        assert_eq!(
            (status_page.started(), status_page.reaped(), status_page.order_state()),
            (None, 0, OrderState::Taken)
        );
        status_page.set_order_state(OrderState::Unknown);
        assert_eq!(status_page.order_state(), OrderState::Unknown);
    }

    #[test]
    fn a_kill_target_is_seen_through_another_mapping() {
        let file = KillTarget::file().unwrap();
        let (one, other) = (KillTarget::map(&file).unwrap(), KillTarget::map(&file).unwrap());
        one.set(17);
        assert_eq!((other.group(), other.is_overdue()), (17, false));
        one.set_deadline(Some(1));
        assert!(other.is_overdue());
        one.clear();
        assert_eq!((other.group(), other.is_overdue()), (0, false));
    }

    #[test]
    fn a_sealed_file_is_neither_changed_nor_executed() {
        let mut file = create().unwrap();
        file.write_all(b"#!/bin/sh\n").unwrap();
        seal(&file).unwrap();
        assert!(file.write_all(b"more").is_err());
        assert!(file.set_len(1).is_err());
        if rustix::fs::fcntl_get_seals(&file).unwrap().contains(SealFlags::from_bits_retain(0x20)) {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o111, 0);
            assert!(file.set_permissions(std::fs::Permissions::from_mode(0o755)).is_err());
        }
    }
}
