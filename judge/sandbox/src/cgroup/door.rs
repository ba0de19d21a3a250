//! How a process gets into a control group.
//!
//! To move a process, the kernel first waits until every core has switched tasks: 5 to 15 ms. It does not wait for a thread
//! that moves itself, nor for a process that is made in the group.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::Path;

use libc::{c_int, c_long};
use rustix::fs::{CWD, Mode, OFlags};

use crate::api::child::in_child;

/// The way into one group.
pub(crate) enum Door {
    /// Version 1: a process with one thread moves itself through this file.
    Thread(File),
    /// Version 2: a process is cloned into this folder. Kernels before Linux 5.7 and some containers do not let it;
    /// then it moves itself through this file.
    Folder(OwnedFd, File),
}

impl Door {
    /// That of the group `folder`.
    pub(crate) fn open(folder: &Path) -> io::Result<Door> {
        let writable = |name| OpenOptions::new().write(true).open(folder.join(name));
        match writable("tasks") {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let group = rustix::fs::openat(CWD, folder, flags, Mode::empty())?;
                Ok(Door::Folder(group, writable("cgroup.procs")?))
            }
            tasks => tasks.map(Door::Thread),
        }
    }

    /// Moves this process, which has one thread, in. `is_cloned`: whether it was [cloned](clone_into) into its folder.
    pub(crate) fn enter(&self, is_cloned: bool) -> io::Result<()> {
        match self {
            Door::Folder(..) if is_cloned => Ok(()),
            Door::Thread(file) | Door::Folder(_, file) => (&*file).write_all(b"0"),
        }
    }

    /// What must stay open for [`Door::enter`].
    pub(crate) fn fd(&self) -> RawFd {
        let (Door::Thread(file) | Door::Folder(_, file)) = self;
        file.as_raw_fd()
    }

    /// What a process can be cloned into.
    pub(crate) fn group(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Door::Thread(_) => None,
            Door::Folder(group, _) => Some(group.as_fd()),
        }
    }
}

/// Whether a process can join the group `folder`: tried in a child.
pub(crate) fn can_be_joined(folder: &Path) -> bool {
    let Ok(door) = Door::open(folder) else { return false };
    if let Some(group) = door.group() {
        // SAFETY: the child leaves at once.
        match unsafe { clone_into(0, group) } {
            // SAFETY: leaves without running the parent's destructors.
            Ok(None) => unsafe { libc::_exit(0) },
            Ok(Some((pid, _))) => {
                // SAFETY: no pointer is passed but null; the child is this process's own.
                unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
                return true;
            }
            Err(_) => {}
        }
    }
    // SAFETY: the closure makes system calls.
    unsafe { in_child(|| door.enter(false).is_ok()) }
}

/// Clones this process into `group`, of version 2, as `fork` does: with a copy of its memory and stack. Returns the child's id
/// and pidfd; `None` in the child.
///
/// # Safety
/// As for `fork`. The child must not return from the caller's frame.
pub(crate) unsafe fn clone_into(flags: c_int, group: BorrowedFd<'_>) -> io::Result<Option<(i32, OwnedFd)>> {
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
    let mut pidfd: RawFd = -1;
    // SAFETY: all zeroes is valid: no stack, no places.
    let mut wanted: libc::clone_args = unsafe { std::mem::zeroed() };
    wanted.flags = CLONE_INTO_CGROUP | (flags | libc::CLONE_PIDFD) as u64;
    wanted.pidfd = (&raw mut pidfd) as u64;
    wanted.exit_signal = libc::SIGCHLD as u64;
    wanted.cgroup = group.as_raw_fd() as u64;
    // SAFETY: the structure, whose size is passed, is valid during the call; the caller vouches for the child.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw const wanted, size_of_val(&wanted)) };
    cloned(pid, pidfd)
}

/// Does the same without a group.
///
/// # Safety
/// As for [`clone_into`].
pub(crate) unsafe fn clone_beside(flags: c_int) -> io::Result<Option<(i32, OwnedFd)>> {
    let mut pidfd: RawFd = -1;
    let flags = flags | libc::CLONE_PIDFD | libc::SIGCHLD;
    // SAFETY: the place is valid during the call; the caller vouches for the child.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut pidfd, 0, 0) };
    cloned(pid, pidfd)
}

fn cloned(pid: c_long, pidfd: RawFd) -> io::Result<Option<(i32, OwnedFd)>> {
    match pid {
        0 => Ok(None),
        // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
        1.. => Ok(Some((pid as i32, unsafe { OwnedFd::from_raw_fd(pidfd) }))),
        _ => Err(io::Error::last_os_error()),
    }
}
