//! Makes the first process of a jail: a clone of the helper in new namespaces, and the users that it knows.

use std::io;
use std::os::fd::OwnedFd;

use crate::api::execution::Fault;
use crate::api::fault::Context;
use crate::cgroup::door::{Door, clone_beside, clone_into};
use crate::namespace::config::{INNER_ID, InitConfig, Users};
use crate::namespace::init::enter;

/// Clones the init of a jail into namespaces of its own; returns its id and pidfd.
pub(crate) fn clone_init(users: Users, config: &InitConfig) -> Result<(i32, OwnedFd), Fault> {
    let mut flags =
        libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWNET;
    if users.own_user_namespace {
        flags |= libc::CLONE_NEWUSER;
    }
    // The maps of users can be written only while the init may be looked into; it closes itself when they are.
    let visible = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable);
    visible.context("making ready for a user namespace")?;
    let group = config.doors.iter().find_map(Door::group);
    // SAFETY: this process has one thread, and the child works on a copy of it until it leaves in `enter`.
    let cloned = group.map(|group| unsafe { clone_into(flags, group) });
    let is_inside = matches!(cloned, Some(Ok(_)));
    let cloned = match cloned {
        Some(Ok(cloned)) => Ok(cloned),
        // SAFETY: as above.
        _ => unsafe { clone_beside(flags) },
    };
    let cloned = match cloned {
        Ok(Some(init)) => Ok(init),
        Ok(None) => enter(config, is_inside),
        Err(error) => Err(error),
    };
    if !users.own_user_namespace || cloned.is_err() {
        hide()?;
    }
    cloned.context("creating namespaces")
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
