//! What a run tells those who watch it.

use super::{Features, Outcome};
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
pub struct Finished {
    /// Which job.
    pub job: JobId,
    /// What became of it.
    pub outcome: Outcome,
    /// What describes its case; `None` where nobody wants to know, or where the case was not read.
    pub features: Option<Arc<Features>>,
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
    Finished(Finished),
    /// No further jobs are started.
    Stopping(Stop),
}
