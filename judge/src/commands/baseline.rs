//! `judge baseline`: records what a solver achieves, for `judge gate`.

use judge_cli::BaselineArgs;
use judge_compare::gate::{Baseline, BaselineFile, Calibration};
use judge_problem::plan::Plan;
use judge_problem::{Exit, JobId, Outcome, counted};
use judge_report::{Counts, StderrLines, Style};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::match_runner::{MatchResult, MatchRunner};
use judge_session::{baseline, load, programs};

/// The runs that find out whether scores change.
const FEWEST_RUNS: u32 = 2;
/// The runs that measure by how much. Every case takes part as soon as any score changed: if only the cases that
/// changed in two runs did, rare changes would be taken for rarer ones.
const NOISY_RUNS: u32 = 5;

/// The false alarms of a gate, unless it is told otherwise.
const ALPHA: f64 = 0.05;
/// The number of failed cases that are named.
const NAMED: usize = 20;
/// A larger share of disturbed runs is worth a word.
const MANY: f64 = 0.1;

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
        judge_report::note(&format!("{counts}: nothing was recorded"));
        return Ok(exit);
    }
    let failures = baseline::failures(&played);
    if !failures.is_empty() && !args.allow_failures {
        return Err(refusal(&plan, failures));
    }
    let mut baseline = baseline::of_runs(&played, &runner.plan_runner.nodes())?;
    for entry in baseline.cases.values_mut() {
        entry.tolerance = args.tolerance.as_ref().map(|share| share.0.clone());
    }
    let record = BaselineFile {
        solver: plan.solvers[0].spec.text.clone(),
        solver_name: Some(plan.solvers[0].spec.name.clone()),
        baseline,
        sources: baseline::sources(&plan, baseline::folder_of(&args.output)),
        references: baseline::references(&plan, &played),
    };
    load::write("the baseline", &args.output, record.render().as_bytes())?;
    let repeats = repeats(&record.baseline, played.len());
    judge_report::note(&format!("recorded in {}: {counts}; {repeats}", args.output.display()));
    sensitivity(&record.baseline)
        .into_iter()
        .chain(disturbance(&record.baseline))
        .for_each(|line| judge_report::note(&line));
    Ok(Exit::Success)
}

/// Returns the error that names the cases that were not accepted. Why they were not is printed before.
fn refusal(plan: &Plan, failures: Vec<(JobId, Outcome)>) -> Failure {
    let names: Vec<String> =
        failures.iter().take(NAMED).map(|(job, _)| plan.cases.at(job.case).name.to_string()).collect();
    let more = failures.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let count = counted(failures.len(), "case");
    judge_report::note_lines(&judge_report::failures_text(plan, failures, StderrLines::All, Style::of_stderr()));
    Failure::not_accepted(format!("nothing was recorded: {count} not accepted: {}{more}", names.join(", ")))
        .with_hint("repair the solver, or record these cases as failed: --allow-failures")
}

/// Returns the fall that a gate notices, if scores vary.
fn sensitivity(baseline: &Baseline) -> Option<String> {
    let calibration = Calibration::of(baseline, ALPHA)?;
    let fall = calibration.design(calibration.cases, calibration.recorded, 1).detectable * 100.0;
    Some(format!(
        "a gate of one run of each case notices a fall of {fall:.1} % 4 times of 5; \
         `judge gate --calibrate` tells what notices smaller ones"
    ))
}

/// Returns that other programs disturbed the runs, if they did so often.
fn disturbance(baseline: &Baseline) -> Option<String> {
    let conditions = baseline.conditions.as_ref()?;
    let waited = format!("{} of {} runs waited for a core", conditions.noisy_runs(), conditions.runs);
    (conditions.noisy > MANY).then(|| format!("{waited}: record it again when the machine is quiet"))
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
