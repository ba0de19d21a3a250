//! A view of the machine's mounts for this process and its children alone, so that it can mount what it likes.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::fs::CWD;
use rustix::mount::MountPropagationFlags;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::CapabilitySet;

use crate::api::child::in_child;
use crate::confine::capabilities;

/// Gives this process, which has one thread, mounts of its own: by root's rights, or as the only user of a user
/// namespace. After an error it may be in neither world: it is to be tried in a child first.
pub(crate) fn enter() -> io::Result<()> {
    if capabilities::has(CapabilitySet::SYS_ADMIN) {
        unshare(libc::CLONE_NEWNS)?;
    } else {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS)?;
        // The files for it are the user's only while the user may look into this process.
        set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    // What the machine unmounts goes here as well; what is mounted here stays here.
    let one_way = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", one_way)?;
    // No matter if it fails: then there is a gap.
    let _ = ignore_readings();
    Ok(())
}

/// Whether programs of this process leave no time of reading in files that stay, in this user's own mounts: tried in a
/// child. In a user namespace of its own, an ordinary user may not say how times are kept.
pub(crate) fn can_ignore_readings() -> bool {
    // SAFETY: the closure allocates and makes system calls.
    unsafe { in_child(|| enter().is_ok() && ignore_readings().is_ok()) }
}

fn ignore_readings() -> io::Result<()> {
    set_attributes(CWD, c"/", libc::MOUNT_ATTR_NOATIME, libc::AT_RECURSIVE)
}

/// `mount_setattr`, adding `attributes`.
pub(crate) fn set_attributes(at: BorrowedFd<'_>, path: &CStr, attributes: u64, flags: i32) -> io::Result<()> {
    // How times of reading are kept is one choice of several.
    let cleared = if attributes & libc::MOUNT_ATTR__ATIME == 0 { 0 } else { libc::MOUNT_ATTR__ATIME };
    let change = libc::mount_attr { attr_set: attributes, attr_clr: cleared, propagation: 0, userns_fd: 0 };
    // SAFETY: the path and the structure, whose size is passed, are valid during the call.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            at.as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn unshare(what: libc::c_int) -> io::Result<()> {
    // SAFETY: a system call without pointers.
    if unsafe { libc::unshare(what) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
