//! The record of a whole run in the machine-readable reports. Unknown values are absent; scores and points are JSON numbers of
//! any length.

use super::report::RunReport;
use super::test_groups::{self, TestGroupRecord};
use crate::text::figures::{Counts, scores_text, verdict_of};
use crate::text::json_value::{exact, in_milliseconds, is_zero};
use crate::text::labels::LabelsRecord;
use crate::text::provenance::{LimitsRecord, ProvenanceRecord};
use crate::text::reference::ReferenceRecord;
use judge_problem::scoring::{FeatureGroup, LeaderboardRow};
use judge_problem::{Direction, Rule, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use std::collections::BTreeMap;

/// Incremented when a script could misread the new format.
const SCHEMA: u32 = 1;

/// A run without its cases.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Summary<'a> {
    /// The version of this format.
    schema: u32,
    /// The judge's version.
    judge: &'static str,
    /// When, how and where it took place.
    #[serde(flatten)]
    provenance: ProvenanceRecord<'a>,
    /// The problem's id.
    problem: &'a str,
    /// The checker of the answers.
    checker: Checker<'a>,
    /// The scoring rule.
    scoring: Scoring,
    /// The user's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(flatten)]
    labels: LabelsRecord<'a>,
    /// The tier of the sandbox.
    tier: &'static str,
    /// The gaps of that tier.
    gaps: &'a [String],
    /// The limits of each solver on each case.
    limits: LimitsRecord,
    /// How many solvers ran at once.
    jobs: usize,
    /// Whether a signal ended the run before its plan was done; `--fail-fast` is no interruption.
    interrupted: bool,
    /// Where it goes on without a judge: `runs on Slurm (job 222)`.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// The cases in groups, with `--group-by`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupRecord<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "checker")]
struct Checker<'a> {
    /// The built-in checker's id, or the user's command.
    name: &'a str,
    /// A built-in checker's version: it grows when the same answer could get another score than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "scoring")]
struct Scoring {
    #[schemars(extend("enum" = Rule::names()))]
    rule: String,
    #[schemars(extend("enum" = [Direction::Max.name(), Direction::Min.name()]))]
    direction: &'static str,
    /// The points of the best on a case, of the rules that have a scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "integer"))]
    scale: Option<Number>,
    /// The score of a failed case, for rules that add up scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    failure: Option<Number>,
    /// What the points are relative to, under rules that take the best score of a case.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<ReferenceRecord>,
}

/// One solver over the whole run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "solver")]
struct SolverRecord<'a> {
    /// The name in every record.
    name: &'a str,
    /// Its command, as it was given.
    command: &'a str,
    /// The aggregate by the scoring rule, rounded to three decimals, or to those of the scores; absent where the rule gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    total: Option<Number>,
    /// The mean points of all cases that were run, rounded likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    mean: Option<Number>,
    /// Its rank from 1; equal solvers share the better one.
    rank: usize,
    /// Cases won against another solver of the run, over all others.
    wins: usize,
    /// The same, with equal scores or both failed.
    ties: usize,
    /// The same, lost.
    losses: usize,
    /// Cases on which no solver was better.
    bests: usize,
    /// Cases on which every other solver was worse.
    uniques: usize,
    /// Cases without an accepted answer.
    failures: usize,
    /// Cases that were not run.
    #[serde(skip_serializing_if = "is_zero")]
    skipped: usize,
    /// The mean CPU time, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_cpu_ms: Option<f64>,
    /// Its limits, where its language allows more than those of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<LimitsRecord>,
    /// How many cases ended with which verdict.
    verdicts: BTreeMap<&'static str, usize>,
}

/// One solver on the cases that have the same value of a feature.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "group")]
struct GroupRecord<'a> {
    /// The feature.
    by: &'a str,
    /// Its value; absent for the cases that do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    value: Option<Number>,
    /// The solver's name.
    solver: &'a str,
    /// How many cases are in the group.
    cases: usize,
    /// How many of them were accepted.
    accepted: usize,
    /// How many of them were not run.
    #[serde(skip_serializing_if = "is_zero")]
    skipped: usize,
    /// The mean raw score, rounded likewise; absent where a failure makes it meaningless.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    mean_score: Option<Number>,
    /// The mean of the points, rounded likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    mean_points: Option<Number>,
}

impl<'a> Summary<'a> {
    pub(super) fn of(report: &'a RunReport<'_>) -> Self {
        let plan = report.plan;
        Self {
            schema: SCHEMA,
            judge: env!("CARGO_PKG_VERSION"),
            provenance: report.provenance.into(),
            problem: &plan.problem.id,
            checker: Checker { name: plan.problem.checker.name(), version: plan.problem.checker.version() },
            scoring: scoring(report),
            tier: report.tier.name(),
            gaps: report.gaps,
            message: report.message,
            labels: report.labels.into(),
            limits: (&plan.limits).into(),
            jobs: report.jobs,
            interrupted: report.stop == Some(Stop::Interrupted),
            detached: report.detached.map(ToString::to_string),
            elapsed_ms: in_milliseconds(report.elapsed),
            noisy: report.noisy(),
            solvers: in_order(report.leaderboard).into_iter().map(|place| solver_record(report, place)).collect(),
            test_groups: test_groups::records(report),
            groups: group_records(report),
        }
    }
}

fn scoring(report: &RunReport<'_>) -> Scoring {
    let problem = &report.plan.problem;
    let failure = problem.failure.as_ref().filter(|_| report.rule.counts_raw_scores());
    Scoring {
        rule: report.rule.to_string(),
        direction: problem.direction.name(),
        scale: report.rule.scale().and_then(exact),
        failure: failure.and_then(exact),
        reference: report.reference().map(|reference| reference.record()),
    }
}

/// In the order of the command line.
fn in_order(leaderboard: &[LeaderboardRow]) -> Vec<&LeaderboardRow> {
    let mut leaderboard: Vec<_> = leaderboard.iter().collect();
    leaderboard.sort_by_key(|place| place.solver);
    leaderboard
}

fn solver_record<'a>(report: &'a RunReport<'_>, place: &LeaderboardRow) -> SolverRecord<'a> {
    let solver = place.solver;
    let spec = &report.plan.solvers[solver].spec;
    let counts: Counts = report.of_solver(solver).map(verdict_of).collect();
    SolverRecord {
        name: &spec.name,
        command: &spec.text,
        total: report.total(solver).as_ref().and_then(exact),
        mean: report.mean(solver).as_ref().and_then(exact),
        rank: place.rank,
        wins: place.wins,
        ties: place.ties,
        losses: place.losses,
        bests: place.bests,
        uniques: place.uniques,
        failures: place.failures,
        skipped: place.skipped,
        mean_cpu_ms: report.mean_cpu(solver).map(in_milliseconds),
        limits: Some(report.plan.limits_of(solver))
            .filter(|limits| *limits != report.plan.limits)
            .map(|limits| (&limits).into()),
        verdicts: counts.iter().map(|(verdict, count)| (verdict.name(), count)).collect(),
    }
}

fn group_records<'a>(report: &'a RunReport<'_>) -> Vec<GroupRecord<'a>> {
    let Some(grouping) = report.grouping else { return Vec::new() };
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
