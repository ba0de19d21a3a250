//! What a solver may use on one case.

use super::{Bytes, Time};
use std::time::Duration;

/// What a solver may use on one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// CPU time of all its processes together.
    pub cpu: Time,
    /// Wall time.
    pub wall: Time,
    /// Peak memory of all its processes together; the greatest number of bytes for no limit.
    pub memory: Bytes,
    /// Bytes on standard output.
    pub output: Bytes,
    /// Processes and threads alive at once.
    pub processes: u32,
}

impl Limits {
    /// Returns the default wall time for a CPU time: three times as long, and a second.
    #[must_use]
    pub fn default_wall(cpu: Time) -> Time {
        Time(cpu.0.saturating_mul(3).saturating_add(Duration::from_secs(1)))
    }

    /// Returns the limit on bytes written to files: that of memory, or 64 MB if memory has no limit.
    #[must_use]
    pub fn disk(&self) -> Bytes {
        if self.memory == Bytes(u64::MAX) { Bytes(64_000_000) } else { self.memory }
    }
}
