//! Two solvers paired by case: the effect of each case, and the cases that have none.

use super::terms::{RawPair, TermUnit, sign};
use super::{EffectMeasure, RuleEffect, ScoredOutcomes};
use judge_problem::scoring::{ExactSum, points_effect};
use judge_problem::{Direction, JobId, Outcome};
use judge_statistics::{Moments, Term};
use num_traits::{ToPrimitive, Zero};
use std::collections::HashMap;

/// Two solvers of a plan, paired by case.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedComparison {
    /// The reference solver, by its place in the plan.
    pub first: usize,
    /// The solver that is compared with it.
    pub second: usize,
    /// The effects, in the order of the plan: one for each case, or for cases that count together.
    pub pairs: Vec<Pair>,
    /// The number of cases whose effects these are.
    pub cases: usize,
    /// The number of cases that both solved.
    pub solved: usize,
    /// The cases that at least one of them failed.
    pub failures: Failures,
    /// The number of cases that should have an effect and have none, as the ratio to a score of 0.
    pub undefined: usize,
    /// The largest effect of a difference of 1 between scores, or between points, in the unit of the terms.
    pub unit: f64,
    /// What the problem's rule says of the two.
    pub by_rule: RuleEffect,
}

/// A case with its effect, or cases that count together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Its place in the plan, or that of the first.
    pub case: usize,
    /// How much better the second solver is on it, in units of the mean base; negative if it is worse. The mean over the
    /// cases is the effect as a whole.
    pub effect: f64,
    /// What the effect is a part of: the case's weight, or its score by the first solver for a share of the total. The
    /// mean over the cases is 1.
    pub base: f64,
    /// Both in a unit that does not depend on the other cases.
    pub term: Term,
}

/// The cases that were not accepted, by their places in the plan. Cases that were not run are not among them.
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
    #[must_use]
    pub fn of(scored: ScoredOutcomes<'_>, measure: EffectMeasure, first: usize, second: usize) -> Self {
        let mut failures = Failures::default();
        let (mut solved, mut undefined) = (0, 0);
        let mut units = UnitSums::default();
        for case in 0..scored.plan.cases.len() {
            let Some(played) = PlayedCase::of(scored, measure, case, [first, second]) else { continue };
            match played.solved {
                [true, true] => solved += 1,
                [true, false] => failures.second.push(case),
                [false, true] => failures.first.push(case),
                [false, false] => failures.both.push(case),
            }
            undefined += usize::from(played.is_undefined());
            units.add(scored.units.first_of(case), played);
        }
        let by_rule = RuleEffect::of(scored, first, second);
        let (pairs, cases) = (Vec::new(), units.cases);
        let mut paired = Self { first, second, pairs, cases, solved, failures, undefined, unit: 1.0, by_rule };
        paired.divide(&units.sums, units.heaviest());
        paired
    }

    /// Divides all effects by the mean base. Without any, no case has an effect.
    pub(super) fn divide(&mut self, raw: &[RawPair], heaviest: f64) {
        let mut unit = TermUnit::default();
        let terms: Vec<Term> = raw.iter().map(|pair| unit.term(pair)).collect();
        let total = raw.iter().map(|pair| pair.base.number()).collect::<ExactSum>().value();
        let count = raw.len() as f64;
        let mean = total.to_f64().map(|total| total / count);
        let Some(mean) = mean.filter(|mean| *mean != 0.0 && mean.is_finite()) else {
            self.undefined += raw.len();
            return;
        };
        self.unit = heaviest / unit.size();
        let divided = |(pair, term): (&RawPair, &Term)| Pair {
            case: pair.case,
            effect: pair.effect / mean.abs(),
            base: pair.base.to_f64() / mean,
            term: Term { base: term.base * sign(&total), ..*term },
        };
        self.pairs = raw.iter().zip(&terms).map(divided).collect();
    }

    /// Returns the effects, in the order of the cases.
    #[must_use]
    pub fn effects(&self) -> Vec<f64> {
        self.pairs.iter().map(|pair| pair.effect).collect()
    }

    /// Returns the mean effect, 0 without any.
    #[must_use]
    pub fn mean(&self) -> f64 {
        Moments::of(&self.effects()).mean()
    }

    /// Returns the effects with their bases, whose mean is 1.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        self.pairs.iter().map(|pair| Term { effect: pair.effect, base: pair.base }).collect()
    }

    /// Keeps some of the cases. Their effects are then parts of what these cases have.
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
    }
}

/// The pairs so far, summed where cases count together.
#[derive(Default)]
struct UnitSums {
    sums: Vec<RawPair>,
    /// By unit: the weight of its cases.
    weights: HashMap<usize, f64>,
    /// By unit: the place of its sum.
    places: HashMap<usize, usize>,
    /// The number of cases in the sums.
    cases: usize,
}

impl UnitSums {
    /// Adds a case of this unit.
    fn add(&mut self, unit: usize, played: PlayedCase) {
        *self.weights.entry(unit).or_default() += played.weight;
        let Some(pair) = played.pair else { return };
        self.cases += 1;
        match self.places.get(&unit) {
            Some(&place) => self.sums[place].add(&pair),
            None => {
                self.places.insert(unit, self.sums.len());
                self.sums.push(pair);
            }
        }
    }

    fn heaviest(&self) -> f64 {
        self.weights.values().copied().fold(0.0, f64::max)
    }
}

/// What a case that both solvers were run on adds to their comparison.
pub(super) struct PlayedCase {
    /// Whether each of them solved it.
    pub(super) solved: [bool; 2],
    /// Its weight, 0 if it has no part in the effect.
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
        let outcome = |solver| scored.outcomes.get(JobId { case, solver });
        let (a, b) = (outcome(first)?, outcome(second)?);
        let solved = [a.is_accepted(), b.is_accepted()];
        let weight = scored.board.weights.get(case);
        if weight.is_zero() || !(solved == [true, true] || measure.counts_failures()) {
            return Some(Self { solved, weight: 0.0, pair: None });
        }
        let pair = raw_pair(scored, measure, case, [(first, &a), (second, &b)]);
        Some(Self { solved, weight: weight.to_f64().unwrap_or(f64::INFINITY), pair })
    }

    /// Returns whether it should have an effect and has none.
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
            let effect = measure.effect(a.score.as_ref()?, b.score.as_ref()?)?;
            (effect, scored.plan.problem.direction, weight.clone())
        }
        None => {
            let effect = points_effect(&points(first)?, &points(second)?)?;
            let base = if measure == EffectMeasure::Total { points(first)? * &weight } else { weight.clone() };
            (effect, scored.board.direction, base)
        }
    };
    let signed = match direction {
        Direction::Max => effect,
        Direction::Min => -effect,
    };
    Some(RawPair { case, effect: signed * weight.to_f64()?, base: base.into() })
}
