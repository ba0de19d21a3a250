//! The records of a run and its cases in JSON. Unknown values are absent; scores, points and features are JSON numbers of any length.

use crate::run::metrics::{MeanRecord, MetricRecord, ParetoRecord, mean_records, metric_records, pareto_record};
use crate::run::report::RunReport;
use crate::text::{
    Counts, LimitsRecord, Reference, Versioned, exact, exact_numbers, in_milliseconds, scores_text, verdict_of,
    weight_text,
};
use judge_problem::scoring::{FeatureGroup, LeaderboardRow, TestGroupResult, TestGroupStatus};
use judge_problem::{
    Direction, Features, GroupAggregate, JobId, Labels, Outcome, Plan, Provenance, Rule, Stop, Verdict,
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Number;
use serde_with_macros::skip_serializing_none;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;

/// Incremented when a script could misread the new format.
const SCHEMA: u32 = 1;

/// A run without its cases.
#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary<'a> {
    /// When, how and where it took place.
    #[serde(flatten)]
    provenance: Versioned<'a, Provenance>,
    /// The problem's id.
    problem: &'a str,
    /// The checker of the answers.
    checker: Checker<'a>,
    /// The scoring rule.
    scoring: Scoring,
    /// The user's message.
    message: Option<&'a str>,
    #[serde(flatten)]
    labels: &'a Labels,
    /// The tier of the sandbox.
    tier: &'static str,
    /// The gaps of that tier. Absent for a past run: they were those of its machine.
    gaps: Option<&'a [String]>,
    /// The limits of each solver on each case.
    limits: LimitsRecord,
    /// How many solvers ran at once.
    jobs: usize,
    /// Whether a signal ended the run before its plan was done; `--fail-fast` is no interruption.
    interrupted: bool,
    /// Where it runs without a judge: `runs on Slurm (job 222)`.
    detached: Option<String>,
    /// How long it took.
    elapsed_ms: f64,
    /// How many timings other programs disturbed.
    noisy: usize,
    /// A record for each solver, in the order of the command line.
    solvers: Vec<SolverRecord<'a>>,
    /// A record for each solver on each of the problem's test groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    test_groups: Vec<TestGroupRecord<'a>>,
    /// The metrics that the problem declares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<MetricRecord<'a>>,
    /// The non-dominated solvers, with `--pareto`.
    pareto: Option<ParetoRecord<'a>>,
    /// The cases in groups, with `--group-by`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupRecord<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Checker<'a> {
    /// The built-in checker's id, or the user's command.
    name: &'a str,
    /// A built-in checker's version: it grows when the same answer could get another score than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
}

#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
struct Scoring {
    #[schemars(extend("enum" = Rule::names()))]
    rule: String,
    #[schemars(extend("enum" = [Direction::Max.name(), Direction::Min.name()]))]
    direction: &'static str,
    /// The points of the best on a case, of the rules that have a scale.
    scale: Option<Number>,
    /// The score of a failed case, for rules that add up scores.
    failure: Option<Number>,
    /// The scores that the points are relative to, under rules that use the best score of a case.
    reference: Option<Reference>,
}

/// One solver over the whole run.
#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
struct SolverRecord<'a> {
    /// The name in every record.
    name: &'a str,
    /// Its command, as it was given.
    command: &'a str,
    /// The aggregate by the scoring rule, rounded to three decimals, or to as many as the scores have; absent if the
    /// rule gives none.
    total: Option<Number>,
    /// The mean points of all cases that were run, rounded likewise.
    mean: Option<Number>,
    #[serde(flatten)]
    place: &'a LeaderboardRow,
    /// The mean CPU time, if it is known.
    mean_cpu_ms: Option<f64>,
    /// Its metrics, by name: of accepted cases only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metrics: BTreeMap<&'a str, MeanRecord>,
    /// Its limits, where its language allows more than the run's limits.
    limits: Option<LimitsRecord>,
    /// How many cases ended with which verdict.
    verdicts: BTreeMap<&'static str, usize>,
}

/// One solver on the cases that have the same value of a feature.
#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GroupRecord<'a> {
    /// The feature.
    pub(crate) by: &'a str,
    /// Its value; absent for the cases that do not have it.
    pub(crate) value: Option<Number>,
    /// The solver's name.
    pub(crate) solver: &'a str,
    /// How many cases are in the group.
    pub(crate) cases: usize,
    /// How many of them were accepted.
    pub(crate) accepted: usize,
    /// How many of them were not run.
    #[serde(skip_serializing_if = "num_traits::Zero::is_zero")]
    pub(crate) skipped: usize,
    /// The mean raw score, rounded likewise; absent if a failure makes it meaningless.
    pub(crate) mean_score: Option<Number>,
    /// The mean of the points, rounded likewise.
    pub(crate) mean_points: Option<Number>,
}

impl<'a> Summary<'a> {
    /// Describes a run.
    pub fn of(report: &'a RunReport<'_>) -> Self {
        let plan = report.plan;
        let mut places: Vec<_> = report.scored.leaderboard.iter().collect();
        places.sort_by_key(|place| place.solver);
        Self {
            provenance: Versioned::new(SCHEMA, report.provenance),
            problem: &plan.problem.id,
            checker: Checker { name: plan.problem.checker.name(), version: plan.problem.checker.version() },
            scoring: scoring(report),
            tier: report.tier.name(),
            gaps: report.gaps,
            message: report.message,
            labels: report.labels,
            limits: (&plan.limits).into(),
            jobs: report.jobs,
            interrupted: report.stop == Some(Stop::Interrupted),
            detached: report.detached.map(ToString::to_string),
            elapsed_ms: in_milliseconds(report.elapsed),
            noisy: report.noisy(),
            solvers: places.into_iter().map(|place| solver_record(report, place)).collect(),
            test_groups: test_group_records(report),
            metrics: metric_records(report),
            pareto: pareto_record(report),
            groups: group_records(report),
        }
    }
}

fn scoring(report: &RunReport<'_>) -> Scoring {
    let problem = &report.plan.problem;
    let failure = problem.failure.as_ref().filter(|_| report.scored.rule.counts_raw_scores());
    Scoring {
        rule: report.scored.rule.to_string(),
        direction: problem.direction.name(),
        scale: report.scored.rule.scale().and_then(exact),
        failure: failure.and_then(exact),
        reference: report.reference(),
    }
}

fn solver_record<'a>(report: &'a RunReport<'_>, place: &'a LeaderboardRow) -> SolverRecord<'a> {
    let solver = place.solver;
    let spec = &report.plan.solvers[solver].spec;
    let counts: Counts = report.outcomes.of_solver(solver).map(verdict_of).collect();
    SolverRecord {
        name: &spec.name,
        command: &spec.text,
        total: report.total(solver).as_ref().and_then(exact),
        mean: report.mean(solver).as_ref().and_then(exact),
        place,
        mean_cpu_ms: report.mean_cpu(solver).map(in_milliseconds),
        metrics: mean_records(report, solver),
        limits: Some(report.plan.limits_of(solver))
            .filter(|limits| *limits != report.plan.limits)
            .map(|limits| (&limits).into()),
        verdicts: counts.iter().map(|(verdict, count)| (verdict.name(), count)).collect(),
    }
}

pub(crate) fn group_records<'a>(report: &'a RunReport<'_>) -> Vec<GroupRecord<'a>> {
    let Some(grouping) = &report.scored.grouping else { return Vec::new() };
    let records = |group: &'a FeatureGroup| {
        report.plan.solvers.iter().zip(&group.rows).map(|(solver, row)| GroupRecord {
            by: &grouping.by,
            value: group.value.as_ref().and_then(exact),
            solver: &solver.spec.name,
            cases: group.cases,
            accepted: row.accepted,
            skipped: row.skipped,
            mean_score: row.mean_score.as_ref().and_then(|mean| exact(&scores_text(mean, grouping.score_decimals))),
            mean_points: row.mean_points.as_ref().and_then(|mean| exact(&scores_text(mean, grouping.point_decimals))),
        })
    };
    grouping.groups.iter().flat_map(records).collect()
}

/// One solver on one of the problem's test groups.
#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TestGroupRecord<'a> {
    /// The group's name.
    pub(crate) group: &'a str,
    /// The solver's name.
    pub(crate) solver: &'a str,
    /// Whether a failure on one of its cases makes all of them count as failed.
    pub(crate) all_or_nothing: bool,
    /// How the points of its cases count: each case its own, each the worst case's, or all or nothing.
    #[schemars(extend("enum" = GroupAggregate::ALL.map(GroupAggregate::name)))]
    pub(crate) aggregate: &'static str,
    /// The groups that it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) depends_on: Vec<&'a str>,
    /// How many cases of the run are in the group.
    pub(crate) cases: usize,
    /// How many of them were accepted.
    pub(crate) accepted: usize,
    /// How many of them were not run.
    #[serde(skip_serializing_if = "num_traits::Zero::is_zero")]
    pub(crate) skipped: usize,
    /// Whether the group was earned (every case accepted), partly so, failed, blocked by another one, or not run.
    #[schemars(extend("enum" = TestGroupStatus::ALL.map(TestGroupStatus::name)))]
    pub(crate) result: &'static str,
    /// The group with a failed case that keeps this one from counting.
    pub(crate) blocked_by: Option<&'a str>,
    /// The case that it counts by, where it counts by its worst.
    pub(crate) worst: Option<String>,
    /// The total weight of its cases, rounded to three decimals if it is no decimal number.
    #[serialize_always]
    pub(crate) weight: Option<Number>,
    /// Their points by weight, rounded to three decimals; absent if the scoring rule gives none.
    pub(crate) points: Option<Number>,
}

/// Returns a record for each solver on each test group.
pub(crate) fn test_group_records<'a>(report: &'a RunReport<'_>) -> Vec<TestGroupRecord<'a>> {
    let records = |result: &'a TestGroupResult| {
        let groups = &report.plan.problem.test_groups;
        let group = &groups[result.group];
        report.plan.solvers.iter().zip(&result.rows).map(|(solver, row)| TestGroupRecord {
            group: &group.name,
            solver: &solver.spec.name,
            all_or_nothing: group.aggregate == GroupAggregate::AllOrNothing,
            aggregate: group.aggregate.name(),
            depends_on: group.depends_on.iter().map(|&needed| &*groups[needed].name).collect(),
            cases: result.cases,
            accepted: row.accepted,
            skipped: row.skipped,
            result: row.status.name(),
            blocked_by: row.blocked_by.map(|needed| &*groups[needed].name),
            worst: row.worst.map(|case| report.plan.cases.at(case).name.to_string()),
            weight: exact(&weight_text(&result.weight)),
            points: row.points.as_ref().and_then(|points| exact(&report.points_text(points))),
        })
    };
    report.scored.test_groups.iter().flat_map(records).collect()
}

/// One solver on one case.
#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CaseRecord<'a> {
    /// The case's name: `seed-7`, or its file's stem.
    pub(crate) case: String,
    /// The seed that it is made from.
    pub(crate) seed: Option<u64>,
    /// The file of its input.
    pub(crate) input: Option<String>,
    /// The solver's name.
    pub(crate) solver: &'a str,
    /// The verdict.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::name)))]
    pub(crate) verdict: &'static str,
    /// The verdict's short code.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::code)))]
    pub(crate) code: &'static str,
    /// The raw score, exactly; of accepted answers only.
    pub(crate) score: Option<Number>,
    /// The points by the scoring rule: scores exactly, others rounded to three decimals.
    pub(crate) points: Option<Number>,
    /// The difference to the best, with `--sort lost`: in points with their weight, or in score.
    pub(crate) lost: Option<Number>,
    /// The weight of the case in the total, unless all weigh 1: rounded to three decimals if it is no decimal number.
    pub(crate) weight: Option<Number>,
    /// The test group that the case is in.
    pub(crate) group: Option<&'a str>,
    /// The metrics of the problem, exactly; a metric that was not printed is absent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) metrics: BTreeMap<&'a str, Number>,
    /// CPU time of all its processes.
    pub(crate) cpu_ms: Option<f64>,
    /// Time on the clock.
    pub(crate) wall_ms: Option<f64>,
    /// Peak memory.
    pub(crate) memory_bytes: Option<u64>,
    /// Why it was not accepted.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) note: &'a str,
    /// The line of the answer where a rule is broken, from 1; like the next three fields, for rejected answers if the
    /// checker reports it.
    line: Option<NonZeroUsize>,
    /// The byte within the line, from 1.
    column: Option<NonZeroUsize>,
    /// The move of the game that breaks a rule, from 1.
    #[serde(rename = "move")]
    step: Option<NonZeroUsize>,
    /// The rule that is broken, in a few words.
    rule: Option<&'a str>,
    /// The end of a failed solver's standard error.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) stderr: &'a str,
    /// Whether other programs disturbed the timing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) noisy: bool,
    /// The node that it was run on, if the run has nodes.
    pub(crate) node: Option<&'a str>,
    /// The numbers that describe the case.
    pub(crate) features: Option<BTreeMap<&'a str, Number>>,
    /// The command that runs it again; absent if the solver is in no file.
    #[schemars(with = "Option<String>")]
    pub(crate) reproduce: Option<Reproduce<'a>>,
}

/// The command that runs a job again: not every format has it.
#[derive(Debug)]
pub(crate) struct Reproduce<'a> {
    plan: &'a Plan,
    job: JobId,
}

impl fmt::Display for Reproduce<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.plan.reproduce(self.job).unwrap_or_default())
    }
}

impl Serialize for Reproduce<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'a> CaseRecord<'a> {
    /// Describes the outcome of a job. Points are known only when the run is over.
    pub(crate) fn new(
        plan: &'a Plan,
        job: JobId,
        outcome: Option<&'a Outcome>,
        points: Option<String>,
        features: Option<&'a Features>,
    ) -> Self {
        let case = plan.cases.at(job.case);
        let verdict = verdict_of(outcome);
        let broken = outcome.map(|outcome| &outcome.broken);
        Self {
            case: case.name.to_string(),
            seed: case.seed(),
            input: case.file().map(|path| path.display().to_string()),
            solver: &plan.solvers[job.solver].spec.name,
            verdict: verdict.name(),
            code: verdict.code(),
            score: outcome.and_then(|outcome| outcome.score.as_ref()).and_then(exact),
            points: points.as_ref().and_then(exact),
            lost: None,
            weight: None,
            group: plan.test_group_name(job.case),
            metrics: outcome.map(|outcome| exact_numbers(&outcome.metrics)).unwrap_or_default(),
            cpu_ms: outcome.and_then(|outcome| outcome.cpu).map(in_milliseconds),
            wall_ms: outcome.and_then(|outcome| outcome.wall).map(in_milliseconds),
            memory_bytes: outcome.and_then(|outcome| outcome.memory),
            note: outcome.map_or("", |outcome| &outcome.note),
            line: broken.and_then(|broken| broken.line),
            column: broken.and_then(|broken| broken.column),
            step: broken.and_then(|broken| broken.step),
            rule: broken.and_then(|broken| broken.rule.as_deref()),
            stderr: outcome.map_or("", |outcome| &outcome.stderr),
            noisy: outcome.is_some_and(|outcome| outcome.noisy),
            node: outcome.and_then(|outcome| outcome.node.as_deref()),
            features: features.map(exact_numbers),
            reproduce: plan.solvers[job.solver].spec.can_be_named().then_some(Reproduce { plan, job }),
        }
    }

    /// Describes the outcome of a job of a finished run.
    pub(crate) fn of_report(report: &'a RunReport<'_>, job: JobId, outcome: Option<&'a Outcome>) -> Self {
        // A job that was not run has no points.
        let points = outcome.and_then(|_| report.points(job));
        let weight = report.has_weights().then(|| report.weight(job.case)).as_ref().and_then(exact);
        let lost = report.shows_lost().then(|| report.lost(job)).flatten();
        let lost = lost.and_then(|lost| exact(&report.points_text(&lost)));
        Self { lost, weight, ..Self::new(report.plan, job, outcome, points, report.features[job.case].as_deref()) }
    }
}
