//! How a plan is run on this machine.

use crate::model::RunningJobs;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// How a plan is run on this machine.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// How many solvers run at once.
    pub jobs: NonZeroUsize,
    /// The cores that workers are pinned to, one each in turn; empty: no pinning.
    pub cores: Vec<usize>,
    /// Whether events carry the features of their cases.
    pub describe: bool,
    /// The jobs that are running now.
    pub running: Arc<RunningJobs>,
}

impl RunSettings {
    /// Returns the core that the worker in this slot is pinned to.
    pub(super) fn core(&self, slot: usize) -> Option<usize> {
        (!self.cores.is_empty()).then(|| self.cores[slot % self.cores.len()])
    }
}
