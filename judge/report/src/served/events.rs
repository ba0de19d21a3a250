//! How far a run is, and what it has just finished.

use crate::text::json_text;
use crate::text::json_value::{exact, in_milliseconds, schema_of};
use judge_problem::{Outcome, RunId, RunState, Verdict};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Number;
use std::time::Duration;

/// A run that goes on, or has just ended.
#[derive(Debug)]
pub struct UnfinishedRun<'a> {
    /// The run.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// The number of planned cases.
    pub planned: usize,
    /// The time since it started.
    pub elapsed: Duration,
    /// Its solvers.
    pub solvers: Vec<SolverNow<'a>>,
    /// What it has finished since the last event: the last of that.
    pub finished: Vec<NewCase<'a>>,
}

/// How far a solver is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "solver")]
pub struct SolverNow<'a> {
    /// Its name.
    pub solver: &'a str,
    /// How many cases it has finished.
    pub done: usize,
    /// How many of them were accepted.
    pub accepted: usize,
}

/// A case that has just been finished.
#[derive(Debug)]
pub struct NewCase<'a> {
    /// Its name.
    pub case: &'a str,
    /// The solver's name.
    pub solver: &'a str,
    /// The outcome.
    pub outcome: &'a Outcome,
}

/// How far a run is: the data of an event `progress` of `GET /api/events`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "progress of GET /api/events")]
struct Document<'a> {
    /// The run's number.
    run: i64,
    /// Its state.
    #[schemars(extend("enum" = RunState::ALL.map(RunState::name)))]
    state: &'static str,
    /// How many cases it has.
    planned: usize,
    /// The time since it started.
    elapsed_ms: f64,
    /// The time until it ends, if it goes on at this rate; absent before the first result and after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_ms: Option<f64>,
    /// Its solvers, in the order of the command line.
    solvers: &'a [SolverNow<'a>],
    /// The newest results since the last event.
    finished: Vec<CaseRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "case")]
struct CaseRecord<'a> {
    /// The case's name.
    case: &'a str,
    /// The solver's name.
    solver: &'a str,
    /// The verdict's short code.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::code)))]
    code: &'static str,
    /// The raw score, exactly; of accepted answers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    score: Option<Number>,
    /// CPU time of all its processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ms: Option<f64>,
}

/// Returns how far a run is as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn progress_json(run: &UnfinishedRun<'_>) -> serde_json::Result<String> {
    json_text::line(&Document {
        run: run.run.0,
        state: run.state.name(),
        planned: run.planned,
        elapsed_ms: in_milliseconds(run.elapsed),
        remaining_ms: remaining(run).map(in_milliseconds),
        solvers: &run.solvers,
        finished: run.finished.iter().map(record).collect(),
    })
}

fn record<'a>(new: &'a NewCase<'_>) -> CaseRecord<'a> {
    CaseRecord {
        case: new.case,
        solver: new.solver,
        code: new.outcome.verdict.code(),
        score: new.outcome.score.as_ref().and_then(exact),
        cpu_ms: new.outcome.cpu.map(in_milliseconds),
    }
}

/// Returns the time until a run ends, if it goes on as it did.
fn remaining(run: &UnfinishedRun<'_>) -> Option<Duration> {
    let done: usize = run.solvers.iter().map(|solver| solver.done).sum();
    let left = (run.planned * run.solvers.len()).checked_sub(done)?;
    (run.state == RunState::Running && done > 0).then(|| run.elapsed.mul_f64(left as f64 / done as f64))
}

/// Returns the JSON schema of [`progress_json`]'s documents.
#[must_use]
pub fn progress_schema() -> Schema {
    schema_of::<Document<'static>>()
}
