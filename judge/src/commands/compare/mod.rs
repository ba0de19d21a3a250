//! `judge compare`: the difference between solvers, and its certainty.

mod ahead;
pub(super) mod looks;
mod until_decided;

use judge_cli::CompareArgs;
use judge_problem::manifest::Catalogue;
use judge_problem::{Exit, Problem, Solver};
use judge_report::CompareReport;
use judge_session::best_scores::{FromJournal, ReferenceScores};
use judge_session::compared::Compared;
use judge_session::effects::{check_bound, check_hypotheses};
use judge_session::entrants::{self, Entrant};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::match_runner::{MatchResult, MatchRunner};
use judge_session::outputs::Outputs;
use judge_session::pairing::{self, Pairing};
use judge_session::{load, programs, provenance};
use std::time::Instant;
use until_decided::until_decided;

/// Compares solvers with the first one of them.
pub(super) fn compare(catalogue: Given<'_>, args: &CompareArgs) -> Result<Exit, Failure> {
    let (catalogue, _programs) = programs::catalogue(catalogue, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let provenance = provenance::here();
    check_hypotheses(args)?;
    check_bound(args, &problem.scoring)?;
    let outputs = Outputs::check::<CompareReport<'_>>(&args.reports)?;
    let entrants = entrants::find(&catalogue, problem, &args.solvers)?;
    let fresh = |runner: &MatchRunner<'_>, solvers| match runner.plan_runner.early_end() {
        Some(early_end) => ahead::until_decided(runner, early_end, solvers, args),
        None => until_decided(runner, solvers, args),
    };
    let pairing = pair(&catalogue, problem, &entrants, args, fresh)?;
    let compared = Compared::of(args, &entrants, pairing)?;
    outputs.publish(&compared.report(args, provenance))?;
    Ok(compared.pairing.played.exit())
}

/// Returns the results of the entrants: recorded ones, those on the chosen cases, or with `--until-decided` those of `fresh`.
pub(super) fn pair(
    catalogue: &Catalogue,
    problem: &Problem,
    entrants: &[Entrant],
    args: &CompareArgs,
    fresh: impl FnOnce(&MatchRunner<'_>, Vec<Solver>) -> Result<MatchResult, Failure>,
) -> Result<Pairing, Failure> {
    if entrants.iter().all(|entrant| entrant.past.is_none()) {
        return play(catalogue, problem, args, fresh);
    }
    if args.until_decided {
        return Err(Failure::usage("--until-decided needs fresh cases, which a past run does not have")
            .with_hint("name the solvers themselves, or omit --until-decided to compare what is recorded"));
    }
    let best = args.best.as_deref();
    let reference = ReferenceScores::of_points(args.statistics.measure, catalogue, problem, best, FromJournal::Today)?;
    pairing::pair(catalogue, problem, entrants, &args.cases, &args.running, &reference)
}

/// Runs all solvers.
fn play(
    catalogue: &Catalogue,
    problem: &Problem,
    args: &CompareArgs,
    fresh: impl FnOnce(&MatchRunner<'_>, Vec<Solver>) -> Result<MatchResult, Failure>,
) -> Result<Pairing, Failure> {
    let mut runner = MatchRunner::open(catalogue, problem, &args.running)?;
    runner.use_best_scores(args.statistics.measure, args.best.as_deref())?;
    let solvers = runner.solvers(&args.solvers)?;
    let started = Instant::now();
    let played = if args.until_decided {
        fresh(&runner, solvers)?
    } else {
        runner.play(runner.plan(solvers, runner.cases(&args.cases, args.group_by.as_deref())?)?)?
    };
    let run_info = Some(runner.run_info(started.elapsed()));
    let nodes = runner.plan_runner.nodes();
    Ok(Pairing { played, run_info, warnings: Vec::new(), times_are_comparable: true, nodes, features: Vec::new() })
}
