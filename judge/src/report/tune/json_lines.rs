//! The report of a search as JSON lines: one for every setting in every round.

use super::report::TuneReport;
use crate::report::text::json_text;
use crate::report::text::json_value::{exact, schema_of};
use crate::statistics::Moments;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Number, json};
use std::collections::BTreeMap;

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge tune --jsonl")]
struct Line<'a> {
    lap: usize,
    rung: usize,
    setting: BTreeMap<&'a str, &'a str>,
    cases: Vec<&'a str>,
    /// By case; null where it failed.
    #[schemars(extend("items" = json!({ "type": ["number", "null"] })))]
    scores: Vec<Option<Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_score: Option<f64>,
    failures: usize,
    survives: bool,
    best: bool,
}

/// Returns the JSON schema of a line of `judge tune --jsonl`.
#[must_use]
pub fn tune_schema() -> Schema {
    schema_of::<Line<'static>>()
}

/// Returns a line of JSON for every setting in every round.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub(in crate::report) fn tune_jsonl(report: &TuneReport) -> serde_json::Result<String> {
    let mut text = String::new();
    for (place, round) in report.rounds.iter().enumerate() {
        let is_last = place + 1 == report.rounds.len();
        for &candidate in &round.entered {
            let outcomes = &report.candidates[candidate].outcomes[..round.cases];
            let values: Vec<f64> = report.values(candidate).into_iter().take(round.cases).flatten().collect();
            let names = report.parameters.iter().map(|parameter| &*parameter.name);
            let line = Line {
                lap: round.bracket,
                rung: round.rung,
                setting: names.zip(report.candidates[candidate].setting.values.iter().map(|value| &**value)).collect(),
                cases: report.cases[..round.cases].iter().map(|name| &*name.0).collect(),
                scores: outcomes.iter().map(|outcome| exact(outcome.score.as_ref()?)).collect(),
                mean_score: (!values.is_empty()).then(|| report.score(Moments::of(&values).mean())),
                failures: round.cases - values.len(),
                survives: round.survivors.contains(&candidate),
                best: is_last && round.survivors.first() == Some(&candidate),
            };
            text.push_str(&json_text::line(&line)?);
        }
    }
    Ok(text)
}
