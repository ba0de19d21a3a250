//! The parameters of a test, the effect of one case, and the growing sequence of effects with its decision and its
//! interval.

use super::asymptotic::AsymptoticSequence;
use super::martingale::{Side, TestMartingale};
use super::warm_up::{SizeDistribution, WarmUp};
use crate::moments::{Interval, Moments};

/// Halvings of the bracket around an end of the interval: more digits than are ever printed.
const HALVINGS: u32 = 30;
/// Doublings in search of a center that is ruled out.
const DOUBLINGS: u32 = 40;

/// The parameters of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequenceSettings {
    /// The probability of a false decision, over all looks together.
    pub alpha: f64,
    /// The smallest effect that matters, positive. Without it, only better and worse can be decided.
    pub min_effect: Option<f64>,
    /// Every effect lies between minus this and this. Then the claims are exact for any distribution.
    pub bound: Option<f64>,
    /// Large effects on this share of the cases may outweigh the others, so nothing is claimed before such effects
    /// could have shown. With a bound this is unnecessary, and not used.
    pub rare: Option<f64>,
}

/// Why the parameters of a test are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSettings(String);

impl SequenceSettings {
    /// Returns these settings if they are valid.
    fn checked(self) -> Result<Self, InvalidSettings> {
        let is_useful = |number: &f64| *number > 0.0 && number.is_finite();
        let error = if !(self.alpha > 0.0 && self.alpha <= 0.25) {
            format!("alpha must be above 0 and at most 0.25, not {}", self.alpha)
        } else if let Some(effect) = self.min_effect.filter(|effect| !is_useful(effect)) {
            format!("the smallest effect that matters must be above 0, not {effect}")
        } else if let Some(bound) = self.bound.filter(|bound| !is_useful(bound)) {
            format!("the bound of the effects must be above 0, not {bound}")
        } else if let Some(rare) = self.rare.filter(|rare| !(1e-4..=0.5).contains(rare)) {
            format!("the share of rare effects must be from 0.01 % to 50 %, not {rare}")
        } else {
            return Ok(self);
        };
        Err(InvalidSettings(error))
    }

    /// Returns the logarithm of the wealth that a claim needs.
    fn threshold(self) -> f64 {
        (2.0 / self.alpha).ln()
    }
}

/// The effect of a case, and its base. The mean effect is the sum of the effects over the sum of the bases. It is a
/// plain mean if every base is 1, and a share of a total if each base is the case's part of that total.
///
/// The claim that the mean lies above c is the claim that effect - c * base is above 0 on average (Fieller, "Some
/// problems in interval estimation", JRSS B 16, 1954). So a share of a total is tested like a mean, without an estimate
/// of the total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The effect, in the unit of the base.
    pub effect: f64,
    /// The base. The sum over the cases is above 0.
    pub base: f64,
}

impl Term {
    /// Returns the term of a plain mean.
    pub fn plain(effect: f64) -> Self {
        Self { effect, base: 1.0 }
    }

    /// Returns the distance of the effect from `center` times the base.
    pub(crate) fn distance(self, center: f64) -> f64 {
        self.effect - center * self.base
    }
}

/// The decision from the cases so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The mean effect is above 0.
    Better,
    /// The mean effect is below 0.
    Worse,
    /// The mean effect is smaller, in size, than the smallest that matters.
    Smaller,
    /// No decision yet.
    Undecided,
}

/// The effects so far. Push an effect, look, and stop when decided. Looking does not raise the error probability. The
/// time for both is independent of the number of cases; only the interval takes longer.
#[derive(Debug, Clone)]
pub struct Sequence {
    settings: SequenceSettings,
    terms: Vec<Term>,
    effects: Moments,
    bases: Moments,
    against_zero: Evidence,
    /// About the two ends of "too small to matter".
    against_min_effect: Option<[Evidence; 2]>,
}

impl Sequence {
    /// Starts with no cases.
    ///
    /// # Errors
    /// An alpha outside (0, 0.25], or a smallest effect or a bound that is not positive and finite.
    pub fn new(settings: SequenceSettings) -> Result<Self, InvalidSettings> {
        let settings = settings.checked()?;
        let evidence = |center| Evidence::new(center, settings);
        Ok(Self {
            settings,
            terms: Vec::new(),
            effects: Moments::default(),
            bases: Moments::default(),
            against_zero: evidence(0.0),
            against_min_effect: settings.min_effect.map(|effect| [-effect, effect].map(evidence)),
        })
    }

    /// Adds the effect of one more case, which is finite and within the bound if there is one. Cases without an effect
    /// (a failure of either solver) are not pushed.
    pub fn push(&mut self, effect: f64) {
        self.push_term(Term::plain(effect));
    }

    /// Adds one more case of a ratio of sums. The decisions and the interval are then about the sum of the effects
    /// divided by the sum of the bases.
    pub fn push_term(&mut self, term: Term) {
        debug_assert!(term.effect.is_finite() && self.settings.bound.is_none_or(|bound| term.effect.abs() <= bound));
        self.terms.push(term);
        self.effects.push(term.effect);
        self.bases.push(term.base);
        self.against_zero.extend([term]);
        let term = self.tested(term);
        self.against_min_effect.iter_mut().flatten().for_each(|end| end.extend([term]));
    }

    /// Returns the term for testing a center. The bound limits the effects, not their distances from a share of the
    /// base. With a bound, centers are in the unit of the effects.
    fn tested(&self, term: Term) -> Term {
        if self.settings.bound.is_some() { Term::plain(term.effect) } else { term }
    }

    /// Returns the number of cases so far.
    pub fn count(&self) -> usize {
        self.terms.len()
    }

    /// Returns the current decision.
    pub fn decision(&self) -> Decision {
        if self.mean_base() <= 0.0 {
            Decision::Undecided
        } else if self.against_zero.excludes(Side::Above) {
            Decision::Better
        } else if self.against_zero.excludes(Side::Below) {
            Decision::Worse
        } else if self.is_smaller() {
            Decision::Smaller
        } else {
            Decision::Undecided
        }
    }

    fn is_smaller(&self) -> bool {
        self.against_min_effect.as_ref().is_some_and(|[low, high]| {
            (self.settings.bound.is_some() || self.count() >= self.fewest_for_smaller())
                && self.excludes_end(low, Side::Above)
                && self.excludes_end(high, Side::Below)
        })
    }

    /// Solvers that agree on case after case may still differ on a few. After n equal cases, with confidence 1 - alpha,
    /// they differ on at most 1 - alpha^(1/n) of the cases. "No difference" is claimed only when that share is at most
    /// alpha: after 59 cases for 0.05.
    fn fewest_for_smaller(&self) -> usize {
        (self.settings.alpha.ln() / (-self.settings.alpha).ln_1p()).ceil() as usize
    }

    /// Returns whether the mean lies on this side of an end of "too small to matter". With a bound and bases that vary, the end moves with the
    /// mean base. Then the evidence is computed again, but only if the moments allow a claim.
    fn excludes_end(&self, evidence: &Evidence, side: Side) -> bool {
        let center = evidence.center * self.mean_base();
        match self.settings.bound {
            Some(bound) if evidence.center != center => {
                TestMartingale::most(center, bound, &self.effects.less(center), side) >= self.settings.threshold()
                    && self.evidence_about(evidence.center).excludes(side)
            }
            _ => evidence.excludes(side),
        }
    }

    fn evidence_about(&self, center: f64) -> Evidence {
        let unit = if self.settings.bound.is_some() { self.mean_base() } else { 1.0 };
        let mut evidence = Evidence::new(center * unit, self.settings);
        evidence.extend(self.terms.iter().map(|&term| self.tested(term)));
        evidence
    }

    fn mean_base(&self) -> f64 {
        if self.terms.is_empty() { 1.0 } else { self.bases.mean() }
    }

    /// Returns the current interval: all means that the test martingale and the asymptotic sequence do not rule out
    /// now. Until the warm-up is over, it also contains the means that decisions are about. `None` while there are too
    /// few cases for both ends. Its ends agree with [`Sequence::decision`]. The intervals of all looks together contain
    /// the mean with a probability of 1 - alpha, in the sense of the module's first two conditions; with a bound,
    /// without conditions.
    pub fn interval(&self) -> Option<Interval> {
        if self.mean_base() <= 0.0 {
            return None;
        }
        let mean = self.effects.mean() / self.mean_base();
        // Without a bound, equal effects rule out every other mean at once, as soon as they rule out 0 or are 0.
        let is_settled = mean == 0.0 || self.decision() != Decision::Undecided;
        let is_equal = self.effects.deviation() == 0.0 && (mean == 0.0 || self.bases.deviation() == 0.0);
        if self.settings.bound.is_none() && self.count() > 1 && is_equal && is_settled {
            return Some(Interval { low: mean, high: mean });
        }
        Some(Interval { low: self.end(mean, Side::Above)?, high: self.end(mean, Side::Below)? })
    }

    /// Returns the end of the interval beyond which every center is ruled out because the mean lies on `side` of it. A
    /// center that decisions are about is not an end once it is ruled out. If many cases tie, every center above 0 may
    /// still be possible.
    fn end(&self, mean: f64, side: Side) -> Option<f64> {
        let (mut inside, mut outside) = self.bracket(mean, side)?;
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(inside, outside);
            if self.evidence_about(middle).is_unlikely(side) { outside = middle } else { inside = middle }
        }
        Some(if self.landmarks().contains(&outside) { inside } else { outside })
    }

    /// Returns the centers that decisions are about.
    fn landmarks(&self) -> [f64; 3] {
        let bound = self.settings.min_effect.unwrap_or(0.0);
        [-bound, 0.0, bound]
    }

    /// Returns a center that is possible and one that is ruled out. The centers that decisions are about come first,
    /// so that the interval never contradicts them.
    fn bracket(&self, mean: f64, side: Side) -> Option<(f64, f64)> {
        let mut inside = mean;
        let mut landmarks = self.landmarks();
        // Nearest to the mean first.
        landmarks.sort_by(|left, right| (mean - left).abs().total_cmp(&(mean - right).abs()));
        for center in landmarks.into_iter().filter(|&center| side.sign() * (mean - center) > 0.0) {
            if self.evidence_about(center).excludes(side) {
                return Some((inside, center));
            }
            inside = center;
        }
        if let Some(bound) = self.settings.bound {
            return Some((inside, -side.sign() * bound / self.mean_base()));
        }
        // If every case has the same ratio, only rounding errors remain.
        let least = mean.abs() * f64::EPSILON;
        let error = (self.evidence_about(mean).moments.standard_error() / self.mean_base()).max(least);
        let steps = (0..DOUBLINGS).map(|step| mean - side.sign() * error * f64::from(step).exp2());
        let last = inside;
        for center in steps.filter(|&center| side.sign() * (last - center) > 0.0) {
            if self.evidence_about(center).is_unlikely(side) {
                return Some((inside, center));
            }
            inside = center;
        }
        None
    }
}

/// The evidence of the cases so far about one center.
///
/// The moments are updated with every case. Bets and sizes cost more, and matter only if the moments support a claim.
/// They are then brought up to date, in the order of the cases.
#[derive(Debug, Clone)]
struct Evidence {
    settings: SequenceSettings,
    center: f64,
    distances: Vec<f64>,
    /// Of the distances from the center.
    moments: Moments,
    /// The number of distances that the two below contain.
    caught_up: usize,
    martingale: TestMartingale,
    sizes: SizeDistribution,
}

impl Evidence {
    /// Starts with no cases. With a bound of the effects every base is to be 1.
    fn new(center: f64, settings: SequenceSettings) -> Self {
        Self {
            settings,
            center,
            distances: Vec::new(),
            moments: Moments::default(),
            caught_up: 0,
            martingale: TestMartingale::new(center, settings.bound),
            sizes: SizeDistribution::default(),
        }
    }

    /// Adds cases without looking in between.
    fn extend(&mut self, terms: impl IntoIterator<Item = Term>) {
        for term in terms {
            let distance = term.distance(self.center);
            self.distances.push(distance);
            self.moments.push(distance);
        }
        if self.is_supported(Side::Above) || self.is_supported(Side::Below) {
            for &distance in &self.distances[self.caught_up..] {
                self.martingale.push(distance);
                self.sizes.push(distance);
            }
            self.caught_up = self.distances.len();
        }
    }

    /// Returns whether the moments support the mean on this side of the center. With a bound the test martingale
    /// suffices: without one, the bets are fair only under symmetry.
    fn is_supported(&self, side: Side) -> bool {
        self.settings.bound.is_some() || AsymptoticSequence::new(self.settings.alpha).supports(&self.moments, side)
    }

    /// Returns whether the cases support a mean on this side of the center, without the warm-up.
    fn is_unlikely(&self, side: Side) -> bool {
        self.is_supported(side) && self.martingale.log_wealth(side) >= self.settings.threshold()
    }

    /// Returns whether the cases support the claim that the mean lies on this side of the center.
    fn excludes(&self, side: Side) -> bool {
        let SequenceSettings { alpha, bound, rare, .. } = self.settings;
        let is_over = || WarmUp::new(alpha, rare).is_over(&self.distances, &self.sizes, &self.moments, side);
        self.is_unlikely(side) && (bound.is_some() || is_over())
    }
}

#[cfg(test)]
mod tests;
