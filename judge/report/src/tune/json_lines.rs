//! The report of a search as JSON lines: one for every setting.

use super::report::{TuneComparison, TuneReport};
use crate::text::effects::claim_name;
use crate::text::json_text;
use crate::text::json_value::{exact, schema_of};
use judge_statistics::tune::ParameterSetting;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Number, json};
use std::collections::BTreeMap;

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge tune --jsonl")]
struct Line<'a> {
    setting: BTreeMap<&'a str, &'a str>,
    /// Whether it is the default setting.
    default: bool,
    /// Those that it was run on.
    cases: Vec<&'a str>,
    /// By case; null where it failed.
    #[schemars(extend("items" = json!({ "type": ["number", "null"] })))]
    scores: Vec<Option<Number>>,
    /// By case: the node that it was run on, if there are nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<&'a str>,
    /// As if it had run on every case of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_score: Option<f64>,
    failures: usize,
    best: bool,
    /// With the best setting: its comparison with the default one, on other cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ComparisonRecord<'a>>,
}

/// Effects are on the scale of the measure, positive if the best setting is better.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "comparison")]
struct ComparisonRecord<'a> {
    default: BTreeMap<&'a str, &'a str>,
    /// Whether a value of the default setting was given.
    default_given: bool,
    cases: Vec<&'a str>,
    /// The number of cases with an effect.
    pairs: usize,
    measure: &'static str,
    claim: &'static str,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

/// Returns the JSON schema of a line of `judge tune --jsonl`.
#[must_use]
pub fn tune_schema() -> Schema {
    schema_of::<Line<'static>>()
}

/// Returns a line of JSON for every setting, in the order in which they were first run.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub(crate) fn tune_jsonl(report: &TuneReport) -> serde_json::Result<String> {
    let mut text = String::new();
    for (place, candidate) in report.candidates.iter().enumerate().filter(|(_, candidate)| candidate.count() > 0) {
        let is_best = report.best == Some(place);
        let line = Line {
            setting: by_name(report, &candidate.setting),
            default: place == 0,
            cases: candidate.runs().map(|(case, _)| &*report.cases[case].0).collect(),
            scores: candidate.runs().map(|(_, outcome)| exact(outcome.score.as_ref()?)).collect(),
            nodes: candidate.runs().filter_map(|(_, outcome)| outcome.node.as_deref()).collect(),
            mean_score: candidate.worth.filter(|_| report.moments(place).count() > 0).map(|worth| report.score(worth)),
            failures: candidate.failures(),
            best: is_best,
            comparison: report.comparison.as_ref().filter(|_| is_best).map(|comparison| record(report, comparison)),
        };
        text.push_str(&json_text::line(&line)?);
    }
    Ok(text)
}

fn record<'a>(report: &'a TuneReport, comparison: &'a TuneComparison) -> ComparisonRecord<'a> {
    ComparisonRecord {
        default: by_name(report, &comparison.default),
        default_given: comparison.is_given,
        cases: comparison.cases.iter().map(|name| &*name.0).collect(),
        pairs: comparison.pairs,
        measure: comparison.measure.name(),
        claim: claim_name(comparison.claim),
        verdict: &comparison.verdict,
        mean: comparison.mean,
        low: comparison.interval.map(|interval| interval.low).filter(|low| low.is_finite()),
        high: comparison.interval.map(|interval| interval.high).filter(|high| high.is_finite()),
    }
}

fn by_name<'a>(report: &'a TuneReport, setting: &'a ParameterSetting) -> BTreeMap<&'a str, &'a str> {
    let names = report.parameters.iter().map(|parameter| &*parameter.name);
    names.zip(setting.values.iter().map(|value| &**value)).collect()
}
