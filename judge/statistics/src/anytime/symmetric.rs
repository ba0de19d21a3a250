//! A test martingale for distances from a center that are symmetric about 0.
//!
//! With the betting fraction tanh(lambda y) on a case with the effect center + y, the wealth is the product of 1 + tanh(lambda
//! y). tanh is odd, so for symmetric y the mean factor is exactly 1, and the wealth is a test martingale; it is also
//! the likelihood ratio, given |y|, of a normal shift against its mirror image. A mixture of many
//! lambdas has the mean of their wealths, which is a test martingale too.
//!
//! The lambdas are in units of 1 / scale, scale being the root mean square of the first sixteen y. The scale depends on
//! sizes only, never on signs, and no decision is made before those sixteen: given the sizes, symmetric effects have
//! fair and independent signs, so the bets on them stay fair.

use super::mixture::log_mean_exp;
use super::side::Side;

/// The cases that set the scale. No decision is made before them.
const SCALE_CASES: usize = 16;
/// Halving steps of the square root: from 0.9 down to about 0.0012, for effects from one standard deviation down to a
/// thousandth of one.
const BETS: usize = 20;
const LARGEST_BET: f64 = 0.9;
/// What is staked on each bet, the largest first, chosen by simulation: most on effects of half a standard deviation and
/// on those of a tenth, where a test of few cases and one of many are decided.
const PRIOR: [f64; BETS] =
    [2.0, 24.0, 33.0, 16.0, 8.0, 8.0, 10.0, 6.0, 2.0, 1.5, 1.0, 0.5, 0.35, 0.25, 0.18, 0.13, 0.1, 0.08, 0.06, 0.05];

/// The wealth processes of the two one-sided claims about the center.
#[derive(Debug, Clone, Default)]
pub(super) struct SymmetricMartingale {
    /// The distances, until the scale is known; then empty.
    pending: Vec<f64>,
    lambdas: Option<[f64; BETS]>,
    /// Logarithms of the wealths, per bet.
    above: [f64; BETS],
    below: [f64; BETS],
}

impl SymmetricMartingale {
    pub(super) fn push(&mut self, distance: f64) {
        if let Some(lambdas) = self.lambdas {
            return self.bet(&lambdas, distance);
        }
        self.pending.push(distance);
        if let Some(lambdas) = self.scaled_bets() {
            self.lambdas = Some(lambdas);
            for distance in std::mem::take(&mut self.pending) {
                self.bet(&lambdas, distance);
            }
        }
    }

    /// Returns the bets in units of the scale. While every effect is at the center there is no scale, and no bet.
    fn scaled_bets(&self) -> Option<[f64; BETS]> {
        let count = self.pending.len();
        let scale = (self.pending.iter().map(|distance| distance * distance).sum::<f64>() / count as f64).sqrt();
        (count >= SCALE_CASES && scale > 0.0).then(|| bets().map(|bet| bet / scale))
    }

    fn bet(&mut self, lambdas: &[f64; BETS], distance: f64) {
        for (index, lambda) in lambdas.iter().enumerate() {
            let stake = lambda * distance;
            // ln(1 + tanh x) = ln 2 - ln(1 + exp(-2x)), in the form that neither overflows nor cancels.
            let gain = std::f64::consts::LN_2 - soft_plus(-2.0 * stake);
            self.above[index] += gain;
            self.below[index] += gain - 2.0 * stake;
        }
    }

    /// Returns the logarithm of the wealth of this claim: 0 before the scale is known.
    pub(super) fn log_wealth(&self, side: Side) -> f64 {
        let logs = match side {
            Side::Above => &self.above,
            Side::Below => &self.below,
        };
        log_mean_exp(logs, &PRIOR)
    }
}

fn bets() -> [f64; BETS] {
    std::array::from_fn(|step| LARGEST_BET * (-(step as f64) / 2.0).exp2())
}

fn soft_plus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn martingale(center: f64, effects: &[f64]) -> SymmetricMartingale {
        let mut martingale = SymmetricMartingale::default();
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
        let mut martingale = SymmetricMartingale::default();
        martingale.bet(&[0.5; BETS], 3.0);
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
}
