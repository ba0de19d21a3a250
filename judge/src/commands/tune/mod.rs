//! `judge tune`: searches for good parameters by successive halving, in brackets that narrow down around the best.

mod search;

use crate::cli::TuneArgs;
use crate::model::{CaseSpec, Exit, Outcome, Stop};
use crate::report::TuneReport;
use crate::tune::{Parameter, Rung, rungs};
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::MatchRunner;
use crate::workflow::outputs::Outputs;
use crate::workflow::{load, provenance};
use search::Search;
use std::path::Path;

/// The number of brackets, which share the budget evenly.
const BRACKETS: usize = 3;

/// The fewest settings of a bracket: with a smaller budget there are fewer brackets.
const FEWEST_SETTINGS: usize = 8;

/// Searches for good parameters.
pub(super) fn tune(catalogue: Option<&Path>, args: &TuneArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    check_parameters(args)?;
    let provenance = provenance::here();
    let outputs = Outputs::check::<TuneReport>(&args.reports)?;
    let brackets = brackets(args)?;
    let runner = MatchRunner::open(&catalogue, problem, &args.running)?.without_shared_environment();
    let most_cases = share(args, brackets).last().map_or(0, |rung| rung.cases);
    let cases: Vec<CaseSpec> = runner.fresh_cases(args.seeds.as_ref())?.take(most_cases).collect();
    let session = runner.begin(&runner.plan(Vec::new(), cases.clone())?)?;
    let mut search = Search::new(args, problem, runner, session, cases);
    let stop = search.run(brackets)?;
    let report = search.finish(stop, provenance)?;
    outputs.publish(&report)?;
    Ok(exit(&report))
}

/// Fails if a parameter is given twice or is not used.
fn check_parameters(args: &TuneArgs) -> Result<(), Failure> {
    for (place, parameter) in args.parameters.iter().enumerate() {
        let Parameter { name, .. } = parameter;
        if args.parameters[..place].iter().any(|other| other.name == *name) {
            return Err(Failure::usage(format!("the parameter `{name}` is given twice")));
        }
        let marker = format!("{{{name}}}");
        let in_environment = args.running.sandbox.environment.iter().any(|(_, value)| value.contains(&marker));
        if !args.solver.contains(&marker) && !in_environment {
            return Err(Failure::usage(format!("the parameter `{name}` is used nowhere"))
                .with_hint(format!("write {marker} in the command line of --solver, or in the value of an --env")));
        }
    }
    Ok(())
}

/// Returns the number of brackets: as many as the budget allows.
fn brackets(args: &TuneArgs) -> Result<usize, Failure> {
    let is_search = |brackets: usize| {
        let plan = share(args, brackets);
        plan.first().is_some_and(|rung| rung.settings >= FEWEST_SETTINGS)
    };
    let brackets = (2..=BRACKETS).rev().find(|&brackets| is_search(brackets)).unwrap_or(1);
    if share(args, brackets).is_empty() {
        return Err(Failure::usage(format!("--budget {} is not enough for two settings", args.budget))
            .with_hint(format!("two settings take {} runs; or lower --first-cases", args.first_cases.get() * 3)));
    }
    Ok(brackets)
}

/// Plans one of these brackets, which share the budget evenly.
fn share(args: &TuneArgs, brackets: usize) -> Vec<Rung> {
    rungs(args.budget.get() / brackets, args.first_cases.get())
}

fn exit(report: &TuneReport) -> Exit {
    let accepted = |candidate: usize| report.candidates[candidate].outcomes.iter().all(Outcome::is_accepted);
    match (report.stop, report.best()) {
        (Some(Stop::Interrupted), _) => Exit::Interrupted,
        (_, Some(best)) if accepted(best) => Exit::Success,
        _ => Exit::NotAccepted,
    }
}
