//! The test martingale for effects with or without a known bound.

use super::bounded::BoundedMartingale;
use super::side::Side;
use super::symmetric::SymmetricMartingale;

/// Bets on the mean lying above and below a center.
#[derive(Debug, Clone)]
pub(super) enum TestMartingale {
    /// For effects without a bound: fair if they are symmetric.
    Symmetric(Box<SymmetricMartingale>),
    /// For effects with a known bound: always fair.
    Bounded(Box<BoundedMartingale>),
}

impl TestMartingale {
    pub(super) fn new(center: f64, bound: Option<f64>) -> Self {
        match bound {
            None => Self::Symmetric(Box::default()),
            Some(bound) => Self::Bounded(Box::new(BoundedMartingale::new(center, bound))),
        }
    }

    /// Adds a distance from the center.
    pub(super) fn push(&mut self, distance: f64) {
        match self {
            Self::Symmetric(martingale) => martingale.push(distance),
            Self::Bounded(martingale) => martingale.push(distance),
        }
    }

    /// Returns the logarithm of the wealth of this claim.
    pub(super) fn log_wealth(&self, side: Side) -> f64 {
        match self {
            Self::Symmetric(martingale) => martingale.log_wealth(side),
            Self::Bounded(martingale) => martingale.log_wealth(side),
        }
    }
}
