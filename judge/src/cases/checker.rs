//! The checker of a problem: a built-in one, or a command of the problem's author.

use super::InputError;
use crate::command::{self, CommandError, Reports, StopSignal};
use crate::model::{CheckerChoice, CommandTemplate, ExternalChecker, Problem, Ruling};
use crate::verdict::{self, CallOutput, Protocol, ProtocolError};
use checkers::{Case, CheckError, Feature, Malformed, Observer, Score, Undecided};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use tempfile::NamedTempFile;

/// The checker of a problem.
#[derive(Clone)]
pub struct ProblemChecker {
    choice: CheckerChoice,
    limit: Duration,
    least: Option<Score>,
    stop: Option<StopSignal>,
}

/// A case that the checker has read.
pub enum PreparedCase {
    /// Read by a built-in checker.
    BuiltIn(Box<dyn Case>),
    /// Stored for an external checker.
    External {
        /// The checker.
        checker: ExternalChecker,
        /// The input.
        input: NamedTempFile,
        /// The wall time for one answer.
        limit: Duration,
        /// The least score that the problem admits.
        least: Option<Score>,
        /// Stops the checker early.
        stop: Option<StopSignal>,
    },
    /// Stored for an interactor.
    Interactive {
        /// The interactor.
        interactor: ExternalChecker,
        /// The input.
        input: NamedTempFile,
        /// The least score that the problem admits.
        least: Option<Score>,
    },
}

/// A checker failed. This is never the solver's fault.
#[derive(Debug, thiserror::Error)]
pub enum CheckerError {
    /// The input is malformed.
    #[error("the input is not of this game: {0}")]
    Malformed(Malformed),
    /// An external checker gave no result.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// An external checker violated its protocol.
    #[error("the checker {0}")]
    Protocol(ProtocolError),
    /// An external checker or an interactor gave a negative score below that of a failed case.
    #[error(
        "the score {score} is worse than that of a failed case ({least}): set `failure` in [problem.scoring] below \
         every score"
    )]
    BelowFailure {
        /// The score.
        score: Score,
        /// What a failed case counts as.
        least: Score,
    },
    /// The problem is interactive: an answer without its conversation cannot be checked.
    #[error("interactive answers cannot be checked without running the interactor")]
    Interactive,
    /// A built-in checker gave up on an answer that may be right.
    #[error("{0}")]
    Undecided(Undecided),
    /// A temporary file could not be written or read.
    #[error("cannot use a temporary file for the checker")]
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
    /// Its input is malformed, or the checker failed.
    #[error(transparent)]
    Checker(#[from] CheckerError),
}

impl ProblemChecker {
    /// Returns the checker of a problem.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let limit = problem.helper_limits.checker.0;
        Self { choice: problem.checker.clone(), limit, least: problem.least_score(), stop: None }
    }

    /// Returns a checker that `stop` ends.
    #[must_use]
    pub fn stopped_by(self, stop: &StopSignal) -> Self {
        Self { stop: Some(stop.clone()), ..self }
    }

    /// Reads a case's input.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn prepare(&self, input: &[u8]) -> Result<PreparedCase, CheckerError> {
        Ok(match &self.choice {
            CheckerChoice::BuiltIn(checker) => {
                PreparedCase::BuiltIn(guarded(|| checker.read(input))?.map_err(CheckerError::Malformed)?)
            }
            CheckerChoice::External(checker) => {
                let (checker, least, stop) = (checker.clone(), self.least.clone(), self.stop.clone());
                PreparedCase::External { checker, input: stored(input)?, limit: self.limit, least, stop }
            }
            CheckerChoice::Interactor(interactor) => {
                let (interactor, least) = (interactor.clone(), self.least.clone());
                PreparedCase::Interactive { interactor, input: stored(input)?, least }
            }
        })
    }
}

impl PreparedCase {
    /// Checks an answer, and returns its score or why it is rejected.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check(&self, answer: &[u8]) -> Result<Ruling, CheckerError> {
        match self {
            Self::BuiltIn(case) => ruling(guarded(|| case.check(answer))?),
            Self::External { checker, input, limit, stop, .. } => {
                let protocol = verdict::checker_protocol(&checker.protocol);
                let answer = stored(answer)?;
                let stop = stop.as_ref();
                let ruling = check_externally(&checker.command, protocol, input.path(), answer.path(), *limit, stop)?;
                self.admit(ruling)
            }
            Self::Interactive { .. } => Err(CheckerError::Interactive),
        }
    }

    /// Returns a ruling as it is, unless its score is one that the problem does not admit.
    ///
    /// # Errors
    /// When the score is negative, and below the score of a failed case.
    pub fn admit(&self, ruling: Ruling) -> Result<Ruling, CheckerError> {
        let (Self::External { least, .. } | Self::Interactive { least, .. }) = self else { return Ok(ruling) };
        match (&ruling, least) {
            (Ruling::Accepted(score), Some(least)) if score < least => {
                Err(CheckerError::BelowFailure { score: score.clone(), least: least.clone() })
            }
            _ => Ok(ruling),
        }
    }

    /// Checks an answer as [`check`](Self::check) does, and shows every step of the game to `observer`. An external
    /// checker shows none.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Ruling, CheckerError> {
        match self {
            Self::BuiltIn(case) => ruling(guarded(|| case.replay(answer, observer))?),
            Self::External { .. } | Self::Interactive { .. } => self.check(answer),
        }
    }

    /// Returns the case's named numbers; none if its checker is external.
    #[must_use]
    pub fn features(&self) -> Vec<Feature> {
        match self {
            Self::BuiltIn(case) => guarded(|| case.features()).unwrap_or_default(),
            Self::External { .. } | Self::Interactive { .. } => Vec::new(),
        }
    }
}

/// Returns the ruling of a built-in checker.
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
        CheckerError::Panicked(text.unwrap_or_else(|| "no message".to_owned()))
    })
}

fn stored(bytes: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = judge_sandbox::sweepable_name("case") + ".";
    let mut file = tempfile::Builder::new().prefix(&prefix).tempfile()?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Returns the ruling of an external checker on the answer in a file.
///
/// # Errors
/// When it cannot be run, or violates its protocol.
pub fn check_externally(
    command: &CommandTemplate,
    protocol: &dyn Protocol,
    input: &Path,
    answer: &Path,
    limit: Duration,
    stop: Option<&StopSignal>,
) -> Result<Ruling, CheckerError> {
    let reports = Reports::create(protocol)?;
    let call = protocol.call(&command.line, &reports.with(input, Some(answer)));
    let words = command::call_words(command, &call)?;
    let output = command::run_on(call.stdin, &words, &command.folder, limit, stop)?;
    let reports = reports.read()?;
    let output =
        CallOutput { status: output.status, stdout: &output.stdout, stderr: &output.stderr, reports: &reports };
    protocol.ruling(&output).map_err(CheckerError::Protocol)
}
