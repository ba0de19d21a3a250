//! `judge tune`: searches for good parameters, and compares the winner with the default setting on fresh cases.

mod confirm;
mod search;

use judge_cli::TuneArgs;
use judge_problem::{CaseSpec, Exit, Outcome, Stop};
use judge_report::TuneReport;
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::match_runner::MatchRunner;
use judge_session::outputs::Outputs;
use judge_session::{load, programs, provenance};
use judge_statistics::tune::{Search, SearchSettings, Space};
use search::Tuning;
use std::num::NonZeroUsize;

/// Searches for good parameters.
pub(super) fn tune(catalogue: Given<'_>, args: &TuneArgs) -> Result<Exit, Failure> {
    let (catalogue, _programs) = programs::catalogue(catalogue, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let space = Space::new(args.parameters.clone(), &args.defaults)
        .map_err(|error| Failure::usage(error.to_string()).with_hint("`judge help tune` has examples"))?;
    let budget = args.budget.get();
    let first_cases = args.first_cases.map_or_else(|| Search::advised_first_cases(budget), NonZeroUsize::get);
    check_parameters(args, first_cases)?;
    let provenance = provenance::here();
    let outputs = Outputs::check::<TuneReport>(&args.reports)?;
    let runner =
        MatchRunner::open(&catalogue, problem, &args.running)?.without_shared_environment().resuming(args.resume);
    let advised = Search::advised_cases(&space, budget, first_cases);
    let cases: Vec<CaseSpec> = runner.training_cases(args.seeds.as_ref())?.take(advised).collect();
    let first_cases = first_cases.min(cases.len());
    let settings = SearchSettings { budget, cases: cases.len(), first_cases, seed: args.draw };
    let plan = runner.plan(Vec::new(), cases.into())?;
    let (session, cases) = (runner.begin(&plan)?, plan.cases.iter().collect());
    let mut tuning = Tuning::new(args, problem, runner, session, cases, Search::new(space, settings));
    let stop = tuning.run()?;
    let report = tuning.finish(stop, provenance)?;
    outputs.publish(&report)?;
    Ok(exit(&report))
}

/// Fails if a parameter is not used, or the budget is not enough for two settings.
fn check_parameters(args: &TuneArgs, first_cases: usize) -> Result<(), Failure> {
    for parameter in &args.parameters {
        let marker = format!("{{{}}}", parameter.name);
        let in_environment = args.running.sandbox.environment.iter().any(|(_, value)| value.contains(&marker));
        if !args.solver.contains(&marker) && !in_environment {
            return Err(Failure::usage(format!("the parameter `{}` is used nowhere", parameter.name))
                .with_hint(format!("write {marker} in the command line of --solver, or in the value of an --env")));
        }
    }
    let needed = first_cases.saturating_mul(2);
    if args.budget.get() < needed {
        return Err(Failure::usage(format!("--budget {} is not enough for two settings", args.budget))
            .with_hint(format!("two settings take {needed} runs; or lower --first-cases")));
    }
    Ok(())
}

fn exit(report: &TuneReport) -> Exit {
    let is_accepted = |best: usize| report.candidates[best].outcomes.iter().flatten().all(Outcome::is_accepted);
    let stops = [report.stop, report.comparison.as_ref().and_then(|comparison| comparison.stop)];
    if stops.contains(&Some(Stop::Interrupted)) {
        Exit::Interrupted
    } else if report.best.is_some_and(is_accepted) {
        Exit::Success
    } else {
        Exit::NotAccepted
    }
}
