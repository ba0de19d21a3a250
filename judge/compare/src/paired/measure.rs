//! The measures of effects, the smallest effect that matters, and the scored outcomes that effects are computed from.

use judge_problem::scoring::{ScoreMeasure, Scoreboard};
use judge_problem::{CaseSource, CaseSpec, Digest, InvalidText, JobId, OutcomeGrid, Percent, Plan, Problem, Rule};
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// The default of the smallest effect that matters, as a share of 1 or of the maximum points of a case.
const DEFAULT_SHARE: f64 = 0.001;

/// The largest relative difference between scores of one sign.
const MAX_RELATIVE: f64 = 1.0;

/// The measure of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectMeasure {
    /// The difference of the points that the problem's rule totals, as a share of the first solver's total, shown as a
    /// percentage.
    Total,
    /// The logarithm of the scores' ratio, shown as a percentage.
    Ratio,
    /// The difference of the scores.
    Difference,
    /// The difference over the larger score, shown as a percentage.
    Relative,
    /// The difference of the points that the problem's scoring rule gives.
    Points,
}

/// The smallest effect that matters, as the user wrote it.
#[derive(Debug, Clone, PartialEq)]
pub enum MinEffect {
    /// `0.1%`: of the scores, the total, or the maximal points of a case.
    Share(Percent),
    /// `25`: in scores or points.
    Amount(f64),
}

impl FromStr for MinEffect {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        match text.trim().parse::<f64>() {
            Ok(amount) if amount.is_finite() && amount > 0.0 => Ok(Self::Amount(amount)),
            _ => {
                let expected = || InvalidText::expected("a percentage such as 0.5%, or a number above 0", text);
                text.parse().map(Self::Share).map_err(|_| expected())
            }
        }
    }
}

impl EffectMeasure {
    /// All measures.
    pub const ALL: [Self; 5] = [Self::Total, Self::Points, Self::Ratio, Self::Difference, Self::Relative];

    /// Returns the measure that fits a rule.
    pub fn of_rule(rule: &Rule) -> Self {
        match rule {
            Rule::Sum | Rule::Mean => Self::Total,
            Rule::Exact
            | Rule::Thresholds { .. }
            | Rule::Relative { .. }
            | Rule::Rank { .. }
            | Rule::RankTopCoder { .. } => Self::Points,
            Rule::Log => Self::Ratio,
        }
    }

    /// Returns the measure for a given smallest effect: if that is a number, shares of a total become points.
    pub fn of_rule_with(rule: &Rule, min_effect: Option<&MinEffect>) -> Self {
        match (Self::of_rule(rule), min_effect) {
            (Self::Total, Some(MinEffect::Amount(_))) => Self::Points,
            (measure, _) => measure,
        }
    }

    /// Returns whether a failed case has an effect.
    pub fn counts_failures(self) -> bool {
        matches!(self, Self::Total | Self::Points)
    }

    /// Returns the smallest effect that matters, on the scale of the effects. The default is 0.1 % for shares, and 0.1
    /// % of the maximal points of a case for points.
    ///
    /// # Errors
    /// Fails on a percentage for a measure that is not a share, or on the reverse.
    pub fn min_effect(self, rule: &Rule, given: Option<&MinEffect>) -> Result<Option<f64>, InvalidText> {
        match given {
            None => Ok(self.share_of_case(rule, DEFAULT_SHARE)),
            Some(MinEffect::Share(share)) => {
                let effect = self.share_of_case(rule, share.share());
                let unit = "not percentages here: write a number, such as 10";
                effect.map(Some).ok_or_else(|| self.unsuited(unit))
            }
            Some(MinEffect::Amount(amount)) if !self.is_share() => Ok(Some(*amount)),
            Some(MinEffect::Amount(_)) => Err(self.unsuited("percentages: write a percentage, such as 0.1%")),
        }
    }

    fn unsuited(self, unit: &str) -> InvalidText {
        InvalidText(format!("effects measured by `{self}` are {unit}"))
    }

    /// Returns the effect that is this share of the scores, of the total, or of the maximal points of a case; `None`
    /// without such a maximum.
    pub(super) fn share_of_case(self, rule: &Rule, share: f64) -> Option<f64> {
        match self {
            Self::Points => Some(share * rule.max_points()?.to_f64()?),
            _ => self.is_share().then(|| self.of_share(share)),
        }
    }

    /// Returns the largest possible effect of a case, before its weight. `None` without a maximum.
    pub fn bound(self, rule: &Rule) -> Option<f64> {
        match self {
            Self::Points => rule.max_points()?.to_f64(),
            Self::Relative => Some(MAX_RELATIVE),
            Self::Total | Self::Ratio | Self::Difference => None,
        }
    }

    /// Returns whether a bound of the differences between two scores is one of the effects.
    pub fn is_of_differences(self, rule: &Rule) -> bool {
        match self {
            Self::Total | Self::Difference => true,
            Self::Points => rule.counts_raw_scores(),
            Self::Ratio | Self::Relative => false,
        }
    }

    /// Returns whether effects are shown as percentages.
    pub fn is_share(self) -> bool {
        matches!(self, Self::Total | Self::Ratio | Self::Relative)
    }

    /// Returns the effect that is shown as this share.
    pub fn of_share(self, share: f64) -> f64 {
        if self == Self::Ratio { share.ln_1p() } else { share }
    }

    /// Returns the displayed number of an effect: percent for shares, else the effect itself.
    pub fn shown(self, effect: f64) -> f64 {
        match self {
            Self::Ratio => effect.exp_m1() * 100.0,
            Self::Total | Self::Relative => effect * 100.0,
            Self::Difference | Self::Points => effect,
        }
    }

    /// Returns an effect with its sign and unit, for a sentence.
    pub fn effect_text(self, effect: f64) -> String {
        let shown = self.shown(effect);
        if self.is_share() { format!("{shown:+.2} %") } else { format!("{shown:+.3}") }
    }

    /// Returns the measure between scores. `None` for measures of points.
    pub fn score_measure(self) -> Option<ScoreMeasure> {
        match self {
            Self::Ratio => Some(ScoreMeasure::LogRatio),
            Self::Difference => Some(ScoreMeasure::Difference),
            Self::Relative => Some(ScoreMeasure::Relative),
            Self::Total | Self::Points => None,
        }
    }

    /// Returns the name, as `--measure` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Ratio => "ratio",
            Self::Difference => "difference",
            Self::Relative => "relative",
            Self::Points => "points",
        }
    }
}

impl fmt::Display for EffectMeasure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The cases of a plan that share one effect, because their effects are not independent evidence.
#[derive(Debug, Clone, Default)]
pub struct EffectUnits {
    /// The first case of every unit.
    firsts: HashMap<Unit, usize>,
    /// By case: the first case of its unit.
    first_of: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Unit {
    TestGroup(usize),
    Input(Digest),
    /// The input was not read.
    Source(CaseSource),
}

impl EffectUnits {
    /// Returns the units of a plan's cases. `inputs` are the hashes of their inputs, where known.
    pub fn of(plan: &Plan, inputs: &[Option<Digest>]) -> Self {
        let mut units = Self::default();
        for (place, case) in plan.cases.iter().enumerate() {
            units.push(&plan.problem, &case, inputs.get(place).copied().flatten());
        }
        units
    }

    /// Adds a case. Returns whether it starts a new unit.
    pub fn push(&mut self, problem: &Problem, case: &CaseSpec, input: Option<Digest>) -> bool {
        let group = problem.test_group_of(case).filter(|&group| problem.test_groups[group].counts_as_a_whole());
        let unit = match (group, input) {
            (Some(group), _) => Unit::TestGroup(group),
            (None, Some(input)) => Unit::Input(input),
            (None, None) => Unit::Source(case.source.clone()),
        };
        let place = self.first_of.len();
        let first = *self.firsts.entry(unit).or_insert(place);
        self.first_of.push(first);
        first == place
    }

    /// Returns the first case of the unit of a case.
    pub(super) fn first_of(&self, case: usize) -> usize {
        self.first_of.get(case).copied().unwrap_or(case)
    }
}

/// The outcomes of a plan with their points under the problem's rule.
#[derive(Debug, Clone, Copy)]
pub struct ScoredOutcomes<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The outcomes.
    pub outcomes: &'a OutcomeGrid,
    /// The points.
    pub board: &'a Scoreboard,
    /// The units of cases.
    pub units: &'a EffectUnits,
}

/// The signs among the points of some cases that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PointSigns {
    has_positive: bool,
    has_negative: bool,
    /// Whether the first solver has points that are not 0.
    first_has_any: bool,
}

impl PointSigns {
    /// Returns the combined signs of both sets of cases.
    pub fn and(self, other: Self) -> Self {
        Self {
            has_positive: self.has_positive || other.has_positive,
            has_negative: self.has_negative || other.has_negative,
            first_has_any: self.first_has_any || other.first_has_any,
        }
    }

    /// Returns whether the first solver's total is 0 because all its points are 0.
    pub fn lack_a_total(self) -> bool {
        !self.first_has_any
    }

    /// Returns whether some points are below 0.
    pub fn has_negative(self) -> bool {
        self.has_negative
    }

    /// Returns whether differences can be a share of the first solver's total: it is not 0, and no two cases of any
    /// solver have points of different signs.
    pub fn allow_shares(self) -> bool {
        self.first_has_any && !(self.has_positive && self.has_negative)
    }
}

impl ScoredOutcomes<'_> {
    /// Returns the signs among the points of all solvers.
    pub fn signs(self) -> PointSigns {
        let is_finished = |case, solver| self.outcomes.has(JobId { case, solver });
        let of = |solver: usize| {
            let points = self.board.standings[solver].points.iter().zip(self.board.weights.iter()).enumerate();
            let counted = points.filter(move |(case, (_, weight))| !weight.is_zero() && is_finished(*case, solver));
            counted.filter_map(|(_, (points, _))| points)
        };
        let all = || (0..self.plan.solvers.len()).flat_map(of);
        PointSigns {
            has_positive: all().any(|points| points.is_positive()),
            has_negative: all().any(|points| points.is_negative()),
            first_has_any: of(0).any(|points| !points.is_zero()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use checkers::Score;

    #[test]
    fn the_rule_chooses_the_measure() {
        let of = |name: &str, min_effect: Option<&str>| {
            let min_effect: Option<MinEffect> = min_effect.map(|text| text.parse().unwrap());
            EffectMeasure::of_rule_with(&name.parse().unwrap(), min_effect.as_ref())
        };
        assert_eq!((of("sum", None), of("mean", Some("1%"))), (EffectMeasure::Total, EffectMeasure::Total));
        assert_eq!((of("sum", Some("10")), of("relative", Some("1%"))), (EffectMeasure::Points, EffectMeasure::Points));
        assert_eq!((of("log", None), of("rank", None)), (EffectMeasure::Ratio, EffectMeasure::Points));
    }

    #[test]
    fn a_halved_score_is_minus_50_percent() {
        assert_eq!(EffectMeasure::Ratio.effect_text(0.5_f64.ln()), "-50.00 %");
        assert_eq!(EffectMeasure::Total.effect_text(0.125), "+12.50 %");
        assert_eq!(EffectMeasure::Points.effect_text(-3.0), "-3.000");
    }

    #[test]
    fn points_are_measured_by_the_most_that_a_case_can_give() {
        let relative: Rule = "relative".parse().unwrap();
        let share = "1%".parse().unwrap();
        assert_eq!(EffectMeasure::Points.min_effect(&relative, None), Ok(Some(1_000.0)));
        assert_eq!(EffectMeasure::Points.min_effect(&relative, Some(&share)), Ok(Some(10_000.0)));
        let thresholds: Rule = "thresholds".parse().unwrap();
        assert_eq!(EffectMeasure::Points.bound(&thresholds), Some(10.0));
        let own = thresholds.with_max_points("62.5".parse::<Score>().unwrap().to_rational());
        assert_eq!(EffectMeasure::Points.bound(&own), Some(62.5));
        assert_eq!(EffectMeasure::Points.min_effect(&own, Some(&share)), Ok(Some(0.625)));
        assert_eq!(EffectMeasure::Total.bound(&relative), None);
    }

    #[test]
    fn the_smallest_effect_must_fit_the_measure() {
        let share = "10%".parse().unwrap();
        let amount = "10".parse().unwrap();
        assert_eq!(EffectMeasure::Ratio.min_effect(&Rule::Sum, Some(&share)), Ok(Some(0.1_f64.ln_1p())));
        assert_eq!(EffectMeasure::Points.min_effect(&Rule::Sum, Some(&amount)), Ok(Some(10.0)));
        assert_eq!(EffectMeasure::Points.min_effect(&Rule::Sum, None), Ok(None));
        assert!(EffectMeasure::Difference.min_effect(&Rule::Sum, Some(&share)).is_err());
        assert!(EffectMeasure::Relative.min_effect(&Rule::Sum, Some(&amount)).is_err());
        for text in ["0", "-1", "inf", "NaN", "x"] {
            assert!(text.parse::<MinEffect>().is_err(), "{text}");
        }
    }
}
