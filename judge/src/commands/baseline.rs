//! `judge baseline`: records a solver's results, for `judge gate`.

use crate::commands::sealed;
use checkers::Score;
use judge_cli::BaselineArgs;
use judge_compare::gate::{Baseline, BaselineCase, BaselineFile, Calibration, CaseResult, Conditions};
use judge_journal::this_machine;
use judge_problem::{
    BestOrigin, CaseName, CaseSource, CaseSpec, Digest, Exit, JobId, KnownBest, NodeList, Outcome, Plan, TermsBySource,
    Verdict, counted, first_of,
};
use judge_report::{Counts, StderrLines, Style};
use judge_run::cases::Inputs;
use judge_run::command::checker_identity;
use judge_session::{Failure, GlobalArgs, MatchResult, MatchRunner, Result, load, programs};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The runs that find out whether scores change.
const MIN_RUNS: u32 = 2;
/// The runs that measure by how much. Every case takes part as soon as any score changed: if only the cases that
/// changed in two runs took part, the frequency of rare changes would be underestimated.
const NOISY_RUNS: u32 = 5;

/// The default probability of a false alarm of a gate.
const ALPHA: f64 = 0.05;
/// The number of failed cases that are named.
const MAX_NAMED: usize = 20;
/// A larger share of disturbed runs gives a note.
const MAX_DISTURBED: f64 = 0.1;

/// Records a solver's results. If the run was interrupted or the judge failed in it, nothing is recorded.
pub(super) fn baseline(global: GlobalArgs<'_>, args: &BaselineArgs) -> Result<Exit> {
    if let Some(file) = &args.sealed {
        return sealed::baseline(global, args, file.as_deref());
    }
    let (catalogue, _programs) = programs::catalogue(global, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let mut runner = MatchRunner::open(&catalogue, problem, &args.running)?;
    let solvers = runner.solver(args.solver.as_ref())?;
    let plan = runner.plan(solvers, runner.cases(&args.cases, None)?)?;
    let played = runner.play_repeatedly(&plan, |played| {
        let wanted = match args.repeat {
            Some(repeat) => repeat.get(),
            None if of_runs(played, &runner.plan_runner.nodes())?.is_noisy() => NOISY_RUNS,
            None => MIN_RUNS,
        };
        Ok(!played.iter().any(MatchResult::is_faulty) && played.len() < wanted as usize)
    })?;
    let counts: Counts = played[0].outcomes.finished().map(|outcome| outcome.verdict).collect();
    let exit = exit(&played);
    if matches!(exit, Exit::Interrupted | Exit::Fault) {
        judge_report::note(&format!("{counts}: nothing was recorded"));
        return Ok(exit);
    }
    let failures = failures(&played);
    if !failures.is_empty() && !args.allow_failures {
        return Err(refusal(&plan, failures));
    }
    let mut baseline = of_runs(&played, &runner.plan_runner.nodes())?;
    if let Some(case) = baseline.immeasurable() {
        let error = format!("nothing was recorded: the scores of {case} vary by more than floating point can hold");
        return Err(Failure::not_accepted(error)
            .with_hint("scale the scores down in the checker, or record one run: --repeat 1"));
    }
    for entry in baseline.cases.values_mut() {
        entry.tolerance = args.tolerance.as_ref().map(|share| share.0.clone());
    }
    let record = BaselineFile {
        solver: plan.solvers[0].spec.text.clone(),
        solver_name: Some(plan.solvers[0].spec.name.clone()),
        baseline,
        sources: sources(&plan, load::folder_of(&args.output)),
        references: references(&plan, &played),
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

/// Returns the error that names the cases that were not accepted. The reasons have been printed before.
fn refusal(plan: &Plan, failures: Vec<(JobId, Outcome)>) -> Failure {
    let names = failures.iter().map(|(job, _)| plan.cases.at(job.case).name);
    let names = first_of(names, MAX_NAMED, failures.len());
    let count = counted(failures.len(), "case");
    judge_report::note_lines(&judge_report::failures_text(plan, failures, StderrLines::All, Style::of_stderr()));
    Failure::not_accepted(format!("nothing was recorded: {count} not accepted: {names}"))
        .with_hint("repair the solver, or record these cases as failed: --allow-failures")
}

/// Returns the fall that a gate notices, if scores vary.
fn sensitivity(baseline: &Baseline) -> Option<String> {
    let calibration = Calibration::of(baseline, ALPHA)?;
    let fall = calibration.design(calibration.cases, calibration.recorded, 1).detectable * 100.0;
    Some(format!(
        "a gate of one run of each case notices a fall of {fall:.1} % 4 times of 5; \
         `judge gate --calibrate` shows how to notice smaller ones"
    ))
}

/// Returns a note that other programs disturbed the runs, if they often did.
fn disturbance(baseline: &Baseline) -> Option<String> {
    let conditions = baseline.conditions.as_ref()?;
    let waited = format!("{} of {} runs waited for a core", conditions.noisy_runs(), conditions.runs);
    (conditions.noisy > MAX_DISTURBED).then(|| format!("{waited}: record it again when the machine is quiet"))
}

fn repeats(baseline: &Baseline, runs: usize) -> String {
    let count = baseline.samples().count();
    let noisy = baseline.samples().filter(|sample| sample.spread > 0.0).count();
    match (runs, noisy) {
        (1, _) => "one run, so it is not known whether scores change".to_owned(),
        (_, 0) => format!("deterministic: the same scores in {runs} runs"),
        _ => format!("not deterministic: {noisy} of {count} scores changed in {runs} runs"),
    }
}

/// CPU times are recorded to a tenth of a millisecond, because more digits would only make diffs longer.
const CPU_STEP_NANOS: u128 = 100_000;

/// Returns the results of the only solver of a plan in these runs of it, without unfinished cases. They were run on
/// these nodes, or on this machine if there are none.
pub(super) fn of_runs(played: &[MatchResult], nodes: &NodeList) -> Result<Baseline> {
    let runs = played.iter().map(|played| of_run(played, nodes)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Baseline::of_runs(&runs).ok_or_else(|| Failure::fault("no run was made"))?;
    for entry in all.cases.values_mut() {
        entry.cpu = entry.cpu.map(to_step);
    }
    let is_here = nodes.iter().next().is_none();
    let processor = is_here.then(|| this_machine().cpu_model).filter(|model| !model.is_empty());
    all.conditions = Some(Conditions::of(processor, played.iter().flat_map(|run| run.outcomes.finished())));
    Ok(all)
}

/// Returns the cases that were not accepted in some run, each with its first failed one.
pub(super) fn failures(runs: &[MatchResult]) -> Vec<(JobId, Outcome)> {
    let jobs = runs.first().into_iter().flat_map(|run| run.outcomes.iter().map(|(job, _)| job));
    let failed = |job| runs.iter().filter_map(|run| run.outcomes.get(job)).find(|outcome| !outcome.is_accepted());
    jobs.filter_map(|job| Some((job, failed(job)?))).collect()
}

fn of_run(played: &MatchResult, nodes: &NodeList) -> Result<Baseline> {
    let plan = &played.plan;
    let inputs = Inputs::of(&plan.problem);
    let mut cases = BTreeMap::new();
    for (case, spec) in plan.cases.iter().enumerate() {
        let Some(outcome) = played.outcomes.get(JobId { case, solver: 0 }) else { continue };
        // The hash of the input that the solver read: the generator may be slow, or make another one now.
        let input = match played.inputs.get(case).copied().flatten() {
            Some(input) => Some(input),
            None if outcome.verdict == Verdict::JudgeError => None,
            None => Some(Digest::of(&inputs.load_of(&plan.cases, &spec)?)),
        };
        let input = input.map(|input| input.short());
        let processor = nodes.processor(&outcome).map(str::to_owned);
        let result =
            outcome.score.map_or(CaseResult::Failed(outcome.verdict), |score| CaseResult::Accepted(score.into()));
        let entry = BaselineCase { result, input, cpu: outcome.cpu, processor, tolerance: None };
        cases.insert(spec.name.to_string(), entry);
    }
    Ok(Baseline {
        problem: plan.problem.id.clone(),
        terms: format!("{}; {}", plan.problem.direction.name(), plan.limits),
        checker: checker_identity(&plan.problem.checker).to_string(),
        conditions: None,
        cases,
    })
}

fn to_step(cpu: Duration) -> Duration {
    let steps = (cpu.as_nanos() + CPU_STEP_NANOS / 2) / CPU_STEP_NANOS;
    Duration::from_nanos(u64::try_from(steps * CPU_STEP_NANOS).unwrap_or(u64::MAX))
}

/// Returns the exit code of the worst of these runs.
pub(super) fn exit(runs: &[MatchResult]) -> Exit {
    runs.iter().map(MatchResult::exit).max().unwrap_or(Exit::Success)
}

/// Returns the sources of the cases, files relative to the folder of the baseline file.
pub(super) fn sources(plan: &Plan, folder: &Path) -> BTreeMap<String, CaseSource> {
    let source = |case: &CaseSpec| case.source.with_path(|path| relative(path, folder));
    plan.cases.iter().map(|case| (case.name.to_string(), source(&case))).collect()
}

/// Returns the best score of each case, in these runs of a plan or known before, if scores are relative to it.
pub(super) fn references(plan: &Plan, runs: &[MatchResult]) -> BTreeMap<String, Score> {
    if !plan.problem.scoring.has_reference() {
        return BTreeMap::new();
    }
    let best = |(place, case): (usize, CaseSpec)| {
        let bests = runs.iter().filter_map(|run| judge_report::best_score(plan, &run.outcomes, place));
        Some((case.name.to_string(), bests.reduce(|left, right| plan.problem.direction.better(left, right))?))
    };
    plan.cases.iter().enumerate().filter_map(best).collect()
}

/// Returns the case that a line of a baseline in this folder names, with today's weight and thresholds.
pub(super) fn case(
    name: &str,
    source: &CaseSource,
    record: &BaselineFile,
    folder: &Path,
    terms: &TermsBySource<'_>,
) -> CaseSpec {
    let best = record.references.get(name);
    let best = best.map(|score| KnownBest { score: score.clone(), origin: BestOrigin::File });
    CaseSpec { best, ..terms.case(CaseName::from(name), source.with_path(|path| folder.join(path))) }
}

/// Returns the path from the folder to the file, so that the two can be moved together.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let (Ok(path), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) else { return path.to_owned() };
    let shared = path.components().zip(folder.components()).take_while(|(left, right)| left == right).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::{relative, to_step};
    use std::path::Path;
    use std::time::Duration;

    #[test]
    fn files_are_named_from_the_folder_of_the_baseline() {
        let root = tempfile::tempdir().unwrap();
        let (data, ci) = (root.path().join("data"), root.path().join("ci"));
        std::fs::create_dir_all(&data).unwrap();
        std::fs::create_dir_all(&ci).unwrap();
        let file = data.join("1.in");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(relative(&file, &ci), Path::new("../data/1.in"));
        assert_eq!(relative(&file, root.path()), Path::new("data/1.in"));
        assert_eq!(relative(Path::new("gone.in"), &ci), Path::new("gone.in"));
    }

    #[test]
    fn times_are_rounded_to_a_tenth_of_a_millisecond() {
        assert_eq!(to_step(Duration::from_micros(749)), Duration::from_micros(700));
        assert_eq!(to_step(Duration::from_micros(750)), Duration::from_micros(800));
    }
}
