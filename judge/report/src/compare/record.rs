//! The records of the machine-readable report of a comparison. Unknown values are absent.

use crate::text::provenance::{LimitsRecord, ProvenanceRecord};
use crate::text::reference::ReferenceRecord;
use judge_statistics::{Hypotheses, Interval};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

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
