//! Why an input is not valid, and why an answer has no score: which rule is broken and where, or that the checker gives
//! up.

use std::fmt;

/// A position in a text. Lines and columns are counted from 1, and columns count bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The byte within the line, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// Why an answer is not valid. Shown as `PLACE: WHY`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", self.location(), self.reason())]
pub struct Rejection {
    /// Where in the answer: at the offending token, or where one is missing.
    pub place: Place,
    /// The move of the game, from 1; `None` if the rule concerns no move.
    pub step: Option<usize>,
    /// The broken rule, in a few words: `"the swap leaves the board"`.
    pub rule: String,
    /// The correct form.
    pub expected: String,
    /// The text at that place, made printable and shortened.
    pub found: String,
}

impl Rejection {
    /// Returns the place in the form of the reports: `line 3, column 5, move 2`.
    pub fn location(&self) -> String {
        location(self.place, self.step)
    }

    /// Returns the reason without the place.
    pub fn reason(&self) -> String {
        format!("{}: expected {}, found {}", self.rule, self.expected, self.found)
    }

    /// Returns the same rejection for this move, counted from 1.
    pub(crate) fn at_step(mut self, step: usize) -> Self {
        self.step = Some(step);
        self
    }
}

/// Returns a place and a move in the form of messages.
fn location(place: Place, step: Option<usize>) -> String {
    match step {
        Some(step) => format!("{place}, move {step}"),
        None => place.to_string(),
    }
}

/// Why bytes are not an input of the game. Inputs and answers are read by the same functions, so their errors use the
/// same words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct Malformed(#[from] pub(crate) Rejection);

/// Why an answer has no score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The answer breaks a rule.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The answer may be right, but the checker gives up.
    #[error(transparent)]
    Undecided(#[from] Undecided),
}

/// A decision would take more work than the checker spends on one answer. This is a limit of the checker, not a broken
/// rule. Shown as `undecided: PLACE: WHY`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("undecided: {}: {}", location(self.place, self.step), self.why)]
pub struct Undecided {
    /// Where in the answer.
    pub place: Place,
    /// The move of the game, from 1; `None` if no move is concerned.
    pub step: Option<usize>,
    /// The undecided property, and the limit that was reached.
    pub why: String,
}
