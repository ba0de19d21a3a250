//! What `judge verify` holds a problem against, beside the problem itself.

use super::{CommandTemplate, Members, Verdict};
use checkers::Score;
use std::fmt;
use std::str::FromStr;

/// What the author says of a problem for `judge verify` alone.
#[derive(Debug, Clone, Default)]
pub struct Verification {
    /// The command that says whether an input keeps to the rules: it reads the input on standard input.
    pub validator: Option<CommandTemplate>,
    /// The bad answers that the checker may accept, because they are not bad in this game.
    pub may_accept: Vec<BadAnswer>,
    /// What solvers are expected to achieve.
    pub expectations: Vec<Expectation>,
}

/// What a solver is expected to achieve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The solver, as `--solver` takes it; its paths start from the catalogue's folder.
    pub solver: String,
    /// The verdicts that its cases have. One of them at least is there, and all others are accepted.
    pub verdicts: Vec<Verdict>,
    /// The range of its total.
    pub score: ScoreRange,
    /// The cases that it runs on; `None`: the problem's own.
    pub cases: Option<Members>,
}

/// A range of scores, with both ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScoreRange {
    /// The least one.
    pub least: Option<Score>,
    /// The greatest one.
    pub most: Option<Score>,
}

/// A text that is not a range of scores.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a score or a range such as 10-20, with the smaller one first; found `{0}`")]
pub struct ScoreRangeError(String);

impl ScoreRange {
    /// Returns whether it has no end.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.least.is_none() && self.most.is_none()
    }
}

impl FromStr for ScoreRange {
    type Err = ScoreRangeError;

    /// Reads `10`, `10-20` or `-5--1`.
    fn from_str(text: &str) -> Result<Self, ScoreRangeError> {
        let score = |text: &str| text.trim().parse::<Score>().ok();
        let pairs = text.match_indices('-').map(|(place, _)| (&text[..place], &text[place + 1..]));
        let ends = score(text).map(|only| (only.clone(), only));
        let ends = ends.or_else(|| pairs.filter_map(|(least, most)| score(least).zip(score(most))).next());
        match ends.filter(|(least, most)| least <= most) {
            Some((least, most)) => Ok(Self { least: Some(least), most: Some(most) }),
            None => Err(ScoreRangeError(text.to_owned())),
        }
    }
}

impl fmt::Display for ScoreRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.least, &self.most) {
            (Some(least), Some(most)) if least == most => write!(formatter, "{least}"),
            (Some(least), Some(most)) => write!(formatter, "{least} to {most}"),
            (Some(least), None) => write!(formatter, "at least {least}"),
            (None, Some(most)) => write!(formatter, "at most {most}"),
            (None, None) => formatter.write_str("any score"),
        }
    }
}

/// An answer that a checker normally rejects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadAnswer {
    /// No byte.
    Empty,
    /// Words or bytes without a meaning.
    Garbage,
    /// The first half of an accepted answer.
    Truncated,
}

impl BadAnswer {
    /// Every one, with its name in the catalogue.
    pub const NAMES: [(&'static str, Self); 3] =
        [("empty", Self::Empty), ("garbage", Self::Garbage), ("truncated", Self::Truncated)];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.into_iter().find(|(_, answer)| *answer == self).map_or("", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_scores_is_read_exactly() {
        let shown = |text: &str| text.parse::<ScoreRange>().map(|range| range.to_string());
        for (text, expected) in
            [("10", "10"), ("10-20", "10 to 20"), ("-5--1.5", "-5 to -1.5"), ("-5", "-5"), ("1e-3 - 2", "0.001 to 2")]
        {
            assert_eq!(shown(text), Ok(expected.to_owned()));
        }
        for text in ["", "-", "20-10", "1-2-3", "x", "10-", "-10-"] {
            assert_eq!(shown(text), Err(ScoreRangeError(text.to_owned())));
        }
        let least = ScoreRange { least: Some(Score::from(3)), most: None };
        assert_eq!((least.to_string(), least.is_open()), ("at least 3".to_owned(), false));
        assert!(ScoreRange::default().is_open());
    }

    #[test]
    fn every_bad_answer_has_its_name() {
        assert!(BadAnswer::NAMES.into_iter().all(|(name, answer)| answer.name() == name));
    }
}
