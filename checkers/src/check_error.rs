//! Why an answer has no score: it breaks a rule, or the checker gives up on it.

use crate::rejection::location;
use crate::{Place, Rejection};
use std::fmt;

/// Why an answer has no score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The answer breaks a rule.
    #[error("{0}")]
    Rejected(Rejection),
    /// The answer may be right: the checker gives up.
    #[error("{0}")]
    Undecided(Undecided),
}

/// The checker would need more work to decide than it spends on one answer. A limit of the checker: no rule of the game
/// is broken. Shown as `undecided: PLACE: WHY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// Where in the answer.
    pub place: Place,
    /// Which move of the game, from 1; absent where no move is concerned.
    pub step: Option<usize>,
    /// What is not decided, and which bound stands in the way.
    pub why: String,
}

impl fmt::Display for Undecided {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "undecided: {}: {}", location(self.place, self.step), self.why)
    }
}

impl From<Rejection> for CheckError {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl From<Undecided> for CheckError {
    fn from(undecided: Undecided) -> Self {
        Self::Undecided(undecided)
    }
}
