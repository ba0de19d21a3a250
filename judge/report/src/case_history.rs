//! One case in all runs: `GET /api/problems/{problem}/cases/{case}`.

use crate::text::{exact, in_milliseconds, share_of_best};
use checkers::Score;
use judge_problem::{CaseResult, Direction, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use serde_with_macros::skip_serializing_none;
use std::collections::BTreeMap;

/// The results of a case in all runs.
#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub struct CaseHistory<'a> {
    /// The problem's id.
    pub problem: &'a str,
    /// The case's name.
    pub case: &'a str,
    /// Which scores are good.
    #[schemars(extend("enum" = [Direction::Max.name(), Direction::Min.name()]))]
    pub direction: &'static str,
    /// Its features, if known.
    pub features: Option<BTreeMap<&'a str, Number>>,
    /// Whether its input can be downloaded.
    pub input: bool,
    /// Whether answers can be played move by move, at `/replay/{run}/{case}`.
    pub replays: bool,
    /// How many results there are on another input of the same name: they are not listed.
    pub others: usize,
    /// The place of the best result; absent if none has a score.
    pub best: Option<usize>,
    /// The results, the newest first.
    pub results: Vec<CaseResultRecord<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub struct CaseResultRecord<'a> {
    /// The run's number.
    run: i64,
    /// When it started, in UTC.
    started: &'a str,
    /// The user's message.
    message: Option<&'a str>,
    /// The solver's name.
    solver: &'a str,
    /// The verdict.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::name)))]
    verdict: &'static str,
    /// The verdict's short code.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::code)))]
    code: &'static str,
    /// The raw score, exactly.
    score: Option<Number>,
    /// The share of the best of these scores, from 0 to 1.
    relative: Option<f64>,
    /// CPU time of all its processes.
    cpu_ms: Option<f64>,
    /// Peak memory.
    memory_bytes: Option<u64>,
    /// Why it was not accepted.
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    /// Whether the answer is stored.
    answer: bool,
}

/// Returns the place of the best result, and the records of all results.
pub fn case_results<'a>(rows: &'a [CaseResult], direction: Direction) -> (Option<usize>, Vec<CaseResultRecord<'a>>) {
    let scored = rows.iter().enumerate().filter_map(|(place, row)| Some((place, row.outcome.score.as_ref()?)));
    // Of equal scores the oldest is the best: it was first.
    let best = scored.reduce(|best, older| if direction.compare(best.1, older.1).is_gt() { best } else { older });
    let (place, score) = best.unzip();
    (place, rows.iter().map(|row| record(row, direction, score)).collect())
}

fn record<'a>(row: &'a CaseResult, direction: Direction, best: Option<&Score>) -> CaseResultRecord<'a> {
    let outcome = &row.outcome;
    let score = outcome.score.as_ref();
    CaseResultRecord {
        run: row.run.0,
        started: &row.started,
        message: row.message.as_deref(),
        solver: &row.solver,
        verdict: outcome.verdict.name(),
        code: outcome.verdict.code(),
        score: score.and_then(exact),
        relative: score.zip(best).and_then(|(score, best)| share_of_best(direction, score, best)),
        cpu_ms: outcome.cpu.map(in_milliseconds),
        memory_bytes: outcome.memory,
        note: &outcome.note,
        answer: row.has_answer,
    }
}
