//! A case of a game, and what is known of it.

use crate::{CheckError, Observer, Score, Unobserved};

/// One case of a game: its input, read and found valid.
pub trait Case: Send + Sync {
    /// Returns what the answer is worth.
    ///
    /// # Errors
    /// The first broken rule in reading order, or what the checker cannot decide.
    fn check(&self, answer: &[u8]) -> Result<Score, CheckError> {
        self.replay(answer, &mut Unobserved)
    }

    /// Does the same as [`Case::check`], and shows every step to `observer`.
    ///
    /// An answer that is rejected may have shown the steps before the broken rule.
    ///
    /// # Errors
    /// The first broken rule in reading order, or what the checker cannot decide.
    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError>;

    /// Returns named numbers that describe the case (`N`, `colors`, `k`, …), for grouping results.
    fn features(&self) -> Vec<Feature>;
}

/// A named number of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// The statement's own name for it: `"N"`, `"colors"`.
    pub name: &'static str,
    /// Its value.
    pub value: i64,
}
