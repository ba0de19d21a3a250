//! A test of the mean effect that may be looked at after every case, and stopped as soon as it decides.
//!
//! An ordinary test that is repeated until it is significant errs far more often than its level. Here a claim (the mean
//! lies above m, or below m) is made only when **three** conditions hold at once:
//!
//! 1. [`SymmetricMartingale`]: a test martingale, the wealth of a bettor on the claim, has reached 2 / alpha. Under the
//!    null hypothesis the bets are fair, so by Ville's inequality that ever happens with a probability of at most
//!    alpha / 2. Exact, for any number of looks and any spread, tail or ties, whenever the effects are symmetric about
//!    m. They are, about 0, when swapping the two solvers changes nothing.
//! 2. [`AsymptoticSequence`]: an asymptotic confidence sequence for the mean, corrected for skewness, excludes m. It
//!    covers means of effects that are not symmetric, with an error of about alpha. It is a limit theorem: for few
//!    cases the error rates are measured, not proved.
//! 3. [`WarmUp`]: effects on the other side of m have shown, or there were enough cases for them to show if they were
//!    one in ten. This covers what the first two cannot see in few cases: uncommon large effects.
//!
//! Each condition has its own null hypothesis. Requiring all three keeps every guarantee.
//!
//! Where the effects have known bounds, [`BoundedMartingale`] suffices: exact for any distribution, but slower.
//!
//! No test of a mean can account for effects that it has not seen: if one case in fifty brings a gain that pays for
//! forty-nine small losses, the first thirty-six cases often look like plain losses (docs/comparing.md has the
//! figures). That is outside of any guarantee without known bounds (Bahadur and Savage, "The nonexistence of certain
//! statistical procedures in nonparametric problems", Ann. Math. Statist. 27, 1956).
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

mod asymptotic;
mod bounded;
mod martingale;
mod sequence;
mod symmetric;
mod warm_up;

use crate::statistics::moments::Moments;
use asymptotic::AsymptoticSequence;
use bounded::BoundedMartingale;
use martingale::TestMartingale;
use symmetric::SymmetricMartingale;
use warm_up::WarmUp;

pub use sequence::{Decision, InvalidSettings, Sequence, SequenceSettings};

/// A one-sided claim about the mean.
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

/// Returns the excess of the kurtosis over that of a light-tailed sample. A few large effects suggest others: the level
/// of a test of the mean is less certain, and it takes more cases.
fn tail(moments: &Moments) -> f64 {
    (moments.kurtosis() - LIGHT_TAILED).max(0.0)
}

/// Returns the logarithm of the weighted mean of numbers that are given by their logarithms.
fn log_mean_exp(logs: &[f64], weights: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = weights.iter().zip(logs).map(|(weight, log)| weight * (log - largest).exp()).sum();
    largest + (sum / weights.iter().sum::<f64>()).ln()
}
