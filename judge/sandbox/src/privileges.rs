//! Capabilities: what this process has, and how it makes sure that nothing it starts gets any.

use rustix::thread::CapabilitySet;

/// Takes every capability out of the bounding set, so that no later `execve` can bring one back. Our own stay.
pub(crate) fn empty_bounding_set() {
    for capability in 0..64 {
        // SAFETY: a system call without pointers; unknown numbers and missing rights are refused.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
}

/// Whether this process holds all of `wanted`.
pub(crate) fn has(wanted: CapabilitySet) -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.contains(wanted))
}
