//! `judge compare`: the difference between solvers, and its certainty.

pub(super) mod until_decided;

use crate::commands::compare::until_decided::play_until_decided;
use judge_cli::CompareArgs;
use judge_problem::{Catalogue, Exit, Problem, Solver};
use judge_report::CompareReport;
use judge_session::comparison::{self, Compared};
use judge_session::entrants::{self, Entrant};
use judge_session::pairing::{self, Pairing};
use judge_session::{Failure, GlobalArgs, MatchResult, MatchRunner, Outputs, load, outputs, programs};
use std::time::Instant;

/// Compares solvers with the first one of them.
pub(super) fn compare(global: GlobalArgs<'_>, args: &CompareArgs) -> Result<Exit, Failure> {
    let (catalogue, _programs) = programs::catalogue(global, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let provenance = outputs::here();
    comparison::check(args, problem)?;
    let outputs = Outputs::check::<CompareReport<'_>>(&args.reports)?;
    let entrants = entrants::find(&catalogue, problem, &args.solvers)?;
    let fresh = |runner: &MatchRunner<'_>, solvers| play_until_decided(runner, solvers, args);
    let pairing = pair(&catalogue, problem, &entrants, args, fresh)?;
    let exit = pairing.played.exit();
    let told = pairing.warnings.len();
    let compared = Compared::of(args, &entrants, pairing)?;
    compared.pairing.warnings.iter().skip(told).for_each(|warning| pairing::print_warning(warning));
    outputs.publish(&compared.report(args, provenance))?;
    Ok(exit)
}

/// Returns the results of the entrants: recorded ones, new ones on the chosen cases, or with `--until-decided` the
/// results from `fresh`.
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
    let (conditions, reference) = ((&args.cases, &args.running), (args.statistics.measure(), args.best.as_deref()));
    pairing::pair(catalogue, problem, entrants, conditions, reference, pairing::print_warning)
}

/// Runs all solvers.
fn play(
    catalogue: &Catalogue,
    problem: &Problem,
    args: &CompareArgs,
    fresh: impl FnOnce(&MatchRunner<'_>, Vec<Solver>) -> Result<MatchResult, Failure>,
) -> Result<Pairing, Failure> {
    let mut runner = MatchRunner::open(catalogue, problem, &args.running)?;
    runner.use_best_scores(args.statistics.measure(), args.best.as_deref())?;
    let solvers = runner.solvers(&args.solvers)?;
    let started = Instant::now();
    let played = if args.until_decided {
        fresh(&runner, solvers)?
    } else {
        runner.play(runner.plan(solvers, runner.cases(&args.cases, args.group_by.as_deref())?)?)?
    };
    let run_info = Some(runner.run_info(started.elapsed()));
    let nodes = runner.plan_runner.nodes();
    Ok(Pairing::fresh(played, run_info, nodes))
}
