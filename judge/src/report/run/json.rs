//! The report of a run as one JSON document, and its schema.

use super::record::CaseRecord;
use super::report::RunReport;
use super::run_record::Summary;
use crate::report::text::json_text;
use crate::report::text::json_value::schema_of;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The report of one run of the judge: `judge run --json PATH`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge run --json")]
struct Document<'a> {
    #[serde(flatten)]
    summary: Summary<'a>,
    /// Every solver on every case, case by case.
    cases: Vec<CaseRecord<'a>>,
}

/// Returns the report of a run as one JSON document, with a final newline.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub(in crate::report) fn run_json(report: &RunReport<'_>) -> serde_json::Result<String> {
    let document = Document {
        summary: Summary::of(report),
        cases: report.jobs().map(|(job, outcome)| CaseRecord::of_report(report, job, outcome)).collect(),
    };
    json_text::document(&document)
}

/// Returns the JSON schema of `judge run --json`.
#[must_use]
pub fn run_schema() -> Schema {
    schema_of::<Document<'static>>()
}
