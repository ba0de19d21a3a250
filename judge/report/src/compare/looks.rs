//! A comparison with what was known of it after fewer cases.

use super::json::document;
use super::record::{CaseRecord, Document, IntervalRecord, PairRecord};
use super::report::CompareReport;
use crate::text::json_text;
use crate::text::json_value::schema_of;
use judge_compare::paired::Look;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// A comparison with what was known of it after fewer cases: `GET /api/compare`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "GET /api/compare")]
struct WithLooks<'a, D> {
    #[serde(flatten)]
    comparison: D,
    /// The mean effect after growing numbers of cases, in their order: all of the first few, then ever fewer.
    looks: Vec<LookRecord>,
    /// The problem's title.
    title: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "look")]
struct LookRecord {
    /// How many cases with an effect there were.
    cases: usize,
    /// Their mean effect.
    mean: f64,
    /// The anytime-valid interval; absent with too few cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<IntervalRecord>,
}

/// Returns a comparison of two solvers with its looks as one JSON document.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn compare_looks_json(report: &CompareReport<'_>, looks: &[Look]) -> serde_json::Result<String> {
    let record =
        |look: &Look| LookRecord { cases: look.cases, mean: look.mean, interval: look.interval.map(Into::into) };
    json_text::line(&WithLooks {
        comparison: document(report),
        looks: looks.iter().map(record).collect(),
        title: &report.plan.problem.title,
    })
}

/// Returns the JSON schema of [`compare_looks_json`]'s documents.
#[must_use]
pub fn compare_looks_schema() -> Schema {
    schema_of::<WithLooks<'static, Document<'static, Vec<CaseRecord<'static>>, Vec<PairRecord>>>>()
}
