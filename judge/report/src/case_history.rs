//! One case in all runs: `GET /api/problems/{problem}/cases/{case}`.

use crate::text::{Document, exact, exact_numbers, in_milliseconds, share_of_best};
use checkers::Score;
use judge_problem::{Direction, Features, Outcome, RunId, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use serde_with_macros::skip_serializing_none;
use std::collections::BTreeMap;

/// The results of a case in all runs.
#[derive(Debug)]
pub struct CaseHistory<'a> {
    /// The problem's id.
    pub problem: &'a str,
    /// The case's name.
    pub case: &'a str,
    /// Which scores are good.
    pub direction: Direction,
    /// Its features, if known.
    pub features: Option<&'a Features>,
    /// Whether its input can be downloaded.
    pub has_input: bool,
    /// Whether answers can be played move by move.
    pub replays: bool,
    /// How many results there are on another input of the same name.
    pub others: usize,
    /// The results on its input, the newest first.
    pub results: Vec<CaseResultRow<'a>>,
}

/// A result of a case.
#[derive(Debug)]
pub struct CaseResultRow<'a> {
    /// The run.
    pub run: RunId,
    /// When it started, in UTC.
    pub started: &'a str,
    /// The user's message.
    pub message: Option<&'a str>,
    /// The solver's name.
    pub solver: &'a str,
    /// Whether the answer is stored.
    pub has_answer: bool,
    /// The outcome.
    pub outcome: &'a Outcome,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub(crate) struct CaseHistoryDocument<'a> {
    /// The problem's id.
    problem: &'a str,
    /// The case's name.
    case: &'a str,
    /// Which scores are good.
    #[schemars(extend("enum" = [Direction::Max.name(), Direction::Min.name()]))]
    direction: &'static str,
    /// Its features, if known.
    features: Option<BTreeMap<&'a str, Number>>,
    /// Whether its input can be downloaded.
    input: bool,
    /// Whether answers can be played move by move, at `/replay/{run}/{case}`.
    replays: bool,
    /// How many results there are on another input of the same name: they are not listed.
    others: usize,
    /// The place of the best result; absent if none has a score.
    best: Option<usize>,
    /// The results, the newest first.
    results: Vec<CaseResultRecord<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct CaseResultRecord<'a> {
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

impl Document for CaseHistory<'_> {
    fn record(&self) -> impl Serialize {
        let score = |place: usize| self.results[place].outcome.score.as_ref();
        let better = |one: usize, other: usize| match (score(one), score(other)) {
            (Some(left), Some(right)) => self.direction.compare(left, right).is_ge(),
            (known, _) => known.is_some(),
        };
        // Of equal scores the oldest is the best: it was first.
        let best = (0..self.results.len()).rev().filter(|&place| score(place).is_some());
        let best = best.reduce(|best, place| if better(best, place) { best } else { place });
        let best_score = best.and_then(score);
        CaseHistoryDocument {
            problem: self.problem,
            case: self.case,
            direction: self.direction.name(),
            features: self.features.map(exact_numbers),
            input: self.has_input,
            replays: self.replays,
            others: self.others,
            best,
            results: self.results.iter().map(|row| record(row, self.direction, best_score)).collect(),
        }
    }
}

fn record<'a>(row: &CaseResultRow<'a>, direction: Direction, best: Option<&Score>) -> CaseResultRecord<'a> {
    let outcome = row.outcome;
    let score = outcome.score.as_ref();
    CaseResultRecord {
        run: row.run.0,
        started: row.started,
        message: row.message,
        solver: row.solver,
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
