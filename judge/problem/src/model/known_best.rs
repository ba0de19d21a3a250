//! The best score of a case that was known before a run.

use super::{Direction, RunId};
use checkers::Score;
use std::sync::Arc;

/// The best score of a case that was known before a run: what its points may be relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownBest {
    /// The score.
    pub score: Score,
    /// Who reached it.
    pub origin: BestOrigin,
}

/// Who reached the best score that was known of a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum BestOrigin {
    /// A solver of this run in the journal.
    Run(RunId, Arc<str>),
    /// A solver of this name, in a run of another journal.
    Imported(Arc<str>),
    /// The problem names it, at its case or in its file of best scores.
    Problem,
    /// The file that the command line names.
    File,
}

impl KnownBest {
    /// Returns the better one of two that may be known; of equal ones the first.
    #[must_use]
    pub fn better(direction: Direction, first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(first), Some(second)) if direction.compare(&second.score, &first.score).is_gt() => Some(second),
            (first, second) => first.or(second),
        }
    }
}
