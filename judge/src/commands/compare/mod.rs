//! `judge compare`: the difference between solvers, and its certainty.

mod ahead;
pub(super) mod looks;
mod until_decided;

use crate::cli::CompareArgs;
use crate::manifest::Catalogue;
use crate::model::{Exit, Problem, Solver};
use crate::report::CompareReport;
use crate::workflow::best_scores::{FromJournal, ReferenceScores};
use crate::workflow::compared::Compared;
use crate::workflow::effects::{check_bound, check_hypotheses};
use crate::workflow::entrants::{self, Entrant};
use crate::workflow::failure::Failure;
use crate::workflow::load::Given;
use crate::workflow::match_runner::{MatchResult, MatchRunner};
use crate::workflow::outputs::Outputs;
use crate::workflow::pairing::{self, Pairing};
use crate::workflow::{load, programs, provenance};
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
