//! The test of Baillie and Wagstaff ("Lucas pseudoprimes", Mathematics of Computation 35, 1980) and of Pomerance,
//! Selfridge and Wagstaff: a strong test to base 2, then a Lucas test, here the extra strong one. No composite number is
//! known that passes both.

use dashu_int::UBig;
use dashu_int::monty::{Montgomery, MontgomeryRepr};
use dashu_int::ops::{BitTest, SquareRoot};
use num_modular::ModularSymbols;

/// The integers modulo an odd number.
pub(super) trait Ring {
    /// One of them.
    type Residue;

    /// Returns what stands for this integer.
    fn residue(&self, integer: i64) -> Self::Residue;

    /// Returns x², or twice as much.
    fn square(&self, x: &Self::Residue, doubled: bool) -> Self::Residue;

    /// Returns x² − c, for a `c` that [`Ring::residue`] returned.
    fn square_less(&self, x: &Self::Residue, c: &Self::Residue) -> Self::Residue;

    /// Returns x·y − c, for a `c` that [`Ring::residue`] returned.
    fn product_less(&self, x: &Self::Residue, y: &Self::Residue, c: &Self::Residue) -> Self::Residue;

    /// Tells whether both stand for the same.
    fn are_equal(&self, x: &Self::Residue, y: &Self::Residue) -> bool;
}

impl<'a> Ring for &'a MontgomeryRepr {
    type Residue = Montgomery<'a>;

    fn residue(&self, integer: i64) -> Montgomery<'a> {
        let absolute = self.reduce(integer.unsigned_abs());
        if integer < 0 { -absolute } else { absolute }
    }

    fn square(&self, x: &Montgomery<'a>, doubled: bool) -> Montgomery<'a> {
        let square = x.sqr();
        if doubled { square.dbl() } else { square }
    }

    fn square_less(&self, x: &Montgomery<'a>, c: &Montgomery<'a>) -> Montgomery<'a> {
        x.sqr() - c
    }

    fn product_less(&self, x: &Montgomery<'a>, y: &Montgomery<'a>, c: &Montgomery<'a>) -> Montgomery<'a> {
        x * y - c
    }

    fn are_equal(&self, x: &Montgomery<'a>, y: &Montgomery<'a>) -> bool {
        x == y
    }
}

/// Whether an odd number is a strong probable prime to a base (Miller 1976, Rabin 1980). `power` returns a power of it.
pub(super) fn is_strong_probable_prime<R: Ring>(
    number: &UBig,
    ring: &R,
    power: impl FnOnce(&UBig) -> R::Residue,
) -> bool {
    let minus_one = ring.residue(-1);
    let (odd, twos) = odd_part(number - UBig::ONE);
    let mut power = power(&odd);
    if ring.are_equal(&power, &ring.residue(1)) || ring.are_equal(&power, &minus_one) {
        return true;
    }
    (1..twos).any(|_| {
        power = ring.square(&power, false);
        ring.are_equal(&power, &minus_one)
    })
}

/// Returns a power of 2: a square for each bit of the exponent.
pub(super) fn power_of_two<R: Ring>(ring: &R, exponent: &UBig) -> R::Residue {
    let bits = (0..exponent.bit_len()).rev();
    bits.fold(ring.residue(1), |power, bit| ring.square(&power, exponent.bit(bit)))
}

/// Whether an odd number is an extra strong Lucas probable prime (Grantham, "Frobenius pseudoprimes", Mathematics of
/// Computation 70, 2001), with Q = 1 and Baillie's choice of P: the first from 3 for which P² − 4 is no square modulo
/// the number.
pub(super) fn is_extra_strong_lucas_probable_prime<R: Ring>(number: &UBig, ring: &R) -> bool {
    let Some(p) = lucas_parameter(number) else {
        return false;
    };
    let (odd, twos) = odd_part(number + UBig::ONE);
    // V(odd) and V(odd + 1), from V(0) and V(1).
    let (mut v, mut next) = (ring.residue(2), ring.residue(p));
    let (p, zero, two) = (ring.residue(p), ring.residue(0), ring.residue(2));
    for bit in (0..odd.bit_len()).rev() {
        let between = ring.product_less(&v, &next, &p);
        if odd.bit(bit) {
            (v, next) = (between, ring.square_less(&next, &two));
        } else {
            (v, next) = (ring.square_less(&v, &two), between);
        }
    }
    if ring.are_equal(&v, &two) || ring.are_equal(&v, &ring.residue(-2)) {
        // U of the same index is 0 where P·V(k) = 2·V(k + 1).
        let twice_next = ring.product_less(&next, &two, &zero);
        if ring.are_equal(&ring.product_less(&v, &p, &zero), &twice_next) {
            return true;
        }
    }
    (1..twos).any(|_| {
        let found = ring.are_equal(&v, &zero);
        v = ring.square_less(&v, &two);
        found
    })
}

/// Returns the first P from 3 for which the Jacobi symbol of P² − 4 is −1; none for some composite numbers.
fn lucas_parameter(number: &UBig) -> Option<i64> {
    // For a square the symbol is never −1. Every other number has such a P, and it is small.
    let root = number.sqrt();
    if root.sqr() == *number {
        return None;
    }
    let symbol = |p: &i64| UBig::from((p * p - 4).unsigned_abs()).jacobi(number);
    (3..).find(|p| symbol(p) < 1).filter(|p| symbol(p) == -1)
}

/// Returns the number without its factors of 2, and how many these were. The number is not 0.
fn odd_part(number: UBig) -> (UBig, usize) {
    let twos = number.trailing_zeros().unwrap_or(0);
    (number >> twos, twos)
}
