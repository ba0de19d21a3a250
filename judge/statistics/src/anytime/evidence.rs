//! What a growing sample says of one center: the three conditions, each updated case by case.

use super::asymptotic::AsymptoticSequence;
use super::chances::Chances;
use super::martingale::TestMartingale;
use super::side::Side;
use super::term::Term;
use super::warm_up::WarmUp;
use crate::moments::Moments;

/// The further conditions for effects without a bound: there, the bets are fair under symmetry alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Safeguards {
    asymptotic: AsymptoticSequence,
    warm_up: WarmUp,
}

/// What the cases so far say of one center.
///
/// The moments are updated with every case. Bets and sizes cost more, and matter only where the moments support a claim:
/// they catch up then, in the order of the cases.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    center: f64,
    /// `None` with a bound: the test martingale alone suffices.
    safeguards: Option<Safeguards>,
    distances: Vec<f64>,
    /// Of the distances from the center.
    moments: Moments,
    /// The number of distances that the two below know.
    caught_up: usize,
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
    pub(super) fn new(center: f64, bound: Option<f64>, safeguards: Option<Safeguards>) -> Self {
        Self {
            center,
            safeguards,
            distances: Vec::new(),
            moments: Moments::default(),
            caught_up: 0,
            martingale: TestMartingale::new(center, bound),
            chances: Chances::default(),
        }
    }

    /// Adds a case.
    pub(super) fn push(&mut self, term: Term) {
        self.note(term);
        self.catch_up();
    }

    /// Adds cases, after which alone there is a look.
    pub(super) fn extend(mut self, terms: impl IntoIterator<Item = Term>) -> Self {
        terms.into_iter().for_each(|term| self.note(term));
        self.catch_up();
        self
    }

    fn note(&mut self, term: Term) {
        let distance = term.distance(self.center);
        self.distances.push(distance);
        self.moments.push(distance);
    }

    fn catch_up(&mut self) {
        if self.is_supported(Side::Above) || self.is_supported(Side::Below) {
            for &distance in &self.distances[self.caught_up..] {
                self.martingale.push(distance);
                self.chances.push(distance);
            }
            self.caught_up = self.distances.len();
        }
    }

    pub(super) fn center(&self) -> f64 {
        self.center
    }

    /// Returns the moments of the distances from the center.
    pub(super) fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns whether the moments support the mean on this side of the center.
    fn is_supported(&self, side: Side) -> bool {
        self.safeguards.is_none_or(|safeguards| safeguards.asymptotic.supports(&self.moments, side))
    }

    /// Returns whether the cases support the mean on this side of the center, without the warm-up.
    pub(super) fn is_unlikely(&self, side: Side, threshold: f64) -> bool {
        self.is_supported(side) && self.martingale.log_wealth(side) >= threshold
    }

    /// Returns whether the claim can be made that the mean lies on this side of the center.
    pub(super) fn excludes(&self, side: Side, threshold: f64) -> bool {
        let is_over =
            |safeguards: Safeguards| safeguards.warm_up.is_over(&self.distances, &self.chances, &self.moments, side);
        self.is_unlikely(side, threshold) && self.safeguards.is_none_or(is_over)
    }
}
