//! Capabilities: what this process has, and how it makes sure that nothing it starts gets any.

use rustix::thread::CapabilitySet;

/// What a program of another user needs to come past closed folders to the files that it is shown, and to read them: to
/// search any folder and read any file, as far as landlock lets it, which must then leave out what modes close.
pub(crate) const PASSAGE: CapabilitySet = CapabilitySet::DAC_READ_SEARCH;

/// Takes every capability out of the bounding set, so that no later `execve` can bring one back. The process keeps its
/// own, and [`PASSAGE`] may be handed on.
pub(crate) fn empty_bounding_set() {
    if let Ok(mut sets) = rustix::thread::capabilities(None) {
        sets.inheritable = sets.permitted & PASSAGE;
        let _ = rustix::thread::set_capabilities(None, sets);
    }
    // The first that is refused comes after the last one there is, or the right to do it is missing for all.
    for capability in 0..64 {
        // SAFETY: a system call without pointers.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } != 0 {
            break;
        }
    }
}

/// Whether this process holds all of `wanted`.
pub(crate) fn has(wanted: CapabilitySet) -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.contains(wanted))
}
