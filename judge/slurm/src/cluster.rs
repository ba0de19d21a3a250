//! How a run uses a cluster with Slurm, and what is learned of it.

use super::plan_file::WorkerSettings;
use super::run_folder::RunFolder;
use super::slurm::{self, Submission};
use super::worker::SHIFT;
use judge_problem::plan::Plan;
use judge_problem::{Exit, Node, NodeList, error_chain};
use judge_run::runner::{ClusterError, EarlyEnd, RunError, Signals};
use judge_sandbox::Tier;
use parking_lot::Mutex;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The worst that a piece may take, by the limits.
const PIECE: Duration = Duration::from_secs(60);

/// The fewest tasks of a job, if there is a piece for each: a task that finds none left ends at once.
const FEW_TASKS: usize = 64;

/// The most tasks of a job: the default of Slurm's `MaxArraySize` is one more.
const MOST_TASKS: usize = 1_000;

/// The most pieces of a run: a folder with more files is slow.
const MOST_PIECES: usize = 5_000;

/// With fewer cases than this for a piece each, they are single.
const FINE: usize = 128;

/// How a plan is run with Slurm.
#[derive(Debug, Clone)]
pub struct SlurmSettings {
    /// The folder on the shared file system in which the folder of the run is made.
    pub workdir: PathBuf,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// What nodes must have.
    pub constraint: Option<String>,
    /// How often the cases of a lost task run again.
    pub retries: u32,
    /// How long a job may take to be submitted.
    pub submit_wait: Duration,
    /// Whether the run goes on without this judge, once it is submitted.
    pub detach: bool,
    /// How tasks run it.
    pub worker: WorkerSettings,
}

/// What becomes of the job when the run is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnInterrupt {
    /// It is cancelled.
    Cancel,
    /// It goes on.
    Detach,
}

/// A cluster, as a run uses it.
pub(super) struct Cluster {
    pub(super) settings: SlurmSettings,
    /// Asks the user.
    ask: fn(&mut Signals) -> OnInterrupt,
    /// The most solvers that ran at once.
    at_once: AtomicUsize,
    nodes: Mutex<NodeList>,
    early_end: EarlyEnd,
}

impl Cluster {
    pub(super) fn new(settings: SlurmSettings, ask: fn(&mut Signals) -> OnInterrupt) -> Self {
        let at_once = AtomicUsize::new(settings.worker.jobs);
        Self { settings, ask, at_once, nodes: Mutex::default(), early_end: EarlyEnd::default() }
    }

    pub(super) fn early_end(&self) -> &EarlyEnd {
        &self.early_end
    }

    pub(super) fn at_once(&self) -> usize {
        self.at_once.load(Ordering::SeqCst)
    }

    /// Returns the weakest tier of the nodes that have taken part.
    pub(super) fn tier(&self) -> Option<Tier> {
        self.nodes().iter().map(|node| node.tier).max()
    }

    /// Returns the nodes that have taken part.
    pub(super) fn nodes(&self) -> NodeList {
        self.nodes.lock().clone()
    }

    /// Returns how many cases a piece holds: no more than take a moment by the limits.
    pub(super) fn piece_size(&self, plan: &Plan, cases: usize) -> usize {
        let by_limits = PIECE.as_secs_f64() * self.settings.worker.jobs as f64 / worst(plan).as_secs_f64().max(1e-6);
        cases.div_ceil(MOST_PIECES).max((by_limits as usize).min(cases.div_ceil(FINE))).max(1)
    }

    /// Submits as many tasks as the pieces that are left may want, and returns the id of their job.
    pub(super) fn submit(&self, plan: &Plan, folder: &RunFolder, pieces: usize) -> Result<String, RunError> {
        let jobs = self.settings.worker.jobs;
        let work = worst(plan).as_secs_f64() * plan.cases.len() as f64 / jobs as f64;
        let shifts = (work / SHIFT.as_secs_f64()) as usize;
        let tasks = shifts.max(FEW_TASKS).min(pieces).clamp(1, MOST_TASKS);
        let submission = Submission {
            script: &folder.script(),
            folder: folder.path(),
            log: &folder.log_pattern(),
            tasks,
            cpus: jobs,
            constraint: self.settings.constraint.as_deref(),
            options: &self.settings.options,
            wait: self.settings.submit_wait,
        };
        let id = slurm::submit(&submission).map_err(RunError::Cluster)?;
        folder.add_job(&id).map_err(|error| unwritable(folder, &error))?;
        Ok(id)
    }

    pub(super) fn retries(&self) -> u32 {
        self.settings.retries
    }

    pub(super) fn ask(&self, signals: &mut Signals) -> OnInterrupt {
        (self.ask)(signals)
    }

    /// Adds a node that takes part, and returns it with the name that the results have.
    pub(super) fn add_node(&self, node: Node) -> Node {
        let name = self.nodes.lock().add(node.clone());
        Node { name, ..node }
    }

    /// Notes how many tasks are running.
    pub(super) fn note_running(&self, tasks: usize) {
        self.at_once.fetch_max(tasks * self.settings.worker.jobs, Ordering::SeqCst);
    }
}

/// Returns the error of a run folder that cannot be used any more.
pub(super) fn unwritable(folder: &RunFolder, error: &io::Error) -> RunError {
    RunError::Cluster(ClusterError {
        error: format!("cannot use the run folder {}: {}", folder.path().display(), error_chain(error)),
        hint: Some(
            "what is finished is recorded: repair the folder, or name another folder with --workdir, and add --resume"
                .to_owned(),
        ),
        exit: Exit::Fault,
    })
}

/// Returns what a case may take at worst.
fn worst(plan: &Plan) -> Duration {
    (0..plan.solvers.len()).map(|solver| plan.limits_of(solver).cpu.0).sum()
}
