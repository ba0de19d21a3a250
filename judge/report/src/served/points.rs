//! Two numbers of each case of a run, for charts.

use crate::text::json_text;
use crate::text::json_value::schema_of;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// Two numbers of each case of a run, for charts: `GET /api/runs/{run}/points`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "GET /api/runs/{run}/points")]
pub struct Points<'a> {
    /// The run's number.
    pub run: i64,
    /// The field of the first number.
    pub x: &'a str,
    /// The field of the second number.
    pub y: &'a str,
    /// How many rows have both numbers.
    pub total: usize,
    /// The points of each solver: all, or evenly chosen ones.
    pub solvers: Vec<SolverPoints<'a>>,
}

/// The points of a solver.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "points")]
pub struct SolverPoints<'a> {
    /// Its name.
    pub solver: &'a str,
    /// The names of the cases.
    pub cases: Vec<String>,
    /// The first number of each.
    pub x: Vec<f64>,
    /// The second number of each.
    pub y: Vec<f64>,
}

/// Returns points as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn points_json(points: &Points<'_>) -> serde_json::Result<String> {
    json_text::line(points)
}

/// Returns the JSON schema of [`points_json`]'s documents.
#[must_use]
pub fn points_schema() -> Schema {
    schema_of::<Points<'static>>()
}
