//! What a comparison claims, in words.

use super::report::{CompareReport, Comparison};
use crate::model::{Aggregate, Direction, counted, one_line};
use crate::paired::{Claim, Contrast, EffectMeasure, PairedComparison, RuleEffect};
use crate::report::text::effects::{amount, signed, size};
use crate::statistics::Hypothesis;

/// The number of cases that are named.
const NAMED: usize = 3;

impl CompareReport<'_> {
    /// Returns the result of a comparison as one line of text.
    #[must_use]
    pub fn verdict(&self, comparison: &Comparison) -> String {
        let contrast = comparison.contrast.as_ref().map(|contrast| contrast_in_words(self, contrast));
        let parts = [
            claim_in_words(self, comparison),
            contrast.unwrap_or_default(),
            failures_in_words(self, &comparison.paired),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
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
    let mean = comparison.paired.mean();
    let by = || match comparison.inference.interval {
        Some(interval) => amount(measure, mean, interval),
        None => format!("about {}", size(measure, mean)),
    };
    let changed = || {
        let bias = if report.is_biased(comparison) { "; the estimate is biased upward by stopping early" } else { "" };
        format!("{} by {}{bias}", change(report, measure, mean), by())
    };
    let least = report.parameters.min_effect.map(|least| size(measure, least));
    match comparison.inference.claim {
        Claim::Better => format!("{b} is better than {a}: {}", changed()),
        Claim::Worse => format!("{b} is worse than {a}: {}", changed()),
        Claim::Smaller => format!("no difference larger than {}", least.unwrap_or_default()),
        Claim::Equal if comparison.paired.solved < cases => {
            format!("no difference: the same points on all {cases} cases")
        }
        Claim::Equal => format!("no difference: the same score on all {cases} cases that both solved"),
        Claim::Accepted(hypothesis) => accepted_in_words(report, comparison, hypothesis),
        Claim::Contrary => format!(
            "not decided: {} by {}, but {}",
            change(report, measure, mean),
            by(),
            objection(report, &comparison.paired)
        ),
        Claim::TooFew => {
            format!("not decided: {} cases that both solved are too few", comparison.paired.solved.min(cases))
        }
        Claim::Undecided { more_cases: Some(more) } => match least {
            Some(least) => {
                format!("not decided: about {more} more cases would show {}", at_least(&least, mean, measure, report))
            }
            None => format!("not decided: about {more} more cases would show {}", size(measure, mean)),
        },
        Claim::Undecided { more_cases: None } => match ratio_in_words(report, comparison) {
            Some(ratio) => format!("not decided: {ratio}"),
            None => "not decided".to_owned(),
        },
    }
}

/// Returns which hypothesis is accepted, and the estimate.
fn accepted_in_words(report: &CompareReport<'_>, comparison: &Comparison, hypothesis: Hypothesis) -> String {
    let (a, b) = (report.shown(comparison.paired.first), report.shown(comparison.paired.second));
    let mean = comparison.paired.mean();
    let (name, side) = match hypothesis {
        Hypothesis::H0 => ("H0", "downward"),
        Hypothesis::H1 => ("H1", "upward"),
    };
    let ratio = ratio_in_words(report, comparison).unwrap_or_default();
    let changed = change(report, report.measure, mean);
    let by = size(report.measure, mean);
    format!("{b} against {a}: {name} is accepted, {ratio}; {changed} by {by}, biased {side} by stopping early")
}

/// Returns the likelihood ratio of the hypotheses, if the claim rests on it.
pub(super) fn ratio_in_words(report: &CompareReport<'_>, comparison: &Comparison) -> Option<String> {
    let hypotheses = report.parameters.hypotheses?;
    let ratio = comparison.inference.log_likelihood_ratio?;
    let [h0, h1] = [hypotheses.h0, hypotheses.h1].map(|level| signed(report.measure, level));
    let [low, high] = hypotheses.bounds().map(number);
    Some(format!("log likelihood ratio {} (H0: {h0} at {low}, H1: {h1} at {high})", number(ratio)))
}

/// Writes a number with two decimals and a minus.
fn number(value: f64) -> String {
    format!("{value:.2}").replace('-', "−")
}

/// Returns what an effect changes, and which way: `the sum rises`.
fn change(report: &CompareReport<'_>, measure: EffectMeasure, effect: f64) -> String {
    let is_better = effect > 0.0;
    let of_scores = if is_better == (report.plan.problem.direction == Direction::Max) { "rises" } else { "falls" };
    let of_points = if is_better { "rises" } else { "falls" };
    let of_ratios = if is_better { "improves" } else { "worsens" };
    match measure {
        EffectMeasure::Total => format!("{} {of_scores}", aggregate(report)),
        EffectMeasure::Points if !report.rule.counts_raw_scores() => format!("the mean {of_points}"),
        EffectMeasure::Points | EffectMeasure::Difference => format!("the mean score {of_scores}"),
        EffectMeasure::Ratio => format!("the mean ratio {of_ratios}"),
        EffectMeasure::Relative => format!("the mean relative difference {of_ratios}"),
    }
}

/// Returns the number that the rule ranks by.
fn aggregate(report: &CompareReport<'_>) -> &'static str {
    match report.rule.aggregate() {
        Aggregate::Total => "the sum",
        Aggregate::Mean => "the mean",
    }
}

/// Returns why the problem's rule contradicts the effects.
fn objection(report: &CompareReport<'_>, paired: &PairedComparison) -> String {
    let RuleEffect { order, first_lacks, second_lacks } = paired.by_rule;
    let has_none = |solver, cases: usize| {
        let cases = counted(cases, "case");
        format!(
            "{} has no {} by the rule `{}`, which gives no points on {cases}",
            report.shown(solver),
            aggregate(report).trim_start_matches("the "),
            report.rule
        )
    };
    let is_better = paired.mean() > 0.0;
    if is_better && second_lacks > 0 {
        has_none(paired.second, second_lacks)
    } else if !is_better && first_lacks > 0 {
        has_none(paired.first, first_lacks)
    } else {
        let side = if order.is_gt() { "better" } else { "worse" };
        format!("{} is {side} by the rule `{}`", report.shown(paired.second), report.rule)
    }
}

/// Returns what the ratio and the rule say where they contradict each other, and through which cases.
fn contrast_in_words(report: &CompareReport<'_>, contrast: &Contrast) -> String {
    let said = |measure, effect| format!("{} by {}", change(report, measure, effect), size(measure, effect));
    let name = |&case: &usize| one_line(&report.plan.cases.at(case).name.0).into_owned();
    let names: Vec<String> = contrast.cases.iter().take(NAMED).map(name).collect();
    let more = contrast.cases.len() - names.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let (ratio, by_rule) = (said(EffectMeasure::Ratio, contrast.ratio), said(contrast.measure, contrast.by_rule));
    format!("{by_rule}, but {ratio}: the difference is {}{more}", names.join(", "))
}

/// Returns the effect that more cases would show: the observed one or the smallest that matters, whichever is larger.
fn at_least(least: &str, mean: f64, measure: EffectMeasure, report: &CompareReport<'_>) -> String {
    let bound = report.parameters.min_effect.unwrap_or(0.0);
    if mean.abs() > bound { size(measure, mean) } else { least.to_owned() }
}

/// Returns the failures of each, which a mean does not show.
fn failures_in_words(report: &CompareReport<'_>, paired: &PairedComparison) -> String {
    let (a, b) = (report.shown(paired.first), report.shown(paired.second));
    let count = |cases: &[usize]| counted(cases.len(), "case");
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
