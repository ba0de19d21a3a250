//! Two solvers paired by case: the effect of each case, the result under the problem's rule, and the contrast of both.

use super::measure::{EffectMeasure, ScoredOutcomes};
use judge_problem::scoring::{Exact, ExactSum, ScoreMeasure, relative};
use judge_problem::{Direction, JobId, Outcome};
use judge_statistics::{Moments, Term, mean_interval, power_of_two};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Two solvers of a plan, paired by case.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedComparison {
    /// The index of the reference solver in the plan.
    pub first: usize,
    /// The index of the other solver.
    pub second: usize,
    /// The effects, in the order of the plan. Cases that count together have one effect.
    pub pairs: Vec<Pair>,
    /// The mean effect, rounded once.
    pub(super) mean: f64,
    /// The number of cases with an effect.
    pub cases: usize,
    /// The number of cases that both solved.
    pub solved: usize,
    /// The cases that at least one solver failed.
    pub failures: Failures,
    /// The number of cases whose effect is undefined, such as the ratio to a score of 0.
    pub undefined: usize,
    /// The number of cases that are left out for a judge error: their own, or one that their points depend on.
    pub faults: usize,
    /// The largest effect of a difference of 1 between scores, or between points, in the unit of the terms.
    pub unit: f64,
    /// Which solver is ahead under the problem's rule.
    pub by_rule: RuleEffect,
}

/// A case with its effect, or cases that count together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The index of the case, or of the first one, in the plan.
    pub case: usize,
    /// How much better the second solver is, in units of the mean base. Negative if it is worse. The mean over all
    /// cases is the total effect.
    pub effect: f64,
    /// The base of the effect: the weight of the case, or the first solver's score for shares of the total. The mean
    /// over all cases is 1.
    pub base: f64,
    /// The place of the exact size among all sizes, from 1, with the sign of the effect. Equal sizes have equal places.
    pub place: f64,
    /// Effect and base in a unit that does not depend on the other cases.
    pub term: Term,
}

/// The failed cases, by their indices in the plan, without cases that were not run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// Only the first solver failed.
    pub first: Vec<usize>,
    /// Only the second solver failed.
    pub second: Vec<usize>,
    /// Both failed.
    pub both: Vec<usize>,
}

impl PairedComparison {
    /// Pairs two solvers of a plan by this measure. A case counts by its weight.
    pub fn of(scored: ScoredOutcomes<'_>, measure: EffectMeasure, first: usize, second: usize) -> Self {
        let mut failures = Failures::default();
        let (mut cases, mut solved, mut undefined, mut faults) = (0, 0, 0, 0);
        // By unit: the weight of its cases, and the sum of their effects and bases.
        let mut units: HashMap<usize, (f64, Option<RawPair>)> = HashMap::new();
        for case in 0..scored.plan.cases.len() {
            faults += usize::from([first, second].iter().any(|&solver| scored.is_fault(JobId { case, solver })));
            let Some(played) = PlayedCase::of(scored, measure, case, [first, second]) else { continue };
            match played.solved {
                [true, true] => solved += 1,
                [true, false] => failures.second.push(case),
                [false, true] => failures.first.push(case),
                [false, false] => failures.both.push(case),
            }
            undefined += usize::from(played.is_undefined());
            cases += usize::from(played.pair.is_some());
            let (weight, sum) = units.entry(scored.units.first_of(case)).or_default();
            *weight += played.weight;
            *sum = match (sum.take(), played.pair) {
                (Some(sum), Some(pair)) => Some(sum.and(&pair)),
                (sum, pair) => sum.or(pair),
            };
        }
        let by_rule = RuleEffect::of(scored, first, second);
        let heaviest = units.values().map(|(weight, _)| *weight).fold(0.0, f64::max);
        let mut sums: Vec<RawPair> = units.into_values().filter_map(|(_, sum)| sum).collect();
        sums.sort_unstable_by_key(|pair| pair.case);
        let (pairs, mean, unit) = (Vec::new(), 0.0, 1.0);
        let mut paired = Self { first, second, pairs, mean, cases, solved, failures, undefined, faults, unit, by_rule };
        paired.divide(&sums, heaviest);
        paired
    }

    /// Divides all effects by the mean base. If that is 0, or a number is too large for floating point, no case has an
    /// effect.
    pub(super) fn divide(&mut self, raw: &[RawPair], heaviest: f64) {
        let mut unit = TermUnit::default();
        let terms: Vec<Term> = raw.iter().map(|pair| unit.term(pair)).collect();
        let total = raw.iter().map(|pair| pair.base.number()).collect::<ExactSum>().value();
        let count = raw.len() as f64;
        let mean = total.to_f64().map(|total| total / count);
        let are_finite = |mean: &f64| raw.iter().all(|pair| (pair.effect.to_f64() / mean).is_finite());
        let Some(mean) = mean.filter(|mean| *mean != 0.0 && mean.is_finite() && are_finite(mean)) else {
            self.undefined += std::mem::take(&mut self.cases);
            return;
        };
        self.unit = heaviest / unit.size();
        let sum = raw.iter().map(|pair| pair.effect.number()).collect::<ExactSum>().value();
        self.mean = (sum / total.abs()).to_f64().unwrap_or(0.0);
        let divided = |((pair, term), place): ((&RawPair, &Term), f64)| Pair {
            case: pair.case,
            effect: pair.effect.to_f64() / mean.abs(),
            base: pair.base.to_f64() / mean,
            place,
            term: Term { base: term.base * sign(&total), ..*term },
        };
        self.pairs = raw.iter().zip(&terms).zip(signed_places(raw)).map(divided).collect();
    }

    /// Returns the effects, in the order of the cases.
    pub fn effects(&self) -> Vec<f64> {
        self.pairs.iter().map(|pair| pair.effect).collect()
    }

    /// Returns the mean effect, 0 without any. It is rounded once, so it is 0 only if the effects cancel out exactly.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the signed places of the effects, in the order of the cases.
    pub(super) fn places(&self) -> Vec<f64> {
        self.pairs.iter().map(|pair| pair.place).collect()
    }

    /// Returns the effects with their bases, whose mean is 1.
    pub fn terms(&self) -> Vec<Term> {
        self.pairs.iter().map(|pair| Term { effect: pair.effect, base: pair.base }).collect()
    }

    /// Keeps some of the cases. Their effects become relative to these cases.
    pub(super) fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        self.pairs.retain(|pair| is_kept(pair.case));
        for cases in [&mut self.failures.first, &mut self.failures.second, &mut self.failures.both] {
            cases.retain(|case| is_kept(*case));
        }
        let mean = self.pairs.iter().map(|pair| pair.base).sum::<f64>() / self.pairs.len() as f64;
        if mean == 0.0 {
            self.pairs.clear();
        }
        for pair in &mut self.pairs {
            (pair.effect, pair.base) = (pair.effect / mean.abs(), pair.base / mean);
        }
        self.mean = Moments::of(&self.effects()).mean();
    }
}

/// Returns the [place](Pair::place) of each effect. Sizes that differ can be equal after rounding.
fn signed_places(raw: &[RawPair]) -> Vec<f64> {
    let sizes: Vec<(f64, BigRational)> =
        raw.iter().map(|pair| (pair.effect.to_f64().abs(), pair.effect.number().abs())).collect();
    // Comparing rounded sizes first is faster.
    let compare = |&left: &usize, &right: &usize| sizes[left].partial_cmp(&sizes[right]).unwrap_or(Ordering::Equal);
    let mut order: Vec<usize> = (0..raw.len()).collect();
    order.sort_by(compare);
    let mut places = vec![0.0; raw.len()];
    for (place, equal) in order.chunk_by(|left, right| compare(left, right).is_eq()).enumerate() {
        equal.iter().for_each(|&pair| places[pair] = (place + 1) as f64 * sign(&raw[pair].effect.number()));
    }
    places
}

/// The contribution of a case that both solvers ran.
pub(super) struct PlayedCase {
    /// Whether each of them solved it.
    pub(super) solved: [bool; 2],
    /// Its weight. 0 if it does not count.
    pub(super) weight: f64,
    /// Its effect, if it has one.
    pub(super) pair: Option<RawPair>,
}

impl PlayedCase {
    pub(super) fn of(
        scored: ScoredOutcomes<'_>,
        measure: EffectMeasure,
        case: usize,
        [first, second]: [usize; 2],
    ) -> Option<Self> {
        let outcome = |solver| {
            let job = JobId { case, solver };
            scored.outcomes.get(job).filter(|_| !scored.is_fault(job))
        };
        let (a, b) = (outcome(first)?, outcome(second)?);
        let solved = [a.is_accepted(), b.is_accepted()];
        let weight = scored.board.weights.get(case);
        if weight.is_zero() || !(solved == [true, true] || measure.counts_failures()) {
            return Some(Self { solved, weight: 0.0, pair: None });
        }
        let pair = raw_pair(scored, measure, case, [(first, &a), (second, &b)]);
        Some(Self { solved, weight: weight.to_f64().unwrap_or(f64::INFINITY), pair })
    }

    /// Returns whether its effect is undefined.
    fn is_undefined(&self) -> bool {
        self.weight > 0.0 && self.solved == [true, true] && self.pair.is_none()
    }
}

/// Larger effects are better for every direction: if small numbers are good, the sign is reversed here.
fn raw_pair(
    scored: ScoredOutcomes<'_>,
    measure: EffectMeasure,
    case: usize,
    solvers: [(usize, &Outcome); 2],
) -> Option<RawPair> {
    let [(first, a), (second, b)] = solvers;
    let weight = scored.board.weights.get(case);
    let points = |solver: usize| scored.board.standings[solver].points.get(case);
    let (effect, direction, base) = match measure.score_measure() {
        Some(measure) => {
            let (a, b) = (a.score.as_ref()?, b.score.as_ref()?);
            let effect = match measure {
                ScoreMeasure::Difference => b.to_rational() - a.to_rational(),
                ScoreMeasure::Relative => relative(&a.to_rational(), &b.to_rational()),
                ScoreMeasure::LogRatio => BigRational::from_float(measure.effect(a, b)?)?,
            };
            (effect, scored.plan.problem.direction, weight.clone())
        }
        None => {
            let effect = points(second)? - points(first)?;
            let base = if measure == EffectMeasure::Total { points(first)? * &weight } else { weight.clone() };
            (effect, scored.board.direction, base)
        }
    };
    let effect = signed(effect, direction) * weight;
    // Neither infinite nor rounded to 0.
    effect.to_f64().filter(|number| number.is_finite() && (*number == 0.0) == effect.is_zero())?;
    Some(RawPair { case, effect: effect.into(), base: base.into() })
}

/// Returns a difference as a gain: above 0 if the second number is better.
fn signed(difference: BigRational, direction: Direction) -> BigRational {
    match direction {
        Direction::Max => difference,
        Direction::Min => -difference,
    }
}

/// A case before the effects are divided by the mean base.
pub(super) struct RawPair {
    pub(super) case: usize,
    /// Exact, so that effects that cancel out in a sum leave no rounding error.
    pub(super) effect: Exact,
    pub(super) base: Exact,
}

impl RawPair {
    /// Returns the sum with a case that counts together with this one.
    fn and(self, other: &Self) -> Self {
        let effect = (self.effect.number() + other.effect.number()).into();
        Self { case: self.case, effect, base: (self.base.number() + other.base.number()).into() }
    }
}

/// The unit of the terms. It is a power of two, so dividing by it is exact. Without a unit, fourth powers of huge
/// scores would be infinite.
#[derive(Debug, Clone, Default)]
pub(super) struct TermUnit(Option<f64>);

impl TermUnit {
    /// Returns the term of a pair as if the total were above 0. The first pair determines the unit.
    pub(super) fn term(&mut self, pair: &RawPair) -> Term {
        let base = pair.base.to_f64();
        let unit = *self.0.get_or_insert_with(|| power_of_two(base));
        Term { effect: pair.effect.to_f64() / unit, base: base / unit }
    }

    /// Returns the unit, 1 without any pairs.
    pub(super) fn size(&self) -> f64 {
        self.0.unwrap_or(1.0)
    }
}

/// Returns the sign of a number: 1, -1 or 0.
pub(super) fn sign(number: &BigRational) -> f64 {
    number.signum().to_f64().unwrap_or(0.0)
}

/// Which of two solvers is ahead under the problem's rule, on the cases that were run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleEffect {
    /// The sum of the differences of the weighted points, over the cases where both have points. Above 0 the second
    /// solver is better.
    pub lead: BigRational,
    /// The number of cases for which the rule gives only the second solver points. The first has no total then.
    pub first_lacks: usize,
    /// The number of cases for which the rule gives only the first solver points. The second has no total then.
    pub second_lacks: usize,
}

impl RuleEffect {
    pub(super) fn of(scored: ScoredOutcomes<'_>, first: usize, second: usize) -> Self {
        let mut effect = Self::default();
        let leads = (0..scored.board.weights.len()).filter_map(|case| effect.count(scored, case, [first, second]));
        effect.lead = leads.collect::<ExactSum>().value();
        effect
    }

    /// Adds a case.
    pub(super) fn push(&mut self, scored: ScoredOutcomes<'_>, case: usize, solvers: [usize; 2]) {
        if let Some(lead) = self.count(scored, case, solvers) {
            self.lead += lead;
        }
    }

    /// Counts the solvers without points on a case. Returns the lead of the second solver if both have points.
    fn count(&mut self, scored: ScoredOutcomes<'_>, case: usize, [first, second]: [usize; 2]) -> Option<BigRational> {
        let is_judged = |solver| {
            let job = JobId { case, solver };
            scored.outcomes.has(job) && !scored.is_fault(job)
        };
        let weight = scored.board.weights.get(case);
        if weight.is_zero() || !is_judged(first) || !is_judged(second) {
            return None;
        }
        let points = |solver: usize| scored.board.standings[solver].points.get(case);
        match (points(first), points(second)) {
            (Some(a), Some(b)) => return Some(signed(b - a, scored.board.direction) * weight),
            (Some(_), None) => self.second_lacks += 1,
            (None, Some(_)) => self.first_lacks += 1,
            (None, None) => {}
        }
        None
    }

    /// Returns whether the rule agrees, or does not object, that the second solver is better.
    pub(super) fn allows_better(&self) -> bool {
        !self.lead.is_negative() && self.second_lacks == 0
    }

    /// Returns whether the rule agrees, or does not object, that the second solver is worse.
    pub(super) fn allows_worse(&self) -> bool {
        !self.lead.is_positive() && self.first_lacks == 0
    }
}

/// A mean log-ratio below this is negligible: 0.1 %.
const NEGLIGIBLE: f64 = 0.001;

/// A contradiction: the ratio of the scores favours one solver, the problem's rule the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// The measure of the rule's effect.
    pub measure: EffectMeasure,
    /// The mean logarithm of the ratio of the scores, over the cases that both solved.
    pub ratio: f64,
    /// The mean effect by the rule.
    pub by_rule: f64,
    /// The smallest set of cases without which the rule would not favour its side, by their indices in the plan,
    /// heaviest first.
    pub cases: Vec<usize>,
}

impl Contrast {
    /// Returns the contrast of two comparisons of the same solvers, if there is one: the means are on different sides
    /// of 0, at least one of them with certainty, and the ratio's mean is not negligible.
    pub fn between(
        ratio: &PairedComparison,
        (measure, by_rule): (EffectMeasure, &PairedComparison),
        alpha: f64,
    ) -> Option<Self> {
        let means = [ratio.mean, by_rule.mean];
        let is_certain = |paired: &PairedComparison| {
            mean_interval(&Moments::of(&paired.effects()), alpha).is_some_and(|interval| !interval.contains(0.0))
        };
        let is_opposite = means[0] * means[1] < 0.0 && means[0].abs() >= NEGLIGIBLE;
        (is_opposite && (is_certain(ratio) || is_certain(by_rule))).then(|| Self {
            measure,
            ratio: means[0],
            by_rule: means[1],
            cases: weightiest(by_rule, means[1].signum()),
        })
    }
}

/// Returns the smallest set of cases without which the sum of the effects does not have this sign.
fn weightiest(paired: &PairedComparison, sign: f64) -> Vec<usize> {
    let mut pairs = paired.pairs.clone();
    pairs.sort_by(|left, right| (right.effect * sign).total_cmp(&(left.effect * sign)));
    let mut sum: f64 = pairs.iter().map(|pair| pair.effect * sign).sum();
    let mut cases = Vec::new();
    for pair in pairs {
        if sum <= 0.0 {
            break;
        }
        sum -= pair.effect * sign;
        cases.push(pair.case);
    }
    cases
}
