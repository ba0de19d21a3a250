//! A comparison as JSON.

use crate::compare::report::{CompareReport, Comparison};
use crate::text::effects::claim_name;
use crate::text::figures::{ReferenceRecord, verdict_of};
use crate::text::json;
use crate::text::json::{Each, exact, in_milliseconds, schema_of};
use crate::text::provenance::{LimitsRecord, ProvenanceRecord};
use judge_compare::paired::{Claim, Contrast, FeatureRange, Look, Pair, PairedComparison};
use judge_problem::{CaseSource, JobId, RunId, SolverSpec, Stop};
use judge_statistics::{EffectSummary, Hypotheses, Interval};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Number;
use std::io::Write;

/// Writes the report of a comparison as one JSON document, with a final newline. Effects and intervals are on the
/// scale of the measure: logarithms for ratios.
///
/// # Errors
/// When it cannot be written there.
pub(crate) fn compare_json(report: &CompareReport<'_>, output: &mut dyn Write) -> serde_json::Result<()> {
    json::write_document(&document(report), output)
}

pub(super) fn document<'a>(report: &'a CompareReport<'_>) -> Document<'a, impl Serialize, impl Serialize> {
    let solvers = report.plan.solvers.iter();
    let run_info = report.run_info.as_ref();
    let is_on_equal_processors = |comparison: &Comparison| {
        let PairedComparison { first, second, pairs, .. } = &comparison.paired;
        pairs.iter().all(|pair| report.is_on_one_processor(pair.case, [*first, *second]))
    };
    let time_change = |comparison: &Comparison| {
        let PairedComparison { first, second, .. } = comparison.paired;
        let (mean, interval) = report.time_change(&comparison.paired)?;
        let (first, second) = (report.name(first), report.name(second));
        Some(TimeRecord { first, second, mean, interval: interval.into() })
    };
    Document {
        schema: 2,
        judge: env!("CARGO_PKG_VERSION"),
        provenance: (&report.provenance).into(),
        limits: run_info.map(|_| (&report.plan.limits).into()),
        problem: &report.plan.problem.id,
        direction: report.plan.problem.direction.name(),
        measure: report.measure.name(),
        rule: report.rule.name(),
        reference: report.reference().map(|reference| reference.record()),
        alpha: report.alpha,
        alpha_each: report.parameters.alpha,
        min_effect: report.parameters.min_effect,
        until_decided: report.is_sequential,
        exact: report.parameters.bound.is_some(),
        hypotheses: report.parameters.hypotheses.map(Into::into),
        tier: run_info.map(|run_info| run_info.tier.name()),
        gaps: run_info.map(|run_info| &*run_info.gaps),
        jobs: run_info.map(|run_info| run_info.jobs),
        interrupted: report.stop == Some(Stop::Interrupted),
        elapsed_ms: run_info.map(|run_info| in_milliseconds(run_info.elapsed)),
        times_comparable: report.times_are_comparable && report.comparisons.iter().all(is_on_equal_processors),
        time_changes: report.comparisons.iter().filter_map(time_change).collect(),
        warnings: report.warnings,
        solvers: solvers.zip(report.runs).map(|(solver, run)| solver_record(&solver.spec, *run)).collect(),
        comparisons: report.comparisons.iter().map(|comparison| comparison_record(report, comparison)).collect(),
        cases: Each(move || (0..report.plan.cases.len()).map(move |case| case_record(report, case))),
    }
}

/// Returns the JSON schema of `judge compare --json`.
#[must_use]
pub fn compare_schema() -> Schema {
    schema_of::<Document<'static, Vec<CaseRecord<'static>>, Vec<PairRecord>>>()
}

fn solver_record(spec: &SolverSpec, run: Option<RunId>) -> SolverRecord<'_> {
    SolverRecord { name: &spec.name, command: &spec.text, run: run.map(|run| run.0) }
}

fn comparison_record<'a>(
    report: &'a CompareReport<'_>,
    comparison: &'a Comparison,
) -> ComparisonRecord<'a, impl Serialize> {
    let Comparison { paired, inference, ranges, contrast } = comparison;
    let more_cases = if let Claim::Undecided { more_cases } = inference.claim { more_cases } else { None };
    let pair = |pair: &Pair| PairRecord {
        case: report.plan.cases.at(pair.case).name.to_string(),
        effect: pair.effect,
        own_change: report.own_change(pair),
        of_total: report.of_total(paired, pair),
        reproduce: report.plan.reproduce(JobId { case: pair.case, solver: paired.second }),
    };
    ComparisonRecord {
        first: report.name(paired.first),
        second: report.name(paired.second),
        claim: claim_name(inference.claim),
        verdict: report.verdict(comparison),
        fact: report.fact(comparison),
        whole_contest: report.is_result(paired),
        conclusion: report.conclusion(comparison),
        scope: report.scope(comparison),
        note: report.units_in_words(paired),
        more_cases,
        cases: paired.cases,
        effect_count: paired.pairs.len(),
        solved: paired.solved,
        interval: inference.interval.map(Into::into),
        interval_kind: match report.parameters.bound {
            Some(_) => "anytime-exact",
            None if report.is_sequential => "anytime",
            None => "student",
        },
        log_likelihood_ratio: inference.log_likelihood_ratio,
        effect: inference.summary.as_ref().map(|summary| effect_record(report, comparison, summary)),
        failures: FailureRecord {
            first_only: paired.failures.first.len(),
            second_only: paired.failures.second.len(),
            both: paired.failures.both.len(),
        },
        contrast: contrast.as_ref().map(|contrast| contrast_record(report, contrast)),
        undefined: paired.undefined,
        groups: ranges.iter().map(group_record).collect(),
        effects: Each(move || paired.pairs.iter().map(pair)),
    }
}

fn contrast_record(report: &CompareReport<'_>, contrast: &Contrast) -> ContrastRecord {
    let name = |&case: &usize| report.plan.cases.at(case).name.to_string();
    ContrastRecord {
        measure: contrast.measure.name(),
        ratio: contrast.ratio,
        by_rule: contrast.by_rule,
        cases: contrast.cases.iter().map(name).collect(),
    }
}

fn effect_record(report: &CompareReport<'_>, comparison: &Comparison, summary: &EffectSummary) -> EffectRecord {
    let EffectSummary { moments, signs, ranks, .. } = summary;
    EffectRecord {
        mean: moments.mean(),
        mean_shown: report.measure.shown(moments.mean()),
        deviation: moments.deviation(),
        exaggerated: report.is_exaggerated(comparison),
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
    let spec = report.plan.cases.at(case);
    let result = |solver| {
        let outcome = report.outcome(case, solver);
        ResultRecord {
            solver: report.name(solver),
            verdict: verdict_of(outcome.as_ref()).name(),
            score: outcome.as_ref().and_then(|outcome| exact(outcome.score.as_ref()?)),
            cpu_ms: outcome.as_ref().and_then(|outcome| outcome.cpu).map(in_milliseconds),
            memory_bytes: outcome.as_ref().and_then(|outcome| outcome.memory),
            node: outcome.and_then(|outcome| outcome.node),
        }
    };
    CaseRecord {
        case: spec.name.to_string(),
        seed: if let CaseSource::Seed(seed) = spec.source { Some(seed) } else { None },
        results: (0..report.plan.solvers.len()).map(result).collect(),
    }
}

/// A comparison with what was known of it after fewer cases: `GET /api/compare`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "GET /api/compare")]
struct WithLooks<'a, D> {
    #[serde(flatten)]
    comparison: D,
    /// The mean effect after growing numbers of cases, in their order: all of the first few, then ever fewer.
    looks: Vec<LookRecord>,
    /// The problem's title.
    title: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "look")]
struct LookRecord {
    /// How many cases with an effect there were.
    cases: usize,
    /// Their mean effect.
    mean: f64,
    /// The anytime-valid interval; absent with too few cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<IntervalRecord>,
}

/// Returns a comparison of two solvers with its looks as one JSON document.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn compare_looks_json(report: &CompareReport<'_>, looks: &[Look]) -> serde_json::Result<String> {
    let record =
        |look: &Look| LookRecord { cases: look.cases, mean: look.mean, interval: look.interval.map(Into::into) };
    json::line(&WithLooks {
        comparison: document(report),
        looks: looks.iter().map(record).collect(),
        title: &report.plan.problem.title,
    })
}

/// Returns the JSON schema of [`compare_looks_json`]'s documents.
#[must_use]
pub fn compare_looks_schema() -> Schema {
    schema_of::<WithLooks<'static, Document<'static, Vec<CaseRecord<'static>>, Vec<PairRecord>>>>()
}

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge compare --json")]
pub(super) struct Document<'a, C, P> {
    pub(super) schema: u32,
    pub(super) judge: &'static str,
    #[serde(flatten)]
    pub(super) provenance: ProvenanceRecord<'a>,
    /// Absent if all results are of past runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limits: Option<LimitsRecord>,
    pub(super) problem: &'a str,
    pub(super) direction: &'static str,
    pub(super) measure: &'static str,
    pub(super) rule: &'static str,
    /// What the points that are compared are relative to, under rules that take the best score of a case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reference: Option<ReferenceRecord>,
    pub(super) alpha: f64,
    pub(super) alpha_each: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_effect: Option<f64>,
    pub(super) until_decided: bool,
    /// Whether claims hold for any distribution of the effects (`--exact`).
    pub(super) exact: bool,
    /// The hypotheses of `--h0` and `--h1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hypotheses: Option<HypothesesRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gaps: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) jobs: Option<usize>,
    pub(super) interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) elapsed_ms: Option<f64>,
    pub(super) times_comparable: bool,
    /// How CPU times changed; none if they cannot be compared.
    pub(super) time_changes: Vec<TimeRecord<'a>>,
    pub(super) warnings: &'a [String],
    pub(super) solvers: Vec<SolverRecord<'a>>,
    #[schemars(with = "Vec<ComparisonRecord<'a, Vec<PairRecord>>>")]
    pub(super) comparisons: Vec<ComparisonRecord<'a, P>>,
    #[schemars(with = "Vec<CaseRecord<'a>>")]
    pub(super) cases: C,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "solver")]
pub(super) struct SolverRecord<'a> {
    pub(super) name: &'a str,
    pub(super) command: &'a str,
    /// The past run that its results are of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "comparison")]
pub(super) struct ComparisonRecord<'a, P> {
    pub(super) first: &'a str,
    pub(super) second: &'a str,
    pub(super) claim: &'static str,
    /// All that is said of it, in one line.
    pub(super) verdict: String,
    /// What is true of these cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fact: Option<String>,
    /// Whether these cases are the whole contest, so that the fact is its result.
    pub(super) whole_contest: bool,
    /// What they show of cases like them.
    pub(super) conclusion: String,
    /// What is too rare to have shown in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scope: Option<String>,
    /// On cases that have no effect of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) more_cases: Option<u64>,
    /// The number of cases with an effect.
    pub(super) cases: usize,
    /// The number of effects: cases that count together have one.
    pub(super) effect_count: usize,
    /// The number of cases that both solved.
    pub(super) solved: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interval: Option<IntervalRecord>,
    /// Which interval it is: `student`, `anytime` or `anytime-exact`.
    pub(super) interval_kind: &'static str,
    /// Of H1 to H0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) log_likelihood_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effect: Option<EffectRecord>,
    pub(super) failures: FailureRecord,
    /// Where the ratio of the scores and the problem's rule point to different sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) contrast: Option<ContrastRecord>,
    pub(super) undefined: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) groups: Vec<GroupRecord>,
    #[schemars(with = "Vec<PairRecord>")]
    pub(super) effects: P,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "hypotheses")]
pub(super) struct HypothesesRecord {
    pub(super) h0: f64,
    pub(super) h1: f64,
    /// The probabilities of accepting H1 under H0, and H0 under H1, in each comparison.
    pub(super) alpha: f64,
    pub(super) beta: f64,
    /// The log likelihood ratios at which H0 and H1 are accepted.
    pub(super) accept_h0_at: f64,
    pub(super) accept_h1_at: f64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "interval")]
pub(super) struct IntervalRecord {
    pub(super) low: f64,
    pub(super) high: f64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "effect")]
pub(super) struct EffectRecord {
    pub(super) mean: f64,
    /// As the text shows it: percent for `total`, `ratio` and `relative`.
    pub(super) mean_shown: f64,
    pub(super) deviation: f64,
    /// Whether the mean is exaggerated: the cases ended because it was large.
    pub(super) exaggerated: bool,
    pub(super) wins: usize,
    pub(super) ties: usize,
    pub(super) losses: usize,
    pub(super) sign_test_p: f64,
    pub(super) wilcoxon_p: f64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "time_change")]
pub(super) struct TimeRecord<'a> {
    pub(super) first: &'a str,
    pub(super) second: &'a str,
    /// The logarithm of the mean ratio.
    pub(super) mean: f64,
    pub(super) interval: IntervalRecord,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "contrast")]
pub(super) struct ContrastRecord {
    pub(super) measure: &'static str,
    /// The mean logarithm of the ratio.
    pub(super) ratio: f64,
    /// The mean effect by the rule.
    pub(super) by_rule: f64,
    /// The cases without which the rule would not point elsewhere.
    pub(super) cases: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "failure")]
pub(super) struct FailureRecord {
    pub(super) first_only: usize,
    pub(super) second_only: usize,
    pub(super) both: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "group")]
pub(super) struct GroupRecord {
    pub(super) low: Option<Number>,
    pub(super) high: Option<Number>,
    pub(super) cases: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interval: Option<IntervalRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "pair")]
pub(super) struct PairRecord {
    /// The case, or the first of those that count together.
    pub(super) case: String,
    pub(super) effect: f64,
    /// For `total`: the change of the case's own score as a share of it; absent for a score of 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) own_change: Option<f64>,
    /// For `total`: what the case adds to the change of the total, as a share of the first solver's total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) of_total: Option<f64>,
    pub(super) reproduce: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "case")]
pub(super) struct CaseRecord<'a> {
    pub(super) case: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    pub(super) results: Vec<ResultRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "result")]
pub(super) struct ResultRecord<'a> {
    pub(super) solver: &'a str,
    pub(super) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cpu_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory_bytes: Option<u64>,
    /// The node that it was run on, if the run has nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<String>,
}

impl From<Hypotheses> for HypothesesRecord {
    fn from(hypotheses: Hypotheses) -> Self {
        let [accept_h0_at, accept_h1_at] = hypotheses.bounds();
        let Hypotheses { h0, h1, alpha, beta } = hypotheses;
        Self { h0, h1, alpha, beta, accept_h0_at, accept_h1_at }
    }
}

impl From<Interval> for IntervalRecord {
    fn from(Interval { low, high }: Interval) -> Self {
        Self { low, high }
    }
}
