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

/// The first of the best scores, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestScores {
    /// By the natural order of the cases' names.
    pub scores: Vec<BestScore>,
    /// The number of cases with a score.
    pub cases: usize,
}
