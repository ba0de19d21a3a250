//! The measures of effects, the smallest effect that matters, and the scored outcomes that effects are computed from.

use judge_problem::scoring::{ScoreMeasure, Scoreboard, needed_by};
use judge_problem::{
    CaseSource, CaseSpec, Digest, InvalidText, JobId, OutcomeGrid, Percent, Plan, Problem, Rule, Verdict, named_enum,
};
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::{HashMap, HashSet};
use std::str::FromStr;

/// The default of the smallest effect that matters, as a share of 1 or of the maximum points of a case.
const DEFAULT_SHARE: f64 = 0.001;

/// The largest relative difference between scores of one sign.
const MAX_RELATIVE: f64 = 1.0;

named_enum! {
    /// The measure of effects.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum EffectMeasure {
        /// The difference of the points that the problem's rule totals, as a share of the first solver's total, shown as
        /// a percentage.
        Total = "total",
        /// The difference of the points that the problem's scoring rule gives.
        Points = "points",
        /// The logarithm of the scores' ratio, shown as a percentage.
        Ratio = "ratio",
        /// The difference of the scores.
        Difference = "difference",
        /// The difference over the larger score, shown as a percentage.
        Relative = "relative",
    }
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
                let share = text.parse().ok().filter(|share: &Percent| share.0.is_positive()).map(Self::Share);
                share.ok_or_else(|| InvalidText::expected("a percentage such as 0.5%, or a number, above 0", text))
            }
        }
    }
}

impl EffectMeasure {
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

    /// Returns whether effects are of points that the rule makes of scores. More points are better, even if small
    /// scores are good.
    pub fn is_of_points(self, rule: &Rule) -> bool {
        self.counts_failures() && !rule.counts_raw_scores()
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

    pub(super) fn unsuited(self, unit: &str) -> InvalidText {
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
        if self.is_share() { format!("{} %", signed_decimals(shown, 2)) } else { signed_decimals(shown, 3) }
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
}

/// The cases of a plan that share one effect, because their effects are not independent evidence.
#[derive(Debug, Clone, Default)]
pub struct EffectUnits {
    /// A case of every group, and of every input.
    firsts: HashMap<Unit, usize>,
    /// By case: an earlier case of its unit, or itself if it is the first.
    first_of: Vec<usize>,
    /// By test group: the groups that its cases count together with.
    joined: Vec<Vec<usize>>,
    /// The jobs whose points depend on another job with a judge error.
    faults: HashSet<JobId>,
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
    pub fn of(plan: &Plan, inputs: &[Option<Digest>], outcomes: &OutcomeGrid) -> Self {
        let groups: Vec<_> = plan.cases.iter().map(|case| plan.problem.test_group_of(&case)).collect();
        let mut members = vec![Vec::new(); plan.problem.test_groups.len()];
        for (case, group) in groups.iter().enumerate() {
            group.iter().for_each(|&group| members[group].push(case));
        }
        let joined = joined(&plan.problem, &members, outcomes);
        let mut units = Self { joined, faults: faults(&plan.problem, &members, outcomes), ..Self::default() };
        for (place, case) in plan.cases.iter().enumerate() {
            units.add(groups[place], &case, inputs.get(place).copied().flatten());
        }
        for case in 0..units.first_of.len() {
            units.first_of[case] = units.first_of[units.first_of[case]];
        }
        units
    }

    /// Adds a case that is in no test group. Returns whether it starts a new unit.
    pub fn push(&mut self, case: &CaseSpec, input: Option<Digest>) -> bool {
        let place = self.first_of.len();
        self.add(None, case, input);
        self.first_of[place] == place
    }

    fn add(&mut self, group: Option<usize>, case: &CaseSpec, input: Option<Digest>) {
        let place = self.first_of.len();
        self.first_of.push(place);
        let joined = group.and_then(|group| self.joined.get(group)).cloned().unwrap_or_default();
        let input = input.map_or_else(|| Unit::Source(case.source.clone()), Unit::Input);
        for unit in joined.into_iter().map(Unit::TestGroup).chain([input]) {
            let earlier = *self.firsts.entry(unit).or_insert(place);
            let (one, other) = (self.root(earlier), self.root(place));
            self.first_of[one.max(other)] = one.min(other);
        }
    }

    fn root(&self, mut case: usize) -> usize {
        while self.first_of[case] != case {
            case = self.first_of[case];
        }
        case
    }

    /// Returns the first case of the unit of a case.
    pub(super) fn first_of(&self, case: usize) -> usize {
        self.first_of.get(case).copied().unwrap_or(case)
    }
}

/// Writes a number with its sign and this many decimals, or with an exponent if they would all be 0.
pub fn signed_decimals(number: f64, decimals: usize) -> String {
    let text = format!("{number:+.decimals$}");
    let is_zero = !text.contains(|digit| ('1'..='9').contains(&digit));
    if is_zero && number != 0.0 { format!("{number:+.1e}") } else { text }
}

/// Returns for each group the groups that its cases count together with: itself if it counts as a whole, and the groups
/// that it needs if any solver failed them. One failure then costs several groups their points. If no solver failed
/// them, the groups remain separate. Exchanging the solvers changes nothing.
fn joined(problem: &Problem, members: &[Vec<usize>], outcomes: &OutcomeGrid) -> Vec<Vec<usize>> {
    let is_failure = |verdict| !matches!(verdict, Verdict::Accepted | Verdict::Skipped);
    let verdicts = |case: usize| outcomes.of_case(case).flatten().map(|outcome| outcome.verdict);
    let has_failed = |group: usize| members[group].iter().any(|&case| verdicts(case).any(is_failure));
    let whole = problem.test_groups.iter().enumerate();
    let mut joined: Vec<Vec<usize>> =
        whole.map(|(place, group)| group.counts_as_a_whole().then_some(place).into_iter().collect()).collect();
    for group in 0..joined.len() {
        for needed in needed_by(&problem.test_groups, group).into_iter().filter(|&needed| has_failed(needed)) {
            joined[group].push(needed);
            joined[needed].push(needed);
        }
    }
    joined
}

/// Returns the jobs whose points depend on a judge error, because their group counts as a whole, or because the rule compares
/// the solvers of a case. Such points say nothing about the solver.
fn faults(problem: &Problem, members: &[Vec<usize>], outcomes: &OutcomeGrid) -> HashSet<JobId> {
    let mut faults = HashSet::new();
    for (place, _) in problem.test_groups.iter().enumerate().filter(|(_, group)| group.counts_as_a_whole()) {
        let groups = [place].into_iter().chain(needed_by(&problem.test_groups, place));
        let cases: Vec<usize> = groups.flat_map(|group| members[group].iter().copied()).collect();
        for solver in 0..outcomes.solver_count() {
            let is_fault = |&case: &usize| outcomes.verdict(JobId { case, solver }) == Verdict::JudgeError;
            if cases.iter().any(is_fault) {
                faults.extend(members[place].iter().map(|&case| JobId { case, solver }));
            }
        }
    }
    if problem.scoring.ranks_solvers() {
        let is_fault = |job: &JobId| outcomes.verdict(*job) == Verdict::JudgeError;
        for JobId { case, .. } in outcomes.iter().map(|(job, _)| job).filter(is_fault) {
            faults.extend((0..outcomes.solver_count()).map(|solver| JobId { case, solver }));
        }
    }
    faults
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
    /// Returns whether the points of a job depend on a fault of the judge, which says nothing about the solver.
    pub(super) fn is_fault(self, job: JobId) -> bool {
        self.outcomes.verdict(job) == Verdict::JudgeError || self.units.faults.contains(&job)
    }

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
        assert_eq!(EffectMeasure::Total.effect_text(1e-10), "+1.0e-8 %");
        assert_eq!(EffectMeasure::Total.effect_text(-2e-5), "-2.0e-3 %");
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
        for text in ["0", "0%", "-1", "inf", "NaN", "x"] {
            assert!(text.parse::<MinEffect>().is_err(), "{text}");
        }
    }
}
