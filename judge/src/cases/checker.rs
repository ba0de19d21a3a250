//! Who says what an answer is worth: a built-in checker, or a command of the user's.

use super::InputError;
use crate::command::{self, CommandError, StopSignal, Template};
use crate::model::{CheckerChoice, Problem, Ruling};
use crate::verdict::{self, ProtocolError};
use checkers::{Case, CheckError, Checker, Feature, Malformed, Observer, Score, Undecided};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use tempfile::NamedTempFile;

/// How long a checker of the user's may take for one answer.
const CHECKER_LIMIT: Duration = Duration::from_secs(60);

/// Says what answers are worth.
#[derive(Clone)]
pub enum ProblemChecker {
    /// A checker of the `checkers` crate, in this process.
    BuiltIn(&'static dyn Checker),
    /// A command of the user's. It gets the files of the input and the answer in place of `{input}` and `{answer}`, or
    /// as its last two arguments. Exit code 0: accepted, and the first word it prints is the score. Exit code 1:
    /// rejected, and the first line it prints says why. Anything else is the checker's own fault.
    Command(Template),
    /// A command of the user's that converses with the solver, and then decides.
    Interactor(Template),
}

/// A case that the checker has read.
pub enum PreparedCase {
    /// Read by a built-in checker.
    BuiltIn(Box<dyn Case>),
    /// Stored for the user's command.
    Command {
        /// The command.
        command: Template,
        /// The input.
        input: NamedTempFile,
    },
    /// Stored for the user's interactor.
    Interactive {
        /// The command.
        command: Template,
        /// The input.
        input: NamedTempFile,
    },
}

/// The checker came to no result. Never the solver's fault.
#[derive(Debug, thiserror::Error)]
pub enum CheckerError {
    /// The input is not of the game.
    #[error("the input is not of this game: {0}")]
    Malformed(#[from] Malformed),
    /// The user's checker gave no result.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The user's checker did not keep to the protocol.
    #[error("the checker {0}")]
    Protocol(#[from] ProtocolError),
    /// The problem is interactive, and this is an answer without its conversation.
    #[error("interactive answers cannot be checked without running the interactor")]
    Interactive,
    /// A built-in checker gave up on an answer that may be right.
    #[error("{0}")]
    Undecided(Undecided),
    /// A temporary file could not be written.
    #[error("cannot write a temporary file for the checker")]
    Store(#[from] io::Error),
    /// A built-in checker panicked: a bug in it.
    #[error("the checker panicked: {0}")]
    Panicked(String),
}

/// A case that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Its input cannot be made or read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Its input is not of the game, or the checker failed.
    #[error(transparent)]
    Checker(#[from] CheckerError),
}

impl ProblemChecker {
    /// Returns the checker of a problem.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let template = |line: &String| Template { line: line.clone(), folder: problem.folder.clone(), stop: None };
        match &problem.checker {
            CheckerChoice::BuiltIn(checker) => Self::BuiltIn(*checker),
            CheckerChoice::Command(line) => Self::Command(template(line)),
            CheckerChoice::Interactor(line) => Self::Interactor(template(line)),
        }
    }

    /// Has `stop` end the checker.
    #[must_use]
    pub fn stopped_by(self, stop: &StopSignal) -> Self {
        let stopped = |command: Template| Template { stop: Some(stop.clone()), ..command };
        match self {
            Self::BuiltIn(checker) => Self::BuiltIn(checker),
            Self::Command(command) => Self::Command(stopped(command)),
            Self::Interactor(command) => Self::Interactor(stopped(command)),
        }
    }

    /// Reads a case's input.
    ///
    /// # Errors
    /// When it is not of the game.
    pub fn prepare(&self, input: &[u8]) -> Result<PreparedCase, CheckerError> {
        match self {
            Self::BuiltIn(checker) => Ok(PreparedCase::BuiltIn(guarded(|| checker.read(input))??)),
            Self::Command(command) => Ok(PreparedCase::Command { command: command.clone(), input: stored(input)? }),
            Self::Interactor(command) => {
                Ok(PreparedCase::Interactive { command: command.clone(), input: stored(input)? })
            }
        }
    }
}

impl PreparedCase {
    /// Says what an answer is worth.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check(&self, answer: &[u8]) -> Result<Ruling, CheckerError> {
        match self {
            Self::BuiltIn(case) => ruling(guarded(|| case.check(answer))?),
            Self::Command { command, input } => check_by_command(command, input.path(), stored(answer)?.path()),
            Self::Interactive { .. } => Err(CheckerError::Interactive),
        }
    }

    /// Does the same, and shows every step of the game to `observer`; a command of the user's shows none.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Ruling, CheckerError> {
        match self {
            Self::BuiltIn(case) => ruling(guarded(|| case.replay(answer, observer))?),
            Self::Command { .. } | Self::Interactive { .. } => self.check(answer),
        }
    }

    /// Returns the case's named numbers, as far as its checker knows any.
    #[must_use]
    pub fn features(&self) -> Vec<Feature> {
        match self {
            Self::BuiltIn(case) => guarded(|| case.features()).unwrap_or_default(),
            Self::Command { .. } | Self::Interactive { .. } => Vec::new(),
        }
    }
}

/// Returns what a built-in checker says.
fn ruling(result: Result<Score, CheckError>) -> Result<Ruling, CheckerError> {
    match result {
        Ok(score) => Ok(Ruling::Accepted(score)),
        Err(CheckError::Rejected(rejection)) => Ok(rejection.into()),
        Err(CheckError::Undecided(undecided)) => Err(CheckerError::Undecided(undecided)),
    }
}

/// A panic of a checker is a fault of the judge, never a verdict on the answer.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, CheckerError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        CheckerError::Panicked(text.unwrap_or_else(|| "without a message".to_owned()))
    })
}

fn stored(bytes: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = judge_sandbox::sweepable_name("case") + ".";
    let mut file = tempfile::Builder::new().prefix(&prefix).tempfile()?;
    file.write_all(bytes)?;
    Ok(file)
}

fn check_by_command(command: &Template, input: &Path, answer: &Path) -> Result<Ruling, CheckerError> {
    let Template { line, folder, stop } = command;
    let mut words = command::words(line, &[("input", input), ("answer", answer)])?;
    if !line.contains("{input}") && !line.contains("{answer}") {
        words.extend([input.into(), answer.into()]);
    }
    let finished = command::run(&words, folder, CHECKER_LIMIT, stop.as_ref())?;
    let said = String::from_utf8_lossy(&finished.stdout);
    let first_line = said.lines().next().unwrap_or("").trim();
    Ok(verdict::ruling(finished.status, first_line, &finished.stderr)?)
}
