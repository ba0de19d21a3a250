//! Measures the time limit of a package that leaves it to its accepted submissions.

use judge_cli::{BuildArgs, ImportArgs, LimitArgs, RunningArgs};
use judge_import::DerivedLimit;
use judge_problem::manifest::Catalogue;
use judge_problem::{Exit, Expectation, JobId, Problem, Solver, Stop, Time, Verdict};
use judge_run::cases::{Selection, select};
use judge_session::failure::Failure;
use judge_session::match_runner::{MatchResult, MatchRunner};
use judge_session::{entrants, programs};
use std::time::Duration;

/// How long an accepted submission may take on one case while it is measured.
const LONGEST: Time = Time(Duration::from_secs(60));

/// The time limit, or why there is none.
pub(super) type Measured = Result<TimeLimit, String>;

/// A time limit that was measured.
pub(super) struct TimeLimit {
    pub(super) limit: Time,
    /// Where it comes from.
    pub(super) source: String,
}

/// The longest time of an accepted submission.
struct Slowest {
    cpu: Duration,
    submission: String,
    case: String,
}

/// Runs the accepted submissions of a problem on all of its cases, and derives the time limit from the slowest one.
pub(super) fn measure(
    derived: &DerivedLimit,
    catalogue: &mut Catalogue,
    id: &str,
    args: &ImportArgs,
) -> Result<Measured, Failure> {
    let counts = |expectation: &&Expectation| {
        expectation.verdicts == [Verdict::Accepted] && !derived.excluded.contains(&expectation.solver)
    };
    let given = &catalogue.find(id)?.verification.expectations;
    let names: Vec<String> = given.iter().filter(counts).map(|expectation| expectation.solver.clone()).collect();
    if names.is_empty() {
        return Ok(Err("it has no accepted submission that can be run".to_owned()));
    }
    judge_report::note(&format!("the package gives no time limit: running {}", names.join(", ")));
    let _programs = programs::compile(catalogue, Some(id))?;
    let problem = catalogue.find(id)?;
    let mut matches = MatchRunner::open(catalogue, problem, &running(args))?;
    let (mut solvers, mut kept, mut why) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        match prepared(&mut matches, &name, problem) {
            Ok(solver) => {
                solvers.push(solver);
                kept.push(name);
            }
            Err(failure) if failure.exit() == Exit::Interrupted => return Err(failure),
            Err(failure) => why.push(format!("{name}: {}", failure.in_one_line())),
        }
    }
    if solvers.is_empty() {
        return Ok(Err(format!("no accepted submission runs here: {}", why.join("; "))));
    }
    let plan = matches.plan(solvers, select(problem, &Selection::default())?)?;
    let result = matches.play(plan)?;
    if result.stop == Some(Stop::Interrupted) {
        return Err(Failure::interrupted());
    }
    let times = kept.iter().enumerate().map(|(solver, name)| time(&result, solver, name));
    let (accepted, failed): (Vec<_>, Vec<_>) = times.partition(Result::is_ok);
    why.extend(failed.into_iter().filter_map(Result::err));
    let slowest = accepted.into_iter().filter_map(Result::ok).max_by_key(|slowest| slowest.cpu);
    Ok(slowest
        .map(|slowest| limit(derived, &slowest))
        .ok_or_else(|| format!("no accepted submission is accepted here: {}", why.join("; "))))
}

fn running(args: &ImportArgs) -> RunningArgs {
    let limits = LimitArgs { cpu: Some(LONGEST), ..LimitArgs::default() };
    RunningArgs::unrecorded(limits, args.jobs.clone(), BuildArgs::default(), args.sandbox.clone())
}

fn prepared(matches: &mut MatchRunner<'_>, name: &str, problem: &Problem) -> Result<Solver, Failure> {
    matches.prepare(entrants::of_catalogue(name, &problem.folder)?)
}

/// Returns the longest time of a submission that is accepted everywhere, or what else became of it.
fn time(result: &MatchResult, solver: usize, name: &str) -> Result<Slowest, String> {
    let mut slowest = Slowest { cpu: Duration::ZERO, submission: name.to_owned(), case: String::new() };
    for (case, spec) in result.plan.cases.iter().enumerate() {
        let outcome = result.outcome(JobId { case, solver });
        let verdict = outcome.as_ref().map_or(Verdict::Skipped, |outcome| outcome.verdict);
        let Some(outcome) = outcome.filter(|outcome| outcome.is_accepted()) else {
            return Err(format!("{name}: {verdict} on {}", spec.name));
        };
        let cpu = outcome.cpu.unwrap_or_default();
        if cpu >= slowest.cpu {
            (slowest.cpu, slowest.case) = (cpu, spec.name.to_string());
        }
    }
    Ok(slowest)
}

fn limit(derived: &DerivedLimit, slowest: &Slowest) -> TimeLimit {
    let (limit, step) = (derived.of(slowest.cpu), Time(Duration::from_secs_f64(derived.resolution)));
    let Slowest { cpu, submission, case } = slowest;
    let cpu = Time(*cpu);
    let source = format!("{} x {cpu}, the time of {submission} on {case}, up to a multiple of {step}", derived.factor);
    TimeLimit { limit, source }
}
