//! Runs plans: the interface of the subcommands, and its implementation on this machine.

use super::ResultStore;
use super::dispatcher::run_plan;
use super::request::{request, shows_folders};
use super::result::{RunError, RunResult};
use super::settings::RunSettings;
use super::signals::Signals;
use crate::executor::ExecutorPool;
use judge_problem::plan::Plan;
use judge_problem::{Invocation, NodeList, RunEvent, RunningJobs};
use judge_sandbox::{Gap, Tier};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs plans. A subcommand passes a plan and receives events; where the plan runs is hidden from it.
pub trait PlanRunner {
    /// Runs a plan to its end, or until it is stopped. `watch` gets every event, in the order of finishing, and that of
    /// a finished job only after `store` has stored it.
    ///
    /// The first Ctrl-C (or SIGTERM) ends the running cases and starts no more; the second ends the process at once.
    ///
    /// # Errors
    /// When the run cannot be started; a single case that goes wrong is an outcome, not an error.
    fn run(
        &self,
        plan: &Plan,
        store: &dyn ResultStore,
        watch: &mut dyn FnMut(&RunEvent),
    ) -> Result<RunResult, RunError>;

    /// Begins to make ready for a plan: it runs as soon as the caller has done what else there is to do.
    fn make_ready(&self, plan: &Plan) {
        let _ = plan;
    }

    /// Returns the means to end a run early, of a runner that is best given many cases at once, which it then starts in
    /// their order. `None`: it is given a few at a time.
    fn early_end(&self) -> Option<&EarlyEnd> {
        None
    }

    /// Returns what runs plans on other machines; `None`: they run on this one.
    fn engine(&self) -> Option<&'static str> {
        None
    }

    /// Returns the machines that cases were run on until now; none if that is this one.
    fn nodes(&self) -> NodeList {
        NodeList::default()
    }

    /// Returns how many solvers run at once.
    fn jobs(&self) -> usize;

    /// Returns the jobs that are running now.
    fn running(&self) -> &Arc<RunningJobs>;

    /// Returns how strongly solvers are isolated.
    fn tier(&self) -> Tier;

    /// Returns what the tier does not guarantee.
    fn gaps(&self) -> &[Gap];
}

/// Ends a run when its watcher has seen enough.
#[derive(Debug, Default)]
pub struct EarlyEnd(AtomicBool);

impl EarlyEnd {
    /// Ends the run that is going on. What is not finished is left out.
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns whether that was asked for since the last time.
    #[must_use]
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }
}

/// Runs plans on this machine: an executor for each slot, each on a core of its own.
pub struct LocalRunner<P> {
    pool: P,
    settings: RunSettings,
    abort: fn(),
}

impl<P: ExecutorPool> LocalRunner<P> {
    /// Returns a runner over these executors. `abort` is called on the second request to stop, and ends the process.
    #[must_use]
    pub fn new(pool: P, settings: RunSettings, abort: fn()) -> Self {
        Self { pool, settings, abort }
    }
}

impl<P: ExecutorPool> PlanRunner for LocalRunner<P> {
    fn make_ready(&self, plan: &Plan) {
        let count = self.jobs().min(plan.job_count());
        let cores: Option<Vec<usize>> = (0..count).map(|slot| self.settings.core(slot)).collect();
        let first = plan.solvers.first().map(|solver| &solver.invocation);
        if let (Some(cores), Some(Invocation::Program(program))) = (cores, first) {
            // What is hidden in folders is looked for once, when the run's own journal is there.
            let is_known = !shows_folders(program, &plan.visible);
            let first = is_known.then(|| request(plan, 0, program, &[], Arc::from([])));
            self.pool.make_ready(&cores, first.as_ref());
        }
    }

    fn run(
        &self,
        plan: &Plan,
        store: &dyn ResultStore,
        watch: &mut dyn FnMut(&RunEvent),
    ) -> Result<RunResult, RunError> {
        run_plan(plan, &self.settings, &self.pool, store, watch, Signals::install, self.abort)
    }

    fn jobs(&self) -> usize {
        self.settings.jobs.get()
    }

    fn running(&self) -> &Arc<RunningJobs> {
        &self.settings.running
    }

    fn tier(&self) -> Tier {
        self.pool.tier()
    }

    fn gaps(&self) -> &[Gap] {
        self.pool.gaps()
    }
}
