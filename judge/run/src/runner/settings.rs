//! How a plan is run on this machine.

use judge_problem::RunningJobs;
use judge_sandbox::CoreClaims;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// How a plan is run on this machine.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// How many solvers run at once.
    pub jobs: NonZeroUsize,
    /// The cores that workers are pinned to, one each in turn; empty: no pinning.
    pub cores: Vec<usize>,
    /// Keeps other judges from tying their solvers to these cores.
    pub claims: Arc<CoreClaims>,
    /// Whether there is a core for what a solver needs beside its own: inputs, checks. Then the next solver starts before the
    /// answer of the last one is checked; else only after one that took less than a millisecond.
    pub spare_cores: bool,
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

    /// Returns the cores that no worker is pinned to; none where workers are not pinned.
    fn other_cores(&self) -> &[usize] {
        self.cores.get(self.jobs.get()..).unwrap_or_default()
    }

    /// Keeps this thread, and what it starts from now on, away from the solvers' cores where there are others enough.
    pub(super) fn leave_cores_to_solvers(&self) {
        let mut others = CpuSet::new();
        self.other_cores().iter().filter(|core| **core < CpuSet::MAX_CPU).for_each(|core| others.set(*core));
        if self.spare_cores && others.count() > 0 {
            // A wish: without it, the judge's own work takes time from solvers now and then.
            let _ = sched_setaffinity(None, &others);
        }
    }
}
