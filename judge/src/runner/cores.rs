//! The cores that this process may use.

use rustix::thread::{CpuSet, sched_getaffinity};

/// Returns the numbers of the cores that this process may use, in order; at least one.
#[must_use]
pub fn cores() -> Vec<usize> {
    let allowed = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    let cores: Vec<_> = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
    if cores.is_empty() { vec![0] } else { cores }
}
