//! Why there is no answer.

use crate::text::json_text;
use crate::text::json_value::schema_of;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// Why there is no answer: the body of every answer of the API with the status 400, 403, 404 or 500.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "An error of /api")]
struct Document<'a> {
    /// What is wrong.
    error: &'a str,
    /// How to fix it.
    hints: &'a [&'a str],
}

/// Returns an error as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn error_json(error: &str, hints: &[&str]) -> serde_json::Result<String> {
    json_text::line(&Document { error, hints })
}

/// Returns the JSON schema of [`error_json`]'s documents.
#[must_use]
pub fn error_schema() -> Schema {
    schema_of::<Document<'static>>()
}
