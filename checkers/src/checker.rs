//! The rules of a game, its cases, and the list of all games.

use crate::tokens::signed;
use crate::{CheckError, Malformed, ManualReader, Metric, Observer, Score, Unobserved};

/// Reads the input of a case.
pub type CaseReader = fn(&[u8]) -> Result<Box<dyn Case>, Malformed>;

/// The rules of one game.
pub struct Checker {
    /// The problem's id, as in `judge run -p ID`: `"columns"`.
    pub id: &'static str,
    /// The game's rules in Markdown, with everything that a solver needs to know. They end with a sample: `### Input`,
    /// `### Answer` (`### Answer, N times` where the answer repeats the block) and `### Score`.
    pub rules: &'static str,
    /// The version of the rules. It grows by one whenever an input and an answer could get another score or verdict than
    /// before.
    pub version: u32,
    /// All versions of the generator, the first one first. Generators never change. An improved one gets a new version
    /// number.
    pub generators: &'static [Generator],
    /// The generator whose cases have parameters, if there is one.
    pub parametric: Option<&'static Parametric>,
    /// The numbers that the game counts for each answer, in addition to its score.
    pub metrics: &'static [Metric],
    /// Reads a case for manual play. `None` if people cannot play the game move by move.
    pub manual_reader: Option<ManualReader>,
    /// Reads the input of a case: see [`Checker::read`].
    pub reader: CaseReader,
}

impl Checker {
    /// Returns the input that the generator's first version makes from a seed.
    ///
    /// # Errors
    /// Returns [`UnusableSeed`] if the game has no case for this seed.
    pub fn generate(&self, seed: u64) -> Result<Vec<u8>, UnusableSeed> {
        self.generators[0](seed)
    }

    /// Reads the input of a case.
    ///
    /// # Errors
    /// Returns [`Malformed`] if the bytes are not an input of this game. It says where, what was expected and what was found.
    pub fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed> {
        (self.reader)(input)
    }
}

/// Makes the input of a case from a seed. The same seed always gives the same bytes.
pub type Generator = fn(u64) -> Result<Vec<u8>, UnusableSeed>;

/// A generator of cases with parameters, for properties that the rules leave open.
pub struct Parametric {
    /// Each name with its range, such as `1..50` or `1..10000:log`.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Makes the input of a seed and these values of the parameters, in their order and in their ranges. The same seed
    /// and values always give the same bytes.
    pub generate: fn(u64, &[u64]) -> Vec<u8>,
}

/// A seed for which a game has no case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game} has no case for seed {seed}: {why}")]
pub struct UnusableSeed {
    /// The checker's id.
    pub game: &'static str,
    /// The seed.
    pub seed: u64,
    /// Why there is no such case, and which seeds are valid.
    pub why: &'static str,
}

/// The score of an answer, and the number of each of [`Checker::metrics`], in their order.
pub type Counted = (Score, Vec<(&'static Metric, usize)>);

/// Returns a score with the numbers of these metrics.
pub(crate) fn counted<const N: usize>(
    score: impl Into<Score>,
    metrics: &'static [Metric; N],
    numbers: [usize; N],
) -> Counted {
    (score.into(), metrics.iter().zip(numbers).collect())
}

/// One case of a game: its input, read and found valid.
pub trait Case: Send + Sync {
    /// Returns the score of an answer.
    ///
    /// # Errors
    /// Returns the first broken rule in reading order, or says that the checker cannot decide.
    fn check(&self, answer: &[u8]) -> Result<Score, CheckError> {
        Ok(self.measure(answer)?.0)
    }

    /// Returns the score of an answer as [`Case::check`] does, and the numbers that the game counts in addition.
    ///
    /// # Errors
    /// Returns the first broken rule in reading order, or says that the checker cannot decide.
    fn measure(&self, answer: &[u8]) -> Result<Counted, CheckError> {
        self.play(answer, &mut Unobserved)
    }

    /// Returns the score of an answer as [`Case::check`] does, and shows every step to `observer`. If the answer is rejected,
    /// the observer may already have seen the steps before the broken rule.
    ///
    /// # Errors
    /// Returns the first broken rule in reading order, or says that the checker cannot decide.
    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
        Ok(self.play(answer, observer)?.0)
    }

    /// Returns what [`Case::measure`] returns, and shows every step as [`Case::replay`] does.
    ///
    /// # Errors
    /// Returns the first broken rule in reading order, or says that the checker cannot decide.
    fn play(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Counted, CheckError>;

    /// Returns named numbers that describe the case (`N`, `colors`, `k`, …), for grouping results.
    fn features(&self) -> Vec<Feature>;
}

/// A named number that describes a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// The statement's own name for it: `"N"`, `"colors"`.
    pub name: &'static str,
    /// Its value.
    pub value: i64,
}

impl Feature {
    /// Returns the feature of a count.
    pub(crate) fn count(name: &'static str, count: usize) -> Self {
        Self { name, value: signed(count) }
    }
}

/// In the order of the catalogue, one line each.
#[rustfmt::skip]
static CHECKERS: &[&Checker] = &[
    &crate::columns::COLUMNS,
    &crate::square_remover::SQUARE_REMOVER,
    &crate::same_game::SAME_GAME,
    &crate::same_game::SAME_GAME_FREE,
    &crate::deletion_game::DELETION_GAME,
    &crate::beating::BEATING_THE_GAME_EASY,
    &crate::beating::BEATING_THE_GAME_HARD,
];

/// Returns every built-in checker, in the order of the catalogue.
pub fn all() -> &'static [&'static Checker] {
    CHECKERS
}

/// Returns the checker with this id.
pub fn find(id: &str) -> Option<&'static Checker> {
    all().iter().copied().find(|checker| checker.id == id)
}
