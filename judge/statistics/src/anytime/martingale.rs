//! Test martingales: the wealth of a bettor on a claim about the mean. If the claim is false, the bets are fair. So a
//! large wealth is evidence for the claim.
//!
//! # Without a bound
//!
//! The bets are fair for distances from a center that are symmetric about 0.
//!
//! With the betting fraction tanh(lambda y) on a case with the effect center + y, the wealth is the product of 1 +
//! tanh(lambda y). tanh is odd, so for symmetric y the mean factor is exactly 1, and the wealth is a test martingale;
//! it is also the likelihood ratio, given |y|, of a normal shift against its mirror image. A mixture of many lambdas
//! has the mean of their wealths, which is a test martingale too.
//!
//! The lambdas are in units of 1 / scale, scale being the root mean square of the first sixteen y. The scale depends on
//! sizes only, never on signs, and no decision is made before those sixteen: given the sizes, symmetric effects have
//! fair and independent signs, so the bets on them stay fair.
//!
//! # With a bound
//!
//! For effects with a known bound, the bets are fair for any distribution.
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

use crate::moments::Moments;

/// A one-sided claim about the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The mean lies above the center.
    Above,
    /// The mean lies below the center.
    Below,
}

impl Side {
    pub(super) fn sign(self) -> f64 {
        match self {
            Self::Above => 1.0,
            Self::Below => -1.0,
        }
    }
}

/// The cases that set the scale. No decision is made before them.
const SCALE_CASES: usize = 16;
/// Halving steps of the square root: from 0.9 down to about 0.0012, for effects from one standard deviation down to a
/// thousandth of one.
const BETS: usize = 20;
const MAX_BET: f64 = 0.9;
/// The stake of each bet, the largest bet first, chosen by simulation. Effects of half a standard deviation and of a
/// tenth get most, because these decide tests of few and of many cases.
const PRIOR: [f64; BETS] =
    [2.0, 24.0, 33.0, 16.0, 8.0, 8.0, 10.0, 6.0, 2.0, 1.5, 1.0, 0.5, 0.35, 0.25, 0.18, 0.13, 0.1, 0.08, 0.06, 0.05];

/// Returns numbers from the largest down, each the last one divided by the square root of 2.
fn halvings<const COUNT: usize>(largest: f64) -> [f64; COUNT] {
    std::array::from_fn(|step| largest * (-(step as f64) / 2.0).exp2())
}

fn soft_plus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Halving steps of the square root: shares from 0.99 down to 0.0077. Most effects are small against their bound, and
/// then the largest share is the best. So each share gets a weight in proportion to itself.
const SHARES: usize = 15;
const MAX_SHARE: f64 = 0.99;

/// The wealths of the bettors on the two one-sided claims about a center.
#[derive(Debug, Clone)]
pub(super) struct TestMartingale {
    center: f64,
    /// The bound of the effects. Without one, the bets are fair if the effects are symmetric.
    bound: Option<f64>,
    /// Without a bound: the distances, until the scale is known; then empty.
    pending: Vec<f64>,
    /// With a bound the shares of the wealth, else the lambdas. Empty until the scale is known.
    bets: Vec<f64>,
    /// Logarithms of the wealths, per bet.
    above: Vec<f64>,
    below: Vec<f64>,
}

impl TestMartingale {
    pub(super) fn new(center: f64, bound: Option<f64>) -> Self {
        let bets = if bound.is_some() { shares().to_vec() } else { Vec::new() };
        let logs = vec![0.0; if bound.is_some() { SHARES } else { BETS }];
        Self { center, bound, pending: Vec::new(), bets, above: logs.clone(), below: logs }
    }

    /// Adds a distance from the center.
    pub(super) fn push(&mut self, distance: f64) {
        if !self.bets.is_empty() {
            return self.bet(distance);
        }
        self.pending.push(distance);
        if let Some(lambdas) = self.lambdas() {
            self.bets = lambdas;
            std::mem::take(&mut self.pending).into_iter().for_each(|distance| self.bet(distance));
        }
    }

    /// Returns the bets in units of the scale. While every effect is at the center there is no scale, and no bet.
    fn lambdas(&self) -> Option<Vec<f64>> {
        let count = self.pending.len();
        let scale = (self.pending.iter().map(|distance| distance * distance).sum::<f64>() / count as f64).sqrt();
        (count >= SCALE_CASES && scale > 0.0).then(|| halvings::<BETS>(MAX_BET).map(|bet| bet / scale).to_vec())
    }

    fn bet(&mut self, distance: f64) {
        for (index, bet) in self.bets.iter().enumerate() {
            let stake = bet * distance;
            let [up, down] = match self.bound {
                Some(bound) => [(stake / (bound + self.center)).ln_1p(), (-stake / (bound - self.center)).ln_1p()],
                None => {
                    // ln(1 + tanh x) = ln 2 - ln(1 + exp(-2x)), in the form that neither overflows nor cancels.
                    let gain = std::f64::consts::LN_2 - soft_plus(-2.0 * stake);
                    [gain, gain - 2.0 * stake]
                }
            };
            self.above[index] += up;
            self.below[index] += down;
        }
    }

    /// Returns the logarithm of the wealth of this claim: 0 before the scale is known, infinite if the bound itself
    /// implies the claim.
    pub(super) fn log_wealth(&self, side: Side) -> f64 {
        let logs = match side {
            Side::Above => &self.above,
            Side::Below => &self.below,
        };
        match self.bound {
            Some(bound) if bound + side.sign() * self.center <= 0.0 => f64::INFINITY,
            Some(_) => log_mean_exp(logs, &self.bets),
            None => log_mean_exp(logs, &PRIOR),
        }
    }

    /// Returns an upper bound of the logarithm of the wealth of this claim about bounded effects, from the moments of the
    /// distances only: ln(1 + z) is at most z - z^2 / 2 + z^3 / 3.
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
}

fn shares() -> [f64; SHARES] {
    halvings(MAX_SHARE)
}

/// Returns the logarithm of the weighted mean of numbers, given their logarithms.
pub(super) fn log_mean_exp(logs: &[f64], weights: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = weights.iter().zip(logs).map(|(weight, log)| weight * (log - largest).exp()).sum();
    largest + (sum / weights.iter().sum::<f64>()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn martingale(center: f64, effects: &[f64]) -> TestMartingale {
        let mut martingale = TestMartingale::new(center, None);
        effects.iter().for_each(|&effect| martingale.push(effect - center));
        martingale
    }

    /// Every assignment of signs to fixed sizes, equally likely: the mean wealth must be exactly 1.
    #[test]
    fn the_bets_are_fair_for_every_set_of_sizes() {
        let sizes = [0.1, 5.0, 0.0, 2.0, 2.0, 7.5, 0.3, 1.0, 1.0, 40.0, 3.0, 0.7];
        for side in [Side::Above, Side::Below] {
            let mut sum = 0.0;
            for signs in 0..1_u32 << sizes.len() {
                let flip = |(index, size): (usize, &f64)| if signs >> index & 1 == 1 { 4.0 - size } else { 4.0 + size };
                let effects: Vec<f64> = sizes.iter().enumerate().map(flip).collect();
                sum += martingale(4.0, &effects).log_wealth(side).exp();
            }
            assert!((sum / f64::from(1_u32 << sizes.len()) - 1.0).abs() < 1e-9, "{sum}");
        }
    }

    #[test]
    fn one_bet_by_hand() {
        let mut martingale = TestMartingale::new(0.0, None);
        martingale.bets = vec![0.5; BETS];
        martingale.bet(3.0);
        assert!((martingale.above[0] - (1.0 + 1.5_f64.tanh()).ln()).abs() < 1e-12);
        assert!((martingale.below[0] - (1.0 - 1.5_f64.tanh()).ln()).abs() < 1e-12);
    }

    #[test]
    fn the_wealth_does_not_depend_on_the_unit() {
        let effects: Vec<f64> = (0..30).map(|case| f64::from(case * 7 % 11) - 3.0).collect();
        let scaled: Vec<f64> = effects.iter().map(|effect| effect * 1e30).collect();
        let wealth = martingale(0.0, &effects).log_wealth(Side::Above);
        assert!((martingale(0.0, &scaled).log_wealth(Side::Above) - wealth).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_staked_before_the_scale_is_known_or_on_ties() {
        assert!(martingale(0.0, &[1.0; SCALE_CASES - 1]).log_wealth(Side::Above).abs() < 1e-12);
        assert!(martingale(0.0, &[0.0; 50]).log_wealth(Side::Above).abs() < 1e-12);
        assert!(martingale(0.0, &[1.0; SCALE_CASES]).log_wealth(Side::Above) > 1.0);
    }

    fn wealth(center: f64, effects: &[f64], side: Side) -> f64 {
        let mut martingale = TestMartingale::new(center, Some(1.0));
        effects.iter().for_each(|&effect| martingale.push(effect - center));
        martingale.log_wealth(side).exp()
    }

    /// Every sequence of eight effects of a skewed distribution with mean 0.1, weighted by its probability: the mean
    /// wealth must be exactly 1 if the claim is just false, and below 1 if it is clearly false.
    #[test]
    fn the_bets_are_fair_for_skewed_effects() {
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
            let most = TestMartingale::most(center, 1.0, &Moments::of(&distances), side);
            let found = wealth(center, &effects, side).ln();
            assert!(most >= found - 1e-9 && most <= found + 0.3, "{center} {side:?}: {most} {found}");
        }
    }
}
