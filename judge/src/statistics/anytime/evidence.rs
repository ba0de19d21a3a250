//! What a growing sample says of one center: the three conditions, each updated case by case.

use super::asymptotic::AsymptoticSequence;
use super::chances::Chances;
use super::martingale::TestMartingale;
use super::side::Side;
use super::term::Term;
use super::warm_up::WarmUp;
use crate::statistics::moments::Moments;

/// The further conditions for effects without a bound: there, the bets are fair under symmetry alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Safeguards {
    asymptotic: AsymptoticSequence,
    warm_up: WarmUp,
}

/// What the cases so far say of one center.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    center: f64,
    /// Of the distances from the center.
    moments: Moments,
    martingale: TestMartingale,
    chances: Chances,
}

impl Safeguards {
    pub(super) fn new(alpha: f64, rare: Option<f64>) -> Self {
        Self { asymptotic: AsymptoticSequence::new(alpha), warm_up: WarmUp::new(alpha, rare) }
    }
}

impl Evidence {
    /// Starts with no cases. With a bound of the effects every base is to be 1.
    pub(super) fn new(center: f64, bound: Option<f64>) -> Self {
        let martingale = TestMartingale::new(center, bound);
        Self { center, moments: Moments::default(), martingale, chances: Chances::default() }
    }

    /// Starts with these cases.
    pub(super) fn of(center: f64, bound: Option<f64>, terms: impl IntoIterator<Item = Term>) -> Self {
        let mut evidence = Self::new(center, bound);
        terms.into_iter().for_each(|term| evidence.push(term));
        evidence
    }

    pub(super) fn push(&mut self, term: Term) {
        let distance = term.distance(self.center);
        self.moments.push(distance);
        self.martingale.push(distance);
        self.chances.push(distance);
    }

    pub(super) fn center(&self) -> f64 {
        self.center
    }

    /// Returns the moments of the distances from the center.
    pub(super) fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns whether the cases support the mean on this side of the center, without the warm-up.
    pub(super) fn is_unlikely(&self, safeguards: Option<Safeguards>, side: Side, threshold: f64) -> bool {
        // The asymptotic sequence is the cheaper of the two.
        safeguards.is_none_or(|safeguards| safeguards.asymptotic.supports(&self.moments, side))
            && self.martingale.log_wealth(side) >= threshold
    }

    /// Returns whether the claim can be made that the mean lies on this side of the center.
    pub(super) fn excludes(&self, safeguards: Option<Safeguards>, side: Side, threshold: f64) -> bool {
        let is_over = |safeguards: Safeguards| safeguards.warm_up.is_over(&self.chances, &self.moments, side);
        self.is_unlikely(safeguards, side, threshold) && safeguards.is_none_or(is_over)
    }
}
