//! The inference from a fixed number of cases: estimate, interval and claim. Also by ranges of a feature, and the
//! hypotheses of sequential tests.

use super::comparison::{PairedComparison, RuleEffect};
use super::measure::EffectMeasure;
use checkers::Score;
use judge_problem::{InvalidText, Rule};
use judge_statistics::{EffectSummary, Finding, Hypotheses, Hypothesis, Interval, InvalidSettings, fewest_for_claim};
use std::fmt;
use std::str::FromStr;

/// The parameters of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestParameters {
    /// The probability of a false claim.
    pub alpha: f64,
    /// The smallest effect that matters, if there is one.
    pub min_effect: Option<f64>,
    /// The bound of the difference of two scores (or points) of a case, if claims about a growing number of cases rest
    /// on such a bound.
    pub bound: Option<f64>,
    /// The share of the cases on which large effects must have had the chance to show, before a claim about a growing
    /// number of cases.
    pub rare: Option<f64>,
    /// The hypotheses of a sequential test, instead of the claims better, worse and smaller.
    pub hypotheses: Option<Hypotheses>,
}

/// Why there is no inference from a growing number of cases.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InferenceError {
    /// The parameters are invalid.
    #[error(transparent)]
    Settings(#[from] InvalidSettings),
    /// A difference exceeds the bound.
    #[error("two results of a case differ by {difference}, more than the bound of {bound}")]
    BeyondBound {
        /// The difference.
        difference: f64,
        /// The bound.
        bound: f64,
    },
}

/// A claim about the second solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// The difference is smaller than the smallest effect that matters.
    Smaller,
    /// Every effect is 0.
    Equal,
    /// This hypothesis is accepted.
    Accepted(Hypothesis),
    /// The effects and the problem's rule contradict each other.
    Contrary,
    /// No claim yet.
    Undecided {
        /// The approximate number of further cases that would decide. `None` if no practical number would.
        more_cases: Option<u64>,
    },
    /// There are fewer than two cases, or too few for any arrangement of signs to be significant.
    TooFew,
}

impl Claim {
    /// Returns whether it ends a comparison that runs until it is decided.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Better | Self::Worse | Self::Smaller | Self::Equal | Self::Accepted(_))
    }

    /// Withholds a claim that the problem's rule contradicts.
    pub(super) fn unless_contrary(self, by_rule: &RuleEffect, hypotheses: Option<Hypotheses>) -> Self {
        let is_better = |h: Hypotheses| h.h0 >= 0.0;
        let is_worse = |h: Hypotheses| h.h1 <= 0.0;
        let says_better = match self {
            Self::Accepted(Hypothesis::H1) => hypotheses.is_some_and(is_better),
            claim => claim == Self::Better,
        };
        let says_worse = match self {
            Self::Accepted(Hypothesis::H0) => hypotheses.is_some_and(is_worse),
            claim => claim == Self::Worse,
        };
        let is_contrary = says_better && !by_rule.allows_better() || says_worse && !by_rule.allows_worse();
        if is_contrary { Self::Contrary } else { self }
    }
}

/// The inference from the effects.
#[derive(Debug, Clone, PartialEq)]
pub struct Inference {
    /// The claim.
    pub claim: Claim,
    /// The interval of the mean effect that the claim rests on: Student's for a fixed number of cases, an anytime-valid
    /// one for a growing number. `None` with too few cases.
    pub interval: Option<Interval>,
    /// The summary of the effects, as for a fixed number of cases. `None` with too few cases, and while cases are added.
    pub summary: Option<EffectSummary>,
    /// The logarithm of the likelihood ratio of H1 to H0, if the claim rests on it.
    pub log_likelihood_ratio: Option<f64>,
}

/// Infers from a number of cases that was fixed before the run.
pub fn infer_fixed(paired: &PairedComparison, parameters: TestParameters) -> Inference {
    let Some(summary) = summary(paired, parameters) else {
        return Inference { claim: Claim::TooFew, interval: None, summary: None, log_likelihood_ratio: None };
    };
    let claim = match summary.finding {
        _ if is_all_ties(paired) => Claim::Equal,
        _ if paired.pairs.len() < fewest_for_claim(parameters.alpha) => Claim::TooFew,
        Finding::Better => Claim::Better,
        Finding::Worse => Claim::Worse,
        Finding::Smaller => Claim::Smaller,
        Finding::Undecided { more_cases } => Claim::Undecided { more_cases },
    };
    let claim = claim.unless_contrary(&paired.by_rule, None);
    Inference { claim, interval: Some(summary.interval), summary: Some(summary), log_likelihood_ratio: None }
}

pub(super) fn summary(paired: &PairedComparison, parameters: TestParameters) -> Option<EffectSummary> {
    EffectSummary::of(&paired.terms(), &paired.places(), parameters.alpha, parameters.min_effect)
}

fn is_all_ties(paired: &PairedComparison) -> bool {
    paired.pairs.iter().all(|pair| pair.effect == 0.0)
}

/// The maximum number of distinct values for which each gets its own range.
const MAX_VALUES: usize = 10;

/// The number of ranges of about equal size for more values.
const RANGES: usize = 4;

/// A case with the value of the feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureValue {
    /// The case, by its place in the plan.
    pub case: usize,
    /// The value.
    pub value: Score,
}

/// The cases whose values lie in one range.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureRange {
    /// The smallest value.
    pub low: Score,
    /// The largest value.
    pub high: Score,
    /// The comparison on these cases.
    pub paired: PairedComparison,
    /// The inference from it.
    pub inference: Inference,
}

/// Splits a comparison by a feature: by its values, or into quarters of the cases if there are many values.
pub fn by_feature(
    paired: &PairedComparison,
    mut cases: Vec<FeatureValue>,
    parameters: TestParameters,
) -> Vec<FeatureRange> {
    cases.sort_by(|left, right| left.value.cmp(&right.value));
    ranges(&cases).into_iter().filter_map(|members| on(paired, members, parameters)).collect()
}

/// Splits the cases, which are sorted by value, but never between equal values.
fn ranges(cases: &[FeatureValue]) -> Vec<&[FeatureValue]> {
    let values: Vec<&[FeatureValue]> = cases.chunk_by(|left, right| left.value == right.value).collect();
    if values.len() <= MAX_VALUES {
        return values;
    }
    let mut ranges = Vec::new();
    let mut rest = cases;
    for left in (1..=RANGES).rev() {
        let wanted = rest.len().div_ceil(left);
        let Some(last) = wanted.checked_sub(1).map(|last| &rest[last].value) else { break };
        let (range, more) = rest.split_at(rest.partition_point(|case| case.value <= *last));
        ranges.push(range);
        rest = more;
    }
    ranges
}

fn on(paired: &PairedComparison, members: &[FeatureValue], parameters: TestParameters) -> Option<FeatureRange> {
    let is_member = |case: usize| members.iter().any(|member| member.case == case);
    let mut part = paired.clone();
    part.retain(is_member);
    let inference = infer_fixed(&part, parameters);
    let (low, high) = (members.first()?.value.clone(), members.last()?.value.clone());
    Some(FeatureRange { low, high, paired: part, inference })
}

/// A mean effect as the user wrote it; it may be 0 or negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EffectLevel {
    /// `0.5%`, as a share: of the scores, the total, or the maximal points of a case.
    Share(f64),
    /// `25`: in scores or points. 0 is one in every unit.
    Amount(f64),
}

impl FromStr for EffectLevel {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let expected = || InvalidText::expected("a percentage such as 0.5% or -1%, or a number", text);
        let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let number = |text: &str| number(text).ok_or_else(expected);
        match text.trim().strip_suffix('%') {
            Some(percent) => Ok(Self::Share(number(percent)? / 100.0)),
            None => number(text).map(Self::Amount),
        }
    }
}

impl fmt::Display for EffectLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Without the digits that the division added.
            Self::Share(share) => write!(formatter, "{}%", (share * 1e11).round() / 1e9),
            Self::Amount(amount) => write!(formatter, "{amount}"),
        }
    }
}

impl EffectLevel {
    fn number(self) -> f64 {
        match self {
            Self::Share(number) | Self::Amount(number) => number,
        }
    }

    /// Returns whether it is a number other than 0, which is one in every unit.
    pub fn is_amount(self) -> bool {
        matches!(self, Self::Amount(amount) if amount != 0.0)
    }
}

/// Checks that H0 is below H1, in the same unit.
///
/// # Errors
/// Fails if it is not.
pub fn check_hypotheses(h0: EffectLevel, h1: EffectLevel) -> Result<(), InvalidText> {
    let is_share = |level: EffectLevel| matches!(level, EffectLevel::Share(share) if share != 0.0);
    if h0.is_amount() && is_share(h1) || is_share(h0) && h1.is_amount() {
        let error = format!("--h0 {h0} and --h1 {h1} must both be percentages or both be numbers");
        return Err(InvalidText(error));
    }
    let is_below = h0.number() < h1.number();
    is_below.then_some(()).ok_or_else(|| InvalidText(format!("--h0 {h0} must be below --h1 {h1}")))
}

impl EffectMeasure {
    /// Returns a mean effect on the scale of the effects.
    ///
    /// # Errors
    /// Fails on a percentage for a measure that is not a share, on the reverse, or on a ratio that is not above 0.
    pub fn level(self, rule: &Rule, level: EffectLevel) -> Result<f64, InvalidText> {
        match level {
            EffectLevel::Amount(amount) if amount == 0.0 || !self.is_share() => Ok(amount),
            EffectLevel::Amount(_) => {
                Err(self.unsuited("percentages: write --h0 and --h1 as percentages, such as 0% and 1%"))
            }
            EffectLevel::Share(share) if self == Self::Ratio && share <= -1.0 => {
                Err(InvalidText(format!("no ratio is as small as {level}: it must be above -100%")))
            }
            // 0 is one in every unit.
            EffectLevel::Share(0.0) => Ok(0.0),
            EffectLevel::Share(share) => {
                let unit = "not percentages here: write --h0 and --h1 as numbers, such as 0 and 10";
                self.share_of_case(rule, share).ok_or_else(|| self.unsuited(unit))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(values: impl Iterator<Item = i64>) -> Vec<usize> {
        let mut cases: Vec<_> =
            values.enumerate().map(|(case, value)| FeatureValue { case, value: value.into() }).collect();
        cases.sort_by(|left, right| left.value.cmp(&right.value));
        ranges(&cases).iter().map(|range| range.len()).collect()
    }

    #[test]
    fn few_values_are_ranges_and_many_are_quarters() {
        assert_eq!(sizes((0..30).map(|case| case % 3)), [10, 10, 10]);
        assert_eq!(sizes(0..40), [10, 10, 10, 10]);
        // Equal values stay together even if the sizes become unequal.
        assert_eq!(sizes((0..11).chain(std::iter::repeat_n(0, 29))), [30, 4, 3, 3]);
        assert_eq!(sizes(std::iter::empty()), Vec::<usize>::new());
    }

    fn level(text: &str) -> EffectLevel {
        text.parse().unwrap()
    }

    #[test]
    fn levels_are_percentages_or_numbers_of_any_sign() {
        assert_eq!((level("0.5%"), level("-1 %")), (EffectLevel::Share(0.005), EffectLevel::Share(-0.01)));
        assert_eq!((level("0"), level("-25")), (EffectLevel::Amount(0.0), EffectLevel::Amount(-25.0)));
        assert_eq!((level("0.7%").to_string(), level("-25").to_string()), ("0.7%".to_owned(), "-25".to_owned()));
        for text in ["", "%", "x", "inf", "nan%"] {
            assert!(text.parse::<EffectLevel>().is_err(), "{text}");
        }
    }

    #[test]
    fn h0_is_below_h1_in_the_same_unit() {
        let check = |h0, h1| check_hypotheses(level(h0), level(h1)).map_err(|error| error.to_string());
        assert_eq!((check("0", "1%"), check("-3", "0"), check("-1%", "0.5%")), (Ok(()), Ok(()), Ok(())));
        assert_eq!(check("1%", "1%"), Err("--h0 1% must be below --h1 1%".to_owned()));
        assert!(
            check("2", "0").is_err() && check("0%", "0").is_err() && check("1", "5%").unwrap_err().contains("both")
        );
    }

    #[test]
    fn levels_are_on_the_scale_of_the_measure() {
        let relative: Rule = "relative".parse().unwrap();
        let on = |measure: EffectMeasure, rule: &Rule, text| measure.level(rule, level(text));
        assert_eq!(on(EffectMeasure::Ratio, &Rule::Sum, "1%"), Ok(0.01_f64.ln_1p()));
        assert_eq!(on(EffectMeasure::Total, &Rule::Sum, "-1%"), Ok(-0.01));
        assert_eq!(on(EffectMeasure::Total, &Rule::Sum, "0"), Ok(0.0));
        assert_eq!(on(EffectMeasure::Points, &relative, "1%"), Ok(10_000.0));
        assert_eq!(on(EffectMeasure::Difference, &Rule::Sum, "-4"), Ok(-4.0));
        assert!(on(EffectMeasure::Total, &Rule::Sum, "3").is_err());
        assert!(on(EffectMeasure::Difference, &Rule::Sum, "3%").is_err());
        assert!(on(EffectMeasure::Ratio, &Rule::Sum, "-100%").is_err());
    }
}
