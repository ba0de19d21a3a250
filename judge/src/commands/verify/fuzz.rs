//! `judge verify --fuzz`: changes answers and inputs at random. It searches for a checker that crashes, hangs, decides
//! inconsistently, or accepts an answer that a second checker or the sum of its own steps refutes.

use crate::commands::verify::mutate::{mutated, reduced};
use crate::commands::verify::programs::GoodAnswer;
use crate::commands::verify::{FEW, Subject, finding};
use checkers::{Frame, Observer, Score};
use judge_problem::verdict::ProtocolError;
use judge_problem::{
    CaseSource, CaseSpec, CheckerChoice, CheckerProtocol, CommandTemplate, ExternalChecker, Problem, Role, Ruling,
    Time, counted, error_chain, quote, unknown_placeholders,
};
use judge_report::{CheckResult, Finding};
use judge_run::cases::{CheckerError, Inputs, PreparedCase, ProblemChecker, validate};
use judge_run::command::CommandError;
use judge_run::program::find_program;
use judge_run::runner::was_interrupted;
use judge_session::{Failure, Result, load};
use judge_statistics::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A built-in checker that takes longer hangs. An external checker has its own limits.
const PATIENCE: Duration = Duration::from_secs(60);

/// The placeholders of a second checker, in any protocol.
const PLACEHOLDERS: [&str; 5] = ["input", "answer", "expected", "result", "output"];

/// One in this many tries also changes the input.
const INPUTS: usize = 4;

/// How often, and for how long, a fault is reproduced while it is made smaller.
const REDUCTIONS: usize = 2_000;
const REDUCTION_TIME: Duration = Duration::from_secs(10);

/// How a checker is fuzzed.
pub(super) struct Fuzz<'a> {
    /// For how long.
    pub(super) time: Duration,
    pub(super) seed: u64,
    /// The command of a second checker.
    pub(super) second: Option<&'a str>,
    /// Where faults are kept.
    pub(super) folder: PathBuf,
}

impl Fuzz<'_> {
    /// Fails if the flags cannot be used for these problems.
    pub(super) fn check(&self, problems: &[&Problem]) -> Result<()> {
        if self.time.is_zero() {
            return Err(Failure::usage("--fuzz 0s changes no answer").with_hint("--fuzz 60s"));
        }
        if self.folder.exists() && !self.folder.is_dir() {
            let error = format!("cannot keep faults in {}: it is not a folder", self.folder.display());
            return Err(Failure::usage(error).with_hint("--save names a folder"));
        }
        let Some(line) = self.second else { return Ok(()) };
        let words = shell_words::split(line).unwrap_or_default();
        let refused = |why: &str| Err(self.refused(why));
        if let Some((_, name, expected)) = unknown_placeholders(line, &PLACEHOLDERS).next() {
            return refused(&format!("unknown placeholder `{{{name}}}`: {expected}"));
        }
        let appends = |problem: &&Problem| match &problem.checker {
            CheckerChoice::External(ExternalChecker { role: Role::Checker, protocol, .. }) => match protocol {
                CheckerProtocol::Testlib(_) | CheckerProtocol::Kattis(_) => true,
                CheckerProtocol::Judge | CheckerProtocol::Regex(_) => false,
            },
            _ => false,
        };
        if !words.is_empty() && !line.contains("{answer}") && !problems.iter().any(appends) {
            return refused("it does not get the answer: add `{answer}`");
        }
        match words.first() {
            None => refused("it is no command line"),
            Some(program) if !program.starts_with('{') && find_program(Path::new(program)).is_err() => {
                refused(&format!("there is no program `{program}`"))
            }
            Some(_) => Ok(()),
        }
    }

    fn refused(&self, why: &str) -> Failure {
        Failure::usage(format!("--second `{}`: {why}", self.second.unwrap_or_default()))
            .with_hint("--second 'python3 other.py {input} {answer}'")
    }
}

/// A kind of fault. One of each kind is reported for each problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Crash,
    Hang,
    Unsteady,
    Sum,
    Second,
}

impl Fault {
    fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Unsteady => "unsteady",
            Self::Sum => "sum",
            Self::Second => "second",
        }
    }
}

/// An input with an answer.
#[derive(Debug, Clone)]
struct Pair {
    input: Vec<u8>,
    answer: Vec<u8>,
    /// The case that the input belongs to, if it was not changed.
    case: Option<CaseSpec>,
}

/// The checkers of a problem. They are shared with a thread, which may never end.
#[derive(Clone)]
struct Checkers {
    problem: Arc<Problem>,
    first: ProblemChecker,
    second: Option<ProblemChecker>,
}

/// Fuzzes the checker of a problem. `good`: answers that it accepts.
pub(super) fn fuzz(subject: &Subject<'_>, good: &[GoodAnswer], fuzz: &Fuzz<'_>) -> Result<Vec<Finding>> {
    if !subject.problem.checker.checks_answers() {
        let why = "the problem is interactive: there are no answers to change";
        return Ok(vec![finding("fuzz", CheckResult::Warning, why, String::new())]);
    }
    let checkers = Checkers::of(subject.problem, fuzz.second);
    let pairs = pairs(subject, good);
    if let Some(why) = pairs.first().and_then(|pair| checkers.second_cannot_start(pair)) {
        return Err(fuzz.refused(&why));
    }
    let (mut random, started) = (Random::new(fuzz.seed), Instant::now());
    let (mut tries, mut faults) = (0, BTreeMap::<Fault, (Pair, String)>::new());
    let goes_on = |faults: &BTreeMap<Fault, (Pair, String)>| {
        started.elapsed() < fuzz.time && !faults.contains_key(&Fault::Hang) && !was_interrupted()
    };
    while goes_on(&faults) && !pairs.is_empty() {
        let pair = changed(&pairs[random.below(pairs.len())], &mut random);
        if !checkers.takes(&pair) {
            continue;
        }
        tries += 1;
        let found = checkers.examined(&pair);
        faults.extend(found.filter(|(fault, _)| !faults.contains_key(fault)).map(|(fault, why)| (fault, (pair, why))));
    }
    if faults.is_empty() {
        let detail = format!("no fault in {} with --seed {}", counted(tries, "changed answer"), fuzz.seed);
        // Without a try, nothing was checked.
        let result = if tries == 0 { CheckResult::Warning } else { CheckResult::Ok };
        return Ok(vec![finding("fuzz", result, detail, String::new())]);
    }
    faults.into_iter().map(|(fault, (pair, why))| kept(subject, &checkers, fuzz, fault, pair, &why)).collect()
}

/// Returns the pairs that are changed: answers that are accepted, and simple ones.
fn pairs(subject: &Subject<'_>, good: &[GoodAnswer]) -> Vec<Pair> {
    let inputs = Inputs::of(subject.problem);
    let mut pairs = Vec::new();
    for case in subject.cases.iter().take(FEW) {
        let Ok(input) = inputs.load(case) else { continue };
        let answers = good.iter().filter(|good| good.case == *case).map(|good| good.answer.clone());
        let simple = [&b"0\n"[..], b"1\n", b"1 2 3\n"].map(<[u8]>::to_vec);
        pairs.extend(answers.chain(simple).map(|answer| Pair {
            input: input.to_vec(),
            answer,
            case: Some(case.clone()),
        }));
    }
    pairs
}

fn changed(pair: &Pair, random: &mut Random) -> Pair {
    if random.below(INPUTS) > 0 {
        return Pair { answer: mutated(&pair.answer, random), ..pair.clone() };
    }
    let answer = if random.below(2) == 0 { pair.answer.clone() } else { mutated(&pair.answer, random) };
    Pair { input: mutated(&pair.input, random), answer, case: None }
}

impl Checkers {
    fn of(problem: &Problem, second: Option<&str>) -> Self {
        let second = second.map(|line| ProblemChecker::of(&with_checker(problem, line)));
        Self { problem: Arc::new(problem.clone()), first: ProblemChecker::of(problem), second }
    }

    /// Returns whether a pair is given to the checker: a changed input must be one.
    fn takes(&self, pair: &Pair) -> bool {
        pair.case.is_some() || self.is_input(&pair.input)
    }

    /// Returns the fault that a pair shows. A built-in checker runs in a separate thread, because it may not end.
    fn examined(&self, pair: &Pair) -> Option<(Fault, String)> {
        if !matches!(self.problem.checker, CheckerChoice::BuiltIn(_)) {
            return self.fault(pair);
        }
        let ((sender, receiver), checkers, examined) = (channel(), self.clone(), pair.clone());
        let _detached = std::thread::spawn(move || sender.send(checkers.fault(&examined)));
        match receiver.recv_timeout(PATIENCE) {
            Ok(fault) => fault,
            Err(RecvTimeoutError::Timeout) => {
                Some((Fault::Hang, format!("the checker takes longer than {}", Time(PATIENCE))))
            }
            Err(RecvTimeoutError::Disconnected) => Some((Fault::Crash, "the checker panicked".to_owned())),
        }
    }

    fn fault(&self, Pair { input, answer, case }: &Pair) -> Option<(Fault, String)> {
        let source = case.as_ref().map(|case| &case.source);
        let prepared = match self.first.prepare(input, source) {
            Ok(prepared) => prepared,
            // A full disk is not a fault of the checker.
            Err(CheckerError::Malformed(_) | CheckerError::NoAnswerFile | CheckerError::Store(_)) => return None,
            Err(error) => return Some((Fault::Crash, error_chain(&error))),
        };
        let ruling = match prepared.check(answer) {
            Ok(ruling) => ruling,
            Err(
                CheckerError::Undecided(_)
                | CheckerError::Store(_)
                | CheckerError::Protocol(ProtocolError::NextPass(_)),
            ) => return None,
            Err(error @ CheckerError::Command(CommandError::Timeout { .. })) => {
                return Some((Fault::Hang, error_chain(&error)));
            }
            Err(error) => return Some((Fault::Crash, error_chain(&error))),
        };
        let refuted = if matches!(prepared, PreparedCase::BuiltIn(_)) { refuted_by_steps } else { unsteady };
        refuted(&prepared, answer, &ruling).or_else(|| self.refuted_by_second(input, source, answer, &ruling))
    }

    /// Returns whether a changed text is an input, according to the validator or to a built-in checker. Without a
    /// validator, and if a case has an answer file, a checker gets only the problem's own inputs.
    fn is_input(&self, input: &[u8]) -> bool {
        let problem = &self.problem;
        match &problem.checker {
            CheckerChoice::BuiltIn(_) => return true,
            CheckerChoice::External(checker) if checker.role == Role::Checker && checker.answers.is_empty() => {}
            _ => return false,
        }
        let Some(validator) = &problem.verification.validator else { return false };
        matches!(validate(problem, validator, input), Ok(None))
    }

    /// Returns why the second checker cannot be started, if it cannot.
    fn second_cannot_start(&self, Pair { input, answer, case }: &Pair) -> Option<String> {
        let source = case.as_ref().map(|case| &case.source);
        match self.second.as_ref()?.prepare(input, source).and_then(|prepared| prepared.check(answer)) {
            Err(CheckerError::Command(error @ (CommandError::NotFound { .. } | CommandError::Start { .. }))) => {
                Some(error_chain(&error))
            }
            _ => None,
        }
    }

    /// Returns how a second checker decides in another way.
    fn refuted_by_second(
        &self,
        input: &[u8],
        source: Option<&CaseSource>,
        answer: &[u8],
        ruling: &Ruling,
    ) -> Option<(Fault, String)> {
        let checked = self.second.as_ref()?.prepare(input, source).and_then(|prepared| prepared.check(answer));
        let second = match checked {
            Ok(second) => second,
            Err(error) => return Some((Fault::Second, format!("the second checker fails: {}", error_chain(&error)))),
        };
        (!is_same(ruling, &second)).then(|| {
            let detail = format!("the checker says `{ruling}`, the second one `{second}`");
            (Fault::Second, detail)
        })
    }
}

/// Two rejections are the same decision even if their reasons differ.
fn is_same(one: &Ruling, other: &Ruling) -> bool {
    match (one, other) {
        (Ruling::Accepted(one), Ruling::Accepted(other)) => one == other,
        (Ruling::Rejected(_), Ruling::Rejected(_)) => true,
        _ => false,
    }
}

/// The points after the last step of a game.
#[derive(Default)]
struct Sum(Option<Score>);

impl Observer for Sum {
    fn step(&mut self, _: usize, frame: &mut dyn FnMut() -> Frame) {
        self.0 = Some(frame().total);
    }
}

/// Returns how the steps of a game contradict its score.
fn refuted_by_steps(prepared: &PreparedCase, answer: &[u8], ruling: &Ruling) -> Option<(Fault, String)> {
    let mut sum = Sum::default();
    let replayed = prepared.replay(answer, &mut sum).map_err(|error| (Fault::Crash, error_chain(&error)));
    match (replayed, ruling, sum.0) {
        (Err(fault), ..) => Some(fault),
        (Ok(replayed), ruling, _) if !is_same(&replayed, ruling) => {
            Some((Fault::Sum, format!("the checker says `{ruling}`, and its replay `{replayed}`")))
        }
        (_, Ruling::Accepted(score), Some(total)) if *score != total => {
            Some((Fault::Sum, format!("the score is {score}, and the steps add up to {total}")))
        }
        _ => None,
    }
}

/// Returns a decision of the checker that differs when it is called again.
fn unsteady(prepared: &PreparedCase, answer: &[u8], ruling: &Ruling) -> Option<(Fault, String)> {
    match prepared.check(answer) {
        Ok(again) if is_same(&again, ruling) => None,
        Ok(again) => Some((Fault::Unsteady, format!("the checker says `{ruling}`, and then `{again}`"))),
        Err(error) => Some((Fault::Unsteady, format!("the checker says `{ruling}`, and then {}", error_chain(&error)))),
    }
}

/// Returns the problem with a second checker, which has the protocol and the answer files of the first one.
fn with_checker(problem: &Problem, line: &str) -> Problem {
    let folder = std::env::current_dir().unwrap_or_else(|_| problem.folder.clone());
    let command =
        CommandTemplate { line: line.to_owned(), folder, trusted: problem.trusted, ..CommandTemplate::default() };
    let (protocol, answers) = match &problem.checker {
        CheckerChoice::External(checker) if checker.role == Role::Checker => {
            (checker.protocol.clone(), checker.answers.clone())
        }
        _ => (CheckerProtocol::Judge, problem.checker.answers().cloned().unwrap_or_default()),
    };
    let checker =
        CheckerChoice::External(ExternalChecker { role: Role::Checker, command, protocol, answers, then: None });
    Problem { checker, metrics: Vec::new(), ..problem.clone() }
}

/// Makes a pair smaller, stores it in files, and returns the finding with the command that reproduces it.
fn kept(
    subject: &Subject<'_>,
    checkers: &Checkers,
    fuzz: &Fuzz<'_>,
    fault: Fault,
    pair: Pair,
    why: &str,
) -> Result<Finding> {
    let (pair, why) = if fault == Fault::Hang { (pair, why.to_owned()) } else { smaller(checkers, fault, pair, why) };
    let name = format!("{}-{}-{}", subject.problem.id, fault.name(), fuzz.seed);
    let path = |ending: &str| fuzz.folder.join(format!("{name}.{ending}"));
    std::fs::create_dir_all(&fuzz.folder)
        .map_err(|error| Failure::usage(format!("cannot make the folder {}: {error}", fuzz.folder.display())))?;
    load::write("the input", &path("in"), &pair.input)?;
    load::write("the answer", &path("out"), &pair.answer)?;
    let shown = |path: &Path| quote(&path.to_string_lossy());
    let source = pair.case.map_or_else(|| CaseSource::File(path("in")), |case| case.source);
    let input = source.flag("--seed", "--input");
    let files = format!("{input} --output {}", shown(&path("out")));
    let first = subject.command("check", &files);
    let command = match (fault, fuzz.second) {
        (Fault::Second, Some(second)) => {
            let expected = checkers.first.answer_file(Some(&source)).ok().flatten();
            let expected = expected.unwrap_or_else(|| "/dev/null".into());
            let files = [("{input}", path("in")), ("{answer}", path("out")), ("{expected}", expected)];
            let filled = files.iter().fold(second.to_owned(), |line, (name, file)| line.replace(name, &shown(file)));
            format!("{first}; {filled}")
        }
        _ => first,
    };
    Ok(finding(&format!("fuzz: {}", fault.name()), CheckResult::Failed, why, command))
}

/// Returns a smaller pair that shows the same fault, and that fault.
fn smaller(checkers: &Checkers, fault: Fault, pair: Pair, why: &str) -> (Pair, String) {
    let (started, mut pair, mut why) = (Instant::now(), pair, why.to_owned());
    let shows = |pair: &Pair, why: &mut String| {
        let is_in_time = started.elapsed() < REDUCTION_TIME && !was_interrupted();
        match if is_in_time && checkers.takes(pair) { checkers.examined(pair) } else { None } {
            Some((found, said)) if found == fault => {
                *why = said;
                true
            }
            _ => false,
        }
    };
    let whole = pair.clone();
    pair.answer =
        reduced(pair.answer, REDUCTIONS, |answer| shows(&Pair { answer: answer.to_vec(), ..whole.clone() }, &mut why));
    let whole = Pair { case: None, ..pair.clone() };
    let input = reduced(pair.input.clone(), REDUCTIONS, |input| {
        shows(&Pair { input: input.to_vec(), ..whole.clone() }, &mut why)
    });
    // An unchanged input is the input of its case.
    (if input == pair.input { pair } else { Pair { input, ..whole } }, why)
}
