//! A test of the mean effect that may be looked at after every case, and stopped as soon as it decides.
//!
//! An ordinary test that is repeated until it says "significant" is wrong far more often than its level promises. Here
//! a claim (the mean lies above m, or below m) is made only when **three** things hold at once:
//!
//! 1. [`Wager`]: a gambler who bets on it, case by case, has multiplied the stake by 2 / alpha. Under the null
//!    hypothesis the bets are fair, so by Ville's inequality that ever happens with a probability of at most alpha / 2.
//!    Exact, for any number of looks and any spread, tail or ties, whenever the effects are symmetric about m. They
//!    are, about 0, when the two solvers are equally good in the sense that swapping them changes nothing.
//! 2. [`Guard`]: an asymptotic confidence sequence for the mean, corrected for skewness, excludes m. It covers means
//!    of effects that are not symmetric, with an error of about alpha. It is a limit theorem: for few cases the error
//!    rates are measured, not proved.
//! 3. [`Wait`]: effects on the other side of m have shown, or there were cases enough for them to show, were they one
//!    in ten. This covers what the first two cannot see in few cases: uncommon large effects.
//!
//! Each answers for its own null hypothesis; asking for all keeps all answers.
//!
//! Where the effects have known bounds, [`BoundedWager`] can answer alone: exact for any distribution, but slower.
//!
//! No test of a mean can know of effects that it has not seen: if one case in fifty brings a gain that pays for
//! forty-nine small losses, the first thirty-six cases often look like plain losses (docs/comparing.md has the figures).
//! That is outside of any guarantee without known bounds (Bahadur and Savage, "The nonexistence of certain statistical
//! procedures in nonparametric problems", Ann. Math. Statist. 27, 1956).
//!
//! Sources: Ville, "Étude critique de la notion de collectif", 1939; Robbins, "Statistical methods related to the law
//! of the iterated logarithm", Ann. Math. Statist. 41, 1970; de la Peña, "A general class of exponential inequalities
//! for martingales and ratios", Ann. Probab. 27, 1999 (symmetric increments); Ramdas, Ruf, Larsson and Koolen,
//! "Admissible anytime-valid sequential inference must rely on nonnegative martingales", 2020 (1 + odd function for
//! symmetry); Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86, 2024;
//! Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence
//! sequences", Ann. Statist. 52, 2024; Johnson, "Modified t tests and confidence intervals for asymmetrical
//! populations", JASA 73, 1978; Hall, "On the removal of skewness by transformation", JRSS B 54, 1992; Hill,
//! "Diversity and evenness", Ecology 54, 1973.

mod bounded;
mod gambler;
mod guard;
mod sequence;
mod wager;
mod wait;

use crate::statistics::moments::Moments;
use bounded::BoundedWager;
use gambler::Gambler;
use guard::Guard;
use wager::Wager;
use wait::Wait;

pub use sequence::{Decision, InvalidSettings, Sequence, Settings};

/// A side of the mean: what is claimed of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The mean lies above the center.
    Above,
    /// The mean lies below the center.
    Below,
}

impl Side {
    fn sign(self) -> f64 {
        match self {
            Self::Above => 1.0,
            Self::Below => -1.0,
        }
    }
}

/// Samples of normal effects have a kurtosis of 3, and seldom one above this.
const LIGHT_TAILED: f64 = 3.5;

/// By how much the kurtosis is beyond that of a light-tailed sample. A few large effects tell that there may be others:
/// the level of a test of the mean is less certain, and it takes more cases.
fn tail(moments: &Moments) -> f64 {
    (moments.kurtosis() - LIGHT_TAILED).max(0.0)
}

/// Returns the logarithm of the weighted mean of numbers that are given by their logarithms.
fn log_mean_exp(logs: &[f64], weights: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = weights.iter().zip(logs).map(|(weight, log)| weight * (log - largest).exp()).sum();
    largest + (sum / weights.iter().sum::<f64>()).ln()
}
