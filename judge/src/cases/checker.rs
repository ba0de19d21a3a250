//! The checker of a problem: a built-in one, or a command of the problem's author.

use super::error::CheckerError;
use super::external::{Checking, ExternalCase, check_once, stored};
use crate::command::{self, StopSignal};
use crate::model::{
    CaseSource, CheckerChoice, CheckerProtocol, CommandTemplate, ExternalChecker, Problem, Ruling, TokenRules,
};
use crate::verdict;
use checkers::{Case, CheckError, Feature, Observer, Score};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tempfile::NamedTempFile;

/// The checker of a problem.
#[derive(Clone)]
pub struct ProblemChecker {
    choice: CheckerChoice,
    limit: Duration,
    least: Option<Score>,
    stop: Option<StopSignal>,
    /// The answer file that the user names, for every case.
    expected: Option<PathBuf>,
    /// All answer files, looked for once.
    answer_files: Arc<OnceLock<Vec<PathBuf>>>,
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
        /// The case's answer file.
        expected: Option<PathBuf>,
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
        /// The case's answer file.
        expected: Option<PathBuf>,
        /// The wall time of the checker of what it wrote.
        limit: Duration,
        /// Stops that checker early.
        stop: Option<StopSignal>,
        /// The least score that the problem admits.
        least: Option<Score>,
    },
    /// To be compared with its answer file.
    Tokens(TokenRules, Vec<u8>),
}

impl ProblemChecker {
    /// Returns the checker of a problem.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let limit = problem.helper_limits.checker.0;
        Self {
            choice: problem.checker.clone(),
            limit,
            least: problem.least_score(),
            stop: None,
            expected: None,
            answer_files: Arc::default(),
        }
    }

    /// Returns a checker that takes this answer file for every case.
    #[must_use]
    pub fn with_answer(self, expected: Option<&Path>) -> Self {
        Self { expected: expected.map(Path::to_owned), ..self }
    }

    /// Returns a checker that `stop` ends.
    #[must_use]
    pub fn stopped_by(self, stop: &StopSignal) -> Self {
        Self { stop: Some(stop.clone()), ..self }
    }

    /// Returns the answer file of a case, if it has one.
    #[must_use]
    pub fn answer_file(&self, source: Option<&CaseSource>) -> Option<PathBuf> {
        let of_case = || match source? {
            CaseSource::File(path) => {
                let answers = self.choice.answers()?;
                let files = self.answer_files.get_or_init(|| command::answer_files(answers));
                command::answer_of(answers, files, path)
            }
            CaseSource::Seed(_) => None,
        };
        self.expected.clone().or_else(of_case)
    }

    /// Reads the input of a case, which is one of the problem or of a file, or comes from elsewhere (`None`).
    ///
    /// # Errors
    /// When it is malformed, or its answer file cannot be read.
    pub fn prepare(&self, input: &[u8], source: Option<&CaseSource>) -> Result<PreparedCase, CheckerError> {
        let expected = self.answer_file(source);
        Ok(match &self.choice {
            CheckerChoice::BuiltIn(checker) => {
                PreparedCase::BuiltIn(guarded(|| checker.read(input))?.map_err(CheckerError::Malformed)?)
            }
            CheckerChoice::External(checker) => {
                let (checker, least, stop) = (checker.clone(), self.least.clone(), self.stop.clone());
                PreparedCase::External { checker, input: stored(input)?, expected, limit: self.limit, least, stop }
            }
            CheckerChoice::Interactor(interactor) => {
                let (interactor, least, stop) = (interactor.clone(), self.least.clone(), self.stop.clone());
                let input = stored(input)?;
                PreparedCase::Interactive { interactor, input, expected, limit: self.limit, stop, least }
            }
            CheckerChoice::Tokens(rules, _) => {
                let path = expected.ok_or(CheckerError::NoAnswerFile)?;
                match std::fs::read(&path) {
                    Ok(bytes) => PreparedCase::Tokens(*rules, bytes),
                    Err(source) => return Err(CheckerError::AnswerFile { path, source }),
                }
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
            Self::External { checker, .. } => match self.external(&checker.command) {
                Some(case) => self.admit(check_once(checker, case, answer)?),
                None => Err(CheckerError::Interactive),
            },
            Self::Tokens(rules, expected) => Ok(verdict::compare_tokens(rules, expected, answer)),
            Self::Interactive { .. } => Err(CheckerError::Interactive),
        }
    }

    /// Returns how often the solver may run on the case.
    #[must_use]
    pub fn passes(&self) -> u32 {
        match self {
            Self::External { checker: ExternalChecker { protocol: CheckerProtocol::Kattis(kattis), .. }, .. } => {
                kattis.passes
            }
            _ => 1,
        }
    }

    /// Begins to check the answers of one solver: one for each pass. `None`: the checker is no command.
    ///
    /// # Errors
    /// When the files of the checker cannot be created.
    pub fn begin(&self) -> Result<Option<Checking<'_>>, CheckerError> {
        let Self::External { checker, .. } = self else { return Ok(None) };
        let protocol = verdict::checker_protocol(&checker.protocol);
        let case = self.external(&checker.command);
        Ok(case.map(|case| Checking::begin(case, protocol)).transpose()?)
    }

    /// Returns the ruling of the checker of what an interactor wrote; `None`: the interactor decides alone.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check_written(&self, written: &[u8]) -> Result<Option<Ruling>, CheckerError> {
        let Self::Interactive { interactor, .. } = self else { return Ok(None) };
        let Some(then) = &interactor.then else { return Ok(None) };
        let Some(case) = self.external(&then.command) else { return Ok(None) };
        check_once(then, case, written).map(Some)
    }

    /// Returns the case as a command gets it; `None`: it has no files.
    fn external<'a>(&'a self, command: &'a CommandTemplate) -> Option<ExternalCase<'a>> {
        let (Self::External { input, expected, limit, stop, .. }
        | Self::Interactive { input, expected, limit, stop, .. }) = self
        else {
            return None;
        };
        let (input, expected) = (input.path(), expected.as_deref());
        Some(ExternalCase { command, input, expected, limit: *limit, stop: stop.as_ref() })
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
            Self::External { .. } | Self::Interactive { .. } | Self::Tokens(..) => self.check(answer),
        }
    }

    /// Returns the case's named numbers; none if its checker is external.
    #[must_use]
    pub fn features(&self) -> Vec<Feature> {
        match self {
            Self::BuiltIn(case) => guarded(|| case.features()).unwrap_or_default(),
            Self::External { .. } | Self::Interactive { .. } | Self::Tokens(..) => Vec::new(),
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
