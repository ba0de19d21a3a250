//! The wait: no claim before effects against it would have shown, were they one in ten.
//!
//! Uncommon large effects on the other side may outweigh all that was seen. With y the distance of an effect from the
//! center, the effects weigh as much as
//!
//! ```text
//! n_eff = sum |y| / size,   size = sum y^2 / sum |y|
//! ```
//!
//! equal ones (Kish's effective sample size), so that neither ties nor near-ties count as cases that might have shown
//! something. If one effect in ten were on the other side, none would be among n_eff with a probability of 0.9^n_eff.
//! The wait is over when that is 0.8 alpha (31 equal effects for an alpha of 5 %), which leaves a fifth of alpha for
//! samples where a few did show. Where effects on the other side do show, the moments know of them and the
//! guard judges: one of the usual size stands for the ten cases in which it was to be expected.
//!
//! Normal effects are kept waiting where the mean is large against the spread and few cases would do; others hardly.

use super::Side;

/// Effects on the other side that are this share of all (but ties) are waited for. Rarer ones no test can know of.
const RARE: f64 = 0.1;
/// The share of alpha that is spent on samples where they have not shown at all.
const UNSEEN: f64 = 0.8;

/// Judges whether there were chances enough for effects against a claim to show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    enough: f64,
}

impl Wait {
    pub(super) fn new(alpha: f64) -> Self {
        Self { enough: (UNSEEN * alpha).ln() / (-RARE).ln_1p() }
    }

    /// Tells whether the wait is over for the claim that the mean lies on this side of the center.
    pub(super) fn is_over(self, effects: &[f64], center: f64, side: Side) -> bool {
        let distances = || effects.iter().map(|effect| side.sign() * (effect - center));
        let total: f64 = distances().map(f64::abs).sum();
        if total == 0.0 {
            return false;
        }
        // The largest is the unit, so that no square is lost or endless.
        let largest = distances().map(f64::abs).fold(0.0, f64::max);
        let size = distances().map(|distance| (distance / largest).powi(2)).sum::<f64>() / (total / largest) * largest;
        let opposite: f64 = distances().map(|distance| (-distance / size).clamp(0.0, 1.0)).sum();
        total / size + opposite * (1.0 / RARE - 1.0) >= self.enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_over(effects: &[f64], center: f64, side: Side) -> bool {
        Wait::new(0.05).is_over(effects, center, side)
    }

    #[test]
    fn one_sided_effects_wait_for_thirty_one() {
        // 0.9^30 = 0.0424, 0.9^31 = 0.0382; 0.9^45 = 0.0087, 0.9^46 = 0.0079.
        for (center, side) in [(0.0, Side::Above), (5.0, Side::Below)] {
            assert!(!is_over(&[2.0; 30], center, side));
            assert!(is_over(&[2.0; 31], center, side));
        }
        assert!(!Wait::new(0.01).is_over(&[2.0; 45], 0.0, Side::Above));
        assert!(Wait::new(0.01).is_over(&[2.0; 46], 0.0, Side::Above));
    }

    #[test]
    fn ties_and_near_ties_are_no_chances() {
        let among = |tie: f64| [vec![2.0; 30], vec![tie; 500]].concat();
        assert!(!is_over(&among(0.0), 0.0, Side::Above));
        assert!(!is_over(&among(1e-6), 0.0, Side::Above));
        assert!(!is_over(&[0.0; 500], 0.0, Side::Above));
        // They are chances against the claim that the mean lies above -1: none of them was below.
        assert!(is_over(&among(0.0), -1.0, Side::Above));
    }

    #[test]
    fn an_effect_on_the_other_side_stands_for_ten() {
        // 21 equal ones of which one is on the other side: 21 + 9 = 30; one more is enough.
        let with = |cases: usize| [vec![3.0; cases - 1], vec![-3.0]].concat();
        assert!(!is_over(&with(21), 0.0, Side::Above));
        assert!(is_over(&with(22), 0.0, Side::Above));
        // The one alone is on the claimed side of the mirrored claim.
        assert!(is_over(&with(22), 0.0, Side::Below));
        // Of half the size: size = 21.25 / 21.5 in units of the others, n_eff = 21.75, and 9 * 0.506 = 4.6 more.
        assert!(!is_over(&[vec![3.0; 21], vec![-1.5]].concat(), 0.0, Side::Above));
        // A huge one counts once, and makes the others small.
        assert!(!is_over(&[vec![3.0; 21], vec![-3e5]].concat(), 0.0, Side::Above));
    }

    #[test]
    fn the_unit_does_not_matter() {
        for unit in [1e-200, 1.0, 1e200] {
            assert!(!is_over(&[2.0 * unit; 30], 0.0, Side::Above), "{unit}");
            assert!(is_over(&[2.0 * unit; 31], 0.0, Side::Above), "{unit}");
        }
    }
}
