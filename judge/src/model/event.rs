//! What a run tells those who watch it.

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

/// A job that is done.
#[derive(Debug, Clone)]
pub struct FinishedJob {
    /// Which job.
    pub job: JobId,
    /// What became of it.
    pub outcome: Outcome,
    /// What describes its case; `None` where the command does not ask for it, or where the case was not read.
    pub features: Option<Arc<Features>>,
    /// What the journal keeps beside that.
    pub evidence: Box<Evidence>,
}

/// What a job leaves behind beside its outcome, for the journal alone.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Hash of the input; `None` where there is no input, or no journal.
    pub input: Option<Digest>,
    /// What was checked: the whole standard output of a solver that ended well.
    pub answer: Option<Vec<u8>>,
    /// Where the outcome was found, if the solver was not run again.
    pub stored: Option<StoredResult>,
}

/// An earlier outcome that still holds.
#[derive(Debug, Clone)]
pub struct KnownOutcome {
    /// What became of the job.
    pub outcome: Outcome,
    /// Where it is stored.
    pub stored: StoredResult,
}

/// Where the journal keeps a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredResult {
    /// The row of the solver in its run.
    pub entrant: i64,
    /// The case's place in that run.
    pub place: i64,
}

/// Why a run ended before its plan was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// `--fail-fast`, and a case was not accepted.
    FailFast,
}

/// What a run tells those who watch it.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// A job is done.
    Finished(FinishedJob),
    /// No further jobs are started.
    Stopping(Stop),
    /// The journal cannot be written any more: why. The run goes on without one.
    JournalLost(String),
}
