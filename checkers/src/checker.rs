//! What a checker offers.
//!
//! A case of a game, and what is known of it.
//!
//! The list of all checkers.

use crate::{CheckError, Malformed, ManualReader, Observer, Score, Unobserved};

/// The rules of one game.
pub trait Checker: Sync {
    /// The problem's id, as in `judge run -p ID`: `"columns"`.
    fn id(&self) -> &'static str;

    /// Returns the game's rules in Markdown: all that a solver needs, with a sample. The last parts are the sample's
    /// `### Input`, `### Answer` (`, N times` where the answer repeats the block) and `### Score`.
    fn rules(&self) -> &'static str;

    /// Grows by one whenever the same input and answer could get another score or verdict than before.
    fn version(&self) -> u32;

    /// Returns the versions of its generator, the first one first. A change of what a generator makes is a new version.
    fn generators(&self) -> &'static [Generator];

    /// Returns the case of the generator's first version with this seed.
    ///
    /// # Errors
    /// When the game has no case for this seed.
    fn generate(&self, seed: u64) -> Result<Vec<u8>, UnusableSeed> {
        self.generators()[0](seed)
    }

    /// Reads a case's input.
    ///
    /// # Errors
    /// When the bytes are not an input of this game: where, what was expected, what was found.
    fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed>;

    /// Returns what reads a case to be played by hand; `None` where people cannot play the game move by move.
    fn manual(&self) -> Option<ManualReader> {
        None
    }
}

/// Returns the input of the case with a seed. The same seed always gives the same bytes.
pub type Generator = fn(u64) -> Result<Vec<u8>, UnusableSeed>;

/// A seed that a game cannot make a case from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game} has no case for seed {seed}: {why}")]
pub struct UnusableSeed {
    /// The checker's id.
    pub game: &'static str,
    /// The seed that was asked for.
    pub seed: u64,
    /// Why there is no such case, and which seeds there are.
    pub why: &'static str,
}

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

/// In the order of the catalogue, one line each.
#[rustfmt::skip]
static CHECKERS: &[&dyn Checker] = &[
    &crate::columns::Columns,
    &crate::square_remover::SquareRemover,
    &crate::same_game::SameGame,
    &crate::same_game::SameGameFree,
    &crate::deletion_game::DeletionGame,
    &crate::beating::BeatingTheGameEasy,
    &crate::beating::BeatingTheGameHard,
];

/// Returns every built-in checker, in the order of the catalogue.
#[must_use]
pub fn all() -> &'static [&'static dyn Checker] {
    CHECKERS
}

/// Returns the checker with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Checker> {
    all().iter().copied().find(|checker| checker.id() == id)
}
