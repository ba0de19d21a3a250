//! The report of `judge power`: the differences that a number of cases can show, and the number of cases that a
//! difference needs. Also a power analysis as tables, for Markdown, a page and CSV.

use crate::formats::Report;
use crate::text::{Columns, Document, Sheet, Style, TextTable, Versioned, or_nothing, provenance_lines, right, size};
use judge_compare::paired::EffectMeasure;
use judge_problem::{Provenance, Rule, one_line};
use judge_statistics::power::{cases_needed, detectable_effect, deviation_interval};
use judge_statistics::{cases_until_decided, fewest_for_claim};
use schemars::JsonSchema;
use serde::Serialize;
use serde_with_macros::skip_serializing_none;

/// The spread of effects, and its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// The rule whose points they may be made of.
    pub rule: Rule,
    /// Their standard deviation.
    pub deviation: f64,
    /// The number of cases that it was estimated from; `None` if it was given.
    pub cases: Option<u64>,
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
    /// The numbers of cases for which the detectable difference is shown.
    pub counts: Vec<u64>,
    /// The differences for which the number of cases is shown.
    pub differences: Vec<f64>,
    /// Whether to show also the number of cases of a test that runs until it is decided.
    pub until_decided: bool,
}

/// The certainty of the range that an estimated spread leaves.
const RANGE_ALPHA: f64 = 0.05;

impl PowerReport {
    fn headline(&self) -> String {
        let Spread { measure, deviation, .. } = self.spread;
        format!("Standard deviation of the effects ({measure}): {}", size(measure, deviation))
    }

    fn terms(&self) -> String {
        format!("seen with a probability of {}, false alarms with one of {}", self.power, self.alpha)
    }

    /// Returns the smallest number of cases from which a comparison claims anything.
    fn fewest(&self) -> u64 {
        fewest_for_claim(self.alpha) as u64
    }

    fn shown_by(&self, cases: u64) -> Option<f64> {
        let detectable = || detectable_effect(self.spread.deviation, cases, self.alpha, self.power);
        (cases >= self.fewest()).then(detectable).flatten()
    }

    fn needed_for(&self, difference: f64) -> Option<u64> {
        self.needed_with(self.spread.deviation, difference)
    }

    fn needed_with(&self, deviation: f64, difference: f64) -> Option<u64> {
        Some(cases_needed(deviation, difference, self.alpha, self.power)?.max(self.fewest()))
    }

    /// Returns the smallest and the largest number of cases, by the uncertainty of the spread; `None` if the spread was
    /// given.
    fn range_for(&self, difference: f64) -> Option<(u64, u64)> {
        let spread = deviation_interval(self.spread.deviation, self.spread.cases?, RANGE_ALPHA)?;
        Some((self.needed_with(spread.low, difference)?, self.needed_with(spread.high, difference)?))
    }

    fn decided_after(&self, difference: f64) -> Option<u64> {
        let after = || cases_until_decided(self.spread.deviation, difference, self.alpha, self.power);
        self.until_decided.then(after).flatten()
    }

    /// Returns a table of the numbers of cases, and a table of the differences.
    fn tables(&self) -> [(&'static str, TextTable); 2] {
        let shown = |effect: f64| size(self.spread.measure, effect);
        let text = |cases: Option<u64>| cases.map_or_else(|| "too many".to_owned(), |cases| cases.to_string());
        let mut by_cases = Columns::new();
        by_cases.add(right("cases"), |&cases: &u64| cases);
        by_cases.add(right("show a difference of"), |&cases| or_nothing(self.shown_by(cases).map(shown)));
        let mut by_difference = Columns::new();
        by_difference.add(right("a difference of"), |&difference| shown(difference));
        by_difference.add(right("needs cases"), |&difference| text(self.needed_for(difference)));
        let is_estimated = self.spread.cases.is_some();
        by_difference.add_if(is_estimated, right("by the spread's uncertainty"), |&difference| {
            self.range_for(difference).map_or_else(|| "too many".to_owned(), |(low, high)| format!("{low} to {high}"))
        });
        by_difference
            .add_if(self.until_decided, right("--until-decided"), |&difference| text(self.decided_after(difference)));
        [
            ("What cases show", by_cases.table(self.counts.iter().copied())),
            ("What differences need", by_difference.table(self.differences.iter().copied())),
        ]
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct PowerDocument<'a> {
    #[serde(flatten)]
    provenance: Versioned<'a, Provenance>,
    measure: &'static str,
    deviation: f64,
    source: &'a str,
    alpha: f64,
    power: f64,
    shown: Vec<ShownRecord>,
    needed: Vec<NeededRecord>,
}

#[derive(Serialize, JsonSchema)]
struct ShownRecord {
    cases: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<f64>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct NeededRecord {
    difference: f64,
    cases: Option<u64>,
    /// The smallest and the largest number, by the uncertainty of an estimated spread.
    range: Option<[u64; 2]>,
    until_decided: Option<u64>,
}

impl Document for PowerReport {
    fn record(&self) -> impl Serialize {
        let shown = |&cases: &u64| ShownRecord { cases, difference: self.shown_by(cases) };
        let needed = |&difference: &f64| NeededRecord {
            difference,
            cases: self.needed_for(difference),
            range: self.range_for(difference).map(|(low, high)| [low, high]),
            until_decided: self.decided_after(difference),
        };
        PowerDocument {
            provenance: Versioned::new(1, &self.provenance),
            measure: self.spread.measure.name(),
            deviation: self.spread.deviation,
            source: &self.spread.source,
            alpha: self.alpha,
            power: self.power,
            shown: self.counts.iter().map(shown).collect(),
            needed: self.differences.iter().map(needed).collect(),
        }
    }
}

impl Report for PowerReport {
    const NAME: &'static str = "a power analysis";

    fn text(&self, style: Style) -> String {
        let mut parts = vec![format!("{} ({})\n{}", self.headline(), one_line(&self.spread.source), self.terms())];
        if self.spread.deviation == 0.0 {
            parts.push(format!("The effects do not vary: {} cases show any difference.", self.fewest()));
            return parts.join("\n");
        }
        let tables = self.tables().into_iter().filter(|(_, table)| !table.is_empty());
        parts.extend(tables.map(|(_, table)| table.text(style)));
        parts.join("\n\n")
    }

    fn rows(&self) -> Option<TextTable> {
        let text = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        let range = self.spread.cases.map(|_| ["range_low", "range_high"]);
        let decided = self.until_decided.then_some("until_decided");
        let titles: Vec<&str> =
            ["given", "cases", "difference"].into_iter().chain(range.into_iter().flatten()).chain(decided).collect();
        let of_cases = self.counts.iter().map(|&cases| {
            let difference = self.shown_by(cases).map(|difference| difference.to_string());
            let mut row = vec!["cases".to_owned(), cases.to_string(), difference.unwrap_or_default()];
            row.resize(titles.len(), String::new());
            row
        });
        let of_differences = self.differences.iter().map(|&difference| {
            let mut row = vec!["difference".to_owned(), text(self.needed_for(difference)), difference.to_string()];
            if self.spread.cases.is_some() {
                let (low, high) = self.range_for(difference).unzip();
                row.extend([text(low), text(high)]);
            }
            row.extend(decided.map(|_| text(self.decided_after(difference))));
            row
        });
        Some(TextTable::new(&titles, 1, of_cases.chain(of_differences)))
    }

    fn sheet(&self) -> Option<Sheet> {
        let provenance = provenance_lines(&self.provenance, None);
        let lines = [self.spread.source.clone(), self.terms()].into_iter().chain(provenance);
        Some(Sheet::new(self.headline(), lines, self.tables()))
    }
}
