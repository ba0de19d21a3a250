//! What a server lets its pages do.

use crate::text::json_text;
use crate::text::json_value::schema_of;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// What a server lets its pages do: `GET /api/server`.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(title = "GET /api/server")]
pub struct ServerRecord {
    /// The judge's version.
    pub judge: &'static str,
    /// Whether tags and notes can be changed: not with `--read-only`.
    pub edits: bool,
    /// Whether runs can be started, stopped and resumed: with `--allow-run`.
    pub runs: bool,
}

/// Returns what a server lets its pages do as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn server_json(server: &ServerRecord) -> serde_json::Result<String> {
    json_text::line(server)
}

/// Returns the JSON schema of [`server_json`]'s documents.
#[must_use]
pub fn server_schema() -> Schema {
    schema_of::<ServerRecord>()
}
