//! The terms of the pairs, as a test of a growing number of cases takes them: in a unit that no later case changes.

use judge_problem::scoring::Exact;
use judge_statistics::Term;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// A case before the effects are divided by the mean base.
pub(super) struct RawPair {
    pub(super) case: usize,
    pub(super) effect: f64,
    pub(super) base: Exact,
}

impl RawPair {
    /// Adds a case that counts together with this one.
    pub(super) fn add(&mut self, other: &Self) {
        self.effect += other.effect;
        self.base = (self.base.number() + other.base.number()).into();
    }
}

/// The unit of the terms: a power of two, so that nothing is rounded. Sums of fourth powers of huge scores would be infinite.
#[derive(Debug, Clone, Default)]
pub(super) struct TermUnit(Option<f64>);

impl TermUnit {
    /// Returns the term of a pair as if the total were above 0. The first pair settles the unit.
    pub(super) fn term(&mut self, pair: &RawPair) -> Term {
        let base = pair.base.to_f64();
        let unit = *self.0.get_or_insert_with(|| power_of_two(base));
        Term { effect: pair.effect / unit, base: base / unit }
    }

    /// Returns the unit, 1 without any pairs.
    pub(super) fn size(&self) -> f64 {
        self.0.unwrap_or(1.0)
    }
}

/// What the pairs of a comparison add up to, pair by pair.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    total: BigRational,
    unit: TermUnit,
}

impl Terms {
    /// Adds a pair, and returns its term as if the total were above 0.
    pub(super) fn push(&mut self, pair: &RawPair) -> Term {
        self.total += pair.base.number();
        self.unit.term(pair)
    }

    /// Returns the sign of the total, which is that of all bases: 0 while there is no total.
    pub(super) fn sign(&self) -> f64 {
        sign(&self.total)
    }

    /// Returns the unit of the terms, 1 without any.
    pub(super) fn unit(&self) -> f64 {
        self.unit.size()
    }
}

/// Returns the sign of a number: 1, -1 or 0.
pub(super) fn sign(number: &BigRational) -> f64 {
    if number.is_zero() {
        0.0
    } else if number.is_negative() {
        -1.0
    } else {
        1.0
    }
}

/// Returns a power of two of the size of a number, 1 for 0.
fn power_of_two(number: f64) -> f64 {
    let exponent = number.abs().log2().floor();
    if exponent.is_finite() { exponent.exp2() } else { 1.0 }
}
