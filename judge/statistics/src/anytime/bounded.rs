//! A test supermartingale for effects with a known bound: the bets are fair for any distribution.
//!
//! For effects x from -b to b, the claim that the mean lies above m is bet on with a share c of the wealth, as on a
//! stock that goes from b + m to b + x: each case multiplies the wealth by 1 + c (x - m) / (b + m), which is never
//! below 1 - c. If the mean is m or less, that is at most 1 on average, so the wealth is a test supermartingale,
//! without symmetry, limit theorem or smallest number of cases. The mean over many c is one too. Each factor falls with
//! m, so the means that are ruled out are those on one side of a bound.
//!
//! Sources: Cover, "Universal portfolios", Math. Finance 1, 1991; Waudby-Smith and Ramdas, "Estimating means of bounded
//! random variables by betting", JRSS B 86, 2024; Orabona and Jun, "Tight concentrations and confidence sequences from
//! the regret of universal portfolio", IEEE Trans. Inf. Theory 70, 2024.

use super::mixture::log_mean_exp;
use super::side::Side;
use crate::moments::Moments;

/// Halving steps of the square root: shares from 0.99 down to 0.0077. Most effects are small against their bound, and
/// then the largest share is the best: each gets a weight in proportion to itself.
const SHARES: usize = 15;
const LARGEST_SHARE: f64 = 0.99;

/// The wealth processes of the two one-sided claims about the center.
#[derive(Debug, Clone)]
pub(super) struct BoundedMartingale {
    center: f64,
    bound: f64,
    /// Logarithms of the wealths, per share.
    above: [f64; SHARES],
    below: [f64; SHARES],
}

impl BoundedMartingale {
    pub(super) fn new(center: f64, bound: f64) -> Self {
        Self { center, bound, above: [0.0; SHARES], below: [0.0; SHARES] }
    }

    pub(super) fn push(&mut self, distance: f64) {
        for (index, share) in shares().into_iter().enumerate() {
            self.above[index] += (share * distance / (self.bound + self.center)).ln_1p();
            self.below[index] += (-share * distance / (self.bound - self.center)).ln_1p();
        }
    }

    /// Returns a bound of the logarithm of the wealth of this claim, from the moments of the distances alone: ln(1 + z) is
    /// at most z - z^2 / 2 + z^3 / 3.
    pub(super) fn most(center: f64, bound: f64, moments: &Moments, side: Side) -> f64 {
        let room = bound + side.sign() * center;
        if room <= 0.0 {
            return f64::INFINITY;
        }
        let [first, second, third] = moments.power_sums();
        let most = shares().map(|share| {
            let stake = side.sign() * share / room;
            stake * first - stake.powi(2) * second / 2.0 + stake.powi(3) * third / 3.0
        });
        log_mean_exp(&most, &shares())
    }

    /// Returns the logarithm of the wealth of this claim; infinite if the bound itself implies the claim.
    pub(super) fn log_wealth(&self, side: Side) -> f64 {
        let room = self.bound + side.sign() * self.center;
        match side {
            _ if room <= 0.0 => f64::INFINITY,
            Side::Above => log_mean_exp(&self.above, &shares()),
            Side::Below => log_mean_exp(&self.below, &shares()),
        }
    }
}

fn shares() -> [f64; SHARES] {
    std::array::from_fn(|step| LARGEST_SHARE * (-(step as f64) / 2.0).exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wealth(center: f64, effects: &[f64], side: Side) -> f64 {
        let mut martingale = BoundedMartingale::new(center, 1.0);
        effects.iter().for_each(|&effect| martingale.push(effect - center));
        martingale.log_wealth(side).exp()
    }

    /// Every sequence of eight effects of a skewed distribution with mean 0.1, weighted by its probability: the mean
    /// wealth must be exactly 1 where the claim is just false, and below 1 where it is more so.
    #[test]
    fn the_bets_are_fair_however_skewed_the_effects_are() {
        // 0.1 * 1 + 0.3 * 0.5 + 0.6 * -0.25 = 0.1.
        let values = [(0.1, 1.0), (0.3, 0.5), (0.6, -0.25)];
        let mean_wealth = |center: f64, side: Side| -> f64 {
            (0..3_usize.pow(8))
                .map(|code| {
                    let drawn: Vec<_> = (0..8).map(|place| values[code / 3_usize.pow(place) % 3]).collect();
                    let probability: f64 = drawn.iter().map(|(probability, _)| probability).product();
                    let effects: Vec<f64> = drawn.iter().map(|(_, effect)| *effect).collect();
                    probability * wealth(center, &effects, side)
                })
                .sum()
        };
        for side in [Side::Above, Side::Below] {
            assert!((mean_wealth(0.1, side) - 1.0).abs() < 1e-9);
        }
        assert!(mean_wealth(0.2, Side::Above) < 1.0);
        assert!(mean_wealth(0.0, Side::Below) < 1.0);
        assert!(mean_wealth(0.0, Side::Above) > 1.0);
    }

    #[test]
    fn one_case_by_hand() {
        // (1 + c 0.5 / 1) and (1 - c 0.5 / 1), over the mean of the shares, weighted with themselves.
        let mean_share = shares().map(|share| share * share).iter().sum::<f64>() / shares().iter().sum::<f64>();
        assert!((wealth(0.0, &[0.5], Side::Above) - (1.0 + 0.5 * mean_share)).abs() < 1e-12);
        assert!((wealth(0.0, &[0.5], Side::Below) - (1.0 - 0.5 * mean_share)).abs() < 1e-12);
        // About 0.5: (0.9 - 0.5) / (1 + 0.5) upwards, (0.5 - 0.9) / (1 - 0.5) downwards.
        assert!((wealth(0.5, &[0.9], Side::Above) - (1.0 + 0.4 / 1.5 * mean_share)).abs() < 1e-12);
        assert!((wealth(0.5, &[0.9], Side::Below) - (1.0 - 0.4 / 0.5 * mean_share)).abs() < 1e-12);
    }

    #[test]
    fn what_lies_beyond_the_bound_is_ruled_out_and_the_rest_falls_with_the_center() {
        let effects = [0.3, -0.2, 1.0, 0.1, -1.0, 0.4];
        assert_eq!(wealth(-1.0, &effects, Side::Above), f64::INFINITY);
        assert_eq!(wealth(1.5, &effects, Side::Below), f64::INFINITY);
        let wealths: Vec<f64> = (-9..=9).map(|step| wealth(f64::from(step) / 10.0, &effects, Side::Above)).collect();
        assert!(wealths.is_sorted_by(|left, right| left > right), "{wealths:?}");
    }

    #[test]
    fn the_moments_bound_the_wealth_closely() {
        let effects: Vec<f64> = (0..200).map(|case| 0.02 + 0.2 * (f64::from(case) * 2.399).sin()).collect();
        for (center, side) in [(0.0, Side::Above), (-0.05, Side::Above), (0.1, Side::Below), (0.05, Side::Below)] {
            let distances: Vec<f64> = effects.iter().map(|effect| effect - center).collect();
            let most = BoundedMartingale::most(center, 1.0, &Moments::of(&distances), side);
            let found = wealth(center, &effects, side).ln();
            assert!(most >= found - 1e-9 && most <= found + 0.3, "{center} {side:?}: {most} {found}");
        }
    }
}
