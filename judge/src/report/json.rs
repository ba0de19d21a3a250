//! The machine-readable report of a run. What is unknown is absent, and scores are integers of any length.

use super::run::verdict_of;
use super::{Counts, RunReport};
use crate::model::{CaseSource, JobId, Limits, Outcome};
use serde::Serialize;
use serde_json::Number;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

/// Grows when a script that reads the report could misunderstand the new form.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    judge: &'static str,
    problem: &'a str,
    checker: Checker<'a>,
    scoring: Scoring,
    tier: &'a str,
    gaps: &'a [String],
    limits: LimitsRecord,
    jobs: usize,
    interrupted: bool,
    elapsed_ms: f64,
    solvers: Vec<SolverRecord<'a>>,
    cases: Vec<CaseRecord<'a>>,
}

#[derive(Serialize)]
struct Checker<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
}

#[derive(Serialize)]
struct Scoring {
    rule: String,
    direction: &'static str,
}

#[derive(Serialize)]
struct LimitsRecord {
    cpu_ms: f64,
    wall_ms: f64,
    memory_bytes: u64,
    output_bytes: u64,
    processes: u32,
}

#[derive(Serialize)]
struct SolverRecord<'a> {
    name: &'a str,
    command: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Number>,
    verdicts: BTreeMap<&'static str, usize>,
}

#[derive(Serialize)]
struct CaseRecord<'a> {
    case: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    solver: &'a str,
    verdict: &'static str,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    stderr: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    noisy: bool,
    reproduce: String,
}

/// Returns the report of a run as one JSON document, with a final newline.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub fn run_json(report: &RunReport<'_>) -> serde_json::Result<String> {
    let plan = report.plan;
    let version = match &plan.problem.checker {
        crate::model::CheckerChoice::BuiltIn(checker) => Some(checker.version()),
        crate::model::CheckerChoice::Command(_) => None,
    };
    let document = Document {
        schema: SCHEMA,
        judge: env!("CARGO_PKG_VERSION"),
        problem: &plan.problem.id,
        checker: Checker { name: plan.problem.checker.name(), version },
        scoring: Scoring { rule: report.rule.to_string(), direction: plan.problem.direction.name() },
        tier: report.tier,
        gaps: report.gaps,
        limits: limits(&plan.limits),
        jobs: report.jobs,
        interrupted: report.stop.is_some(),
        elapsed_ms: in_milliseconds(report.elapsed),
        solvers: (0..plan.solvers.len()).map(|solver| solver_record(report, solver)).collect(),
        cases: report.jobs().map(|(job, outcome)| case_record(report, job, outcome)).collect(),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn limits(limits: &Limits) -> LimitsRecord {
    LimitsRecord {
        cpu_ms: in_milliseconds(limits.cpu.0),
        wall_ms: in_milliseconds(limits.wall.0),
        memory_bytes: limits.memory.0,
        output_bytes: limits.output.0,
        processes: limits.processes,
    }
}

fn solver_record<'a>(report: &'a RunReport<'_>, solver: usize) -> SolverRecord<'a> {
    let spec = &report.plan.solvers[solver].spec;
    let counts: Counts = report.of_solver(solver).map(verdict_of).collect();
    SolverRecord {
        name: &spec.name,
        command: &spec.text,
        total: report.total(solver).and_then(|total| number(&total)),
        verdicts: counts.iter().map(|(verdict, count)| (verdict.name(), count)).collect(),
    }
}

fn case_record<'a>(report: &'a RunReport<'_>, job: JobId, outcome: Option<&'a Outcome>) -> CaseRecord<'a> {
    let plan = report.plan;
    let case = &plan.cases[job.case];
    let verdict = verdict_of(outcome);
    let (seed, input) = match &case.source {
        CaseSource::Seed(seed) => (Some(*seed), None),
        CaseSource::File(path) => (None, Some(path.display().to_string())),
    };
    CaseRecord {
        case: &case.name.0,
        seed,
        input,
        solver: &plan.solvers[job.solver].spec.name,
        verdict: verdict.name(),
        code: verdict.code(),
        score: outcome.and_then(|outcome| outcome.score.as_ref()).and_then(|score| number(&score.to_string())),
        points: report.points(job).and_then(|points| number(&points)),
        cpu_ms: outcome.and_then(|outcome| outcome.cpu).map(in_milliseconds),
        wall_ms: outcome.and_then(|outcome| outcome.wall).map(in_milliseconds),
        memory_bytes: outcome.and_then(|outcome| outcome.memory),
        note: outcome.map_or("", |outcome| &outcome.note),
        stderr: outcome.map_or("", |outcome| &outcome.stderr),
        noisy: outcome.is_some_and(|outcome| outcome.noisy),
        reproduce: plan.reproduce(job),
    }
}

/// Milliseconds, to the microsecond.
pub(super) fn in_milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Decimal digits as a JSON number, however many there are.
fn number(digits: &str) -> Option<Number> {
    Number::from_str(digits).ok()
}
