//! `judge baseline`: records what a solver achieves, for `judge gate`.

use crate::cli::BaselineArgs;
use crate::gate::BaselineFile;
use crate::model::Exit;
use crate::report::{self, Counts};
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::MatchRunner;
use crate::workflow::{baseline, load};
use std::path::Path;

/// Records what a solver achieves. A run that was interrupted, or in which the judge failed, records nothing.
pub(super) fn baseline(catalogue: Option<&Path>, args: &BaselineArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let mut runner = MatchRunner::open(&catalogue, problem, &args.running)?;
    let solvers = runner.solver(args.solver.as_ref())?;
    let played = runner.play(runner.plan(solvers, runner.cases(&args.cases, None)?)?)?;
    let counts: Counts = played.outcomes.finished().map(|outcome| outcome.verdict).collect();
    if played.stop.is_some() || played.is_faulty() {
        report::note(&format!("{counts}: nothing was recorded"));
        return Ok(played.exit());
    }
    let mut baseline = baseline::baseline(&played)?;
    for entry in baseline.cases.values_mut() {
        entry.tolerance = args.tolerance.as_ref().map(|share| share.0.clone());
    }
    let record = BaselineFile {
        solver: played.plan.solvers[0].spec.text.clone(),
        baseline,
        sources: baseline::sources(&played.plan, baseline::folder_of(&args.output)),
    };
    load::write("the baseline", &args.output, record.render().as_bytes())?;
    report::note(&format!("recorded in {}: {counts}", args.output.display()));
    Ok(played.exit())
}
