//! A view of the machine's mounts for this process and its children alone, so that it can mount what it likes.

use std::fs;
use std::io;

use rustix::mount::MountPropagationFlags;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::CapabilitySet;

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
    Ok(rustix::mount::mount_change("/", one_way)?)
}

fn unshare(what: libc::c_int) -> io::Result<()> {
    // SAFETY: a system call without pointers.
    if unsafe { libc::unshare(what) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
