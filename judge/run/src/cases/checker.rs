//! The checker of a problem: a built-in one, or a command of the problem's author.

use crate::command::{CallInput, CommandError, SetterProgram, StopSignal, reports};
use crate::files;
use crate::matching::AnswerIndex;
use checkers::{Case, CheckError, Checker, Feature, Malformed, Observer, Score, Undecided};
use judge_problem::verdict::{self, CallOutput, Decision, NEXT_PASS_FILE, Protocol, ProtocolError};
use judge_problem::{
    AnswerFiles, CaseSource, CheckerChoice, CheckerProtocol, CommandTemplate, ExternalChecker, GeneratorCall,
    MetricRule, Metrics, Problem, Role, Ruling, TokenRules, error_chain,
};
use judge_sandbox::WorkFile;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

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
    /// An external checker or an interactor gave a negative score that is worse than a failed case.
    #[error(
        "the score {score} is worse than the score of a failed case ({least}): set `failure` in [problem.scoring] below \
         every score"
    )]
    BelowFailure {
        /// The score.
        score: Score,
        /// The score of a failed case.
        least: Score,
    },
    /// The checker compares with an answer file, and the case has none.
    #[error(
        "the case has no answer file: name some with `answers = [\"data/*.ans\"]` in the problem, or one with `judge \
         check --answer FILE`"
    )]
    NoAnswerFile,
    /// An answer file cannot be read.
    #[error("cannot read the answer file {}", .0.display())]
    AnswerFile(PathBuf, #[source] io::Error),
    /// A folder with answer files cannot be read, and the case has no other.
    #[error("cannot look for the answer file: {0}")]
    AnswerFolder(String),
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

/// The checker of a problem.
#[derive(Clone)]
pub struct ProblemChecker {
    kind: Kind,
    least: Option<Score>,
    metrics: Arc<[MetricRule]>,
    stop: Option<StopSignal>,
    /// The answer file for every case, if one is given.
    expected: Option<PathBuf>,
    answers: Option<AnswerFiles>,
    /// All answer files. They are found once.
    answer_files: Arc<OnceLock<AnswerIndex>>,
}

#[derive(Clone)]
enum Kind {
    BuiltIn(&'static Checker),
    Tokens(TokenRules),
    External(Arc<CheckerProgram>),
}

/// A case that the checker has read.
pub enum PreparedCase {
    /// Read by a built-in checker.
    BuiltIn(Box<dyn Case>),
    /// For a program of the setter.
    External(Arc<CheckerProgram>, ExternalCase),
    /// Compared with its answer file.
    Tokens(TokenRules, Vec<u8>),
}

impl ProblemChecker {
    /// Returns the checker of a problem.
    pub fn of(problem: &Problem) -> Self {
        let kind = match &problem.checker {
            CheckerChoice::BuiltIn(checker) => Kind::BuiltIn(checker),
            CheckerChoice::Tokens(rules, _) => Kind::Tokens(*rules),
            CheckerChoice::External(checker) => Kind::External(Arc::new(CheckerProgram::of(checker, problem))),
        };
        Self {
            kind,
            least: problem.min_score(),
            metrics: problem.metrics.clone().into(),
            stop: None,
            expected: None,
            answers: problem.checker.answers().cloned(),
            answer_files: Arc::default(),
        }
    }

    /// Returns a checker that uses this answer file for every case.
    pub fn with_answer(self, expected: Option<&Path>) -> Self {
        Self { expected: expected.map(Path::to_owned), ..self }
    }

    /// Returns a checker that `stop` ends.
    pub fn stopped_by(self, stop: &StopSignal) -> Self {
        Self { stop: Some(stop.clone()), ..self }
    }

    /// Returns the answer file of a case, if it has one.
    ///
    /// # Errors
    /// When none is found, and a folder that may contain it cannot be read.
    pub fn answer_file(&self, source: Option<&CaseSource>) -> Result<Option<PathBuf>, CheckerError> {
        if let Some(expected) = &self.expected {
            return Ok(Some(expected.clone()));
        }
        let (Some(CaseSource::File(path)), Some(answers)) = (source, &self.answers) else { return Ok(None) };
        let files = self.answer_files.get_or_init(|| AnswerIndex::of(answers));
        let found = files.answer_of(path).map_err(|error| CheckerError::AnswerFolder(error_chain(error)))?;
        Ok(found.map(Path::to_owned))
    }

    /// Reads the input of a case. `source` is `None` if the input is not one of the problem's cases.
    ///
    /// # Errors
    /// When it is malformed, or its answer file cannot be found or read.
    pub fn prepare(&self, input: &[u8], source: Option<&CaseSource>) -> Result<PreparedCase, CheckerError> {
        let expected = self.answer_file(source)?;
        Ok(match &self.kind {
            Kind::BuiltIn(checker) => {
                PreparedCase::BuiltIn(guarded(|| checker.read(input))?.map_err(CheckerError::Malformed)?)
            }
            Kind::Tokens(rules) => {
                let path = expected.ok_or(CheckerError::NoAnswerFile)?;
                let bytes = files::read(&path).map_err(|error| CheckerError::AnswerFile(path, error))?;
                PreparedCase::Tokens(*rules, bytes)
            }
            Kind::External(program) => {
                // The program may see the file itself: it would wait for the writer of a pipe, and might take a missing file
                // for an empty one and blame the solver.
                if let Some(path) = &expected {
                    files::check(path).map_err(|error| CheckerError::AnswerFile(path.clone(), error))?;
                }
                let seed = match source {
                    Some(CaseSource::Seed(seed) | CaseSource::Made(GeneratorCall { seed, .. })) => Some(*seed),
                    Some(CaseSource::File(_)) | None => None,
                };
                let (stop, least, metrics) = (self.stop.clone(), self.least.clone(), Arc::clone(&self.metrics));
                let case = ExternalCase { input: input.into(), expected, seed, stop, least, metrics };
                PreparedCase::External(Arc::clone(program), case)
            }
        })
    }
}

impl PreparedCase {
    /// Checks an answer, and returns its score or the reason for a rejection.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check(&self, answer: &[u8]) -> Result<Ruling, CheckerError> {
        Ok(self.decide(answer)?.ruling)
    }

    /// Checks an answer, and returns its metrics, too.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn decide(&self, answer: &[u8]) -> Result<Decision, CheckerError> {
        match self {
            Self::BuiltIn(case) => {
                let mut metrics = Metrics::default();
                let score = guarded(|| case.measure(answer))?.map(|(score, counted)| {
                    counted.into_iter().for_each(|(metric, number)| metrics.set(metric.name, number.into()));
                    score
                });
                Ok(Decision { metrics, ruling: ruling(score)? })
            }
            Self::External(program, case) => {
                let checker = match program.role {
                    Role::Checker => Some(&**program),
                    Role::Interactor => None,
                    Role::Tester => program.then.as_deref(),
                };
                self.admit(checker.ok_or(CheckerError::Interactive)?.check_once(case, answer)?)
            }
            Self::Tokens(rules, expected) => Ok(verdict::compare_tokens(rules, expected, answer).into()),
        }
    }

    /// Returns how often the solver may run on the case.
    pub fn passes(&self) -> u32 {
        self.only_checker().map_or(1, |(checker, _)| verdict::checker_protocol(&checker.protocol).passes())
    }

    /// Returns the setter's checker, with its case, if the solver runs without a partner program.
    fn only_checker(&self) -> Option<(&CheckerProgram, &ExternalCase)> {
        match self {
            Self::External(program, case) if program.role == Role::Checker => Some((program, case)),
            _ => None,
        }
    }

    /// Begins to check the answers of one solver: one for each pass. `None`: the checker is not a command.
    pub fn begin(&self) -> Option<Checking<'_>> {
        self.only_checker().map(|(checker, case)| checker.begin(case))
    }

    /// Returns the checker's decision on the interactor's output. `None`: only the interactor decides.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check_written(&self, written: &[u8]) -> Result<Option<Decision>, CheckerError> {
        match self {
            Self::External(program, case) if program.role == Role::Interactor => {
                program.then.as_ref().map(|then| then.check_once(case, written)).transpose()
            }
            _ => Ok(None),
        }
    }

    /// Returns a decision unchanged, or an error if the problem does not allow its score.
    ///
    /// # Errors
    /// When the score is worse than the score of a failed case.
    pub fn admit(&self, decision: Decision) -> Result<Decision, CheckerError> {
        let Self::External(_, case) = self else { return Ok(decision) };
        match (&decision.ruling, &case.least) {
            (Ruling::Accepted(score), Some(least)) if score < least => {
                Err(CheckerError::BelowFailure { score: score.clone(), least: least.clone() })
            }
            _ => Ok(decision),
        }
    }

    /// Checks an answer as [`check`](Self::check) does, and reports every step of the game to `observer`. An external
    /// checker reports no steps.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Ruling, CheckerError> {
        match self {
            Self::BuiltIn(case) => ruling(guarded(|| case.replay(answer, observer))?),
            _ => self.check(answer),
        }
    }

    /// Returns the case's named numbers; none if its checker is external.
    pub fn features(&self) -> Vec<Feature> {
        match self {
            Self::BuiltIn(case) => guarded(|| case.features()).unwrap_or_default(),
            Self::External(..) | Self::Tokens(..) => Vec::new(),
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

/// A checker that panics is a fault of the judge, and never a verdict on the answer.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, CheckerError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        CheckerError::Panicked(text.unwrap_or_else(|| "no message".to_owned()))
    })
}

/// The result of a checker for the answer of one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// The decision on the answer.
    Decided(Decision),
    /// The solver must run again, on this input.
    NextPass(Vec<u8>),
}

/// A setter's checker, interactor or tester, ready to be called.
#[derive(Debug)]
pub struct CheckerProgram {
    pub(crate) role: Role,
    pub(crate) program: SetterProgram,
    /// How it is called and understood.
    pub(crate) protocol: CheckerProtocol,
    /// The program that checks what an interactor wrote, or answers that no tester has seen.
    then: Option<Box<Self>>,
}

impl CheckerProgram {
    fn of(checker: &ExternalChecker, problem: &Problem) -> Self {
        let ExternalChecker { role, command, protocol, then, .. } = checker;
        let program = SetterProgram::new(command, &problem.helper_limits.checker);
        let then = then.as_deref().map(|then| Box::new(Self::of(then, problem)));
        Self { role: *role, program, protocol: protocol.clone(), then }
    }

    /// Begins to check the answers of one solver.
    pub(super) fn begin<'a>(&'a self, case: &'a ExternalCase) -> Checking<'a> {
        Checking::begin(&self.program, verdict::checker_protocol(&self.protocol), case)
    }

    /// Returns the decision on the only answer to a case.
    fn check_once(&self, case: &ExternalCase, answer: &[u8]) -> Result<Decision, CheckerError> {
        expect_decision(self.begin(case).check(answer)?)
    }
}

/// A case as setters' programs get it.
#[derive(Debug)]
pub struct ExternalCase {
    /// The input.
    pub input: Arc<[u8]>,
    /// The case's answer file.
    pub expected: Option<PathBuf>,
    /// The seed of the case, if it is made from one.
    pub(crate) seed: Option<u64>,
    /// Stops a checker early.
    pub stop: Option<StopSignal>,
    /// The lowest score that the problem admits.
    least: Option<Score>,
    /// The metrics that the problem declares.
    pub(crate) metrics: Arc<[MetricRule]>,
}

impl ExternalCase {
    /// Returns a case with only an input.
    fn of(input: &[u8]) -> Self {
        Self { input: input.into(), expected: None, seed: None, stop: None, least: None, metrics: Arc::default() }
    }
}

/// The checks of one solver's answers to a case: one answer for each pass. Files that the checker leaves in its folder
/// stay there from pass to pass.
pub struct Checking<'a> {
    program: &'a SetterProgram,
    protocol: &'a dyn Protocol,
    case: &'a ExternalCase,
    /// The input of this pass.
    input: Arc<[u8]>,
    /// The files that the checker has left in its folder.
    left: Vec<WorkFile>,
}

impl<'a> Checking<'a> {
    /// Begins with no answer.
    fn begin(program: &'a SetterProgram, protocol: &'a dyn Protocol, case: &'a ExternalCase) -> Self {
        Self { program, protocol, case, input: Arc::clone(&case.input), left: Vec::new() }
    }

    /// Checks the answer of the next pass.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check(&mut self, answer: &[u8]) -> Result<Checked, CheckerError> {
        self.check_files(Some(answer))
    }

    fn check_files(&mut self, answer: Option<&[u8]>) -> Result<Checked, CheckerError> {
        let Self { program, protocol, case, .. } = *self;
        let files = CallInput { input: &self.input, answer, expected: case.expected.as_deref(), more: &[] };
        let left = std::mem::take(&mut self.left);
        let ended = program.run_on_case(protocol, left, files, case.stop.as_ref())?;
        let reports = reports(protocol, &ended.files);
        let output =
            CallOutput { status: ended.status, stdout: &ended.stdout, stderr: &ended.stderr, reports: &reports };
        if let Some(next) = protocol.next_pass(&output) {
            self.input = next.into();
            // The file that requested the next pass is removed before it.
            self.left = ended.files;
            self.left.retain(|file| file.path != Path::new(NEXT_PASS_FILE));
            return Ok(Checked::NextPass(next.to_vec()));
        }
        let decision = Decision::read(protocol, &output, &case.metrics);
        Ok(Checked::Decided(decision.map_err(CheckerError::Protocol)?))
    }
}

fn expect_decision(checked: Checked) -> Result<Decision, CheckerError> {
    match checked {
        Checked::Decided(decision) => Ok(decision),
        Checked::NextPass(_) => Err(CheckerError::Protocol(ProtocolError::NextPass(
            "which only `judge run` gives it, with `validation-passes`",
        ))),
    }
}

/// Returns the ruling of a program on an answer, or on the input itself.
///
/// # Errors
/// When it cannot be run, or violates its protocol.
pub fn check_externally(
    program: &SetterProgram,
    protocol: &dyn Protocol,
    input: &[u8],
    answer: Option<&[u8]>,
) -> Result<Ruling, CheckerError> {
    Ok(expect_decision(Checking::begin(program, protocol, &ExternalCase::of(input)).check_files(answer)?)?.ruling)
}

/// Runs a validator of a problem on an input. Returns why it refuses the input; `None` if it accepts it.
///
/// # Errors
/// When it cannot be run.
pub fn validate(problem: &Problem, validator: &CommandTemplate, input: &[u8]) -> Result<Option<String>, CheckerError> {
    let program = SetterProgram::new(validator, &problem.helper_limits.checker);
    let protocol = verdict::validator_protocol(problem.checker.program().map(|checker| &checker.protocol));
    match check_externally(&program, &protocol, input, None)? {
        Ruling::Accepted(_) => Ok(None),
        Ruling::Rejected(rejection) => Ok(Some(rejection.to_string())),
    }
}
