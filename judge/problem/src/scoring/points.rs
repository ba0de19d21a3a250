//! Exact numbers by case: most of them are small, and take sixteen bytes.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::HashMap;

/// An exact number. Nearly all are small, and take no memory of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact(Digits);

/// Equal numbers have the same form: a number is large only if it does not fit.
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
    #[must_use]
    pub fn number(&self) -> BigRational {
        match &self.0 {
            Digits::Small { above, below: 1 } => BigRational::from_integer((*above).into()),
            // They are in lowest terms.
            Digits::Small { above, below } => BigRational::new_raw((*above).into(), (*below).into()),
            Digits::Large(number) => (**number).clone(),
        }
    }

    /// Returns the number rounded; 0 if it is beyond the range of `f64`.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.number().to_f64().unwrap_or(0.0)
    }
}

/// Exact numbers by case; `None` for a case without one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointList(Vec<Option<Exact>>);

impl PointList {
    /// Returns the number of a case, if it has one.
    ///
    /// # Panics
    /// When there is no such case.
    #[must_use]
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
    /// `None` where every case weighs 1.
    own: Option<PointList>,
}

impl CaseWeights {
    /// Returns the weights of this number of cases that weigh 1.
    pub(super) fn one(count: usize) -> Self {
        Self { count, own: None }
    }

    /// Returns the number of cases.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no cases.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns whether every case weighs 1.
    #[must_use]
    pub fn are_one(&self) -> bool {
        self.own.is_none()
    }

    /// Returns the weight of a case.
    #[must_use]
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

/// The largest common denominator, in bits, up to which a sum is exact: that of more than three thousand fractions without
/// anything in common.
const MOST_BITS: u64 = 1 << 16;

/// The binary digits that a sum beyond that is rounded to: three hundred decimals.
const ROUNDED_BITS: u32 = 1 << 10;

/// A sum of exact numbers in time that grows with their count: fractions are put on one denominator once, at the end. It is
/// exact, unless that denominator is too large to be written down.
#[derive(Debug, Default)]
pub struct ExactSum {
    whole: BigInt,
    /// By denominator: the sum of the numerators.
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
    #[must_use]
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
                // Each part is rounded down: what they lack together is far below the last digit that is kept.
                let spare = u64::BITS;
                let above = self.parts.iter().map(|(below, above)| (above << (ROUNDED_BITS + spare)) / below);
                let half = BigInt::one() << (spare - 1);
                (BigInt::one() << ROUNDED_BITS, (above.sum::<BigInt>() + half) >> spare)
            }
        };
        whole + BigRational::new(above, common)
    }

    /// Returns the smallest common denominator, unless it is too large.
    fn common_denominator(&self) -> Option<BigInt> {
        let mut common = BigInt::one();
        for (below, _) in self.parts.iter().filter(|(_, above)| !above.is_zero()) {
            // The remainder is as short as the denominator, and so is the work for what both have in common.
            let rest = &common % below;
            let shared = num_integer::Integer::gcd(below, &rest);
            common *= below / shared;
            if common.bits() > MOST_BITS {
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

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Signed;
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
        // 1/n - 1/(n+1) telescopes; the common denominator of the parts is beyond every bound.
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
}
