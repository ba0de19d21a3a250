//! The runs that pages have started.

use crate::text::json_text;
use crate::text::json_value::schema_of;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The runs that pages have started: `/api/started`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "/api/started")]
struct Document<'a> {
    /// The newest first.
    started: &'a [StartedRecord],
}

/// A run that a page has started.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "started")]
pub struct StartedRecord {
    /// Its number among those that this server has started.
    pub number: usize,
    /// Its command line.
    pub command: String,
    /// Its number in the journal, once it is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<i64>,
    /// Whether it goes on.
    pub running: bool,
    /// Its exit code, as of `judge run`; absent while it goes on, and if a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The end of what it has printed.
    pub output: String,
}

/// Returns the runs that pages have started as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn started_json(started: &[StartedRecord]) -> serde_json::Result<String> {
    json_text::line(&Document { started })
}

/// Returns the JSON schema of [`started_json`]'s documents.
#[must_use]
pub fn started_schema() -> Schema {
    schema_of::<Document<'static>>()
}
