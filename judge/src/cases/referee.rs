//! Who says what an answer is worth: a built-in checker, or a command of the user's.

use super::InputError;
use crate::command::{self, CommandError};
use crate::model::{CheckerChoice, Problem};
use checkers::{Case, Checker, Feature, Malformed, Observer, Rejection, Score};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// How long a checker of the user's may take for one answer.
const CHECKER_LIMIT: Duration = Duration::from_secs(60);

/// Says what answers are worth.
#[derive(Clone)]
pub enum Referee {
    /// A checker of the `checkers` crate, in this process.
    BuiltIn(&'static dyn Checker),
    /// A command of the user's. It gets the files of the input and the answer in place of `{input}` and `{answer}`, or
    /// as its last two arguments. Exit code 0: accepted, and the first word it prints is the score. Exit code 1:
    /// rejected, and the first line it prints says why. Anything else is the checker's own fault.
    Command {
        /// The command line.
        line: String,
        /// Where it runs.
        folder: PathBuf,
    },
}

/// A case that the referee has read.
pub enum Admitted {
    /// Read by a built-in checker.
    BuiltIn(Box<dyn Case>),
    /// Stored for the user's command.
    Command {
        /// The command line.
        line: String,
        /// Where it runs.
        folder: PathBuf,
        /// The input.
        input: NamedTempFile,
    },
}

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

/// The referee could not rule. Never the solver's fault.
#[derive(Debug, thiserror::Error)]
pub enum RefereeError {
    /// The input is not of the game.
    #[error("the input is not of this game: {0}")]
    Malformed(#[from] Malformed),
    /// The user's checker gave no result.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The user's checker did not keep to the protocol.
    #[error("the checker {0}")]
    Protocol(String),
    /// A temporary file could not be written.
    #[error("cannot write a temporary file for the checker")]
    Store(#[from] io::Error),
    /// A built-in checker panicked: a bug of ours.
    #[error("the checker panicked: {0}")]
    Panicked(String),
}

/// A case that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Its input cannot be had.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Its input is not of the game, or the referee failed.
    #[error(transparent)]
    Referee(#[from] RefereeError),
}

impl Referee {
    /// Returns the referee of a problem.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        match &problem.checker {
            CheckerChoice::BuiltIn(checker) => Self::BuiltIn(*checker),
            CheckerChoice::Command(line) => Self::Command { line: line.clone(), folder: problem.folder.clone() },
        }
    }

    /// Reads a case's input.
    ///
    /// # Errors
    /// When it is not of the game.
    pub fn admit(&self, input: &[u8]) -> Result<Admitted, RefereeError> {
        match self {
            Self::BuiltIn(checker) => Ok(Admitted::BuiltIn(guarded(|| checker.read(input))??)),
            Self::Command { line, folder } => {
                Ok(Admitted::Command { line: line.clone(), folder: folder.clone(), input: stored(input)? })
            }
        }
    }
}

impl Admitted {
    /// Says what an answer is worth.
    ///
    /// # Errors
    /// When the referee itself fails.
    pub fn rule(&self, answer: &[u8]) -> Result<Ruling, RefereeError> {
        match self {
            Self::BuiltIn(case) => Ok(guarded(|| case.check(answer))?.into()),
            Self::Command { line, folder, input } => {
                rule_by_command(line, folder, input.path(), stored(answer)?.path())
            }
        }
    }

    /// Does the same, and shows every step of the game to `observer`; a command of the user's shows none.
    ///
    /// # Errors
    /// When the referee itself fails.
    pub fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Ruling, RefereeError> {
        match self {
            Self::BuiltIn(case) => Ok(guarded(|| case.replay(answer, observer))?.into()),
            Self::Command { .. } => self.rule(answer),
        }
    }

    /// Returns the case's named numbers, as far as its checker knows any.
    #[must_use]
    pub fn features(&self) -> Vec<Feature> {
        match self {
            Self::BuiltIn(case) => guarded(|| case.features()).unwrap_or_default(),
            Self::Command { .. } => Vec::new(),
        }
    }
}

impl From<Result<Score, Rejection>> for Ruling {
    fn from(result: Result<Score, Rejection>) -> Self {
        match result {
            Ok(score) => Self::Accepted(score),
            Err(rejection) => Self::Rejected { place: rejection.location(), reason: rejection.reason() },
        }
    }
}

/// A panic of a checker is a fault of ours, never a verdict on the answer.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, RefereeError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        RefereeError::Panicked(text.unwrap_or_else(|| "without a message".to_owned()))
    })
}

fn stored(bytes: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = judge_sandbox::sweepable_name("case") + ".";
    let mut file = tempfile::Builder::new().prefix(&prefix).tempfile()?;
    file.write_all(bytes)?;
    Ok(file)
}

fn rule_by_command(line: &str, folder: &Path, input: &Path, answer: &Path) -> Result<Ruling, RefereeError> {
    let mut words = command::words(line, &[("input", input), ("answer", answer)])?;
    if !line.contains("{input}") && !line.contains("{answer}") {
        words.extend([input.into(), answer.into()]);
    }
    let finished = command::run(&words, folder, CHECKER_LIMIT)?;
    let said = String::from_utf8_lossy(&finished.stdout);
    let first_line = said.lines().next().unwrap_or("").trim();
    match finished.status.code() {
        Some(0) => match first_line.split_whitespace().next().unwrap_or("").parse() {
            Ok(score) => Ok(Ruling::Accepted(score)),
            Err(_) => Err(RefereeError::Protocol(format!(
                "accepted the answer, but the first word it printed is not an integer score: `{first_line}`"
            ))),
        },
        Some(1) => Ok(Ruling::Rejected { place: String::new(), reason: first_line.to_owned() }),
        _ => Err(RefereeError::Protocol(format!(
            "ended with {} (0 accepts, 1 rejects): {}",
            finished.status,
            String::from_utf8_lossy(&finished.stderr).trim()
        ))),
    }
}
