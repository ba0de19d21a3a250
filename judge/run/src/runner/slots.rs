//! The shared state of a run's workers: how the plan is run, its next job, and the means to stop.

use super::results::{Result, ResultStore, RunError};
use crate::cases::{Inputs, ProblemChecker};
use crate::command::StopSignal;
use crate::executor::{Cancel, Executor, ExecutorPool};
use crate::program::{environment, journals_in, sandbox_limits, visible};
use judge_problem::{Invocation, JobId, Limits, Plan, Program, RunningJobs, Solver};
use judge_sandbox::{CoreClaims, Request, Stdin, Visible};
use parking_lot::{Mutex, RwLock};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How a plan is run on this machine.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// How many solvers run at once.
    pub jobs: NonZeroUsize,
    /// The cores that workers are pinned to, one each in turn; empty: no pinning.
    pub cores: Vec<usize>,
    /// Keeps other judges from pinning their solvers to these cores.
    pub claims: Arc<CoreClaims>,
    /// Whether a core is free for the judge's own work on a solver: inputs, checks. Then the next solver starts before
    /// the answer of the last one is checked. Otherwise this happens only after a solver that took less than a
    /// millisecond.
    pub spare_cores: bool,
    /// Whether events carry the features of their cases.
    pub describe: bool,
    /// The jobs that are running now.
    pub running: Arc<RunningJobs>,
    /// Read while a solver runs. Written while one runs alone for a repeated timing. Concurrent runs share it.
    pub timing_lock: Arc<RwLock<()>>,
}

impl RunSettings {
    /// Returns the core that the worker in this slot is pinned to.
    pub(super) fn core(&self, slot: usize) -> Option<usize> {
        (!self.cores.is_empty()).then(|| self.cores[slot % self.cores.len()])
    }

    /// Moves this thread, and threads that it starts from now on, away from the solvers' cores, if there are enough
    /// cores.
    pub(super) fn leave_cores_to_solvers(&self) {
        let mut others = CpuSet::new();
        let unpinned = self.cores.get(self.jobs.get()..).unwrap_or_default();
        unpinned.iter().filter(|core| **core < CpuSet::MAX_CPU).for_each(|core| others.set(*core));
        if self.spare_cores && others.count() > 0 {
            // If this fails, the judge's own work sometimes takes time from solvers.
            let _ = sched_setaffinity(None, &others);
        }
    }
}

/// The shared state of a run's workers. Each worker has its own slot.
pub(super) struct Slots<'a> {
    pub(super) plan: &'a Plan,
    pub(super) store: &'a dyn ResultStore,
    pub(super) inputs: Inputs,
    pub(super) checker: ProblemChecker,
    pub(super) stopper: RunStopper,
    /// By solver: the journals in the folders that it sees. They are hidden from it.
    pub(super) hidden: Vec<Vec<PathBuf>>,
    pub(super) settings: &'a RunSettings,
    pool: &'a dyn ExecutorPool,
    next: AtomicUsize,
}

/// Stops a run.
#[derive(Clone)]
pub struct RunStopper {
    pub(super) stopped: Arc<AtomicBool>,
    /// Ends the helper commands of the problem.
    commands: StopSignal,
    /// By slot.
    cancellers: Arc<Mutex<Vec<Cancel>>>,
}

impl RunStopper {
    /// Starts no further jobs and ends the running ones.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.commands.stop();
        self.cancellers.lock().iter().for_each(|cancel| cancel());
    }
}

impl<'a> Slots<'a> {
    /// Opens an executor for each slot.
    pub(super) fn open(
        plan: &'a Plan,
        settings: &'a RunSettings,
        pool: &'a dyn ExecutorPool,
        store: &'a dyn ResultStore,
    ) -> Result<(Self, Vec<Box<dyn Executor>>)> {
        let count = settings.jobs.get().min(plan.job_count());
        let executors = (0..count).map(|slot| pool.open(settings.core(slot)));
        let executors: Vec<_> = executors.collect::<Result<_, _>>().map_err(RunError::Sandbox)?;
        let hidden_from = |solver: &Solver| match &solver.invocation {
            Invocation::Program(program) => hidden(program, &plan.visible),
            _ => Vec::new(),
        };
        let commands = StopSignal::new().map_err(RunError::Start)?;
        let cancellers = Arc::new(Mutex::new(executors.iter().map(|executor| executor.canceller()).collect()));
        let slots = Self {
            plan,
            store,
            inputs: Inputs::of(&plan.problem).stopped_by(&commands),
            checker: ProblemChecker::of(&plan.problem).stopped_by(&commands),
            stopper: RunStopper { stopped: Arc::default(), commands, cancellers },
            hidden: plan.solvers.iter().map(hidden_from).collect(),
            pool,
            settings,
            next: AtomicUsize::new(0),
        };
        Ok((slots, executors))
    }

    /// Returns the next job; `None` when all are taken or the run is stopped.
    pub(super) fn next_job(&self) -> Option<JobId> {
        if self.stopper.stopped.load(Ordering::SeqCst) {
            return None;
        }
        let turn = self.next.fetch_add(1, Ordering::SeqCst);
        (turn < self.plan.job_count()).then(|| self.plan.turn(turn))
    }

    /// Returns whether several solvers run at once.
    pub(super) fn has_neighbours(&self) -> bool {
        self.settings.jobs.get() > 1
    }

    /// Returns whether the next solver starts before the answer of the last one is checked. It does if a core is free for
    /// the check, or if solvers are so short that their cores would often be idle. It does not if the answer may end the
    /// run.
    pub(super) fn submits_ahead(&self, are_short: bool) -> bool {
        (self.settings.spare_cores || are_short) && !self.plan.fail_fast
    }

    /// Returns the CPU limit that the executor enforces. If other solvers run at the same time, a case gets 10 % more.
    /// A case that ends within these 10 % runs again alone before it counts as too slow.
    pub(super) fn enforced_cpu(&self, limits: &Limits) -> Duration {
        let cpu = limits.cpu.0;
        if self.has_neighbours() { cpu.saturating_mul(11) / 10 } else { cpu }
    }

    /// Returns a new executor for a slot whose executor has failed; `None` when none can be started.
    pub(super) fn reopen(&self, slot: usize) -> Option<Box<dyn Executor>> {
        let executor = self.pool.open(self.settings.core(slot)).ok()?;
        let mut cancellers = self.stopper.cancellers.lock();
        cancellers[slot] = executor.canceller();
        if self.stopper.stopped.load(Ordering::SeqCst) {
            cancellers[slot]();
        }
        Some(executor)
    }
}

/// How much of standard error is kept.
const STDERR_KEPT: u64 = 64 << 10;

/// Returns the request to run a solver of this plan on an input. `hidden` comes from [`hidden`], and is the same for every
/// case.
pub fn request(plan: &Plan, solver: usize, program: &Program, hidden: &[PathBuf], input: Arc<[u8]>) -> Request {
    let variables = &plan.solvers[solver].environment;
    let limits = sandbox_limits(&plan.limits_of(solver), STDERR_KEPT);
    Request {
        argv: program.argv.clone(),
        environment: environment(program, plan.environment.iter().chain(variables)),
        stdin: Stdin::Bytes(input),
        visible: plan.visible.iter().cloned().chain(visible(program)).collect(),
        hidden: hidden.to_vec(),
        ..Request::new(&program.path, limits)
    }
}

/// Returns the journals in the folders that the user shows to a program, by its command or otherwise.
pub fn hidden(program: &Program, shown: &[Visible]) -> Vec<PathBuf> {
    let mut journals: Vec<_> = shown_to(program, shown).flat_map(|path| journals_in(path)).collect();
    journals.sort();
    journals.dedup();
    journals
}

/// Returns whether a program sees any folder. If not, there is nothing to hide by [`hidden`].
pub(super) fn shows_folders(program: &Program, shown: &[Visible]) -> bool {
    shown_to(program, shown).any(|path| path.is_dir())
}

fn shown_to<'a>(program: &'a Program, shown: &'a [Visible]) -> impl Iterator<Item = &'a PathBuf> {
    program.visible.iter().chain(shown.iter().map(|visible| &visible.path))
}
