//! What a comparison claims, in words.

use super::report::{CompareReport, Comparison};
use crate::paired::{Claim, EffectMeasure, PairedComparison};
use crate::report::text::effects::{amount, size};

impl CompareReport<'_> {
    /// Returns the result of a comparison as one line of text.
    #[must_use]
    pub fn verdict(&self, comparison: &Comparison) -> String {
        let failures = failures_in_words(self, &comparison.paired);
        let said = claim_in_words(self, comparison);
        if failures.is_empty() { said } else { format!("{said}; {failures}") }
    }
}

/// Writes a probability in percent, with at most two decimals.
pub(super) fn percentage(probability: f64) -> String {
    let text = format!("{:.2}", probability * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn claim_in_words(report: &CompareReport<'_>, comparison: &Comparison) -> String {
    let measure = report.measure;
    let (a, b) = (report.shown(comparison.paired.first), report.shown(comparison.paired.second));
    let cases = comparison.paired.pairs.len();
    let mean = comparison.inference.summary.as_ref().map_or(0.0, |summary| summary.moments.mean());
    let by = || match comparison.inference.interval {
        Some(interval) => amount(measure, mean, interval),
        None => format!("about {}", size(measure, mean)),
    };
    let least = report.parameters.min_effect.map(|least| size(measure, least));
    match comparison.inference.claim {
        Claim::Better => format!("{b} is better than {a} by {}", by()),
        Claim::Worse => format!("{b} is worse than {a} by {}", by()),
        Claim::Smaller => format!("no difference larger than {}", least.unwrap_or_default()),
        Claim::Equal => format!("no difference: the same score on all {cases} cases that both solved"),
        Claim::TooFew => format!("not decided: {cases} cases that both solved are too few"),
        Claim::Undecided { more_cases: Some(more) } => match least {
            Some(least) => {
                format!("not decided: about {more} more cases would show {}", at_least(&least, mean, measure, report))
            }
            None => format!("not decided: about {more} more cases would show {}", size(measure, mean)),
        },
        Claim::Undecided { more_cases: None } => "not decided".to_owned(),
    }
}

/// Returns the effect that more cases would show: the observed one or the smallest that matters, whichever is larger.
fn at_least(least: &str, mean: f64, measure: EffectMeasure, report: &CompareReport<'_>) -> String {
    let bound = report.parameters.min_effect.unwrap_or(0.0);
    if mean.abs() > bound { size(measure, mean) } else { least.to_owned() }
}

/// Failures are never averaged into an effect: they are reported separately.
fn failures_in_words(report: &CompareReport<'_>, paired: &PairedComparison) -> String {
    let (a, b) = (report.shown(paired.first), report.shown(paired.second));
    let count = |cases: &[usize]| if cases.len() == 1 { "1 case".to_owned() } else { format!("{} cases", cases.len()) };
    let mut parts = Vec::new();
    if !paired.failures.second.is_empty() {
        parts.push(format!("{b} fails on {} that {a} solves", count(&paired.failures.second)));
    }
    if !paired.failures.first.is_empty() {
        parts.push(format!("{a} fails on {} that {b} solves", count(&paired.failures.first)));
    }
    if !paired.failures.both.is_empty() {
        parts.push(format!("both fail on {}", count(&paired.failures.both)));
    }
    parts.join("; ")
}
