//! The machine-readable report of a comparison.

use super::report::{CompareReport, Comparison};
use crate::model::{CaseSource, JobId, RunId, SolverSpec, Stop};
use crate::paired::{Claim, FeatureRange};
use crate::report::text::effects::claim_name;
use crate::report::text::figures::verdict_of;
use crate::report::text::json_text;
use crate::report::text::json_value::{exact, in_milliseconds, schema_of};
use crate::statistics::{EffectSummary, Interval};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Number;

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge compare --json")]
struct Document<'a> {
    schema: u32,
    judge: &'static str,
    problem: &'a str,
    direction: &'static str,
    measure: &'static str,
    alpha: f64,
    alpha_each: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_effect: Option<f64>,
    until_decided: bool,
    /// Whether claims hold whatever the effects are like (`--exact`).
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gaps: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<usize>,
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_ms: Option<f64>,
    times_comparable: bool,
    warnings: &'a [String],
    solvers: Vec<SolverRecord<'a>>,
    comparisons: Vec<ComparisonRecord<'a>>,
    cases: Vec<CaseRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "solver")]
struct SolverRecord<'a> {
    name: &'a str,
    command: &'a str,
    /// The past run that its results are of.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "comparison")]
struct ComparisonRecord<'a> {
    first: &'a str,
    second: &'a str,
    claim: &'static str,
    verdict: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_cases: Option<u64>,
    cases: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<IntervalRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<EffectRecord>,
    failures: FailureRecord,
    undefined: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupRecord>,
    effects: Vec<PairRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "interval")]
struct IntervalRecord {
    low: f64,
    high: f64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "effect")]
struct EffectRecord {
    mean: f64,
    /// As people are shown it: percent for ratios and relative differences.
    mean_shown: f64,
    deviation: f64,
    bootstrap: IntervalRecord,
    bootstrap_percentile: IntervalRecord,
    wins: usize,
    ties: usize,
    losses: usize,
    sign_test_p: f64,
    wilcoxon_p: f64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "failure")]
struct FailureRecord {
    first_only: usize,
    second_only: usize,
    both: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "group")]
struct GroupRecord {
    low: Option<Number>,
    high: Option<Number>,
    cases: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<IntervalRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "pair")]
struct PairRecord<'a> {
    case: &'a str,
    effect: f64,
    reproduce: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "case")]
struct CaseRecord<'a> {
    case: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    results: Vec<ResultRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "result")]
struct ResultRecord<'a> {
    solver: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
}

impl From<Interval> for IntervalRecord {
    fn from(Interval { low, high }: Interval) -> Self {
        Self { low, high }
    }
}

/// Returns the report of a comparison as one JSON document, with a final newline. Effects and intervals are on the
/// scale of the measure: logarithms for ratios.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub(in crate::report) fn compare_json(report: &CompareReport<'_>) -> serde_json::Result<String> {
    let solvers = report.plan.solvers.iter();
    let run_info = report.run_info.as_ref();
    let document = Document {
        schema: 1,
        judge: env!("CARGO_PKG_VERSION"),
        problem: &report.plan.problem.id,
        direction: report.plan.problem.direction.name(),
        measure: report.measure.name(),
        alpha: report.alpha,
        alpha_each: report.parameters.alpha,
        min_effect: report.parameters.min_effect,
        until_decided: report.is_sequential,
        exact: report.parameters.bound.is_some(),
        tier: run_info.map(|run_info| run_info.tier.name()),
        gaps: run_info.map(|run_info| &*run_info.gaps),
        jobs: run_info.map(|run_info| run_info.jobs),
        interrupted: report.stop == Some(Stop::Interrupted),
        elapsed_ms: run_info.map(|run_info| in_milliseconds(run_info.elapsed)),
        times_comparable: report.times_are_comparable,
        warnings: report.warnings,
        solvers: solvers.zip(report.runs).map(|(solver, run)| solver_record(&solver.spec, *run)).collect(),
        comparisons: report.comparisons.iter().map(|comparison| comparison_record(report, comparison)).collect(),
        cases: (0..report.plan.cases.len()).map(|case| case_record(report, case)).collect(),
    };
    json_text::document(&document)
}

/// Returns the JSON schema of `judge compare --json`.
#[must_use]
pub fn compare_schema() -> Schema {
    schema_of::<Document<'static>>()
}

fn solver_record(spec: &SolverSpec, run: Option<RunId>) -> SolverRecord<'_> {
    SolverRecord { name: &spec.name, command: &spec.text, run: run.map(|run| run.0) }
}

fn comparison_record<'a>(report: &'a CompareReport<'_>, comparison: &'a Comparison) -> ComparisonRecord<'a> {
    let Comparison { paired, inference, ranges } = comparison;
    let more_cases = if let Claim::Undecided { more_cases } = inference.claim { more_cases } else { None };
    let pair = |pair: &crate::paired::Pair| PairRecord {
        case: &report.plan.cases[pair.case].name.0,
        effect: pair.effect,
        reproduce: report.plan.reproduce(JobId { case: pair.case, solver: paired.second }),
    };
    ComparisonRecord {
        first: report.name(paired.first),
        second: report.name(paired.second),
        claim: claim_name(inference.claim),
        verdict: report.verdict(comparison),
        more_cases,
        cases: paired.pairs.len(),
        interval: inference.interval.map(Into::into),
        effect: inference.summary.as_ref().map(|summary| effect_record(report, summary)),
        failures: FailureRecord {
            first_only: paired.failures.first.len(),
            second_only: paired.failures.second.len(),
            both: paired.failures.both.len(),
        },
        undefined: paired.undefined,
        groups: ranges.iter().map(group_record).collect(),
        effects: paired.pairs.iter().map(pair).collect(),
    }
}

fn effect_record(report: &CompareReport<'_>, summary: &EffectSummary) -> EffectRecord {
    let EffectSummary { moments, signs, ranks, bootstrap, .. } = summary;
    EffectRecord {
        mean: moments.mean(),
        mean_shown: report.measure.shown(moments.mean()),
        deviation: moments.deviation(),
        bootstrap: bootstrap.accelerated.into(),
        bootstrap_percentile: bootstrap.percentile.into(),
        wins: signs.wins,
        ties: signs.ties,
        losses: signs.losses,
        sign_test_p: signs.p,
        wilcoxon_p: ranks.p,
    }
}

fn group_record(range: &FeatureRange) -> GroupRecord {
    GroupRecord {
        low: exact(&range.low),
        high: exact(&range.high),
        cases: range.paired.pairs.len(),
        mean: range.inference.summary.as_ref().map(|summary| summary.moments.mean()),
        interval: range.inference.interval.map(Into::into),
    }
}

fn case_record<'a>(report: &'a CompareReport<'_>, case: usize) -> CaseRecord<'a> {
    let spec = &report.plan.cases[case];
    let result = |solver| {
        let outcome = report.outcome(case, solver);
        ResultRecord {
            solver: report.name(solver),
            verdict: verdict_of(outcome).name(),
            score: outcome.and_then(|outcome| exact(outcome.score.as_ref()?)),
            cpu_ms: outcome.and_then(|outcome| outcome.cpu).map(in_milliseconds),
            memory_bytes: outcome.and_then(|outcome| outcome.memory),
        }
    };
    CaseRecord {
        case: &spec.name.0,
        seed: if let CaseSource::Seed(seed) = spec.source { Some(seed) } else { None },
        results: (0..report.plan.solvers.len()).map(result).collect(),
    }
}
