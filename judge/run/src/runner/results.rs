//! The results of a run, the store for them, and their way to the watcher.

use judge_problem::{
    ClusterJob, Digest, Exit, FinishedJob, JobId, KnownOutcome, Node, OutcomeGrid, Plan, RunEvent, Stop,
};
use judge_sandbox::Fault;
use std::io;

/// The result of a run.
#[derive(Debug)]
pub struct RunResult {
    /// By case and solver of the plan. A job that was not run has no outcome.
    pub outcomes: OutcomeGrid,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
}

/// What a part of a run gives.
pub type Result<T, E = RunError> = std::result::Result<T, E>;

/// A run that could not be started or continued: a fault of the judge or of the machine.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The event loop or the signal handler could not be created.
    #[error("cannot start the run")]
    Start(#[source] io::Error),
    /// A sandbox worker could not be started.
    #[error("cannot start a sandbox worker")]
    Sandbox(#[source] Fault),
    /// A thread for a worker could not be created.
    #[error("cannot start a thread for a worker")]
    Thread(#[source] io::Error),
    /// The sandbox failed to run a program alone.
    #[error(transparent)]
    Run(Fault),
    /// A worker's thread ended on a panic.
    #[error("a worker of the judge ended on a panic; the cases it had not finished are missing")]
    WorkerPanicked,
    /// The files of a solver could not be stored.
    #[error("cannot store the files of a solver")]
    Store(#[source] io::Error),
    /// A cluster did not run it.
    #[error(transparent)]
    Cluster(ClusterError),
}

/// Why a cluster did not run a plan.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct ClusterError {
    /// The cluster's error message.
    pub error: String,
    /// What to do.
    pub hint: Option<String>,
    /// The exit code: whether the arguments or the machines are at fault.
    pub exit: Exit,
}

impl ClusterError {
    /// Returns an error with a remedy.
    pub fn new(error: String, hint: impl Into<String>, exit: Exit) -> Self {
        Self { error, hint: Some(hint.into()), exit }
    }
}

/// Stores results. Workers look results up, each in its own thread; the dispatcher stores them.
pub trait ResultStore: Sync {
    /// Returns whether results are stored at all. Only then are inputs hashed and answers passed on.
    fn is_active(&self) -> bool;

    /// Returns the earlier outcome of this job on this input, if it is still valid.
    fn lookup(&self, _job: JobId, _input: &Digest) -> Option<KnownOutcome> {
        None
    }

    /// Returns the outcome of this job, with the hash of its input, if a resumed run has it already. The input is then
    /// not made again.
    fn kept(&self, _job: JobId) -> Option<(KnownOutcome, Digest)> {
        None
    }

    /// Stores finished jobs; they are shown only afterwards.
    ///
    /// # Errors
    /// When they cannot be stored. The run continues, and does not try again.
    fn store(&self, batch: &[FinishedJob]) -> Result<(), StoreLost>;

    /// Returns whether any job may have an earlier outcome. If not, no inputs are made to search for one.
    fn has_earlier(&self) -> bool {
        false
    }

    /// Returns the machine that an earlier outcome names.
    fn earlier_node(&self, _name: &str) -> Option<Node> {
        None
    }

    /// Stores the start of the run. Solvers run meanwhile.
    ///
    /// # Errors
    /// When it cannot be stored. The run continues and stores nothing.
    fn store_start(&self) -> Result<(), StoreLost> {
        Ok(())
    }

    /// Stores the cluster job of a run, so that another judge can find it.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn store_job(&self, _job: &ClusterJob) -> Result<(), StoreLost> {
        Ok(())
    }

    /// Removes the cluster job of a run: the cluster has refused it.
    fn forget_job(&self) {}

    /// Returns a message about the store for the user. Each message is returned once.
    fn notice(&self) -> Option<String> {
        None
    }

    /// Stores a machine that takes part.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn store_node(&self, _node: &Node) -> Result<(), StoreLost> {
        Ok(())
    }
}

/// Why results can no longer be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreLost(pub String);

/// Gets every event of a run, in the order in which jobs finish.
pub type Watch<'a> = dyn FnMut(&RunEvent) + 'a;

/// Passes the results of a run to the journal, and then to the watcher.
pub struct ResultSink<'a> {
    /// `None` once it has failed.
    store: Option<&'a dyn ResultStore>,
    watch: &'a mut Watch<'a>,
    outcomes: OutcomeGrid,
}

impl<'a> ResultSink<'a> {
    /// Returns a sink without results.
    pub fn new(plan: &'a Plan, store: &'a dyn ResultStore, watch: &'a mut Watch<'a>) -> Self {
        Self { store: Some(store), watch, outcomes: OutcomeGrid::new(plan.cases.len(), plan.solvers.len()) }
    }

    /// Passes an event to the watcher.
    pub fn notify(&mut self, event: &RunEvent) {
        (self.watch)(event);
    }

    /// Stores the start of the run.
    pub fn start(&mut self) {
        self.note(self.store.map(ResultStore::store_start));
    }

    fn note(&mut self, stored: Option<Result<(), StoreLost>>) {
        if let Some(Err(StoreLost(why))) = stored {
            self.store = None;
            self.notify(&RunEvent::JournalLost(why));
        }
    }

    /// Stores a machine that takes part.
    pub fn add_node(&mut self, node: &Node) {
        if let Some(Err(StoreLost(why))) = self.store.map(|store| store.store_node(node)) {
            self.notify(&RunEvent::Notice(format!("warning: node {} is not in the journal: {why}", node.name)));
        }
    }

    /// Stores finished jobs, and then passes them to the watcher. A job that has a result already keeps it. Returns whether
    /// all were accepted.
    pub fn deliver(&mut self, batch: &mut Vec<FinishedJob>) -> bool {
        batch.retain(|finished| !self.outcomes.has(finished.job));
        self.note(self.store.map(|store| store.store(batch)));
        if let Some(notice) = self.store.and_then(ResultStore::notice) {
            self.notify(&RunEvent::Notice(notice));
        }
        let mut accepted = true;
        for finished in batch.drain(..) {
            accepted &= finished.outcome.is_accepted();
            self.outcomes.set(finished.job, &finished.outcome);
            (self.watch)(&RunEvent::Finished(Box::new(finished)));
        }
        accepted
    }

    /// Returns the outcomes.
    pub fn into_outcomes(self) -> OutcomeGrid {
        self.outcomes
    }
}
