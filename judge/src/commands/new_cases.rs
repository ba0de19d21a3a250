//! Plays new cases for `judge find` and `judge reduce`. Their inputs may be in no file, and they have no answer file: the
//! answers of a second solver replace it.

use judge_problem::{
    CheckerChoice, Condition, Digest, Features, Invocation, JobId, MetricRule, Outcome, Plan, Problem, ReadFile,
    RunEvent, Solver, Stop, quote,
};
use judge_report::Steps;
use judge_run::cases::{CaseReader, CheckerError, ProblemChecker, validate};
use judge_run::runner::outcome_from_decision;
use judge_session::{Failure, MatchRunner, Result, Session, case_selection};
use std::io::Write;
use tempfile::NamedTempFile;

/// Judges answers to new cases, which were played without a check.
pub(super) struct NewAnswers(ProblemChecker);

impl NewAnswers {
    /// Returns how answers are judged, if the checker compares with an answer file that new cases do not have. Cases from
    /// seeds never have one, so only `tokens` needs one for them. `of_files` says that the cases are changes of files.
    pub(super) fn of(problem: &Problem, of_files: bool) -> Result<Option<Self>> {
        let has_files = of_files && problem.checker.answers().is_some_and(|answers| !answers.is_empty());
        let plays_alone = match &problem.checker {
            CheckerChoice::Tokens(..) => true,
            _ if !has_files => return Ok(None),
            checker => !checker.is_interactive() && checker.program().is_none_or(|program| program.passes() == 1),
        };
        if plays_alone {
            return Ok(Some(Self(ProblemChecker::of(problem))));
        }
        let error = format!("a changed input has no answer file, and `{}` gets them while it runs", problem.id);
        Err(Failure::usage(error).with_hint("remove `answers` from the problem if its program works without them"))
    }

    /// Fails if a condition needs the score of answers that are not checked.
    pub(super) fn check_condition(condition: &Condition) -> Result<()> {
        if !condition.names().contains(&"score") {
            return Ok(());
        }
        Err(Failure::usage("`score` needs an answer file, and new cases have none").with_hint("--against ./right"))
    }

    /// Judges the answers to an input. If the checker accepts the answer of the second solver, this is the answer file.
    /// Otherwise, the first answer cannot be checked, and has no score.
    fn judge(&self, input: &[u8], outcomes: &mut [Outcome], answers: &[Vec<u8>]) {
        match (outcomes, answers) {
            ([own, other], [answer, right]) => {
                if other.is_accepted() {
                    self.decide(input, right, right, other);
                }
                if own.is_accepted() && other.is_accepted() {
                    self.decide(input, answer, right, own);
                } else {
                    own.score = None;
                }
            }
            (outcomes, _) => outcomes.iter_mut().for_each(|own| own.score = None),
        }
    }

    fn decide(&self, input: &[u8], answer: &[u8], right: &[u8], outcome: &mut Outcome) {
        let decision = NamedTempFile::new().map_err(CheckerError::from).and_then(|mut file| {
            file.write_all(right)?;
            self.0.clone().with_answer(Some(file.path())).prepare(input, None)?.decide(answer)
        });
        let Outcome { verdict, score, note, broken, mut metrics, .. } = outcome_from_decision(decision);
        // Metrics that the solver printed itself replace those of the checker.
        outcome.metrics.iter().for_each(|(name, value)| metrics.set(name, value.clone()));
        *outcome = Outcome { verdict, score, note, broken, metrics, ..outcome.clone() };
    }
}

/// Returns an input in the form of a file that was read.
pub(super) fn as_read_file(input: &[u8]) -> ReadFile {
    ReadFile { hash: Digest::of(input), input: Some(input.into()) }
}

/// Returns whether a text is an input of the problem.
pub(super) fn is_valid(problem: &Problem, reader: &CaseReader, input: &[u8]) -> bool {
    let validator = problem.verification.validator.as_ref();
    reader.describe_input(input).is_ok()
        && validator.is_none_or(|validator| matches!(validate(problem, validator, input), Ok(None)))
}

/// Fails if a condition on a case and its results uses a name that is not among these.
pub(super) fn check_names(condition: &Condition, problem: &Problem, names: Features) -> Result<()> {
    for name in condition.names().into_iter().filter(|name| names.get(name).is_none()) {
        let of_other = name.strip_prefix("other_");
        if let Some(metric) = of_other.unwrap_or(name).strip_prefix(MetricRule::PREFIX) {
            case_selection::check_metric(problem, metric)?;
        }
        if of_other.is_some_and(|own| names.get(own).is_some()) {
            return Err(Failure::usage(format!("`{name}` needs a second solver")).with_hint("--against ./other"));
        }
    }
    case_selection::check_names(condition.names(), &[names])
}

/// Prepares the solver, and the one that it is compared with, if there is one. Fails for a folder of answers, which has
/// none for new cases.
pub(super) fn solvers(
    runner: &mut MatchRunner<'_>,
    own: Option<&String>,
    other: Option<&String>,
) -> Result<Vec<Solver>> {
    let solvers = runner.pair(own, other)?;
    match solvers.iter().find(|solver| matches!(solver.invocation, Invocation::Answers(_))) {
        Some(Solver { spec, .. }) => {
            Err(Failure::usage(format!("`{}` is a folder of answers, which has none for new cases", spec.name)))
        }
        None => Ok(solvers),
    }
}

/// The results of cases that were tried.
pub(super) struct Tried {
    /// By case, the outcome and the answer of each solver. They end before the first case that was interrupted.
    pub(super) cases: Vec<(Vec<Outcome>, Vec<Vec<u8>>)>,
    /// How often a solver was run.
    pub(super) runs: usize,
    /// Why it stopped early, if it did.
    pub(super) stop: Option<Stop>,
}

/// Plays a part of a run. `compared` judges its answers, on the input of each case.
pub(super) fn try_cases<'i>(
    runner: &MatchRunner<'_>,
    session: &mut Session,
    (plan, part): (Plan, judge_journal::Part),
    compared: Option<&NewAnswers>,
    input: impl Fn(usize) -> &'i [u8],
    steps: &Steps,
) -> Result<Tried> {
    let plan = Plan { hand_over_answers: compared.is_some(), ..plan };
    let solvers = plan.solvers.len();
    let mut answers = vec![vec![Vec::new(); solvers]; plan.cases.len()];
    let mut runs = 0;
    let result = runner.play_watched(session, plan, part, &mut |event| {
        steps.watch(event);
        if let RunEvent::Finished(finished) = event {
            let JobId { case, solver } = finished.job;
            answers[case][solver] = finished.evidence.answer.clone().unwrap_or_default();
            runs += usize::from(finished.evidence.stored.is_none());
        }
    })?;
    let judged = |(case, answers): (usize, Vec<Vec<u8>>)| {
        let outcomes = (0..solvers).map(|solver| result.outcomes.get(JobId { case, solver }));
        let mut outcomes = outcomes.collect::<Option<Vec<Outcome>>>()?;
        compared.iter().for_each(|compared| compared.judge(input(case), &mut outcomes, &answers));
        Some((outcomes, answers))
    };
    Ok(Tried { cases: answers.into_iter().enumerate().map_while(judged).collect(), runs, stop: result.stop })
}

/// The command that plays a case again.
pub(super) enum Player {
    /// `judge run`, which cannot judge a case without an answer file.
    Run,
    /// `judge reduce`, which can; with the condition of `--keep`, if it needs one.
    Reduce(Option<String>),
}

/// Returns the command that plays the first case of a plan again, with the solvers as they are given.
pub(super) fn again(plan: &Plan, given: [Option<&str>; 2], player: &Player) -> String {
    let ([command, seed, input, other], kept) = match player {
        Player::Run => (["run", "--seeds", "--inputs", "-s"], None),
        Player::Reduce(kept) => (["reduce", "--seed", "--input", "--against"], kept.as_deref()),
    };
    let (problem, solvers) = (quote(&plan.problem.id), solver_flags(plan, given, other));
    let case = plan.cases.at(0).source.flag(seed, input);
    let kept = kept.map_or_else(String::new, |kept| format!(" --keep {}", quote(kept)));
    format!("judge {command} -p {problem}{solvers} {case}{kept}{}", plan.case_flags.suffix())
}

/// Returns the flags of the solvers as they are given. The first one may be the problem's own.
pub(super) fn solver_flags(plan: &Plan, [own, other]: [Option<&str>; 2], flag: &str) -> String {
    // A word that begins with a dash would be read as a flag.
    let given = |flag: &str, word: &str| {
        let between = if word.starts_with('-') { '=' } else { ' ' };
        format!(" {flag}{between}{}", quote(word))
    };
    let own = own.map_or_else(|| format!(" {}", plan.solvers[0].spec.flag()), |own| given("-s", own));
    own + &other.map(|other| given(flag, other)).unwrap_or_default()
}
