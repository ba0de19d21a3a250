//! `judge gate`: fails if a solver is worse than its baseline.

use crate::cli::GateArgs;
use crate::gate::{self, Baseline, BaselineFile, Calibration, GateLimits, Judgement, TimeLimit};
use crate::model::{CaseList, CaseSource, CaseSpec, Direction, Exit, Problem, Stop, quote};
use crate::report::{self, CalibrationReport, GateReport};
use crate::workflow::failure::Failure;
use crate::workflow::load::Given;
use crate::workflow::match_runner::{MatchResult, MatchRunner};
use crate::workflow::outputs::Outputs;
use crate::workflow::{baseline, case_choice, load, programs, provenance};
use std::path::Path;

/// Runs the cases of a baseline and compares.
pub(super) fn gate(catalogue: Given<'_>, args: &GateArgs) -> Result<Exit, Failure> {
    let record = read(&args.baseline)?;
    if args.calibrate {
        return calibrate(args, &record);
    }
    let mut provenance = provenance::here();
    let outputs = Outputs::check::<GateReport<'_>>(&args.reports)?;
    let (catalogue, _programs) = programs::catalogue(catalogue, Some(&record.baseline.problem))?;
    let problem = catalogue.find(&record.baseline.problem)?;
    let mut runner = MatchRunner::open(&catalogue, problem, &args.running)?;
    let solvers = runner.solver(args.solver.as_ref())?;
    let cases = cases(problem, &record, baseline::folder_of(&args.baseline))?;
    let plan = runner.plan(solvers, cases)?;
    let limits = limits(args, problem.direction);
    let played = runner.play_repeatedly(&plan, |played| match args.repeat {
        Some(repeat) => Ok(played.len() < repeat.get() as usize),
        None if played.len() >= gate::MOST_RUNS as usize => Ok(false),
        None => Ok(gate::judge(&record.baseline, &baseline::of_runs(played, &runner.plan_runner.nodes())?, &limits)
            .is_doubtful()),
    })?;
    if played.iter().any(|run| run.stop == Some(Stop::Interrupted)) {
        report::note("interrupted: the gate was not decided");
        return Ok(Exit::Interrupted);
    }
    provenance.nodes = runner.plan_runner.nodes();
    let today = baseline::of_runs(&played, &provenance.nodes)?;
    let judgement = gate::judge(&record.baseline, &today, &limits);
    let is_updated = args.update && update(args, &record, &today, &judgement, problem.direction)?;
    let report = GateReport {
        baseline: &record.baseline,
        today: &today,
        judgement: &judgement,
        limits: &limits,
        provenance: &provenance,
        plan: &plan,
        file: &args.baseline,
        is_updated,
    };
    outputs.publish(&report)?;
    Ok(exit(&played, &judgement))
}

/// Reports which falls are noticed with the spread that a baseline has. Nothing is run.
fn calibrate(args: &GateArgs, record: &BaselineFile) -> Result<Exit, Failure> {
    let outputs = Outputs::check::<CalibrationReport<'_>>(&args.reports)?;
    let sensitivity = args.sensitivity.as_ref().map(|share| share.share());
    if sensitivity.is_some_and(|share| share <= 0.0) {
        return Err(Failure::usage("--sensitivity: expected a share above 0, such as 3%"));
    }
    let Some(calibration) = Calibration::of(&record.baseline, args.alpha) else {
        let path = args.baseline.display();
        if record.baseline.runs().is_some_and(|(fewest, _)| fewest > 1) {
            report::note(&format!("{path}: no score changed from run to run: any fall is noticed"));
            return Ok(Exit::Success);
        }
        let error = format!("{path} does not tell how scores vary: it has one run of each case");
        let (id, solver) = (&record.baseline.problem, quote(&record.solver));
        let file = quote(&args.baseline.to_string_lossy());
        return Err(Failure::usage(error).with_hint(format!("judge baseline -p {id} -s {solver} --output {file}")));
    };
    let report = CalibrationReport {
        calibration,
        sensitivity,
        file: &args.baseline,
        problem: &record.baseline.problem,
        solver: args.solver.as_deref().unwrap_or(&record.solver),
    };
    outputs.publish(&report)?;
    Ok(Exit::Success)
}

fn read(path: &Path) -> Result<BaselineFile, Failure> {
    let text = load::text("the baseline", path)?;
    BaselineFile::parse(&text).map_err(|error| {
        Failure::usage(format!("{} is not a baseline: {error}", path.display()))
            .with_hint("`judge baseline -p ID -s S --output FILE` writes one")
    })
}

/// Returns the cases of the baseline whose input is still there. The gate complains about the others.
fn cases(problem: &Problem, record: &BaselineFile, folder: &Path) -> Result<CaseList, Failure> {
    let is_there = |case: &CaseSpec| match &case.source {
        CaseSource::Seed(_) => true,
        CaseSource::File(path) => path.is_file(),
    };
    let all = record.sources.iter().map(|(name, source)| baseline::case(name, source, folder));
    let mut cases: CaseList = all.filter(is_there).collect();
    case_choice::check_files(problem, &mut cases)?;
    Ok(cases)
}

fn limits(args: &GateArgs, direction: Direction) -> GateLimits {
    let time = |share: &crate::model::Percent| TimeLimit { max_rise: share.share(), alpha: args.alpha };
    GateLimits {
        direction,
        max_drop: args.max_drop.0.clone(),
        alpha: args.alpha,
        may_repeat: args.repeat.is_none(),
        confident: args.confident.then_some(args.alpha),
        time: args.time_drop.as_ref().map(time),
    }
}

/// Rewrites the baseline if the gate holds: with what is better, or, where scores vary, with the mean of all runs. Its
/// tolerances are kept.
fn update(
    args: &GateArgs,
    record: &BaselineFile,
    today: &Baseline,
    judgement: &Judgement,
    direction: Direction,
) -> Result<bool, Failure> {
    let baseline = match &judgement.noise {
        Some(test) if judgement.holds() => gate::averaged(&record.baseline, today, test, direction),
        None if judgement.is_better(direction) => today.clone(),
        _ => return Ok(false),
    };
    let mut updated = BaselineFile { baseline, ..record.clone() };
    for (name, entry) in &mut updated.baseline.cases {
        entry.tolerance = record.baseline.cases.get(name).and_then(|was| was.tolerance.clone());
    }
    updated.solver = args.solver.clone().unwrap_or_else(|| record.solver.clone());
    load::write("the baseline", &args.baseline, updated.render().as_bytes())?;
    Ok(true)
}

fn exit(played: &[MatchResult], judgement: &Judgement) -> Exit {
    if played.iter().any(MatchResult::is_faulty) {
        Exit::Fault
    } else if judgement.holds() {
        Exit::Success
    } else {
        Exit::NotAccepted
    }
}
