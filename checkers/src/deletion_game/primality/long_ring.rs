//! Arithmetic modulo a number of thousands of digits, by floating-point transforms.
//!
//! This is Montgomery's multiplication in the form of McLaughlin ("New frameworks for Montgomery's modular
//! multiplication method", Mathematics of Computation 73, 2004). With R = 2^k − 1 and Q = 2^k + 1, it needs only
//! remainders modulo R and Q. Cyclic and negacyclic products give these remainders without any padding. For integers x
//! and y and the modulus N:
//!
//! ```text
//! m = x·y·N⁻¹ mod R         so that x·y − m·N is a multiple t·R of R,
//! u = x·y − m·N mod Q       which is −2·t, since R is −2 modulo Q. So u is −2·x·y/R modulo N.
//! ```
//!
//! Digits of integers may be negative. Residues are below 3·N in absolute value, and N is below R/64. So m is at most
//! R/2, and u is at most 2·(9·N² + N·R/2)/R < 1.3·N. This allows doubling it, or subtracting a residue below N. No
//! other integer of this size has the same remainder modulo Q.

use super::Ring;
use super::transform::{MIN_LENGTH, Transform, exact_bits};
use dashu_int::UBig;
use dashu_int::fast_div::ConstDivisor;
use dashu_int::ops::{BitTest, Gcd};

/// The minimum number of bits by which R is longer than N.
const ROOM: usize = 6;

/// 1.5·2^52. A sum with it is rounded to an integer, and the integer is in its last bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// The integers modulo an odd number.
pub(super) struct LongRing {
    modulus: UBig,
    shape: Shape,
    transform: Transform,
    /// N⁻¹ modulo R, transformed modulo R.
    inverse: Vec<f64>,
    /// N, transformed modulo Q.
    transformed_modulus: Vec<f64>,
    /// The residue of 1: −R/2 modulo N.
    one: UBig,
}

/// Returns the number of digits of a residue for a modulus of this many bits. The time of a multiplication grows with
/// it.
pub(super) fn residue_length(modulus_bits: usize) -> usize {
    Shape::new(modulus_bits, 0).length
}

/// The form in which integers of k bits are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    length: usize,
    digit_bits: u32,
}

impl Shape {
    /// Returns the shortest form with enough digits, where each digit is this many bits shorter than possible.
    fn new(modulus_bits: usize, shorter: u32) -> Self {
        let lengths = std::iter::successors(Some(MIN_LENGTH), |length| Some(2 * length));
        let mut shapes =
            lengths.map(|length| Self { length, digit_bits: exact_bits(length).saturating_sub(shorter).max(1) });
        shapes.find(|shape| shape.bits() >= modulus_bits + ROOM).expect("lengths grow without end")
    }

    /// Returns k.
    fn bits(self) -> usize {
        self.length * self.digit_bits as usize
    }

    /// Writes an integer from 0 to R modulo R. A much smaller integer is written unchanged.
    fn write(self, integer: &UBig) -> Vec<f64> {
        let words = integer.as_words();
        let word = |index: usize| u128::from(words.get(index).copied().unwrap_or(0));
        let digit = |index: usize| {
            let bit = index * self.digit_bits as usize;
            let from_there = (word(bit / 64) | word(bit / 64 + 1) << 64) >> (bit % 64);
            (from_there & ((1 << self.digit_bits) - 1)) as f64
        };
        let mut digits: Vec<f64> = (0..self.length).map(digit).collect();
        self.carry(&mut digits, 1, |_, digit| digit_value(digit));
        digits
    }

    /// Returns the absolute value of an integer that is small against 2^k.
    fn read(self, digits: &[f64]) -> UBig {
        let mut words = Vec::with_capacity(self.bits() / 64 + 1);
        let (mut buffer, mut filled, mut carry) = (0_u128, 0, 0);
        for &digit in digits {
            let sum = digit_value(digit) + carry;
            carry = sum >> self.digit_bits;
            buffer |= u128::from((sum - (carry << self.digit_bits)).cast_unsigned()) << filled;
            filled += self.digit_bits;
            if filled >= 64 {
                words.push(low_word(buffer));
                (buffer, filled) = (buffer >> 64, filled - 64);
            }
        }
        words.push(low_word(buffer));
        let integer = UBig::from_words(&words);
        if carry < 0 { (UBig::ONE << self.bits()) - integer } else { integer }
    }

    /// Rounds all values to integers and carries, so that the digits are at most 2^(digit_bits - 1) in size. The carry
    /// out of the last digit goes to the first digits, times `wrap`.
    #[inline]
    fn carry(self, values: &mut [f64], wrap: i64, to_integer: impl Fn(usize, f64) -> i64) {
        let over = self.carry_along(values, 0, to_integer);
        let (first, rest) = values.split_at_mut(4);
        rest[0] += self.carry_along(first, wrap * over, |_, digit| digit_value(digit)) as f64;
    }

    #[inline]
    fn carry_along(self, values: &mut [f64], mut carry: i64, to_integer: impl Fn(usize, f64) -> i64) -> i64 {
        let half = 1 << (self.digit_bits - 1);
        for (index, value) in values.iter_mut().enumerate() {
            let sum = to_integer(index, *value) + carry;
            carry = (sum + half) >> self.digit_bits;
            *value = (sum - (carry << self.digit_bits)) as f64;
        }
        carry
    }
}

impl LongRing {
    /// Returns the ring of a modulus of at least some hundred bits, or `None` if it turns out to be composite.
    pub(super) fn new(modulus: &UBig) -> Option<Self> {
        // N and R may have a common factor. The factor is N itself for at most one of the two R, because N would
        // otherwise divide 2^g − 1 as well for the common divisor g of both k, which is at most four times the length,
        // and so smaller than N.
        for shorter in 0..2 {
            let shape = Shape::new(modulus.bit_len(), shorter);
            let r = UBig::ones(shape.bits());
            match ConstDivisor::new(r.clone()).reduce(modulus.clone()).inv() {
                Some(inverse) => return Some(Self::with(modulus, shape, &r, &inverse.residue())),
                None if modulus.gcd(&r) == *modulus => {}
                None => break,
            }
        }
        None
    }

    fn with(modulus: &UBig, shape: Shape, r: &UBig, inverse: &UBig) -> Self {
        let transform = Transform::new(shape.length);
        let mut inverse = shape.write(inverse);
        transform.split_cyclic(&mut inverse);
        let mut transformed_modulus = shape.write(modulus);
        transform.split_negacyclic(&mut transformed_modulus);
        let rest = r % modulus;
        let half = if rest.bit(0) { (rest + modulus) >> 1 } else { rest >> 1 };
        Self { modulus: modulus.clone(), shape, transform, inverse, transformed_modulus, one: modulus - half }
    }

    /// Returns x·y mod R times the inverse of N, from the transform of x·y modulo R.
    fn multiple(&self, mut product: Vec<f64>) -> Vec<f64> {
        self.transform.join_cyclic(&mut product);
        self.carry(&mut product, 1, |_, value| value);
        self.transform.split_cyclic(&mut product);
        let mut multiple = self.transform.cyclic_product(&product, &self.inverse);
        self.transform.join_cyclic(&mut multiple);
        self.carry(&mut multiple, 1, |_, value| value);
        multiple
    }

    /// Returns x·y − m·N mod Q, changed by `finish`, from the transform of x·y modulo Q and m.
    fn reduced(&self, mut product: Vec<f64>, mut multiple: Vec<f64>, finish: impl Fn(usize, i64) -> i64) -> Vec<f64> {
        self.transform.split_negacyclic(&mut multiple);
        let subtrahend = self.transform.negacyclic_product(&multiple, &self.transformed_modulus);
        product.iter_mut().zip(subtrahend).for_each(|(value, subtrahend)| *value -= subtrahend);
        self.transform.join_negacyclic(&mut product);
        self.carry(&mut product, -1, finish);
        product
    }

    #[inline]
    fn carry(&self, values: &mut [f64], wrap: i64, finish: impl Fn(usize, i64) -> i64) {
        let scale = self.transform.scale();
        let round = |value: f64| (value * scale + ROUNDING).to_bits().cast_signed() - ROUNDING.to_bits().cast_signed();
        self.shape.carry(values, wrap, |index, value| finish(index, round(value)));
    }

    fn squared(&self, x: &[f64], finish: impl Fn(usize, i64) -> i64) -> Vec<f64> {
        let (cyclic, negacyclic) = (self.cyclic(x), self.negacyclic(x));
        let multiple = self.multiple(self.transform.cyclic_product(&cyclic, &cyclic));
        self.reduced(self.transform.negacyclic_product(&negacyclic, &negacyclic), multiple, finish)
    }

    fn cyclic(&self, x: &[f64]) -> Vec<f64> {
        let mut transformed = x.to_vec();
        self.transform.split_cyclic(&mut transformed);
        transformed
    }

    fn negacyclic(&self, x: &[f64]) -> Vec<f64> {
        let mut transformed = x.to_vec();
        self.transform.split_negacyclic(&mut transformed);
        transformed
    }
}

impl Ring for LongRing {
    /// The digits of a number that is not reduced and may be negative.
    type Residue = Vec<f64>;

    fn residue(&self, integer: i64) -> Vec<f64> {
        let mut digits = self.shape.write(&(&self.one * integer.unsigned_abs() % &self.modulus));
        if integer < 0 {
            digits.iter_mut().for_each(|digit| *digit = -*digit);
        }
        digits
    }

    fn square(&self, x: &Vec<f64>, doubled: bool) -> Vec<f64> {
        self.squared(x, |_, value| value << u32::from(doubled))
    }

    fn square_less(&self, x: &Vec<f64>, c: &Vec<f64>) -> Vec<f64> {
        self.squared(x, |index, value| value - digit_value(c[index]))
    }

    fn product_less(&self, x: &Vec<f64>, y: &Vec<f64>, c: &Vec<f64>) -> Vec<f64> {
        let multiple = self.multiple(self.transform.cyclic_product(&self.cyclic(x), &self.cyclic(y)));
        let product = self.transform.negacyclic_product(&self.negacyclic(x), &self.negacyclic(y));
        self.reduced(product, multiple, |index, value| value - digit_value(c[index]))
    }

    fn are_equal(&self, x: &Vec<f64>, y: &Vec<f64>) -> bool {
        let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
        (self.shape.read(&difference) % &self.modulus).is_zero()
    }
}

/// Returns a digit as the integer that it is.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "digits are integers far below 2^53")]
fn digit_value(digit: f64) -> i64 {
    digit as i64
}

#[expect(clippy::cast_possible_truncation, reason = "the other bits are for the next words")]
fn low_word(buffer: u128) -> u64 {
    buffer as u64
}

#[cfg(test)]
mod tests {
    //! Compares the ring with the arithmetic of a library.
    use super::*;
    use crate::random::FrozenRandom;
    use dashu_int::monty::MontgomeryRepr;
    use proptest::prelude::*;

    /// An odd number of this many bits.
    fn odd_number(random: &mut FrozenRandom, bits: usize) -> UBig {
        let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| random.below(u64::MAX)).collect();
        let number = UBig::from_words(&words) >> (words.len() * 64 - bits);
        number | UBig::ONE << (bits - 1) | UBig::ONE
    }

    /// Does the same steps in both rings, and compares after each step. Returns whether the ring exists.
    fn steps_are_alike(modulus: &UBig, steps: &[u8]) -> Result<bool, TestCaseError> {
        let Some(ring) = LongRing::new(modulus) else { return Ok(false) };
        let expected_ring = &MontgomeryRepr::new(modulus.clone());
        let (mut x, mut y) = (ring.residue(2), ring.residue(-3));
        let (mut expected_x, mut expected_y) = (expected_ring.residue(2), expected_ring.residue(-3));
        for &step in steps {
            let constant = i64::from(step) - 128;
            let (c, expected_c) = (ring.residue(constant), expected_ring.residue(constant));
            (x, expected_x) = match step % 4 {
                0 => (ring.square(&x, false), expected_ring.square(&expected_x, false)),
                1 => (ring.square(&x, true), expected_ring.square(&expected_x, true)),
                2 => (ring.square_less(&x, &c), expected_ring.square_less(&expected_x, &expected_c)),
                _ => (ring.product_less(&x, &y, &c), expected_ring.product_less(&expected_x, &expected_y, &expected_c)),
            };
            // The representation of an integer is the integer times the representation of 1.
            let stands_for = &ring.one * expected_x.residue() % modulus;
            prop_assert!(ring.are_equal(&x, &ring.shape.write(&stands_for)), "{} after step {}", modulus, step);
            let other = (stands_for + UBig::ONE) % modulus;
            prop_assert!(!ring.are_equal(&x, &ring.shape.write(&other)));
            (x, y, expected_x, expected_y) = (y, x, expected_y, expected_x);
        }
        Ok(true)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_step_is_as_in_the_library(seed: u64, bits in 100..6_000_usize, steps in proptest::collection::vec(any::<u8>(), 1..30)) {
            steps_are_alike(&odd_number(&mut FrozenRandom::new("ring", seed), bits), &steps)?;
        }
    }

    /// Moduli around the largest one of each shape, and as sparse or as dense as possible.
    #[test]
    fn moduli_that_fill_their_digits_are_no_exception() {
        let steps: Vec<u8> = (0..40_u32).map(|step| (step * 37 % 251) as u8).collect();
        let mut rings = 0;
        for length in [32, 64, 512, 1024] {
            let most = length * exact_bits(length) as usize - ROOM;
            for bits in [most - 1, most, most + 1] {
                for below in [1_u32, 3, 5, 9, 17, 33, 129, 255] {
                    let top = UBig::ONE << bits;
                    for modulus in [&top - UBig::from(below), &top / UBig::from(2_u8) + UBig::from(below)] {
                        rings += usize::from(steps_are_alike(&modulus, &steps).unwrap());
                    }
                }
            }
        }
        assert!(rings > 40, "{rings} of these moduli have no factor in common with R");
    }

    #[test]
    fn a_residue_is_as_long_as_the_modulus_asks_for() {
        for (bits, length) in [(100, 32), (634, 32), (635, 64), (17_402, 1024), (17_403, 2048), (465_000, 32_768)] {
            assert_eq!(residue_length(bits), length, "{bits} bits");
        }
    }

    /// Returns 2^order − 1 without its factors of 2^d − 1 for smaller d.
    fn primitive_part(order: usize) -> UBig {
        let divisors = (1..order).filter(|divisor| order.is_multiple_of(*divisor));
        divisors.fold(UBig::ones(order), |rest, divisor| {
            let smaller = UBig::ones(divisor);
            std::iter::successors(Some(rest), |rest| {
                let common = rest.gcd(&smaller);
                (!common.is_one()).then(|| rest / common)
            })
            .last()
            .expect("there is a first one")
        })
    }

    #[test]
    fn a_modulus_that_divides_r_gets_another_r() {
        let modulus = primitive_part(640);
        let first = Shape::new(modulus.bit_len(), 0);
        assert!(first.bits() == 640 && (UBig::ones(640) % &modulus).is_zero());
        let ring = LongRing::new(&modulus).expect("it has no factor in common with 2^608 - 1");
        assert_eq!(ring.shape, Shape { length: 32, digit_bits: 19 });
        assert!(steps_are_alike(&modulus, &[0, 1, 2, 3, 250, 251, 252, 253]).unwrap());
    }

    #[test]
    fn a_modulus_with_a_factor_of_every_r_is_composite() {
        let common = UBig::ones(64) * odd_number(&mut FrozenRandom::new("ring", 1), 1000);
        assert!(LongRing::new(&common).is_none());
        assert!(LongRing::new(&(UBig::ones(640) / UBig::ones(10))).is_none());
    }
}
