//! The gambler who suits what is known of the effects.

use super::{BoundedWager, Side, Wager};

/// Bets on the mean being above and below a center.
#[derive(Debug, Clone)]
pub(super) enum Gambler {
    /// For effects of unknown size, fair where they are symmetric.
    Symmetric(Box<Wager>),
    /// For effects with a known bound, always fair.
    Bounded(Box<BoundedWager>),
}

impl Gambler {
    pub(super) fn new(center: f64, bound: Option<f64>) -> Self {
        match bound {
            None => Self::Symmetric(Box::new(Wager::new(center))),
            Some(bound) => Self::Bounded(Box::new(BoundedWager::new(center, bound))),
        }
    }

    pub(super) fn of(center: f64, bound: Option<f64>, effects: &[f64]) -> Self {
        let mut gambler = Self::new(center, bound);
        effects.iter().for_each(|&effect| gambler.push(effect));
        gambler
    }

    pub(super) fn push(&mut self, effect: f64) {
        match self {
            Self::Symmetric(wager) => wager.push(effect),
            Self::Bounded(wager) => wager.push(effect),
        }
    }

    /// Returns the logarithm of the fortune on this side.
    pub(super) fn log_fortune(&self, side: Side) -> f64 {
        match self {
            Self::Symmetric(wager) => wager.log_fortune(side),
            Self::Bounded(wager) => wager.log_fortune(side),
        }
    }
}
