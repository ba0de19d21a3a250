//! The effect of a case: the advantage of B over A.

use checkers::Score;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// How the two scores of a case become one effect.
///
/// The effect is positive where B's score is the larger one. Every measure is antisymmetric: a problem with small
/// scores as good ones reverses the sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreMeasure {
    /// ln(b / a). For positive scores; a mean of 0.01 is one percent more, as a geometric mean.
    LogRatio,
    /// b - a, in the game's own points.
    Difference,
    /// (b - a) / max(|a|, |b|), 0 where both are 0: from -1 to 1 for scores of one sign. For positive scores it is
    /// the difference of the two under relative scoring.
    Relative,
}

impl ScoreMeasure {
    /// Returns the effect of going from A's score to B's. `None` where the measure is not defined (the log-ratio of a
    /// score that is not positive) or the effect is beyond the range of `f64`.
    #[must_use]
    pub fn effect(self, a: &Score, b: &Score) -> Option<f64> {
        let (a, b) = (a.to_rational(), b.to_rational());
        let effect = match self {
            Self::LogRatio => log_ratio(&a, &b),
            Self::Difference => (b - a).to_f64(),
            Self::Relative => relative(&a, &b),
        };
        effect.filter(|effect| effect.is_finite())
    }
}

/// Returns the effect between two exact numbers of points (of a scoring rule): their difference. `None` if it is
/// beyond the range of `f64`.
#[must_use]
pub fn points_effect(a: &BigRational, b: &BigRational) -> Option<f64> {
    (b - a).to_f64().filter(|effect| effect.is_finite())
}

fn log_ratio(a: &BigRational, b: &BigRational) -> Option<f64> {
    if !a.is_positive() || !b.is_positive() {
        return None;
    }
    // As ln(1 + excess) over the smaller of the two: near-equal scores of any length keep all their digits.
    let (smaller, larger, sign) = if b < a { (b, a, -1.0) } else { (a, b, 1.0) };
    let excess = ((larger - smaller) / smaller).to_f64()?;
    Some(sign * excess.ln_1p())
}

fn relative(a: &BigRational, b: &BigRational) -> Option<f64> {
    let larger = a.abs().max(b.abs());
    if larger.is_zero() { Some(0.0) } else { ((b - a) / larger).to_f64() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(text: &str) -> Score {
        text.parse().unwrap()
    }

    #[test]
    fn hand_worked_effects() {
        let (a, b) = (score("80"), score("100"));
        assert!((ScoreMeasure::LogRatio.effect(&a, &b).unwrap() - 1.25_f64.ln()).abs() < 1e-15);
        assert_eq!(ScoreMeasure::Difference.effect(&a, &b), Some(20.0));
        assert_eq!(ScoreMeasure::Relative.effect(&a, &b), Some(0.2));
        assert_eq!(ScoreMeasure::Relative.effect(&score("0"), &score("0")), Some(0.0));
        let third = BigRational::new(1.into(), 3.into());
        assert_eq!(points_effect(&third, &(third.clone() + BigRational::from_integer(2.into()))), Some(2.0));
    }

    #[test]
    fn effects_of_decimals_are_formed_exactly_and_rounded_once() {
        let effect = |measure: ScoreMeasure, a: &str, b: &str| measure.effect(&score(a), &score(b));
        // 0.3 - 0.1 in floating point is 0.19999999999999998.
        assert_eq!(effect(ScoreMeasure::Difference, "0.1", "0.3"), Some(0.2));
        assert_eq!(effect(ScoreMeasure::Relative, "0.3", "0.1"), Some(-2.0 / 3.0));
        assert_eq!(effect(ScoreMeasure::Difference, "1e9000", "1.5e9000"), None);
        assert_eq!(effect(ScoreMeasure::Relative, "1e9000", "1.25e9000"), Some(0.2));
        assert_eq!(effect(ScoreMeasure::Relative, "1e-9000", "1.25e-9000"), Some(0.2));
        let tiny = effect(ScoreMeasure::LogRatio, "1e-9000", "1.25e-9000").unwrap();
        assert!((tiny - 1.25_f64.ln()).abs() < 1e-15, "{tiny}");
    }

    #[test]
    fn every_measure_turns_its_sign_with_the_solvers() {
        for (a, b) in [("7", "9"), ("1", "1000000000000000000000000000000"), ("5", "5")] {
            for measure in [ScoreMeasure::LogRatio, ScoreMeasure::Difference, ScoreMeasure::Relative] {
                let there = measure.effect(&score(a), &score(b)).unwrap();
                assert_eq!(measure.effect(&score(b), &score(a)), Some(-there));
            }
        }
    }

    #[test]
    fn a_point_in_forty_digits_is_still_seen() {
        let a = score("10000000000000000000000000000000000000000");
        let b = score("10000000000000000000000000000000000000001");
        assert!((ScoreMeasure::LogRatio.effect(&a, &b).unwrap() - 1e-40).abs() < 1e-54);
        assert_eq!(ScoreMeasure::Difference.effect(&a, &b), Some(1.0));
        assert!((ScoreMeasure::Relative.effect(&a, &b).unwrap() - 1e-40).abs() < 1e-54);
    }

    #[test]
    fn what_has_no_effect_says_so() {
        assert_eq!(ScoreMeasure::LogRatio.effect(&score("0"), &score("3")), None);
        assert_eq!(ScoreMeasure::LogRatio.effect(&score("3"), &score("-3")), None);
        let huge = score(&format!("1{}", "0".repeat(400)));
        assert_eq!(ScoreMeasure::Difference.effect(&score("1"), &huge), None);
    }
}
