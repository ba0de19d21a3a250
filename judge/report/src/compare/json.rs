//! A comparison as JSON.

use crate::compare::report::{CompareReport, Comparison};
use crate::text::{Document, Each, LimitsRecord, Reference, Versioned, claim_name, exact, in_milliseconds, verdict_of};
use judge_compare::paired::{Claim, Contrast, FeatureRange, Look, Pair, PairedComparison};
use judge_problem::{JobId, Provenance, Stop};
use judge_statistics::{EffectSummary, Hypotheses, Interval, SignTest};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use serde_with_macros::skip_serializing_none;

impl Document for CompareReport<'_> {
    fn record(&self) -> impl Serialize {
        let solvers = self.compared.plan.solvers.iter().zip(self.runs).map(|(solver, run)| SolverRecord {
            name: &solver.spec.name,
            command: &solver.spec.text,
            run: run.map(|run| run.0),
        });
        let run_info = self.compared.run_info.as_ref();
        let first = self.comparisons.first().map(|comparison| &comparison.paired);
        let is_on_equal_processors = |comparison: &Comparison| {
            let PairedComparison { first, second, pairs, .. } = &comparison.paired;
            pairs.iter().all(|pair| self.is_on_one_processor(pair.case, [*first, *second]))
        };
        let time_change = |comparison: &Comparison| {
            let PairedComparison { first, second, .. } = comparison.paired;
            let (mean, interval) = self.time_change(&comparison.paired)?;
            let (first, second) = (self.name(first), self.name(second));
            Some(TimeRecord { first, second, mean, interval })
        };
        CompareDocument {
            provenance: Versioned::new(1, &self.compared.provenance),
            limits: run_info.map(|_| (&self.compared.plan.limits).into()),
            problem: &self.compared.plan.problem.id,
            direction: self.compared.plan.problem.direction.name(),
            measure: self.compared.measure.name(),
            metric: self.compared.metric.as_deref(),
            rule: self.compared.rule.name(),
            reference: self.reference(),
            alpha: self.compared.alpha,
            alpha_each: self.parameters.alpha,
            min_effect: self.parameters.min_effect,
            until_decided: self.compared.is_sequential,
            exact: self.parameters.bound.is_some(),
            hypotheses: self.parameters.hypotheses.map(hypotheses_record),
            tier: run_info.map(|run_info| run_info.tier.name()),
            gaps: run_info.map(|run_info| &*run_info.gaps),
            jobs: run_info.map(|run_info| run_info.jobs),
            interrupted: self.compared.stop == Some(Stop::Interrupted),
            elapsed_ms: run_info.map(|run_info| in_milliseconds(run_info.elapsed)),
            times_comparable: self.times_are_comparable && self.comparisons.iter().all(is_on_equal_processors),
            time_changes: self.comparisons.iter().filter_map(time_change).collect(),
            warnings: self.compared.warnings,
            solvers: solvers.collect(),
            comparisons: self.comparisons.iter().map(|comparison| comparison_record(self, comparison)).collect(),
            cases: Each(move || self.listed_cases(first).map(move |case| case_record(self, case))),
        }
    }
}

fn comparison_record<'a>(
    report: &'a CompareReport<'_>,
    comparison: &'a Comparison,
) -> ComparisonRecord<'a, impl Serialize> {
    let Comparison { paired, inference, ranges, .. } = comparison;
    let more_cases = if let Claim::Undecided { more_cases } = inference.claim { more_cases } else { None };
    let plan = &report.compared.plan;
    let pair = |pair: &Pair| PairRecord {
        case: plan.cases.at(pair.case).name.to_string(),
        effect: pair.effect,
        own_change: report.own_change(pair),
        of_total: report.of_total(paired, pair),
        reproduce: plan.reproduce(JobId { case: pair.case, solver: paired.second }),
    };
    let contrast = |contrast: &Contrast| ContrastRecord {
        measure: contrast.measure.name(),
        ratio: contrast.ratio,
        by_rule: contrast.by_rule,
        cases: contrast.cases.iter().map(|case| report.effect_name(*case)).collect(),
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
        interval: inference.interval,
        interval_kind: match report.parameters.bound {
            Some(_) => "anytime-exact",
            None if report.compared.is_sequential => "anytime",
            None => "student",
        },
        log_likelihood_ratio: inference.log_likelihood_ratio,
        effect: inference.summary.as_ref().map(|summary| effect_record(report, comparison, summary)),
        failures: FailureRecord {
            first_only: paired.failures.first.len(),
            second_only: paired.failures.second.len(),
            both: paired.failures.both.len(),
        },
        contrast: comparison.contrast.as_ref().map(contrast),
        undefined: paired.undefined,
        groups: ranges.iter().map(group_record).collect(),
        effects: Each(move || report.listed_pairs(paired).map(move |listed| pair(&listed))),
    }
}

fn hypotheses_record(hypotheses: Hypotheses) -> HypothesesRecord {
    let [accept_h0_at, accept_h1_at] = hypotheses.bounds();
    HypothesesRecord { hypotheses, accept_h0_at, accept_h1_at }
}

fn effect_record(report: &CompareReport<'_>, comparison: &Comparison, summary: &EffectSummary) -> EffectRecord {
    let EffectSummary { moments, signs, ranks, .. } = summary;
    EffectRecord {
        mean: comparison.paired.mean(),
        mean_shown: report.compared.measure.shown(comparison.paired.mean()),
        deviation: moments.deviation(),
        exaggerated: report.is_exaggerated(comparison),
        signs: *signs,
        wilcoxon_p: ranks.p,
    }
}

fn group_record(range: &FeatureRange) -> GroupRecord {
    GroupRecord {
        low: exact(&range.low),
        high: exact(&range.high),
        cases: range.paired.pairs.len(),
        mean: range.inference.summary.as_ref().map(|_| range.paired.mean()),
        interval: range.inference.interval,
    }
}

fn case_record<'a>(report: &'a CompareReport<'_>, case: usize) -> CaseRecord<'a> {
    let spec = report.compared.plan.cases.at(case);
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
        seed: spec.seed(),
        results: (0..report.compared.plan.solvers.len()).map(result).collect(),
    }
}

/// A comparison with its results after fewer cases: `GET /api/compare`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WithLooks<'a, D> {
    #[serde(flatten)]
    comparison: D,
    /// The mean effect after growing numbers of cases: after each of the first few, then at growing distances.
    looks: &'a [Look],
    /// The problem's title.
    title: &'a str,
}

/// Returns the document of a comparison with the mean effects after growing numbers of cases.
pub fn growing_comparison<'a>(report: &'a CompareReport<'_>, looks: &'a [Look]) -> impl Serialize + 'a {
    let title = &report.compared.plan.problem.title;
    WithLooks { comparison: report.record(), looks, title }
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub(crate) struct CompareDocument<'a, C, P> {
    #[serde(flatten)]
    provenance: Versioned<'a, Provenance>,
    /// Absent if all results are of past runs.
    limits: Option<LimitsRecord>,
    problem: &'a str,
    direction: &'static str,
    measure: &'static str,
    /// The metric whose values are compared instead of the scores. Then each `score` is its value.
    metric: Option<&'a str>,
    rule: &'static str,
    /// The scores that the compared points are relative to, under rules that use the best score of a case.
    reference: Option<Reference>,
    alpha: f64,
    alpha_each: f64,
    min_effect: Option<f64>,
    until_decided: bool,
    /// Whether claims hold for any distribution of the effects (`--exact`).
    exact: bool,
    /// The hypotheses of `--h0` and `--h1`.
    hypotheses: Option<HypothesesRecord>,
    tier: Option<&'static str>,
    gaps: Option<&'a [String]>,
    jobs: Option<usize>,
    interrupted: bool,
    elapsed_ms: Option<f64>,
    times_comparable: bool,
    /// How CPU times changed; none if they cannot be compared.
    time_changes: Vec<TimeRecord<'a>>,
    warnings: &'a [String],
    solvers: Vec<SolverRecord<'a>>,
    #[schemars(with = "Vec<ComparisonRecord<'a, Vec<PairRecord>>>")]
    comparisons: Vec<ComparisonRecord<'a, P>>,
    #[schemars(with = "Vec<CaseRecord<'a>>")]
    cases: C,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SolverRecord<'a> {
    name: &'a str,
    command: &'a str,
    /// The past run that has its results.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<i64>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub(crate) struct ComparisonRecord<'a, P> {
    first: &'a str,
    second: &'a str,
    claim: &'static str,
    /// The whole result in one line.
    verdict: String,
    /// The result on these cases.
    fact: Option<String>,
    /// Whether these cases are the whole contest, so that the fact is its result.
    whole_contest: bool,
    /// The conclusion about similar cases.
    conclusion: String,
    /// The events that are too rare to show in them.
    scope: Option<String>,
    /// A note on cases without an effect of their own.
    note: Option<String>,
    more_cases: Option<u64>,
    /// The number of cases with an effect.
    cases: usize,
    /// The number of effects: cases that count together have one.
    effect_count: usize,
    /// The number of cases that both solved.
    solved: usize,
    interval: Option<Interval>,
    /// Which interval it is: `student`, `anytime` or `anytime-exact`.
    interval_kind: &'static str,
    /// Of H1 to H0.
    log_likelihood_ratio: Option<f64>,
    effect: Option<EffectRecord>,
    failures: FailureRecord,
    /// The contradiction between the ratio of the scores and the problem's rule, if there is one.
    contrast: Option<ContrastRecord>,
    undefined: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupRecord>,
    #[schemars(with = "Vec<PairRecord>")]
    effects: P,
}

#[derive(Serialize, JsonSchema)]
struct HypothesesRecord {
    #[serde(flatten)]
    hypotheses: Hypotheses,
    /// The log likelihood ratios at which H0 and H1 are accepted.
    accept_h0_at: f64,
    accept_h1_at: f64,
}

#[derive(Serialize, JsonSchema)]
struct EffectRecord {
    mean: f64,
    /// As the text shows it: percent for `total`, `ratio` and `relative`.
    mean_shown: f64,
    deviation: f64,
    /// Whether the mean is exaggerated: the cases ended because it was large.
    exaggerated: bool,
    #[serde(flatten)]
    signs: SignTest,
    wilcoxon_p: f64,
}

#[derive(Serialize, JsonSchema)]
struct TimeRecord<'a> {
    first: &'a str,
    second: &'a str,
    /// The logarithm of the mean ratio.
    mean: f64,
    interval: Interval,
}

#[derive(Serialize, JsonSchema)]
struct ContrastRecord {
    measure: &'static str,
    /// The mean logarithm of the ratio.
    ratio: f64,
    /// The mean effect by the rule.
    by_rule: f64,
    /// The cases, or groups of cases that count together, without which the rule would not favour its side.
    cases: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct FailureRecord {
    first_only: usize,
    second_only: usize,
    both: usize,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct GroupRecord {
    low: Option<Number>,
    high: Option<Number>,
    cases: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<Interval>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub(crate) struct PairRecord {
    /// The case, or the first of several cases that count together.
    case: String,
    effect: f64,
    /// For `total`: how much better the second solver's score is, as a share of the first one's; absent for a score of 0.
    own_change: Option<f64>,
    /// For `total`: what the case adds to the change of the total, as a share of the first solver's total.
    of_total: Option<f64>,
    /// The command that runs the second solver again; absent if it is in no file.
    reproduce: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CaseRecord<'a> {
    case: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    results: Vec<ResultRecord<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct ResultRecord<'a> {
    solver: &'a str,
    verdict: &'static str,
    score: Option<Number>,
    cpu_ms: Option<f64>,
    memory_bytes: Option<u64>,
    /// The node that it was run on, if the run has nodes.
    node: Option<String>,
}
