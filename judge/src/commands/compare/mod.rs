//! `judge compare`: the difference between solvers, and its certainty.

mod effects;
mod looks;
mod until_decided;

use crate::cli::CompareArgs;
use crate::manifest::Catalogue;
use crate::model::{Exit, Problem, RunId};
use crate::report::CompareReport;
use crate::workflow::best_scores::ReferenceScores;
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::MatchRunner;
use crate::workflow::outputs::Outputs;
use crate::workflow::pairing::{self, Pairing};
use crate::workflow::{entrants, load, provenance};
use effects::{check_bound, check_hypotheses, comparisons, parameters, unit};
use std::path::Path;
use std::time::Instant;
use until_decided::until_decided;

/// Compares solvers with the first one of them.
pub(super) fn compare(catalogue: Option<&Path>, args: &CompareArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let provenance = provenance::here();
    check_hypotheses(args)?;
    check_bound(args, &problem.scoring)?;
    let outputs = Outputs::check::<CompareReport<'_>>(&args.reports)?;
    let entrants = entrants::find(&catalogue, problem, &args.solvers)?;
    let pairing = if entrants.iter().all(|entrant| entrant.past.is_none()) {
        play(&catalogue, problem, args)?
    } else if args.until_decided {
        return Err(Failure::usage("--until-decided needs fresh cases, which a past run does not have")
            .with_hint("name the solvers themselves, or omit --until-decided to compare what is recorded"));
    } else {
        let best = args.best.as_deref();
        let reference = ReferenceScores::of_points(args.statistics.measure, &catalogue, problem, best)?;
        pairing::pair(&catalogue, problem, &entrants, &args.cases, &args.running, reference.as_ref())?
    };
    let Pairing { played, run_info, warnings, times_are_comparable } = pairing;
    let scored = played.scored()?;
    let measure = scored.measure(args.statistics.measure, unit(args).as_ref());
    let parameters = parameters(args, measure, &scored.rule, played.plan.solvers.len() - 1)?;
    let comparisons = comparisons(&scored, args, measure, parameters)?;
    let runs: Vec<Option<RunId>> =
        entrants.iter().map(|entrant| entrant.past.as_ref().map(|past| past.run.id)).collect();
    let report = CompareReport {
        plan: &played.plan,
        outcomes: &played.outcomes,
        measure,
        rule: &scored.rule,
        alpha: args.statistics.alpha,
        parameters,
        is_sequential: args.until_decided,
        comparisons: &comparisons,
        group_by: args.group_by.as_deref(),
        stop: played.stop,
        run_info,
        provenance,
        runs: &runs,
        warnings: &warnings,
        times_are_comparable,
    };
    outputs.publish(&report)?;
    Ok(played.exit())
}

/// Runs all solvers.
fn play(catalogue: &Catalogue, problem: &Problem, args: &CompareArgs) -> Result<Pairing, Failure> {
    let mut runner = MatchRunner::open(catalogue, problem, &args.running)?;
    runner.use_best_scores(args.statistics.measure, args.best.as_deref())?;
    let solvers = runner.solvers(&args.solvers)?;
    let started = Instant::now();
    let played = if args.until_decided {
        until_decided(&runner, solvers, args)?
    } else {
        runner.play(runner.plan(solvers, runner.cases(&args.cases, args.group_by.as_deref())?)?)?
    };
    let run_info = Some(runner.run_info(started.elapsed()));
    Ok(Pairing { played, run_info, warnings: Vec::new(), times_are_comparable: true })
}
