//! The warm-up: no claim is made before effects against it would have shown if they occurred in one case of ten.
//!
//! Rare large effects on the other side may outweigh all effects so far. With y the distance of an effect from the
//! center and w = |y| / sum |y| its share, the effects weigh as much as
//!
//! ```text
//! n_eff = exp(-sum w ln w)        and their usual size is sum |y| / n_eff
//! ```
//!
//! equal ones (Hill's number of order 1), so neither ties nor near-ties count as cases that might have shown something.
//! If one effect in ten were on the other side, none would be among n_eff with a probability of 0.9^n_eff. The warm-up
//! is over when that is half of alpha (36 equal effects for an alpha of 5 %), which leaves the other half for samples
//! where a few did show.
//!
//! If effects on the other side do show, the moments include them and the asymptotic sequence decides. An effect of the
//! usual size stands for the ten cases in which it was expected. If the effects have long tails, small ones show first
//! and large ones may still come. So for a kurtosis k above 3.5 such an effect stands for 1 + 9 (3.5 / k)^3.
//!
//! The warm-up delays normal effects only if the mean is large against the spread, so that few cases would suffice. It
//! hardly delays others.

use super::martingale::Side;
use crate::moments::{LIGHT_TAILED, Moments, tail};

/// The warm-up is long enough for effects on the other side that make up this share of all effects except ties. No test
/// can account for rarer ones.
const RARE: f64 = 0.1;
/// The share of alpha that is spent on samples without such effects.
const UNSEEN: f64 = 0.5;
/// How fast long tails reduce the weight of effects on the other side.
const TAIL_POWER: i32 = 3;

/// Returns whether effects against a claim had enough chances to show.
#[derive(Debug, Clone, Copy)]
pub(super) struct WarmUp {
    enough: f64,
    fewest: f64,
}

impl WarmUp {
    /// `rare` is the share of cases with effects that would be hidden by noise on the other cases. In this case the
    /// cases themselves count, and an effect on the other side does not stand for several cases.
    pub(super) fn new(alpha: f64, rare: Option<f64>) -> Self {
        let cases = |share: f64| (UNSEEN * alpha).ln() / (-share).ln_1p();
        Self { enough: cases(RARE), fewest: rare.map_or(0.0, cases) }
    }

    /// Returns the number of cases after which the warm-up is over for equal effects, if none is on the other
    /// side.
    pub(super) fn longest(self) -> u64 {
        self.enough.max(self.fewest).ceil() as u64
    }

    /// Returns whether the warm-up is over for the claim that the distances are on this side of 0 on average. The
    /// sizes and the moments are those of the distances.
    pub(super) fn is_over(self, distances: &[f64], sizes: &SizeDistribution, moments: &Moments, side: Side) -> bool {
        let number = sizes.number();
        if (distances.len() as f64) < self.fewest || number == 0.0 {
            return false;
        }
        // The distances are examined only if few are on the other side.
        let trust = || (LIGHT_TAILED / (LIGHT_TAILED + tail(moments))).powi(TAIL_POWER);
        let expected = || sizes.opposite(distances, side.sign()) * trust() * (1.0 / RARE - 1.0);
        number >= self.enough || number + expected() >= self.enough
    }
}

/// The sizes of distances, updated one by one: sums for their entropy.
///
/// With w = |y| / sum |y|, they weigh as much as exp(-sum w ln w) equal ones (Hill's number of order 1). All sums are in
/// units of the largest size, so that none is infinite.
#[derive(Debug, Clone, Default)]
pub(super) struct SizeDistribution {
    largest: f64,
    /// The sum of u = |y| / largest.
    total: f64,
    /// The sum of u ln u.
    logarithms: f64,
}

impl SizeDistribution {
    /// Adds a distance.
    pub(super) fn push(&mut self, distance: f64) {
        let size = distance.abs();
        if size > self.largest {
            let share = self.largest / size;
            self.logarithms = if share > 0.0 { share * (self.logarithms + share.ln() * self.total) } else { 0.0 };
            self.total *= share;
            self.largest = size;
        }
        let unit = size / self.largest;
        if unit > 0.0 {
            self.total += unit;
            self.logarithms += unit * unit.ln();
        }
    }

    /// Returns the number of equal distances that these weigh as much as; 0 if all are 0.
    pub(super) fn number(&self) -> f64 {
        if self.total > 0.0 { self.total * (-self.logarithms / self.total).exp() } else { 0.0 }
    }

    /// Returns how many of these distances are against this sign, each counted by its share of the usual size, at most 1.
    pub(super) fn opposite(&self, distances: &[f64], sign: f64) -> f64 {
        let usual = self.total / self.number() * self.largest;
        distances.iter().map(|distance| (-sign * distance / usual).clamp(0.0, 1.0)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_over(effects: &[f64], center: f64, side: Side) -> bool {
        is_over_at(0.05, effects, center, side)
    }

    fn is_over_at(alpha: f64, effects: &[f64], center: f64, side: Side) -> bool {
        let distances: Vec<f64> = effects.iter().map(|effect| effect - center).collect();
        let mut sizes = SizeDistribution::default();
        distances.iter().for_each(|&distance| sizes.push(distance));
        WarmUp::new(alpha, None).is_over(&distances, &sizes, &Moments::of(&distances), side)
    }

    #[test]
    fn one_sided_effects_warm_up_for_thirty_six_cases() {
        // 0.9^35 = 0.02503, 0.9^36 = 0.0225; 0.9^50 = 0.0052, 0.9^51 = 0.0046.
        for (center, side) in [(0.0, Side::Above), (5.0, Side::Below)] {
            assert!(!is_over(&[2.0; 35], center, side));
            assert!(is_over(&[2.0; 36], center, side));
        }
        let strict = |effects: &[f64]| is_over_at(0.01, effects, 0.0, Side::Above);
        assert!(!strict(&[2.0; 50]));
        assert!(strict(&[2.0; 51]));
    }

    #[test]
    fn ties_and_near_ties_are_no_chances() {
        let among = |tie: f64| [vec![2.0; 35], vec![tie; 500]].concat();
        assert!(!is_over(&among(0.0), 0.0, Side::Above));
        assert!(!is_over(&among(1e-6), 0.0, Side::Above));
        assert!(!is_over(&[0.0; 500], 0.0, Side::Above));
        // They are chances against the claim that the mean lies above -1: none of them was below.
        assert!(is_over(&among(0.0), -1.0, Side::Above));
    }

    #[test]
    fn unequal_effects_count_as_fewer() {
        // Shares of 2/3 and 1/3 by turns: n_eff = n exp(ln 1.5 - (2/3) ln 2) = 0.9449 n.
        let unequal = |cases: usize| -> Vec<f64> { (0..cases).map(|case| [4.0, 2.0][case % 2]).collect() };
        assert!(!is_over(&unequal(36), 0.0, Side::Above));
        assert!(is_over(&unequal(38), 0.0, Side::Above));
    }

    #[test]
    fn an_effect_on_the_other_side_stands_for_ten() {
        // One in five is on the other side, a kurtosis of 3.25: 10 + 2 * 9 = 28, 15 + 3 * 9 = 42.
        let with = |cases: usize| -> Vec<f64> { (0..cases).map(|case| [-3.0, 3.0, 3.0, 3.0, 3.0][case % 5]).collect() };
        assert!(!is_over(&with(10), 0.0, Side::Above));
        assert!(is_over(&with(15), 0.0, Side::Above));
        // The many are on the other side of the mirrored claim.
        assert!(is_over(&with(10), 0.0, Side::Below));
    }

    #[test]
    fn where_tails_are_long_it_stands_for_less() {
        // One in ten: a kurtosis of 0.73 / 0.09 = 8.1 and 9 (3.5 / 8.1)^3 = 0.72, so 30 + 3 * 0.72 = 32.2.
        let with = |cases: usize| [vec![3.0; cases - cases / 10], vec![-3.0; cases / 10]].concat();
        assert!(!is_over(&with(30), 0.0, Side::Above));
        assert!(is_over(&with(40), 0.0, Side::Above));
        // A huge one counts once, and makes the others small.
        assert!(!is_over(&[vec![3.0; 60], vec![-3e5]].concat(), 0.0, Side::Above));
    }

    #[test]
    fn the_unit_does_not_matter() {
        for unit in [1e-200, 1.0, 1e200] {
            assert!(!is_over(&[2.0 * unit; 35], 0.0, Side::Above), "{unit}");
            assert!(is_over(&[2.0 * unit; 36], 0.0, Side::Above), "{unit}");
        }
    }

    fn sizes(distances: &[f64]) -> SizeDistribution {
        let mut sizes = SizeDistribution::default();
        distances.iter().for_each(|&distance| sizes.push(distance));
        sizes
    }

    #[test]
    fn the_number_is_hills_in_every_order() {
        // Shares 1/2, 1/4, 1/4: exp(0.5 ln 2 + 0.5 ln 4) = 2^1.5.
        for order in [[2.0, -1.0, 1.0, 0.0], [0.0, 1.0, 2.0, -1.0], [-1.0, 1.0, 0.0, 2.0]] {
            assert!((sizes(&order).number() - 2.0_f64.powf(1.5)).abs() < 1e-12, "{order:?}");
        }
        assert_eq!(sizes(&[0.0, 0.0]).number(), 0.0);
        assert!((sizes(&[1e-300, 1e300]).number() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn opposite_distances_count_by_their_share_of_the_usual_size() {
        // The usual size is 4 / 2^1.5 = 1.414.
        assert!((sizes(&[2.0, -1.0, 1.0]).opposite(&[2.0, -1.0, 1.0], 1.0) - 2.0_f64.sqrt() / 2.0).abs() < 1e-12);
        assert!(
            (sizes(&[2.0, -1.0, 1.0]).opposite(&[2.0, -1.0, 1.0], -1.0) - 1.0 - 2.0_f64.sqrt() / 2.0).abs() < 1e-12
        );
    }
}
