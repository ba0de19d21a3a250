//! `judge baseline`: records what a solver achieves, for `judge gate`.

use crate::cli::BaselineArgs;
use crate::gate::{Baseline, BaselineFile};
use crate::model::Exit;
use crate::report::{self, Counts};
use crate::workflow::failure::Failure;
use crate::workflow::load::Given;
use crate::workflow::match_runner::{MatchResult, MatchRunner};
use crate::workflow::{baseline, load, programs};

/// The runs that find out whether scores change.
const FEWEST_RUNS: u32 = 2;
/// The runs that measure by how much. Every case takes part as soon as any score changed: if only the cases that
/// changed in two runs did, rare changes would be taken for rarer ones.
const NOISY_RUNS: u32 = 5;

/// Records what a solver achieves. A run that was interrupted, or in which the judge failed, records nothing.
pub(super) fn baseline(catalogue: Given<'_>, args: &BaselineArgs) -> Result<Exit, Failure> {
    let (catalogue, _programs) = programs::catalogue(catalogue, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let mut runner = MatchRunner::open(&catalogue, problem, &args.running)?;
    let solvers = runner.solver(args.solver.as_ref())?;
    let plan = runner.plan(solvers, runner.cases(&args.cases, None)?)?;
    let played = runner.play_repeatedly(&plan, |played| {
        let wanted = match args.repeat {
            Some(repeat) => repeat.get(),
            None if baseline::of_runs(played, &runner.plan_runner.nodes())?.is_noisy() => NOISY_RUNS,
            None => FEWEST_RUNS,
        };
        Ok(!played.iter().any(MatchResult::is_faulty) && played.len() < wanted as usize)
    })?;
    let counts: Counts = played[0].outcomes.finished().map(|outcome| outcome.verdict).collect();
    let exit = baseline::exit(&played);
    if matches!(exit, Exit::Interrupted | Exit::Fault) {
        report::note(&format!("{counts}: nothing was recorded"));
        return Ok(exit);
    }
    let mut baseline = baseline::of_runs(&played, &runner.plan_runner.nodes())?;
    for entry in baseline.cases.values_mut() {
        entry.tolerance = args.tolerance.as_ref().map(|share| share.0.clone());
    }
    let record = BaselineFile {
        solver: plan.solvers[0].spec.text.clone(),
        baseline,
        sources: baseline::sources(&plan, baseline::folder_of(&args.output)),
        references: baseline::references(&plan, &played),
    };
    load::write("the baseline", &args.output, record.render().as_bytes())?;
    let repeats = repeats(&record.baseline, played.len());
    report::note(&format!("recorded in {}: {counts}; {repeats}", args.output.display()));
    Ok(exit)
}

fn repeats(baseline: &Baseline, runs: usize) -> String {
    let count = baseline.samples().count();
    let noisy = baseline.samples().filter(|sample| sample.spread() > 0.0).count();
    match (runs, noisy) {
        (1, _) => "one run, so it is not known whether scores change".to_owned(),
        (_, 0) => format!("deterministic: the same scores in {runs} runs"),
        _ => format!("not deterministic: {noisy} of {count} scores changed in {runs} runs"),
    }
}
