//! Which user a program runs as, when root starts it.

use rustix::thread::CapabilitySet;

use crate::{names, privileges};

/// A uid and gid that nobody else on this machine has, if we may change to it.
///
/// Derived from this process's id, so that two helpers alive at once never share one.
pub(crate) fn dedicated() -> Option<u32> {
    let needed = CapabilitySet::SETUID
        | CapabilitySet::SETGID
        | CapabilitySet::CHOWN
        | CapabilitySet::KILL
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER;
    if !privileges::has(needed) {
        return None;
    }
    let pid = std::process::id();
    // The second is for a user namespace that maps sixteen bits only.
    [1_700_000_000 + pid, 60_000 + pid % 5_000].into_iter().find(|&id| can_become(id))
}

fn can_become(id: u32) -> bool {
    names::in_child(|| {
        // SAFETY: plain system calls, in a process of their own.
        unsafe { libc::setresgid(id, id, id) == 0 && libc::setresuid(id, id, id) == 0 }
    })
}
