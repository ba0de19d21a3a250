//! The best score on each case of a game.

use super::{CaseName, CheckerIdentity, Digest, Direction, RunId};
use checkers::Score;
use std::sync::Arc;

/// What makes scores comparable: the problem and its checker, in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// The problem's id.
    pub problem: String,
    /// The identity of its checker.
    pub checker: CheckerIdentity,
    /// Which scores are good.
    pub direction: Direction,
}

/// The best score on a case, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestScore {
    /// The case's name.
    pub case: CaseName,
    /// Hash of its input.
    pub input: Digest,
    /// The score.
    pub score: Score,
    /// The solver's name.
    pub solver: Arc<str>,
    /// Hash of the solver's content.
    pub solver_hash: Digest,
    /// The machine of the run.
    pub host: Arc<str>,
    /// The run, in the journal of that machine.
    pub run: RunId,
    /// When that run started, in UTC, as ISO 8601 writes it.
    pub date: Arc<str>,
    /// Whether it was imported: then the run is in another journal.
    pub imported: bool,
}

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

/// The first of the best scores, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestScores {
    /// By the natural order of the cases' names.
    pub scores: Vec<BestScore>,
    /// The number of cases with a score.
    pub cases: usize,
}
