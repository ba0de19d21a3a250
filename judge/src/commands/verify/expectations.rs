//! Whether solvers get the verdicts and scores that the problem expects of them.

use super::programs::GoodAnswer;
use crate::commands::verify::{FEW, Subject, finding};
use judge_journal::Part;
use judge_problem::{
    CaseSpec, Exit, Expectation, Invocation, JobId, Members, Outcome, Plan, RunEvent, ScoreRange, Solver, Stop,
    Verdict, after_colon, counted, scoring,
};
use judge_report::{CheckResult, Finding, Progress};
use judge_run::cases::{SelectError, Selection, select};
use judge_session::{Failure, MatchResult, MatchRunner, Result, entrants, restored_run};
use std::time::Duration;

/// Solvers that no interactor may accept.
const BAD_SOLVERS: [(&str, &str); 2] =
    [("a solver that says nothing", "true"), ("a solver that says garbage", "sh -c 'echo this is no answer at all !'")];

/// The answers of a run, each with its job.
type Answers = Vec<(JobId, Vec<u8>)>;

/// The results of the expected solvers.
#[derive(Default)]
pub(super) struct Played {
    pub(super) findings: Vec<Finding>,
    pub(super) good: Vec<GoodAnswer>,
    /// Among the solvers that should be accepted, the one that used the largest part of its time limit.
    pub(super) slowest: Option<Slowest>,
}

/// The run that used the largest part of its time limit.
pub(super) struct Slowest {
    pub(super) solver: String,
    pub(super) case: String,
    pub(super) cpu: Duration,
    /// The solver's limit, with the allowance of its language.
    pub(super) limit: Duration,
    pub(super) command: String,
}

/// Runs every expected solver; without any, the problem's own on a few cases.
pub(super) fn expectations(subject: &Subject<'_>, matches: &mut MatchRunner<'_>) -> Result<Played> {
    let mut played = Played::default();
    let given = &subject.problem.verification.expectations;
    let own = subject.problem.default_solver.iter().map(|solver| Expectation {
        solver: solver.clone(),
        verdicts: vec![Verdict::Accepted],
        score: ScoreRange::default(),
        cases: None,
    });
    let own: Vec<Expectation> = if given.is_empty() { own.collect() } else { Vec::new() };
    let most = if given.is_empty() { FEW } else { usize::MAX };
    if given.is_empty() && own.is_empty() {
        let why = "no solver is expected to be accepted: add [[problem.expect]] with `solver` and `verdict`";
        played.findings.push(finding("solvers", CheckResult::Warning, why, subject.show()));
    }
    for expectation in given.iter().chain(&own) {
        let found = one(subject, matches, expectation, most, &mut played)?;
        played.findings.push(found);
    }
    Ok(played)
}

fn one(
    subject: &Subject<'_>,
    matches: &mut MatchRunner<'_>,
    expectation: &Expectation,
    most: usize,
    played: &mut Played,
) -> Result<Finding> {
    let check = format!("solver {}", expectation.solver);
    let failed = |why: String| finding(&check, CheckResult::Failed, why, subject.show());
    let cases = match &expectation.cases {
        Some(members) => match chosen(subject, members) {
            Ok(cases) => cases,
            Err(error) => return Ok(failed(error.to_string())),
        },
        None => subject.cases.iter().take(most).cloned().collect(),
    };
    if cases.is_empty() {
        return Ok(failed("it is expected to run on cases that the problem does not have".to_owned()));
    }
    let spec = entrants::of_catalogue(&expectation.solver, &subject.problem.folder);
    let solvers = match spec.and_then(|spec| matches.prepare_all(vec![spec])) {
        Ok(solvers) => solvers,
        Err(failure) if failure.exit() == Exit::Interrupted => return Err(failure),
        Err(failure) => return Ok(failed(failure.in_one_line())),
    };
    if let Some(Invocation::NotInstalled(why)) = solvers.first().map(|solver| &solver.invocation) {
        return Ok(finding(&check, CheckResult::NotChecked, why.clone(), subject.show()));
    }
    let (result, answers) = play(matches, solvers, cases)?;
    let is_accepting = expectation.verdicts == [Verdict::Accepted];
    if is_accepting {
        note_accepted(&result, answers, &expectation.solver, played);
    }
    Ok(judged(&check, expectation, &result))
}

/// Runs solvers on cases without a journal. Also returns the answers by job.
fn play(matches: &MatchRunner<'_>, solvers: Vec<Solver>, cases: Vec<CaseSpec>) -> Result<(MatchResult, Answers)> {
    let plan = Plan { hand_over_answers: true, ..matches.plan(solvers, cases.into())? };
    let mut session = matches.begin(&plan)?;
    let (part, mut answers) = (Part::whole(&plan), Answers::new());
    let mut progress = Progress::start(&plan, matches.plan_runner.running());
    let result = matches.play_watched(&mut session, plan, part, &mut |event| {
        progress.watch(event);
        if let RunEvent::Finished(finished) = event {
            answers.extend(finished.evidence.answer.clone().map(|answer| (finished.job, answer)));
        }
    });
    progress.finish();
    answers.sort();
    let result = result?;
    match result.stop {
        Some(Stop::Interrupted) => Err(Failure::interrupted()),
        _ => Ok((result, answers)),
    }
}

/// Returns the problem's cases of these names, and the cases made from these seeds.
fn chosen(subject: &Subject<'_>, members: &Members) -> Result<Vec<CaseSpec>, SelectError> {
    let named = Members { seeds: None, ..members.clone() };
    let mut cases: Vec<CaseSpec> = subject.cases.iter().filter(|case| named.have(case)).cloned().collect();
    if let Some(seeds) = &members.seeds {
        let seeded = select(subject.problem, &Selection { seeds: Some(seeds.clone()), ..Selection::default() })?;
        let own = |case: CaseSpec| subject.cases.iter().find(|own| own.source == case.source).cloned().unwrap_or(case);
        for case in seeded.iter().map(own) {
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

fn note_accepted(result: &MatchResult, answers: Answers, solver: &str, played: &mut Played) {
    let limit = result.plan.limits_of(0).cpu.0;
    for (job, answer) in answers {
        let Some(Outcome { verdict: Verdict::Accepted, score: Some(score), cpu, .. }) = result.outcomes.get(job) else {
            continue;
        };
        let (case, command) = (&result.plan.cases.at(job.case), result.plan.reproduce(job).unwrap_or_default());
        let share = |cpu: Duration, limit: Duration| cpu.as_secs_f64() / limit.as_secs_f64();
        // A folder of answers takes no time.
        if let Some(cpu) = cpu
            && played.slowest.as_ref().is_none_or(|slowest| share(slowest.cpu, slowest.limit) < share(cpu, limit))
        {
            let (solver, case, command) = (solver.to_owned(), case.name.to_string(), command.clone());
            played.slowest = Some(Slowest { solver, case, cpu, limit, command });
        }
        played.good.push(GoodAnswer { case: case.clone(), answer, score: score.clone(), command });
    }
}

fn judged(check: &str, expectation: &Expectation, result: &MatchResult) -> Finding {
    let plan = &result.plan;
    let jobs = || (0..plan.cases.len()).map(|case| JobId { case, solver: 0 });
    let outcome = |job| result.outcomes.get(job);
    let is_expected = |verdict: Verdict| verdict == Verdict::Accepted || expectation.verdicts.contains(&verdict);
    let names = expectation.verdicts.iter().map(|verdict| verdict.name()).collect::<Vec<_>>().join(" or ");
    let other = jobs().find(|&job| outcome(job).is_none_or(|outcome| !is_expected(outcome.verdict)));
    if let Some(job) = other {
        let said = match outcome(job) {
            None => Verdict::Skipped.to_string(),
            Some(Outcome { verdict, note, .. }) if note.is_empty() => verdict.to_string(),
            Some(Outcome { verdict, note, .. }) => format!("{verdict}: {note}"),
        };
        let detail = format!("expected {names}; on {} it got {said}", plan.cases.at(job.case).name);
        return finding(check, CheckResult::Failed, detail, plan.reproduce(job).unwrap_or_default());
    }
    let hits = jobs().filter_map(outcome).filter(|outcome| expectation.verdicts.contains(&outcome.verdict)).count();
    let cases = counted(plan.cases.len(), "case");
    let (kind, detail) = if hits == 0 {
        (CheckResult::Failed, format!("expected {names}; all {cases} are accepted"))
    } else {
        let (kind, total) = scored(&expectation.score, result);
        (kind, format!("{names} on {hits} of {cases}{total}"))
    };
    // Without flags, all of the problem's own cases run.
    let given = plan.cases.iter().map(|case| case.source).filter(|_| expectation.cases.is_some());
    finding(check, kind, detail, plan.command(0, given))
}

/// Compares the total with its range. Returns the result, and the words about it.
fn scored(range: &ScoreRange, result: &MatchResult) -> (CheckResult, String) {
    let scored = match restored_run::score(&result.plan, &result.outcomes, &[], None) {
        Ok(scored) => scored,
        Err(error) => return (CheckResult::Failed, format!("; {error}")),
    };
    let Some(total) = scored.board.headline(&scored.board.standings[0]) else {
        let why = "; it has no total, because a case failed: set `failure` in [problem.scoring]";
        return if range.is_open() { (CheckResult::Ok, String::new()) } else { (CheckResult::Failed, why.to_owned()) };
    };
    let is_below = range.least.as_ref().is_some_and(|least| *total < least.to_rational());
    let is_above = range.most.as_ref().is_some_and(|most| *total > most.to_rational());
    let rounded = || format!("about {}", scoring::display(total, 6));
    let shown = checkers::Score::from_rational(total).map_or_else(rounded, |score| score.to_string());
    if is_below || is_above {
        return (CheckResult::Failed, format!("; its total is {shown}, expected {range}"));
    }
    match says_nothing(&result.plan) {
        _ if range.is_open() => (CheckResult::Ok, format!(", total {shown}")),
        None => (CheckResult::Ok, format!(", total {shown} (expected {range})")),
        Some(why) => {
            (CheckResult::Warning, format!(", total {shown} (expected {range}); the range says little: {why}"))
        }
    }
}

/// Returns why a solver that runs without others has the most points on its cases, even with bad scores.
fn says_nothing(plan: &Plan) -> Option<String> {
    let rule = &plan.problem.scoring;
    let without_best = plan.cases.iter().filter(|case| case.best.is_none()).count();
    if rule.has_reference() && without_best > 0 {
        let cases = counted(without_best, "case");
        return Some(format!("under `{rule}`, its own scores are the best of {cases}: give them a `best`"));
    }
    rule.ranks_solvers().then(|| format!("under `{rule}`, a solver without rivals always has the same points"))
}

/// Checks that the interactor or tester of an interactive problem survives bad solvers, and accepts none.
pub(super) fn bad_conversations(subject: &Subject<'_>, matches: &mut MatchRunner<'_>) -> Result<Vec<Finding>> {
    if !subject.problem.checker.is_interactive() {
        return Ok(Vec::new());
    }
    let check = subject.problem.checker.role().name();
    let mut findings = Vec::new();
    for (what, text) in BAD_SOLVERS {
        let solvers = matches.solvers(&[text.to_owned()])?;
        let (result, _) = play(matches, solvers, subject.cases.iter().take(FEW).cloned().collect())?;
        let bad = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Accepted | Verdict::JudgeError);
        let jobs = (0..result.plan.cases.len()).map(|case| JobId { case, solver: 0 });
        let found = jobs.filter_map(|job| Some((job, result.outcomes.get(job)?))).find(|(_, outcome)| bad(outcome));
        if let Some((job, Outcome { verdict, note, .. })) = found {
            let case = result.plan.cases.at(job.case).name;
            let detail = format!("{what} got {verdict} on {case}{}", after_colon(&note));
            let command = result.plan.reproduce(job).unwrap_or_default();
            findings.push(finding(check, CheckResult::Failed, detail, command));
        }
    }
    if findings.is_empty() {
        let detail = format!(
            "accepts no solver that says nothing or garbage on {}",
            counted(subject.cases.len().min(FEW), "case")
        );
        findings.push(finding(check, CheckResult::Ok, detail, String::new()));
    }
    Ok(findings)
}
