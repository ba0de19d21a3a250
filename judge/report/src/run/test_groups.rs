//! The records of test groups in the machine-readable reports.

use super::report::RunReport;
use crate::text::figures::points_text;
use crate::text::json_value::{exact, is_zero};
use judge_problem::GroupAggregate;
use judge_problem::scoring::{TestGroupResult, TestGroupStatus};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

/// One solver on one of the problem's test groups.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "test_group")]
pub(super) struct TestGroupRecord<'a> {
    /// The group's name.
    group: &'a str,
    /// The solver's name.
    solver: &'a str,
    /// Whether a failure on one of its cases makes all of them count as failed.
    all_or_nothing: bool,
    /// What the points of its cases count as: each its own, all those of the worst, or all or nothing.
    #[schemars(extend("enum" = GroupAggregate::ALL.map(GroupAggregate::name)))]
    aggregate: &'static str,
    /// The groups that it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<&'a str>,
    /// How many cases of the run are in the group.
    cases: usize,
    /// How many of them were accepted.
    accepted: usize,
    /// How many of them were not run.
    #[serde(skip_serializing_if = "is_zero")]
    skipped: usize,
    /// Whether the group was earned (every case accepted), partly so, failed, blocked by another one, or not run.
    #[schemars(extend("enum" = TestGroupStatus::ALL.map(TestGroupStatus::name)))]
    result: &'static str,
    /// The group with a failed case that keeps this one from counting.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_by: Option<&'a str>,
    /// The case that it counts by, where it counts by its worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<String>,
    /// The total weight of its cases, rounded to three decimals.
    #[schemars(extend("type" = "number"))]
    weight: Option<Number>,
    /// Their points by weight, rounded to three decimals; absent where the scoring rule gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    points: Option<Number>,
}

/// Returns a record for each solver on each test group.
pub(super) fn records<'a>(report: &'a RunReport<'_>) -> Vec<TestGroupRecord<'a>> {
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
            weight: exact(&points_text(&result.weight)),
            points: row.points.as_ref().and_then(|points| exact(&report.points_text(points))),
        })
    };
    report.test_groups.iter().flat_map(records).collect()
}
