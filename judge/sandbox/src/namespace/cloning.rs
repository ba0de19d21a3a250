//! Makes the first process of a jail: a clone of the helper in new namespaces, and the users that it knows.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use crate::api::execution::Fault;
use crate::api::fault::Context;
use crate::namespace::config::{INNER_ID, InitConfig, Users};
use crate::namespace::init::enter;

/// Clones the init of a jail into namespaces of its own; returns its id and pidfd.
pub(crate) fn clone_init(users: Users, config: &InitConfig) -> Result<(i32, OwnedFd), Fault> {
    const STACK_BYTES: usize = 256 * 1024;
    let mut flags = libc::CLONE_NEWPID
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWNET
        | libc::CLONE_PIDFD
        | libc::SIGCHLD;
    if users.own_user_namespace {
        flags |= libc::CLONE_NEWUSER;
    }
    let mut stack = vec![std::mem::MaybeUninit::<u128>::uninit(); STACK_BYTES / 16];
    let mut pidfd: RawFd = -1;
    // The maps of users can be written only while the init may be looked into; it closes itself when they are.
    let visible = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable);
    visible.context("making ready for a user namespace")?;
    // SAFETY: without CLONE_VM the child works on a copy of this process, which has one thread, and of its stack.
    let pid = unsafe {
        libc::clone(
            enter,
            stack.as_mut_ptr().add(stack.len()).cast(),
            flags,
            std::ptr::from_ref(config).cast_mut().cast(),
            &raw mut pidfd,
        )
    };
    let error = io::Error::last_os_error();
    if !users.own_user_namespace || pid < 0 {
        hide()?;
    }
    if pid < 0 {
        return Err(error).context("creating namespaces");
    }
    // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
}

fn hide() -> Result<(), Fault> {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .context("closing this process to others")
}

/// Maps the one user that the jail knows.
pub(crate) fn map_users(pid: i32, identity: Option<u32>) -> io::Result<()> {
    let _ = hide();
    let (uid, gid) = match identity {
        Some(id) => (id, id),
        None => {
            std::fs::write(format!("/proc/{pid}/setgroups"), "deny")?;
            (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
        }
    };
    std::fs::write(format!("/proc/{pid}/uid_map"), format!("{INNER_ID} {uid} 1"))?;
    std::fs::write(format!("/proc/{pid}/gid_map"), format!("{INNER_ID} {gid} 1"))
}
