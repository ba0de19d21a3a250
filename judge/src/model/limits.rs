//! The limits of solvers, and of the programs that make cases, check answers and compile.

use super::{Bytes, Time};
use std::time::Duration;

/// The limits of a solver on one case.
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

/// The limits of the programs beside the solvers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperLimits {
    /// Wall time of an external checker for one answer.
    pub checker: Time,
    /// Wall time of an interactor to decide, once the solver has ended.
    pub interactor: Time,
    /// Wall time of a generator command for one case.
    pub generator: Time,
    /// The limits of a compiler.
    pub compiler: CompileLimits,
    /// Bytes of a solver's source files together; `None`: as many as a compiler is given.
    pub source: Option<Bytes>,
}

/// The limits of a compiler that a problem may set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileLimits {
    /// CPU time of all its processes together.
    pub cpu: Time,
    /// Wall time.
    pub wall: Time,
    /// Peak memory of all its processes together.
    pub memory: Bytes,
}

impl CompileLimits {
    /// Returns the default wall time for a CPU time: two minutes, or twice the CPU time if that is more.
    #[must_use]
    pub fn default_wall(cpu: Time) -> Time {
        Time(cpu.0.saturating_mul(2).max(Duration::from_secs(120)))
    }
}

impl Default for CompileLimits {
    /// 60 s of CPU time, 120 s of wall time, and 2 GiB.
    fn default() -> Self {
        let cpu = Time(Duration::from_secs(60));
        Self { cpu, wall: Self::default_wall(cpu), memory: Bytes(2 << 30) }
    }
}

impl Default for HelperLimits {
    /// A minute for a checker and for a generator, and five seconds for an interactor.
    fn default() -> Self {
        let minute = Time(Duration::from_secs(60));
        Self {
            checker: minute,
            interactor: Time(Duration::from_secs(5)),
            generator: minute,
            compiler: CompileLimits::default(),
            source: None,
        }
    }
}
