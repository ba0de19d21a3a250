//! The limits of solvers, and of the programs that make cases, check answers and compile.

use super::{Bytes, Time};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The limits of a solver on one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The limits of an external checker for one answer, and of a validator for one input.
    pub checker: CommandLimits,
    /// Wall time of an interactor to decide, once the solver has ended.
    pub interactor: Time,
    /// Wall time of a tester, apart from the solver's.
    pub tester: Time,
    /// The limits of a generator command for one case.
    pub generator: CommandLimits,
    /// The limits of a compiler.
    pub compiler: CompileLimits,
    /// Bytes of a solver's source files together; `None`: as many as a compiler is given.
    pub source: Option<Bytes>,
}

/// The limits of a setter's program for one call. A trusted one keeps the wall time alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLimits {
    /// Wall time.
    pub wall: Time,
    /// Peak memory of all its processes together, with the files that it writes.
    pub memory: Bytes,
}

impl CommandLimits {
    /// Processes and threads alive at once: enough for the virtual machines of languages on a large machine.
    pub const PROCESSES: u32 = 256;
}

impl Default for CommandLimits {
    /// A minute and 2 GiB.
    fn default() -> Self {
        Self { wall: Time(Duration::from_secs(60)), memory: Bytes(2 << 30) }
    }
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
    /// A minute for a checker, a tester and a generator, and five seconds for an interactor.
    fn default() -> Self {
        Self {
            checker: CommandLimits::default(),
            interactor: Time(Duration::from_secs(5)),
            tester: CommandLimits::default().wall,
            generator: CommandLimits::default(),
            compiler: CompileLimits::default(),
            source: None,
        }
    }
}
