//! The report of `judge power`: what a number of cases shows, and how many cases a difference needs.

use crate::model::{Provenance, Rule, one_line};
use crate::paired::EffectMeasure;
use crate::report::text::column::right;
use crate::report::text::effects::size;
use crate::report::text::json_text;
use crate::report::text::json_value::schema_of;
use crate::report::text::provenance::ProvenanceRecord;
use crate::report::text::style::Style;
use crate::report::text::table::grid;
use crate::statistics::power::{cases_needed, detectable_effect};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The spread of effects, and its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// The rule whose points they may be made of.
    pub rule: Rule,
    /// Their standard deviation.
    pub deviation: f64,
    /// Its source, as text.
    pub source: String,
}

/// The report of `judge power`.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerReport {
    /// The spread of the effects.
    pub spread: Spread,
    /// When, how and where the command ran.
    pub provenance: Provenance,
    /// The probability of a false alarm.
    pub alpha: f64,
    /// The probability of detecting a difference.
    pub power: f64,
    /// The numbers of cases whose detectable difference is shown.
    pub counts: Vec<u64>,
    /// The differences whose number of cases is shown.
    pub differences: Vec<f64>,
}

impl PowerReport {
    pub(super) fn shown_by(&self, cases: u64) -> Option<f64> {
        detectable_effect(self.spread.deviation, cases, self.alpha, self.power)
    }

    pub(super) fn needed_for(&self, difference: f64) -> Option<u64> {
        cases_needed(self.spread.deviation, difference, self.alpha, self.power)
    }
}

/// Returns the report, for a terminal or a file.
pub(in crate::report) fn power_text(report: &PowerReport, style: Style) -> String {
    let Spread { measure, deviation, source, .. } = &report.spread;
    let mut parts = vec![format!(
        "Standard deviation of the effects ({measure}): {} ({})\nseen with a probability of {}, false alarms with one of {}",
        size(*measure, *deviation),
        one_line(source),
        report.power,
        report.alpha
    )];
    if *deviation == 0.0 {
        parts.push("The effects do not vary: two cases show any difference.".to_owned());
        return parts.join("\n");
    }
    if !report.counts.is_empty() {
        let mut table = grid([right("cases"), right("show a difference of")], style);
        for &cases in &report.counts {
            let shown = report.shown_by(cases).map_or_else(|| "–".to_owned(), |effect| size(*measure, effect));
            table.add_row([cases.to_string(), shown]);
        }
        parts.push(table.text());
    }
    if !report.differences.is_empty() {
        let mut table = grid([right("a difference of"), right("needs cases")], style);
        for &difference in &report.differences {
            let needed = report.needed_for(difference).map_or_else(|| "too many".to_owned(), |cases| cases.to_string());
            table.add_row([size(*measure, difference), needed]);
        }
        parts.push(table.text());
    }
    parts.join("\n\n")
}

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge power --json")]
struct Document<'a> {
    schema: u32,
    #[serde(flatten)]
    provenance: ProvenanceRecord<'a>,
    measure: &'static str,
    deviation: f64,
    source: &'a str,
    alpha: f64,
    power: f64,
    shown: Vec<ShownRecord>,
    needed: Vec<NeededRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "shown")]
struct ShownRecord {
    cases: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "needed")]
struct NeededRecord {
    difference: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cases: Option<u64>,
}

/// Returns the report as one JSON document, with a final newline. Differences are on the scale of the measure.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub(in crate::report) fn power_json(report: &PowerReport) -> serde_json::Result<String> {
    let shown = |&cases: &u64| ShownRecord { cases, difference: report.shown_by(cases) };
    let needed = |&difference: &f64| NeededRecord { difference, cases: report.needed_for(difference) };
    let document = Document {
        schema: 1,
        provenance: (&report.provenance).into(),
        measure: report.spread.measure.name(),
        deviation: report.spread.deviation,
        source: &report.spread.source,
        alpha: report.alpha,
        power: report.power,
        shown: report.counts.iter().map(shown).collect(),
        needed: report.differences.iter().map(needed).collect(),
    };
    json_text::document(&document)
}

/// Returns the JSON schema of `judge power --json`.
#[must_use]
pub fn power_schema() -> Schema {
    schema_of::<Document<'static>>()
}
