//! The checker of a problem: a built-in one, or a command of the problem's author.

use super::error::CheckerError;
use super::external::{CheckerProgram, Checking, ExternalCase};
use crate::command::{AnswerIndex, CaseInput, StopSignal};
use checkers::{Case, CheckError, Feature, Observer, Score};
use judge_problem::verdict;
use judge_problem::{CaseSource, CheckerChoice, ExternalChecker, Problem, Ruling, Tester, TokenRules, error_chain};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The checker of a problem.
#[derive(Clone)]
pub struct ProblemChecker {
    choice: CheckerChoice,
    /// The setter's checker, that of what an interactor wrote, or that of answers without a tester.
    program: Option<Arc<CheckerProgram>>,
    interactor: Option<Arc<CheckerProgram>>,
    least: Option<Score>,
    stop: Option<StopSignal>,
    /// The answer file that the user names, for every case.
    expected: Option<PathBuf>,
    /// All answer files, looked for once.
    answer_files: Arc<OnceLock<AnswerIndex>>,
}

/// A case that the checker has read.
pub enum PreparedCase {
    /// Read by a built-in checker.
    BuiltIn(Box<dyn Case>),
    /// For an external checker.
    External {
        /// The checker.
        checker: Arc<CheckerProgram>,
        /// What it gets.
        case: ExternalCase,
    },
    /// For an interactor.
    Interactive {
        /// The interactor.
        interactor: Arc<CheckerProgram>,
        /// The checker of what it wrote, if it does not decide alone.
        then: Option<Arc<CheckerProgram>>,
        /// What they get.
        case: ExternalCase,
    },
    /// For a tester.
    Tested {
        /// The tester.
        tester: Box<Tester>,
        /// The checker of answers alone, if there is one.
        then: Option<Arc<CheckerProgram>>,
        /// What they get.
        case: ExternalCase,
        /// The seed of the case, if it is made from one.
        seed: Option<u64>,
    },
    /// To be compared with its answer file.
    Tokens(TokenRules, Vec<u8>),
}

impl ProblemChecker {
    /// Returns the checker of a problem.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let checker = match &problem.checker {
            CheckerChoice::External(checker) => Some(checker),
            CheckerChoice::Interactor(interactor) => interactor.then.as_deref(),
            CheckerChoice::Tester(tester) => tester.checker.as_deref(),
            CheckerChoice::BuiltIn(_) | CheckerChoice::Tokens(..) => None,
        };
        let interactor = match &problem.checker {
            CheckerChoice::Interactor(interactor) => Some(interactor),
            _ => None,
        };
        let program =
            |checker: &ExternalChecker| Arc::new(CheckerProgram::new(checker, &problem.helper_limits.checker));
        Self {
            choice: problem.checker.clone(),
            program: checker.map(program),
            interactor: interactor.map(program),
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
    ///
    /// # Errors
    /// When none is found, and a folder that may have it cannot be read.
    pub fn answer_file(&self, source: Option<&CaseSource>) -> Result<Option<PathBuf>, CheckerError> {
        if let Some(expected) = &self.expected {
            return Ok(Some(expected.clone()));
        }
        let (Some(CaseSource::File(path)), Some(answers)) = (source, self.choice.answers()) else { return Ok(None) };
        let files = self.answer_files.get_or_init(|| AnswerIndex::of(answers));
        let found = files.answer_of(path).map_err(|error| CheckerError::AnswerFolder(error_chain(error)))?;
        Ok(found.map(Path::to_owned))
    }

    /// Reads the input of a case, which is one of the problem or of a file, or comes from elsewhere (`None`).
    ///
    /// # Errors
    /// When it is malformed, or its answer file cannot be found or read.
    pub fn prepare(&self, input: &[u8], source: Option<&CaseSource>) -> Result<PreparedCase, CheckerError> {
        let (expected, least, stop) = (self.answer_file(source)?, self.least.clone(), self.stop.clone());
        let case = |expected| ExternalCase { input: CaseInput::new(input), expected, stop, least };
        Ok(match (&self.choice, self.program.clone()) {
            (CheckerChoice::BuiltIn(checker), _) => {
                PreparedCase::BuiltIn(guarded(|| checker.read(input))?.map_err(CheckerError::Malformed)?)
            }
            (CheckerChoice::External(_), Some(checker)) => PreparedCase::External { checker, case: case(expected) },
            (CheckerChoice::External(checker), None) => unreachable!("{checker:?} has a program"),
            (CheckerChoice::Interactor(interactor), then) => {
                let Some(interactor) = self.interactor.clone() else { unreachable!("{interactor:?} has a program") };
                PreparedCase::Interactive { interactor, then, case: case(expected) }
            }
            (CheckerChoice::Tester(tester), then) => {
                let seed = match source {
                    Some(CaseSource::Seed(seed)) => Some(*seed),
                    _ => None,
                };
                PreparedCase::Tested { tester: Box::new(tester.clone()), then, case: case(expected), seed }
            }
            (CheckerChoice::Tokens(rules, _), _) => {
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
            Self::External { checker, case } | Self::Tested { then: Some(checker), case, .. } => {
                self.admit(checker.check_once(case, answer)?)
            }
            Self::Tokens(rules, expected) => Ok(verdict::compare_tokens(rules, expected, answer)),
            Self::Interactive { .. } | Self::Tested { .. } => Err(CheckerError::Interactive),
        }
    }

    /// Returns how often the solver may run on the case.
    #[must_use]
    pub fn passes(&self) -> u32 {
        match self {
            Self::External { checker, .. } => checker.passes(),
            Self::BuiltIn(_) | Self::Interactive { .. } | Self::Tested { .. } | Self::Tokens(..) => 1,
        }
    }

    /// Begins to check the answers of one solver: one for each pass. `None`: the checker is no command.
    ///
    /// # Errors
    /// When the files of the checker cannot be created.
    pub fn begin(&self) -> Result<Option<Checking<'_>>, CheckerError> {
        let Self::External { checker, case } = self else { return Ok(None) };
        Ok(Some(checker.begin(case)?))
    }

    /// Returns the ruling of the checker of what an interactor wrote; `None`: the interactor decides alone.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check_written(&self, written: &[u8]) -> Result<Option<Ruling>, CheckerError> {
        let Self::Interactive { then: Some(then), case, .. } = self else { return Ok(None) };
        then.check_once(case, written).map(Some)
    }

    /// Returns a ruling as it is, unless its score is one that the problem does not admit.
    ///
    /// # Errors
    /// When the score is negative, and below the score of a failed case.
    pub fn admit(&self, ruling: Ruling) -> Result<Ruling, CheckerError> {
        let (Self::External { case, .. } | Self::Interactive { case, .. } | Self::Tested { case, .. }) = self else {
            return Ok(ruling);
        };
        match (&ruling, &case.least) {
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
            Self::External { .. } | Self::Interactive { .. } | Self::Tested { .. } | Self::Tokens(..) => {
                self.check(answer)
            }
        }
    }

    /// Returns the case's named numbers; none if its checker is external.
    #[must_use]
    pub fn features(&self) -> Vec<Feature> {
        match self {
            Self::BuiltIn(case) => guarded(|| case.features()).unwrap_or_default(),
            Self::External { .. } | Self::Interactive { .. } | Self::Tested { .. } | Self::Tokens(..) => Vec::new(),
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
