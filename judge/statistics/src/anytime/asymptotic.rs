//! An asymptotic confidence sequence for the mean, with a correction for skewness.
//!
//! With n cases, standard deviation s, d the distance of the mean from the center towards the claimed side, g >= 0 the
//! part of the sample skewness that favours the claim (a tail on the other side that the sample hardly shows yet) and k
//! the sample kurtosis:
//!
//! ```text
//! G  = 2 g,   a = G d / (3 s)                   the skewness, doubled, and only against the claim
//! d' = d (1 - a + a^2 / 3) - G s / (6 n)        Hall's transformation, which removes it
//! t = d' sqrt(n) / s
//! (n / 2) ln(1 + t^2 / (n - 1)) * n / (n + 12) - ln(1 + n / 12) / 2
//!     >= ln(1 / (26 alpha)) + ln(26) min(1, n / 100) + min(4, max(0, k - 3.5)) min(1, 50 / n)
//! ```
//!
//! The second inequality is Robbins' normal mixture with the t likelihood in place of the normal one. From 100 cases on
//! its two sides together err with a probability of about alpha. Below 100 it is more lenient, and other conditions
//! limit the error: the test martingale (for effects that are nearly symmetric), the correction (for others) and the
//! warm-up (for effects whose tail has not shown yet). The last term removes the lenience if the effects have long
//! tails on either side, because the normal limit is then inaccurate.
//!
//! Hall's transformation agrees with Johnson's d - G d^2 / (3 s) - G s / (6 n) near the center, but grows with d: with
//! Johnson's, a large effect with a long tail against it would never be found.

use super::martingale::Side;
use crate::moments::{Moments, tail};

/// The variance of the mixture is one over this: made for effects of about a fourth of a standard deviation.
const PRIOR_CASES: f64 = 12.0;
/// The sample skewness of few cases understates the skewness of the population.
const SKEWNESS_FACTOR: f64 = 2.0;

/// From this many cases on, the sequence itself keeps the error at alpha.
const STRICT_FROM: f64 = 100.0;
/// The factor on alpha with which it may err at first.
const LENIENCE: f64 = 26.0;

/// The part of the tail that counts, and the number of cases up to which the whole part counts.
const MAX_TAIL: f64 = 4.0;
const FEW_CASES: f64 = 50.0;

/// Judges a claim from the moments only.
#[derive(Debug, Clone, Copy)]
pub(super) struct AsymptoticSequence {
    alpha: f64,
    lenience: f64,
}

impl AsymptoticSequence {
    pub(super) fn new(alpha: f64) -> Self {
        Self { alpha, lenience: LENIENCE }
    }

    /// The sequence without the lenience at first: about as strict as all conditions together.
    pub(super) fn strict(alpha: f64) -> Self {
        Self { alpha, lenience: 1.0 }
    }

    /// Returns whether the moments of the distances from a center support that the mean lies on this side of it.
    pub(super) fn supports(self, moments: &Moments, side: Side) -> bool {
        let count = moments.count() as f64;
        let deviation = moments.deviation();
        let distance = side.sign() * moments.mean();
        if count < 2.0 || distance <= 0.0 {
            return false;
        }
        if deviation == 0.0 {
            return true;
        }
        let skewness = (-side.sign() * moments.skewness()).max(0.0) * SKEWNESS_FACTOR;
        let share = skewness * distance / (3.0 * deviation);
        let corrected = distance * (1.0 - share + share * share / 3.0) - skewness * deviation / (6.0 * count);
        corrected > 0.0 && self.is_reached(count, corrected / deviation, tail(moments))
    }

    /// Returns whether this many cases support a mean that lies this many standard deviations from the center.
    pub(super) fn is_reached(self, count: f64, distance: f64, tail: f64) -> bool {
        let square = distance * distance * count;
        let evidence = count / 2.0 * (square / (count - 1.0)).ln_1p() * count / (count + PRIOR_CASES);
        let strictness = (count / STRICT_FROM).min(1.0) * self.lenience.ln();
        let tail = tail.min(MAX_TAIL) * (FEW_CASES / count).min(1.0);
        evidence - (count / PRIOR_CASES).ln_1p() / 2.0 >= strictness + tail - (self.lenience * self.alpha).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supports(effects: &[f64], center: f64, side: Side) -> bool {
        let distances: Vec<f64> = effects.iter().map(|effect| effect - center).collect();
        AsymptoticSequence::new(0.05).supports(&Moments::of(&distances), side)
    }

    fn wave(mean: f64, cases: usize) -> Vec<f64> {
        (0..cases).map(|case| mean + if case % 2 == 0 { 1.0 } else { -1.0 }).collect()
    }

    #[test]
    fn a_clear_mean_is_supported_on_its_side_only() {
        let effects = wave(1.0, 30);
        assert!(supports(&effects, 0.0, Side::Above));
        assert!(!supports(&effects, 0.0, Side::Below));
        assert!(supports(&effects, 2.0, Side::Below));
        assert!(!supports(&effects, 1.0, Side::Above));
    }

    #[test]
    fn the_boundary_is_the_formula() {
        // n = 300, s^2 = 300/299, no skewness: t^2 / 299 = d^2, so 150 ln(1 + d^2) 300/312 = ln 20 + ln(26) / 2,
        // which is met at d = 0.1805. More lenient at n = 50: 25 ln(1 + d^2) 50/62 = ln(20 / sqrt(26)) +
        // ln(5.167) / 2, met at d = 0.3386.
        assert!(!supports(&wave(0.180, 300), 0.0, Side::Above));
        assert!(supports(&wave(0.181, 300), 0.0, Side::Above));
        assert!(!supports(&wave(0.338, 50), 0.0, Side::Above));
        assert!(supports(&wave(0.339, 50), 0.0, Side::Above));
    }

    #[test]
    fn a_tail_against_the_claim_weakens_it_and_one_for_it_does_not_help() {
        let mut tail_below = wave(0.6, 38);
        tail_below.push(-4.0);
        let mirrored: Vec<f64> = tail_below.iter().map(|effect| -effect).collect();
        let mean = Moments::of(&tail_below).mean();
        let plain = wave(mean, 39);
        assert!(supports(&plain, 0.0, Side::Above));
        assert!(!supports(&tail_below, 0.0, Side::Above));
        assert!(!supports(&mirrored, 0.0, Side::Below));
    }

    #[test]
    fn long_tails_weaken_a_claim_on_either_side_as_long_as_there_are_few_cases() {
        // One effect in five is off the mean, by the root of 5: a variance of 1 and a kurtosis of 5.
        let tails = |mean: f64, cases: usize| -> Vec<f64> {
            let level = [5.0_f64.sqrt(), -(5.0_f64.sqrt()), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            (0..cases).map(|case| mean + level[case % 10]).collect()
        };
        assert!((Moments::of(&tails(0.4, 50)).kurtosis() - 5.0).abs() < 1e-9);
        // 1.5 more at n = 50: 25 ln(1 + d^2) 50/62 = 2.188 + 1.5, met at d = 0.4480; 0.15 more at n = 500, where
        // 250 ln(1 + d^2) 500/512 = ln 20 + ln(42.67) / 2 + 0.15 is met at d = 0.1442.
        for (side, sign) in [(Side::Above, 1.0), (Side::Below, -1.0)] {
            assert!(!supports(&tails(sign * 0.448, 50), 0.0, side));
            assert!(supports(&tails(sign * 0.449, 50), 0.0, side));
            assert!(!supports(&tails(sign * 0.144, 500), 0.0, side));
            assert!(supports(&tails(sign * 0.145, 500), 0.0, side));
        }
    }

    #[test]
    fn a_tail_against_the_claim_delays_it_but_does_not_prevent_it() {
        // One case in ten loses 3 where the others gain 1: a mean of 0.6, half a standard deviation, skewness -2.7.
        let effects =
            |cases: usize| -> Vec<f64> { (0..cases).map(|case| if case % 10 == 9 { -3.0 } else { 1.0 }).collect() };
        assert!(!supports(&effects(200), 0.0, Side::Above));
        assert!(supports(&effects(500), 0.0, Side::Above));
        assert!(supports(&effects(50_000), 0.0, Side::Above));
    }

    #[test]
    fn equal_effects_support_their_side_and_one_effect_nothing() {
        assert!(supports(&[2.0; 5], 0.0, Side::Above));
        assert!(!supports(&[2.0], 0.0, Side::Above));
        assert!(!supports(&[0.0; 5], 0.0, Side::Above));
    }
}
