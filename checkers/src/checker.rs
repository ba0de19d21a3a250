//! What a checker offers.

use crate::{Case, HandReader, Malformed};

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
    fn by_hand(&self) -> Option<HandReader> {
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
