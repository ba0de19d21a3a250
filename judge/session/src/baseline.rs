//! From outcomes to a baseline, and from the cases of a baseline to cases that can be run.

use super::failure::Failure;
use super::match_runner::MatchResult;
use checkers::Score;
use judge_compare::gate::{Baseline, BaselineCase, BaselineFile, BaselineSource, CaseResult, Conditions};
use judge_journal::Surroundings;
use judge_problem::plan::Plan;
use judge_problem::{
    BestOrigin, CaseName, CaseSource, CaseSpec, Digest, Exit, JobId, KnownBest, Limits, NodeList, Outcome,
};
use judge_run::cases::Inputs;
use judge_run::command::checker_identity;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// CPU times are recorded to a tenth of a millisecond: more digits would only make diffs longer.
const CPU_STEP_NANOS: u128 = 100_000;

/// Returns what the only solver of a plan achieved in these runs of it. Cases that were not finished are not in it.
/// They were run on these nodes, or here if there are none.
pub fn of_runs(played: &[MatchResult], nodes: &NodeList) -> Result<Baseline, Failure> {
    let runs = played.iter().map(|played| baseline(played, nodes)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Baseline::of_runs(&runs).ok_or_else(|| Failure::fault("no run was made"))?;
    for entry in all.cases.values_mut() {
        entry.cpu = entry.cpu.map(to_step);
    }
    let is_here = nodes.iter().next().is_none();
    let processor = is_here.then(|| Surroundings::machine().cpu_model).filter(|model| !model.is_empty());
    all.conditions = Some(Conditions::of(processor, played.iter().flat_map(|run| run.outcomes.finished())));
    Ok(all)
}

/// Returns the cases that were not accepted in some run, each with its first failed one.
pub fn failures(runs: &[MatchResult]) -> Vec<(JobId, Outcome)> {
    let jobs = runs.first().into_iter().flat_map(|run| run.outcomes.iter().map(|(job, _)| job));
    let failed = |job| runs.iter().filter_map(|run| run.outcome(job)).find(|outcome| !outcome.is_accepted());
    jobs.filter_map(|job| Some((job, failed(job)?))).collect()
}

fn baseline(played: &MatchResult, nodes: &NodeList) -> Result<Baseline, Failure> {
    let plan = &played.plan;
    let inputs = Inputs::of(&plan.problem);
    let mut cases = BTreeMap::new();
    for (case, spec) in plan.cases.iter().enumerate() {
        let Some(outcome) = played.outcome(JobId { case, solver: 0 }) else { continue };
        let input = Digest::of(&inputs.load_of(&plan.cases, &spec)?).short();
        cases.insert(spec.name.to_string(), entry(&outcome, nodes, input));
    }
    Ok(Baseline {
        problem: plan.problem.id.clone(),
        terms: terms(plan),
        checker: checker_identity(&plan.problem.checker).to_string(),
        conditions: None,
        cases,
    })
}

fn entry(outcome: &Outcome, nodes: &NodeList, input: String) -> BaselineCase {
    let result = match &outcome.score {
        Some(score) => CaseResult::Accepted(score.clone().into()),
        None => CaseResult::Failed(outcome.verdict),
    };
    let processor = nodes.processor(outcome).map(str::to_owned);
    BaselineCase { result, input: Some(input), cpu: outcome.cpu, processor, tolerance: None }
}

fn to_step(cpu: Duration) -> Duration {
    let steps = (cpu.as_nanos() + CPU_STEP_NANOS / 2) / CPU_STEP_NANOS;
    Duration::from_nanos(u64::try_from(steps * CPU_STEP_NANOS).unwrap_or(u64::MAX))
}

/// Returns the exit code of these runs: that of the worst.
pub fn exit(runs: &[MatchResult]) -> Exit {
    let worst = [Exit::Interrupted, Exit::Fault, Exit::NotAccepted].into_iter();
    let mut of_runs = worst.filter(|exit| runs.iter().any(|played| played.exit() == *exit));
    of_runs.next().unwrap_or(Exit::Success)
}

/// Returns the direction and the limits as one line. Under other terms, scores are not comparable.
fn terms(plan: &Plan) -> String {
    let Limits { cpu, wall, memory, output, processes } = &plan.limits;
    let direction = plan.problem.direction.name();
    format!("{direction}; cpu {cpu}; wall {wall}; memory {memory}; output {output}; processes {processes}")
}

/// Returns the sources of the cases, files relative to the folder of the baseline file.
pub fn sources(plan: &Plan, folder: &Path) -> BTreeMap<String, BaselineSource> {
    let source = |case: &CaseSpec| match &case.source {
        CaseSource::Seed(seed) => BaselineSource::Seed(*seed),
        CaseSource::File(path) => BaselineSource::File(relative(path, folder)),
    };
    plan.cases.iter().map(|case| (case.name.to_string(), source(&case))).collect()
}

/// Returns the best score of each case in these runs of a plan, or known before, where scores are relative to it.
pub fn references(plan: &Plan, runs: &[MatchResult]) -> BTreeMap<String, Score> {
    if !plan.problem.scoring.has_reference() {
        return BTreeMap::new();
    }
    let best = |(place, case): (usize, CaseSpec)| {
        let bests = runs.iter().filter_map(|run| judge_report::best_score(plan, &run.outcomes, place));
        Some((case.name.to_string(), bests.reduce(|left, right| plan.problem.direction.better(left, right))?))
    };
    plan.cases.iter().enumerate().filter_map(best).collect()
}

/// Returns the case that a line of a baseline in this folder names.
pub fn case(name: &str, source: &BaselineSource, record: &BaselineFile, folder: &Path) -> CaseSpec {
    let source = match source {
        BaselineSource::Seed(seed) => CaseSource::Seed(*seed),
        BaselineSource::File(path) => CaseSource::File(folder.join(path)),
    };
    let best = record.references.get(name);
    let best = best.map(|score| KnownBest { score: score.clone(), origin: BestOrigin::File });
    CaseSpec { best, ..CaseSpec::new(CaseName::from(name), source) }
}

/// Returns the path from the folder to the file, so that the two can be moved together.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let (Ok(path), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) else { return path.to_owned() };
    let shared = path.components().zip(folder.components()).take_while(|(left, right)| left == right).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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
