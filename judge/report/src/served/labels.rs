//! The tags and the note of a run, after they were changed.

use crate::text::json_text;
use crate::text::json_value::schema_of;
use crate::text::labels::LabelsRecord;
use judge_problem::{Labels, RunId};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The tags and the note of a run: the answer to `POST /api/runs/{run}/labels`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "POST /api/runs/{run}/labels")]
struct Document<'a> {
    /// The run's number.
    run: i64,
    #[serde(flatten)]
    labels: LabelsRecord<'a>,
}

/// Returns the tags and the note of a run as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn labels_json(run: RunId, labels: &Labels) -> serde_json::Result<String> {
    json_text::line(&Document { run: run.0, labels: labels.into() })
}

/// Returns the JSON schema of [`labels_json`]'s documents.
#[must_use]
pub fn labels_schema() -> Schema {
    schema_of::<Document<'static>>()
}
