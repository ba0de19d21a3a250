//! The problems of a catalogue, and what is known of one.

use crate::text::json_text;
use crate::text::json_value::schema_of;
use crate::text::provenance::LimitsRecord;
use judge_problem::{Direction, Problem};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The problems of the catalogue: `GET /api/problems`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "GET /api/problems")]
struct ListDocument<'a> {
    /// A record for each, in the order of the catalogue.
    problems: Vec<ProblemRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "problem")]
struct ProblemRecord<'a> {
    /// Its id.
    problem: &'a str,
    /// Its title.
    title: &'a str,
    /// The scoring rule.
    rule: String,
    /// Which scores are good.
    #[schemars(extend("enum" = [Direction::Max.name(), Direction::Min.name()]))]
    direction: &'static str,
    /// The limits of a solver.
    limits: LimitsRecord,
    /// How many cases it has of its own, without those of patterns of files.
    cases: usize,
    /// Whether people can play it.
    by_hand: bool,
}

/// What is known of a problem.
#[derive(Debug)]
pub struct ProblemPage<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// What `judge show` says of it, each with its name.
    pub facts: &'a [(&'static str, String)],
    /// The rules of its game; empty if they are not known.
    pub rules: &'a str,
    /// Its bundled solvers, as `--solver` takes them, and what each does.
    pub solvers: &'a [(String, &'static str)],
    /// Whether people can play it.
    pub by_hand: bool,
    /// The names of its first cases, if people can play it.
    pub names: &'a [String],
    /// Whether a solver may be run here on a fresh case, and its game shown.
    pub fresh_replays: bool,
}

/// What is known of a problem: `GET /api/problems/{problem}`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "GET /api/problems/{problem}")]
struct Document<'a> {
    #[serde(flatten)]
    problem: ProblemRecord<'a>,
    /// What `judge show` says of it.
    facts: Vec<FactRecord<'a>>,
    /// The rules of its game, its input, output and scoring; absent if its checker is a command.
    #[serde(skip_serializing_if = "str::is_empty")]
    rules: &'a str,
    /// Its bundled solvers, the best first.
    solvers: Vec<SolverRecord<'a>>,
    /// The names of its first cases, if people can play it.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    names: &'a [String],
    /// Whether `POST /api/started` may run a solver on a seed whose game is then shown.
    fresh_replays: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "fact")]
struct FactRecord<'a> {
    /// What it is about.
    name: &'a str,
    /// What is known.
    text: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "solver")]
struct SolverRecord<'a> {
    /// As `--solver` takes it.
    solver: &'a str,
    /// What it does.
    summary: &'a str,
}

/// Returns the problems of a catalogue as one JSON document. `by_hand` says which people can play.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn problems_json(problems: &[Problem], by_hand: impl Fn(&Problem) -> bool) -> serde_json::Result<String> {
    let problems = problems.iter().map(|problem| record(problem, by_hand(problem))).collect();
    json_text::line(&ListDocument { problems })
}

/// Returns the JSON schema of [`problems_json`]'s documents.
#[must_use]
pub fn problems_schema() -> Schema {
    schema_of::<ListDocument<'static>>()
}

/// Returns what is known of a problem as one JSON document.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn problem_json(page: &ProblemPage<'_>) -> serde_json::Result<String> {
    json_text::line(&Document {
        problem: record(page.problem, page.by_hand),
        facts: page.facts.iter().map(|(name, text)| FactRecord { name, text }).collect(),
        rules: page.rules,
        solvers: page.solvers.iter().map(|(solver, summary)| SolverRecord { solver, summary }).collect(),
        names: page.names,
        fresh_replays: page.fresh_replays,
    })
}

/// Returns the JSON schema of [`problem_json`]'s documents.
#[must_use]
pub fn problem_schema() -> Schema {
    schema_of::<Document<'static>>()
}

fn record(problem: &Problem, by_hand: bool) -> ProblemRecord<'_> {
    ProblemRecord {
        problem: &problem.id,
        title: &problem.title,
        rule: problem.scoring.to_string(),
        direction: problem.direction.name(),
        limits: (&problem.limits).into(),
        cases: problem.cases.len(),
        by_hand,
    }
}
