//! Where results of a run come from that were recorded by another one: a shard, or a task on another machine.

use super::{RunState, Shard};
use judge_sandbox::Tier;
use std::path::PathBuf;
use std::time::Duration;

/// A run that another one has results of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The shard that it is of the plan; `None`: no shard.
    pub shard: Option<Shard>,
    /// When it started, in UTC, as ISO 8601 writes it.
    pub started: String,
    /// Its state when it was last read.
    pub state: RunState,
    /// How long it took until then.
    pub elapsed: Duration,
    /// The command line.
    pub command: String,
    /// The number of cases that it plays.
    pub played: usize,
    /// The number of results, of all solvers, that it had when it was last read.
    pub results: usize,
    /// The number of solvers that ran at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The name of the machine.
    pub host: String,
    /// The release of the kernel.
    pub kernel: String,
    /// The processor.
    pub cpu_model: String,
    /// The judge's version.
    pub judge: String,
    /// The journal that it was read from.
    pub file: PathBuf,
}
