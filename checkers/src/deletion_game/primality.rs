//! Whether the number of a path is prime: cheap rejections, an exact test below 2^64, Baillie-PSW above.
//!
//! The time of a test grows about as the cube of the number of digits: more than a second for a composite number of
//! 5,000 digits, four for a prime. An answer of a megabyte has room for a number of a quarter of a million digits,
//! which would take days. So there is a limit to one number, [`MAX_DIGITS`], and one to all numbers of an answer,
//! [`MAX_EFFORT`]; together they keep an answer below half a minute. What a cheap rejection settles counts towards
//! neither. The games that the contest set stay far below: their paths are at most about 3,000 cells long, and it is
//! the single-move games that have paths of more than a few dozen cells.

use dashu_int::UBig;
use dashu_int::monty::{Montgomery, MontgomeryRepr};
use dashu_int::ops::{BitTest, SquareRoot};
use num_modular::ModularSymbols;
use std::sync::LazyLock;

/// The longest number whose primality is decided by more than its digits and small factors.
pub(super) const MAX_DIGITS: usize = 5_000;

/// The sum of the cubes of the lengths of the numbers that one answer may have tested: six of the longest.
pub(super) const MAX_EFFORT: u64 = 6 * cube(MAX_DIGITS);

/// Prime bases that together decide every number below 3.3·10^24 (Sorenson and Webster, "Strong pseudoprimes to twelve
/// prime bases", Mathematics of Computation 86, 2017).
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// No product of small primes has a prime factor beyond this.
const SMALL_PRIME_LIMIT: usize = 1 << 16;

/// Decides primality for one answer.
pub(super) struct Primality {
    effort_left: u64,
}

impl Default for Primality {
    fn default() -> Self {
        Self { effort_left: MAX_EFFORT }
    }
}

/// Why the primality of a number is not decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooHard {
    /// The number has this many digits, more than [`MAX_DIGITS`].
    Number(usize),
    /// The answer's numbers are together beyond [`MAX_EFFORT`].
    Answer,
}

impl TooHard {
    /// Returns the rule that is broken, which is this project's and not the statement's.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Number(_) => "N is too long for its primality to be decided",
            Self::Answer => "the answer's numbers are too long for their primality to be decided",
        }
    }

    /// Returns what would have been decided.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Number(_) => format!("at most {MAX_DIGITS} digits, or a factor below {SMALL_PRIME_LIMIT}"),
            Self::Answer => format!("a sum of cubed lengths of at most {MAX_EFFORT}"),
        }
    }

    /// Returns what there was instead.
    pub(super) fn found(self) -> String {
        match self {
            Self::Number(digits) => format!("{digits} digits"),
            Self::Answer => "more".to_owned(),
        }
    }
}

impl Primality {
    /// Returns whether the number, given as ASCII digits, is prime.
    pub(super) fn is_prime(&mut self, number: &[u8]) -> Result<bool, TooHard> {
        if number.len() > 2 && is_composite_by_its_digits(number) {
            return Ok(false);
        }
        let text = str::from_utf8(number).expect("digits are ASCII");
        let number = UBig::from_str_radix(text, 10).expect("these are digits");
        if let Ok(small) = u64::try_from(&number) {
            return Ok(is_small_prime(small));
        }
        if has_small_factor(&number) {
            return Ok(false);
        }
        self.spend(text.len())?;
        Ok(passes_baillie_psw(&number))
    }

    fn spend(&mut self, digits: usize) -> Result<(), TooHard> {
        if digits > MAX_DIGITS {
            return Err(TooHard::Number(digits));
        }
        self.effort_left = self.effort_left.checked_sub(cube(digits)).ok_or(TooHard::Answer)?;
        Ok(())
    }
}

const fn cube(digits: usize) -> u64 {
    (digits as u64).pow(3)
}

/// Whether 2, 3, 5 or 11 divides a number of more than two digits. 11 divides every palindrome of even length.
fn is_composite_by_its_digits(number: &[u8]) -> bool {
    let last = number[number.len() - 1] - b'0';
    let sum = |digits: &mut dyn Iterator<Item = &u8>| digits.map(|digit| u64::from(digit - b'0')).sum::<u64>();
    let (even, odd) = (sum(&mut number.iter().step_by(2)), sum(&mut number.iter().skip(1).step_by(2)));
    last.is_multiple_of(2) || last == 5 || (even + odd).is_multiple_of(3) || even.abs_diff(odd).is_multiple_of(11)
}

fn is_small_prime(number: u64) -> bool {
    if let Some(&factor) = BASES.iter().find(|&&base| number.is_multiple_of(base)) {
        return number == factor;
    }
    if number < 37 * 37 {
        return number > 1;
    }
    // The least number that is a strong pseudoprime to 2, 3, 5 and 7 is 3215031751 (Jaeschke, 1993).
    let bases = if number < 3_215_031_751 { &BASES[..4] } else { &BASES[..] };
    let number = UBig::from(number);
    let ring = MontgomeryRepr::new(number.clone());
    bases.iter().all(|&base| is_strong_probable_prime(&number, &ring, base))
}

/// Products of consecutive odd primes, each as large as fits.
static SMALL_PRIME_PRODUCTS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut composite = vec![false; SMALL_PRIME_LIMIT];
    let mut products = vec![1_u64];
    for candidate in (3..SMALL_PRIME_LIMIT).step_by(2) {
        if composite[candidate] {
            continue;
        }
        (candidate * candidate..SMALL_PRIME_LIMIT)
            .step_by(2 * candidate)
            .for_each(|multiple| composite[multiple] = true);
        match products.last().and_then(|product| product.checked_mul(candidate as u64)) {
            Some(product) => *products.last_mut().expect("it starts with one") = product,
            None => products.push(candidate as u64),
        }
    }
    products
});

/// Whether a small odd prime divides a number above 2^64. The longer the number, the more primes are worth trying.
fn has_small_factor(number: &UBig) -> bool {
    let words = number.bit_len().div_ceil(64);
    let worthwhile = SMALL_PRIME_PRODUCTS.iter().take(words * words);
    worthwhile.into_iter().any(|&product| greatest_common_divisor(product, number % product) > 1)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The test of Baillie and Wagstaff ("Lucas pseudoprimes", Mathematics of Computation 35, 1980) and of Pomerance,
/// Selfridge and Wagstaff: a strong test to base 2, then a Lucas test, here the extra strong one. No composite number
/// is known that passes. The number is odd and above 2^64.
fn passes_baillie_psw(number: &UBig) -> bool {
    let ring = MontgomeryRepr::new(number.clone());
    is_strong_probable_prime(number, &ring, 2) && is_extra_strong_lucas_probable_prime(number, &ring)
}

/// Whether an odd number is a strong probable prime to this base (Miller 1976, Rabin 1980).
fn is_strong_probable_prime(number: &UBig, ring: &MontgomeryRepr, base: u64) -> bool {
    let one = ring.reduce(1_u8);
    let minus_one = -one.clone();
    let (odd, twos) = odd_part(number - UBig::ONE);
    let mut power = ring.reduce(base).pow(&odd);
    if power == one || power == minus_one {
        return true;
    }
    (1..twos).any(|_| {
        power = power.sqr();
        power == minus_one
    })
}

/// Whether an odd number is an extra strong Lucas probable prime (Grantham, "Frobenius pseudoprimes", Mathematics of
/// Computation 70, 2001), with Q = 1 and Baillie's choice of P: the first from 3 for which P² − 4 is no square modulo
/// the number.
fn is_extra_strong_lucas_probable_prime(number: &UBig, ring: &MontgomeryRepr) -> bool {
    let Some(p) = lucas_parameter(number) else {
        return false;
    };
    let (p, zero, two) = (ring.reduce(p), ring.reduce(0_u8), ring.reduce(2_u8));
    let (odd, twos) = odd_part(number + UBig::ONE);
    let (mut v, next) = lucas_pair(&odd, &p, &two);
    // U of the same index is 0 where P·V(k) = 2·V(k + 1).
    if (v == two || v == -two.clone()) && &p * &v == next.dbl() {
        return true;
    }
    (1..twos).any(|_| {
        let found = v == zero;
        v = v.sqr() - &two;
        found
    })
}

/// Returns V(index) and V(index + 1) of the Lucas sequence with this P and Q = 1.
fn lucas_pair<'a>(index: &UBig, p: &Montgomery<'a>, two: &Montgomery<'a>) -> (Montgomery<'a>, Montgomery<'a>) {
    let (mut v, mut next) = (two.clone(), p.clone());
    for bit in (0..index.bit_len()).rev() {
        let between = &v * &next - p;
        if index.bit(bit) {
            (v, next) = (between, next.sqr() - two);
        } else {
            (v, next) = (v.sqr() - two, between);
        }
    }
    (v, next)
}

/// Returns the first P from 3 for which the Jacobi symbol of P² − 4 is −1; none for some composite numbers.
fn lucas_parameter(number: &UBig) -> Option<u64> {
    // For a square the symbol is never −1. Every other number has such a P, and it is small.
    let root = number.sqrt();
    if root.sqr() == *number {
        return None;
    }
    let symbol = |p: &u64| UBig::from(p * p - 4).jacobi(number);
    (3..).find(|p| symbol(p) < 1).filter(|p| symbol(p) == -1)
}

/// Returns the number without its factors of 2, and how many these were. The number is not 0.
fn odd_part(number: UBig) -> (UBig, usize) {
    let twos = number.trailing_zeros().unwrap_or(0);
    (number >> twos, twos)
}

#[cfg(test)]
mod tests;
