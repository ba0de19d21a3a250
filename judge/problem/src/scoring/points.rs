//! Exact numbers and their sums, weights, display, and the effect between two scores. Most numbers are small and take
//! sixteen bytes.

use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::HashMap;

/// An exact number. Small ones, which are nearly all, take no heap memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact(Digits);

/// The form is unique: a number is large only if it does not fit.
#[derive(Debug, Clone, PartialEq)]
enum Digits {
    Small { above: i64, below: u32 },
    Large(Box<BigRational>),
}

impl From<BigRational> for Exact {
    fn from(number: BigRational) -> Self {
        Self(match (number.numer().to_i64(), number.denom().to_u32()) {
            (Some(above), Some(below)) => Digits::Small { above, below },
            _ => Digits::Large(Box::new(number)),
        })
    }
}

impl Exact {
    /// Returns the number.
    pub fn number(&self) -> BigRational {
        match &self.0 {
            Digits::Small { above, below: 1 } => BigRational::from_integer((*above).into()),
            // The parts are in lowest terms.
            Digits::Small { above, below } => BigRational::new_raw((*above).into(), (*below).into()),
            Digits::Large(number) => (**number).clone(),
        }
    }

    /// Returns the number as `f64`; 0 if it is out of range.
    pub fn to_f64(&self) -> f64 {
        self.number().to_f64().unwrap_or(0.0)
    }
}

/// Exact numbers by case. A case may have none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointList(Vec<Option<Exact>>);

impl PointList {
    /// Returns the number of a case, if it has one.
    ///
    /// # Panics
    /// Panics if the case is out of range.
    pub fn get(&self, case: usize) -> Option<BigRational> {
        self.0[case].as_ref().map(Exact::number)
    }

    /// Returns the numbers of all cases, in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<BigRational>> + '_ {
        self.0.iter().map(|number| number.as_ref().map(Exact::number))
    }

    /// Sets the number of a case.
    pub(super) fn set(&mut self, case: usize, number: Option<BigRational>) {
        self.0[case] = number.map(Exact::from);
    }
}

impl FromIterator<Option<BigRational>> for PointList {
    fn from_iter<T: IntoIterator<Item = Option<BigRational>>>(numbers: T) -> Self {
        Self(numbers.into_iter().map(|number| number.map(Exact::from)).collect())
    }
}

/// The weights of cases in totals and means.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseWeights {
    count: usize,
    /// `None` if every case has the weight 1.
    own: Option<PointList>,
}

impl CaseWeights {
    /// Returns the weights of this number of cases with the weight 1.
    pub(super) fn one(count: usize) -> Self {
        Self { count, own: None }
    }

    /// Returns the number of cases.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no cases.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns whether every case has the weight 1.
    pub fn are_one(&self) -> bool {
        self.own.is_none()
    }

    /// Returns the weight of a case.
    pub fn get(&self, case: usize) -> BigRational {
        self.own.as_ref().and_then(|own| own.get(case)).unwrap_or_else(BigRational::one)
    }

    /// Returns the weights of all cases, in order.
    pub fn iter(&self) -> impl Iterator<Item = BigRational> + '_ {
        (0..self.count).map(|case| self.get(case))
    }
}

impl FromIterator<BigRational> for CaseWeights {
    fn from_iter<T: IntoIterator<Item = BigRational>>(weights: T) -> Self {
        let own: PointList = weights.into_iter().map(Some).collect();
        let is_one = |weight: &Option<Exact>| matches!(weight, Some(Exact(Digits::Small { above: 1, below: 1 })));
        Self { count: own.0.len(), own: Some(own).filter(|own| !own.0.iter().all(is_one)) }
    }
}

/// A sum is exact if its common denominator has at most this many bits. More than three thousand fractions
/// with coprime denominators stay below it.
const MAX_BITS: u64 = 1 << 16;

/// Larger sums are rounded to this number of bits: three hundred decimals.
const ROUNDED_BITS: u32 = 1 << 10;

/// A sum of exact numbers in linear time: fractions get a common denominator only once, at the end. The sum is exact
/// unless that denominator is too large.
#[derive(Debug, Default)]
pub struct ExactSum {
    whole: BigInt,
    /// The sum of the numerators, by denominator.
    parts: HashMap<BigInt, BigInt>,
}

impl ExactSum {
    /// Adds a number.
    pub fn add(&mut self, number: &BigRational) {
        if number.is_integer() {
            self.whole += number.numer();
            return;
        }
        let above = self.parts.entry(number.denom().clone()).or_default();
        *above += number.numer();
    }

    /// Returns the sum.
    pub fn value(&self) -> BigRational {
        let whole = BigRational::from_integer(self.whole.clone());
        if self.parts.is_empty() {
            return whole;
        }
        let (common, above) = match self.common_denominator() {
            Some(common) => {
                let above = self.parts.iter().filter(|(_, above)| !above.is_zero());
                let above = above.map(|(below, above)| above * (&common / below)).sum::<BigInt>();
                (common, above)
            }
            None => {
                // Each part is rounded down. Their total error is far below the last digit that is kept.
                let spare = u64::BITS;
                let above = self.parts.iter().map(|(below, above)| (above << (ROUNDED_BITS + spare)) / below);
                let half = BigInt::one() << (spare - 1);
                (BigInt::one() << ROUNDED_BITS, (above.sum::<BigInt>() + half) >> spare)
            }
        };
        whole + BigRational::new(above, common)
    }

    /// Returns the least common denominator, unless it is too large.
    fn common_denominator(&self) -> Option<BigInt> {
        let mut common = BigInt::one();
        for (below, _) in self.parts.iter().filter(|(_, above)| !above.is_zero()) {
            // The remainder is as short as the denominator, so the greatest common divisor is cheap.
            let rest = &common % below;
            let shared = num_integer::Integer::gcd(below, &rest);
            common *= below / shared;
            if common.bits() > MAX_BITS {
                return None;
            }
        }
        Some(common)
    }
}

impl FromIterator<BigRational> for ExactSum {
    fn from_iter<T: IntoIterator<Item = BigRational>>(numbers: T) -> Self {
        let mut sum = Self::default();
        numbers.into_iter().for_each(|number| sum.add(&number));
        sum
    }
}

/// Returns the number rounded exactly to this many decimals, halves away from zero. A number that rounds to 0 has no
/// sign.
pub fn display(number: &BigRational, decimals: u32) -> String {
    let shift = BigInt::from(10).pow(decimals);
    // `round` rounds halves away from zero.
    let shifted = (number * &shift).round().to_integer();
    let sign = if shifted.is_negative() { "-" } else { "" };
    let digits = format!("{:0>width$}", shifted.abs().to_string(), width = decimals as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals as usize);
    let point = if decimals > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

/// Returns the number of decimals that shows this many significant digits of a number below 1. A larger number gets
/// fewer decimals.
pub fn decimals_of_digits(number: &BigRational, digits: u32) -> u32 {
    if number.is_zero() || number.numer().magnitude() >= number.denom().magnitude() {
        return 0;
    }
    // The zeros after the point, estimated from the lengths: at most one too many.
    let bits = number.denom().bits() - number.numer().bits() + 1;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is not negative, and a number with 2^32 decimals does not fit into memory"
    )]
    let zeros = (bits as f64 * std::f64::consts::LOG10_2) as u32;
    zeros + digits
}

/// The measure of the effect between two scores of a case.
///
/// The effect is positive if B's score is larger. Every measure is antisymmetric, so a problem in which small scores
/// are good reverses the sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreMeasure {
    /// ln(b / a), for positive scores. A mean of 0.01 means that the geometric mean is one percent larger.
    LogRatio,
    /// b - a, in points of the game.
    Difference,
    /// (b - a) / max(|a|, |b|), and 0 if both are 0. It is from -1 to 1 for scores with the same sign. For positive
    /// scores it is the difference of their points under relative scoring.
    Relative,
}

impl ScoreMeasure {
    /// Returns the effect of the change from A's score to B's. `None` if the measure is undefined (the log-ratio of a
    /// score that is not positive) or the effect is out of the range of `f64`.
    pub fn effect(self, a: &Score, b: &Score) -> Option<f64> {
        let (a, b) = (a.to_rational(), b.to_rational());
        let effect = match self {
            Self::LogRatio => log_ratio(&a, &b),
            Self::Difference => (b - a).to_f64(),
            Self::Relative => relative(&a, &b).to_f64(),
        };
        effect.filter(|effect| effect.is_finite())
    }
}

/// Returns the difference of two exact points of a scoring rule. `None` if it is out of the range of `f64`.
pub fn points_effect(a: &BigRational, b: &BigRational) -> Option<f64> {
    (b - a).to_f64().filter(|effect| effect.is_finite())
}

/// Returns ln(b / a). `None` unless both are positive.
pub(super) fn log_ratio(a: &BigRational, b: &BigRational) -> Option<f64> {
    if !a.is_positive() || !b.is_positive() {
        return None;
    }
    // Computed as ln(1 + excess) over the smaller score, so that nearly equal scores of any length keep all their
    // digits.
    let (smaller, larger, sign) = if b < a { (b, a, -1.0) } else { (a, b, 1.0) };
    let excess = ((larger - smaller) / smaller).to_f64()?;
    Some(
        sign * if excess.is_finite() {
            excess.ln_1p()
        } else {
            ln(larger.numer()) + ln(smaller.denom()) - ln(larger.denom()) - ln(smaller.numer())
        },
    )
}

/// Returns the logarithm of a number above 0 of any length.
fn ln(number: &BigInt) -> f64 {
    let beyond = number.bits().saturating_sub(64);
    (number >> beyond).to_f64().unwrap_or(f64::NAN).ln() + beyond as f64 * std::f64::consts::LN_2
}

/// Returns (b - a) / max(|a|, |b|), and 0 if both are 0.
pub fn relative(a: &BigRational, b: &BigRational) -> BigRational {
    let larger = a.abs().max(b.abs());
    if larger.is_zero() { larger } else { (b - a) / larger }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_number() -> impl Strategy<Value = BigRational> {
        let small = (-20_i64..20, 1_i64..20).prop_map(|(above, below)| BigRational::new(above.into(), below.into()));
        let large = (any::<i128>(), 1_i128..).prop_map(|(above, below)| BigRational::new(above.into(), below.into()));
        prop_oneof![small, large]
    }

    proptest! {
        #[test]
        fn numbers_come_back_as_they_were(numbers in prop::collection::vec(prop::option::of(any_number()), 0..20)) {
            let list: PointList = numbers.iter().cloned().collect();
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), numbers.clone());
            let weights: CaseWeights = numbers.iter().flatten().cloned().collect();
            prop_assert_eq!(weights.iter().collect::<Vec<_>>(), numbers.into_iter().flatten().collect::<Vec<_>>());
        }

        #[test]
        fn sums_are_exact(numbers in prop::collection::vec(any_number(), 0..40)) {
            let sum = numbers.iter().cloned().collect::<ExactSum>().value();
            prop_assert_eq!(sum, numbers.into_iter().sum::<BigRational>());
        }
    }

    #[test]
    fn weights_of_one_take_no_room() {
        let weights: CaseWeights = (0..3).map(|_| BigRational::one()).collect();
        assert!(weights.are_one() && weights.own.is_none() && weights.get(2).is_one());
        assert!(size_of::<Option<Exact>>() <= 16);
    }

    #[test]
    fn a_sum_of_very_many_fractions_is_rounded_far_behind_what_is_shown() {
        // 1/n - 1/(n+1) telescopes, but the common denominator of the parts exceeds the bound.
        let count = 60_000_i64;
        let part = |n: i64| BigRational::new(1.into(), n.into());
        let sum: ExactSum = (1..count).flat_map(|n| [part(n), -part(n + 1)]).collect();
        let parts: ExactSum = (1..count).map(|n| part(n) + BigRational::from_integer(n.into())).collect();
        assert!(parts.common_denominator().is_none());
        assert_eq!(sum.value(), BigRational::one() - part(count));
        let slow = (1..count).map(|n| 1.0 / n as f64 + n as f64).sum::<f64>();
        let error = (parts.value() - BigRational::from_float(slow).unwrap()).abs();
        assert!(error.to_f64().unwrap() < 1e-3, "{error:?}");
    }

    fn shown(numerator: i128, denominator: i128, decimals: u32) -> String {
        display(&BigRational::new(numerator.into(), denominator.into()), decimals)
    }

    #[test]
    fn thirds_and_halves() {
        assert_eq!(shown(1, 3, 2), "0.33");
        assert_eq!(shown(2, 3, 2), "0.67");
        assert_eq!(shown(1, 8, 2), "0.13");
        assert_eq!(shown(-1, 8, 2), "-0.13");
        assert_eq!(shown(5, 2, 0), "3");
        assert_eq!(shown(999_999, 1_000, 2), "1000.00");
    }

    #[test]
    fn small_numbers_show_their_digits() {
        let shown = |above: i64, below: i64| {
            let number = BigRational::new(above.into(), below.into());
            display(&number, decimals_of_digits(&number, 3))
        };
        assert_eq!((shown(1, 3_000), shown(-1, 3_000_000)), ("0.000333".to_owned(), "-0.000000333".to_owned()));
        assert_eq!((shown(7, 3), shown(0, 1), shown(2, 3)), ("2".to_owned(), "0".to_owned(), "0.667".to_owned()));
    }

    #[test]
    fn nothing_is_written_as_minus_nothing() {
        assert_eq!(shown(-1, 1_000, 2), "0.00");
        assert_eq!(shown(0, 1, 0), "0");
    }

    #[test]
    fn digits_beyond_floating_point_are_kept() {
        let huge = 10_i128.pow(38);
        assert_eq!(shown(huge + 1, 2, 1), "50000000000000000000000000000000000000.5");
    }

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
        let vast = effect(ScoreMeasure::LogRatio, "3e-200", "6e200").unwrap();
        assert!((vast - (2.0_f64.ln() + 400.0 * 10.0_f64.ln())).abs() < 1e-9, "{vast}");
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
