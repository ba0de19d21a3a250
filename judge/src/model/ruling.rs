//! What an answer is worth.

use checkers::{Rejection, Score};

/// What an answer is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It is valid, and worth this.
    Accepted(Score),
    /// It breaks a rule.
    Rejected {
        /// Where in the answer; empty when the checker does not say.
        place: String,
        /// Which rule, what was expected, and what was found.
        reason: String,
    },
}

impl From<Rejection> for Ruling {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected { place: rejection.location(), reason: rejection.reason() }
    }
}
