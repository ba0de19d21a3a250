//! The events of a run.

use super::{Digest, Features, Outcome};
use std::sync::Arc;

/// One job of a run: a solver on a case, by their places in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId {
    /// Place of the case in the plan.
    pub case: usize,
    /// Place of the solver in the plan.
    pub solver: usize,
}

/// A finished job.
#[derive(Debug, Clone)]
pub struct FinishedJob {
    /// Which job.
    pub job: JobId,
    /// Its outcome.
    pub outcome: Outcome,
    /// The features of its case; `None` if the command does not need them, or the case was not read.
    pub features: Option<Arc<Features>>,
    /// What the journal stores beside that.
    pub evidence: Box<Evidence>,
}

/// What a job leaves beside its outcome, for the journal alone.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Hash of the input; `None` where there is no input, or no journal.
    pub input: Option<Digest>,
    /// The answer that was checked: the whole standard output of the solver.
    pub answer: Option<Vec<u8>>,
    /// The place of the stored outcome, if the solver was not run again.
    pub stored: Option<StoredResult>,
    /// What the solver and its interactor said, and when, where the plan wants it. The journal does not store it.
    pub transcript: Option<String>,
}

/// An earlier outcome that is still valid.
#[derive(Debug, Clone)]
pub struct KnownOutcome {
    /// The outcome of the job.
    pub outcome: Outcome,
    /// Its place in the journal.
    pub stored: StoredResult,
}

/// The place of a result in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredResult {
    /// The row of the solver in its run.
    pub entrant: i64,
    /// The case's place in that run.
    pub place: i64,
}

/// Why a run ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// `--fail-fast`, and a case was not accepted.
    FailFast,
    /// The run goes on elsewhere, without this process.
    Detached,
}

/// An event of a run.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// A job is done.
    Finished(Box<FinishedJob>),
    /// No further jobs are started.
    Stopping(Stop),
    /// The journal can no longer be written: the reason. The run continues without it.
    JournalLost(String),
    /// What happened to the run on the machines that it runs on.
    Notice(String),
    /// What a cluster makes of the run now.
    Tasks(TaskCounts),
}

/// The tasks of a run on a cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskCounts {
    /// How many are running.
    pub running: usize,
    /// How many wait for a place.
    pub pending: usize,
    /// How many nodes the running ones are on.
    pub nodes: usize,
}
