//! The claims of a comparison, in words.

use crate::compare::report::{CompareReport, Comparison};
use crate::text::{amount, ends, signed, size};
use judge_compare::paired::{Claim, Contrast, EffectMeasure, Failures, PairedComparison, RuleEffect};
use judge_problem::{Aggregate, Direction, counted, first_of, one_line};
use judge_statistics::{Hypothesis, Moments, fewest_for_claim};
use num_traits::{Signed, ToPrimitive};

/// The number of cases that are named.
const NAMED: usize = 3;

/// An event in 1 % of all cases has shown in this many cases. The report then leaves out the remark about rarer events.
const ENOUGH_CASES: usize = 300;

impl CompareReport<'_> {
    /// Returns the result of a comparison as one line of text.
    pub fn verdict(&self, comparison: &Comparison) -> String {
        let said = self.fact(comparison).into_iter().chain([self.conclusion(comparison)]);
        said.chain(self.remarks(comparison)).collect::<Vec<_>>().join("; ")
    }

    /// Returns the remarks in addition to the fact and the conclusion.
    pub(super) fn remarks(&self, comparison: &Comparison) -> impl Iterator<Item = String> {
        let contrast = comparison.contrast.as_ref().map(|contrast| contrast_in_words(self, contrast));
        let failures = failures_in_words(self, &comparison.paired);
        [self.scope(comparison), contrast, Some(failures).filter(|text| !text.is_empty())].into_iter().flatten()
    }

    /// Returns the result on the cases that were run. It is arithmetic and needs no test. `None` without effects.
    pub(super) fn fact(&self, comparison: &Comparison) -> Option<String> {
        let paired = &comparison.paired;
        let mean = paired.mean();
        let cases = match paired.cases {
            0 => return None,
            1 => "on this case".to_owned(),
            cases => format!("on these {cases} cases"),
        };
        let against = match self.comparisons {
            [_] => String::new(),
            _ => format!("{} against {}: ", self.shown(paired.second), self.shown(paired.first)),
        };
        let changed = match mean {
            0.0 => format!("{} stays the same", changed_quantity(self, self.compared.measure)),
            _ => format!("{} by {}", change(self, self.compared.measure, mean), size(self.compared.measure, mean)),
        };
        let is_result = if self.is_result(paired) { "; that is the result: they are the whole contest" } else { "" };
        Some(format!("{against}{cases} {changed}{is_result}"))
    }

    /// Returns what the cases show about similar cases.
    pub(super) fn conclusion(&self, comparison: &Comparison) -> String {
        let measure = self.compared.measure;
        let paired = &comparison.paired;
        let (a, b) = (self.shown(paired.first), self.shown(paired.second));
        let mean = paired.mean();
        let judging = judging(self, paired);
        let is = |side: &str| {
            let interval = comparison.inference.interval.map(|interval| format!(" ({})", ends(measure, interval)));
            let exaggerated = if self.is_exaggerated(comparison) { exaggeration(measure, mean) } else { String::new() };
            format!("{judging}, {b} is {side} than {a}{}{exaggerated}", interval.unwrap_or_default())
        };
        match comparison.inference.claim {
            Claim::Better => is("better"),
            Claim::Worse => is("worse"),
            Claim::Smaller => {
                let least = self.parameters.min_effect.map(|least| size(measure, least));
                format!("{judging}, no difference larger than {}", least.unwrap_or_default())
            }
            // In a sum over cases that count together, differences can cancel out.
            Claim::Equal if paired.pairs.len() < paired.cases => "no difference: every effect is 0".to_owned(),
            Claim::Equal if paired.solved < paired.cases => {
                format!("no difference: the same points on all {} cases", paired.cases)
            }
            Claim::Equal => {
                let which = if paired.cases < paired.solved { "with an effect" } else { "that both solved" };
                format!("no difference: the same {} on all {} cases {which}", self.quantity(), paired.cases)
            }
            Claim::Accepted(hypothesis) => accepted_in_words(self, comparison, hypothesis),
            Claim::Contrary => {
                let by = match comparison.inference.interval {
                    Some(interval) => amount(measure, mean, interval),
                    None => format!("about {}", size(measure, mean)),
                };
                format!("not decided: {} by {by}, but {}", change(self, measure, mean), objection(self, paired))
            }
            Claim::TooFew => too_few(self, paired),
            Claim::Undecided { more_cases: Some(more) } => {
                // The observed effect or the smallest that matters, whichever is larger.
                let least = self.parameters.min_effect.filter(|least| mean.abs() <= *least);
                let one = format!("more {}", observation(self, paired));
                let more = counted(usize::try_from(more).unwrap_or(usize::MAX), &one);
                format!("not decided: about {more} would show {}", size(measure, least.unwrap_or(mean)))
            }
            Claim::Undecided { more_cases: None } => match ratio_in_words(self, comparison) {
                Some(ratio) => format!("not decided: {ratio}"),
                None if self.is_extended(comparison) => format!(
                    "not decided: of {} effects too few differ, or one side has too long a tail",
                    paired.pairs.len()
                ),
                None => "not decided".to_owned(),
            },
        }
    }

    /// Returns the name of what the effects are differences of. Different scores can have the same points: under most
    /// rules, in a test group, and where both are worse than a failure.
    fn quantity(&self) -> String {
        let problem = &self.compared.plan.problem;
        let has_failure = problem.direction == Direction::Min && problem.failure.is_some();
        let is_score = self.compared.rule.counts_raw_scores() && !has_failure && problem.test_groups.is_empty();
        match (&self.compared.metric, self.compared.measure) {
            (Some(name), _) => format!("`{name}`"),
            (None, EffectMeasure::Points) => "points".to_owned(),
            (None, EffectMeasure::Total) if !is_score => "points".to_owned(),
            (None, _) => "score".to_owned(),
        }
    }

    /// Returns what a claim does not cover: events too rare to show in the cases (the rule of three). `None` without a
    /// claim, for a claim that rests on a bound, and with so many cases that an event in one case of a hundred has
    /// shown.
    pub(super) fn scope(&self, comparison: &Comparison) -> Option<String> {
        let Comparison { paired, inference, .. } = comparison;
        let effects = paired.pairs.len();
        if !inference.claim.is_decided() || effects >= ENOUGH_CASES || self.parameters.bound.is_some() {
            return None;
        }
        let seldom = (effects as f64 / 3.0).round().max(1.0);
        let unseen = match effects {
            ..5 => "what happens in other cases".to_owned(),
            _ => format!("what happens in fewer than 1 of {seldom} cases"),
        };
        let scope = format!("{unseen} has not shown ({ENOUGH_CASES} cases would show 1 %)");
        let rare = self.is_undone_by_failures(comparison, 1.0 / seldom).then(|| {
            let and = if self.compared.is_sequential { "" } else { "judge compare --until-decided " };
            let rule = self.compared.rule;
            format!("; no case failed, and by the rule `{rule}` rare failures would outweigh this: {and}--rare 1% waits for them")
        });
        Some(scope + &rare.unwrap_or_default())
    }

    /// Returns whether unseen failures on this share of the cases would outweigh a claimed difference.
    fn is_undone_by_failures(&self, comparison: &Comparison, share: f64) -> bool {
        let Comparison { paired, inference, .. } = comparison;
        let is_claim = matches!(inference.claim, Claim::Better | Claim::Worse);
        let has_fresh_cases = self.compared.plan.problem.generator.is_some() && self.runs.iter().all(Option::is_none);
        is_claim
            && self.parameters.rare.is_none()
            && has_fresh_cases
            && paired.failures == Failures::default()
            && self.cost_of_failure(paired).is_some_and(|cost| paired.mean().abs() < cost * share)
    }

    /// Returns what a failure of the better solver on a case costs, as an effect; infinite if the rule then gives no
    /// total. `None` if failures have no effect.
    fn cost_of_failure(&self, paired: &PairedComparison) -> Option<f64> {
        let (measure, rule) = (self.compared.measure, self.compared.rule);
        if !measure.counts_failures() {
            return None;
        }
        if !rule.counts_raw_scores() {
            return if measure == EffectMeasure::Total { Some(1.0) } else { rule.max_points()?.to_f64() };
        }
        let Some(failure) = &self.compared.plan.problem.failure else { return Some(f64::INFINITY) };
        let better = if paired.mean() > 0.0 { paired.second } else { paired.first };
        let cost = (self.mean_score(better) - failure.to_rational().to_f64()?).abs();
        let unit = if measure == EffectMeasure::Total { self.mean_score(paired.first).abs() } else { 1.0 };
        Some(cost / unit)
    }

    fn mean_score(&self, solver: usize) -> f64 {
        let score = |case| self.outcome(case, solver)?.score?.to_rational().to_f64();
        let scores: Vec<f64> = (0..self.compared.plan.cases.len()).filter_map(score).collect();
        Moments::of(&scores).mean()
    }
}

/// Writes a probability in percent, with at most seven decimals.
pub(crate) fn percentage(probability: f64) -> String {
    let text = format!("{:.7}", probability * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the basis of a conclusion: `judging by these 20 cases`.
fn judging(report: &CompareReport<'_>, paired: &PairedComparison) -> String {
    format!("judging by these {} {}s", paired.pairs.len(), observation(report, paired))
}

/// Returns the unit that has one effect.
fn observation(report: &CompareReport<'_>, paired: &PairedComparison) -> &'static str {
    match paired.pairs.len() {
        all if all == paired.cases => "case",
        _ if report.has_whole_groups() => "group",
        _ => "input",
    }
}

/// Returns why there can be no conclusion from so few cases.
fn too_few(report: &CompareReport<'_>, paired: &PairedComparison) -> String {
    let effects = paired.pairs.len();
    let fewest = fewest_for_claim(report.parameters.alpha);
    let are = |count: usize| if count == 1 { "is" } else { "are" };
    let lack_effects = paired.cases < paired.solved;
    let need_solutions = !report.compared.measure.counts_failures();
    if report.compared.is_sequential || need_solutions && paired.solved < 2 || effects >= fewest {
        let which = if lack_effects { "with an effect" } else { "that both solved" };
        let cases = paired.solved.min(effects);
        return format!("not decided: {} {which} {} too few", counted(cases, "case"), are(cases));
    }
    let level = percentage(report.parameters.alpha);
    let (cases, are) = (counted(effects, observation(report, paired)), are(effects));
    let which = if lack_effects { " with an effect" } else { "" };
    format!("not decided: {cases}{which} {are} too few for a conclusion at {level} %, which takes at least {fewest}")
}

/// Says that the estimate is exaggerated, because the test stopped when it was large.
fn exaggeration(measure: EffectMeasure, mean: f64) -> String {
    format!("; the estimate of {} is exaggerated, because the test stopped early", size(measure, mean))
}

/// Returns which hypothesis is accepted, and in which direction the estimate is biased.
fn accepted_in_words(report: &CompareReport<'_>, comparison: &Comparison, hypothesis: Hypothesis) -> String {
    let (a, b) = (report.shown(comparison.paired.first), report.shown(comparison.paired.second));
    let mean = comparison.paired.mean();
    let (name, error) = match hypothesis {
        Hypothesis::H0 => ("H0", "too low"),
        Hypothesis::H1 => ("H1", "exaggerated"),
    };
    let ratio = ratio_in_words(report, comparison).unwrap_or_default();
    let estimate = signed(report.compared.measure, mean);
    let bias = if comparison.paired.pairs.iter().all(|pair| pair.effect == 0.0) {
        String::new()
    } else {
        format!("; the estimate of {estimate} is {error}, because the test stopped early")
    };
    format!("{b} against {a}: {name} is accepted, {ratio}{bias}")
}

/// Returns the likelihood ratio of the hypotheses, if the claim rests on it.
pub(super) fn ratio_in_words(report: &CompareReport<'_>, comparison: &Comparison) -> Option<String> {
    let hypotheses = report.parameters.hypotheses?;
    let ratio = comparison.inference.log_likelihood_ratio?;
    let [h0, h1] = [hypotheses.h0, hypotheses.h1].map(|level| signed(report.compared.measure, level));
    let [low, high] = hypotheses.bounds().map(number);
    Some(format!("log likelihood ratio {} (H0: {h0} at {low}, H1: {h1} at {high})", number(ratio)))
}

/// Writes a number with two decimals and a minus sign.
fn number(value: f64) -> String {
    format!("{value:.2}").replace('-', "−")
}

/// Returns the quantity that an effect changes, and the direction: `the sum rises`.
fn change(report: &CompareReport<'_>, measure: EffectMeasure, effect: f64) -> String {
    let is_better = effect > 0.0;
    let of_points = measure.is_of_points(report.compared.rule);
    let is_larger = is_better == (of_points || report.compared.plan.problem.direction == Direction::Max);
    let verb = match measure {
        EffectMeasure::Ratio | EffectMeasure::Relative if is_better => "improves",
        EffectMeasure::Ratio | EffectMeasure::Relative => "worsens",
        _ if is_larger => "rises",
        _ => "falls",
    };
    format!("{} {verb}", changed_quantity(report, measure))
}

/// Returns the quantity that effects are changes of.
fn changed_quantity(report: &CompareReport<'_>, measure: EffectMeasure) -> String {
    if let Some(metric) = &report.compared.metric {
        return format!("the mean of `{metric}`");
    }
    let quantity = match measure {
        EffectMeasure::Total => aggregate(report),
        EffectMeasure::Points if !report.compared.rule.counts_raw_scores() => "the mean",
        EffectMeasure::Points | EffectMeasure::Difference => "the mean score",
        EffectMeasure::Ratio => "the mean ratio",
        EffectMeasure::Relative => "the mean relative difference",
    };
    quantity.to_owned()
}

/// Returns the number that the rule ranks by.
fn aggregate(report: &CompareReport<'_>) -> &'static str {
    match report.compared.rule.aggregate() {
        Aggregate::Total => "the sum",
        Aggregate::Mean => "the mean",
    }
}

/// Returns why the problem's rule contradicts the effects.
fn objection(report: &CompareReport<'_>, paired: &PairedComparison) -> String {
    let RuleEffect { lead, first_lacks, second_lacks } = &paired.by_rule;
    let has_none = |solver, cases: usize| {
        let cases = counted(cases, "case");
        if let Some(name) = &report.compared.metric {
            return format!("{} has no `{name}` on {cases} that it failed", report.shown(solver));
        }
        format!(
            "{} has no {} by the rule `{}`, which gives no points on {cases}",
            report.shown(solver),
            aggregate(report).trim_start_matches("the "),
            report.compared.rule
        )
    };
    let is_better = paired.mean() > 0.0;
    if is_better && *second_lacks > 0 {
        has_none(paired.second, *second_lacks)
    } else if !is_better && *first_lacks > 0 {
        has_none(paired.first, *first_lacks)
    } else {
        let side = if lead.is_positive() { "better" } else { "worse" };
        format!("{} is {side} by the rule `{}`", report.shown(paired.second), report.compared.rule)
    }
}

/// Returns the statements of the ratio and of the rule if they contradict each other, and the cases that cause this.
fn contrast_in_words(report: &CompareReport<'_>, contrast: &Contrast) -> String {
    let said = |measure, effect| format!("{} by {}", change(report, measure, effect), size(measure, effect));
    let name = |&case: &usize| one_line(&report.effect_name(case)).into_owned();
    let names = first_of(contrast.cases.iter().map(name), NAMED, contrast.cases.len());
    let (ratio, by_rule) = (said(EffectMeasure::Ratio, contrast.ratio), said(contrast.measure, contrast.by_rule));
    format!("{by_rule}, but {ratio}: the difference is {names}")
}

/// Returns the failures of both solvers. A mean does not show them.
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
    if paired.faults > 0 {
        parts.push(format!("{} left out for a judge error", counted(paired.faults, "case")));
    }
    parts.join("; ")
}
