//! Whether the number of a path is prime: cheap rejections, an exact test below 2^64, Baillie-PSW above.
//!
//! The time of a test grows a little faster than the square of the number of digits. An answer has room for a number of
//! about 140,000 digits, which would take a quarter of an hour if it is prime. So the work for one answer is bounded by
//! [`MOST_WORK`], and what is beyond is not decided. The bound counts steps and not time: the outcome is the same on every
//! machine. What a cheap rejection settles costs nothing, and nothing is tested twice.

mod baillie_psw;
mod complex;
mod long_ring;
mod transform;

use baillie_psw::{Ring, is_extra_strong_lucas_probable_prime, is_strong_probable_prime, power_of_two};
use dashu_int::UBig;
use dashu_int::monty::MontgomeryRepr;
use dashu_int::ops::BitTest;
use long_ring::{LongRing, residue_length};
use std::collections::HashMap;
use std::sync::LazyLock;

/// How much work one answer may take, in multiplications times the length of their factors as [`LongRing`] writes them:
/// about 80 seconds on one core of an AMD EPYC of 2025.
///
/// It covers every prime of up to 39,454 digits, every composite number of up to 73,979, and all numbers of an answer
/// that has none of more than 10,000.
pub(super) const MOST_WORK: u64 = 4_100_000_000;

/// From this many bits on a [`LongRing`] is faster than Montgomery's reduction word by word.
const LONG_BITS: usize = 6_200;

/// Prime bases that together decide every number below 3.3·10^24 (Sorenson and Webster, "Strong pseudoprimes to twelve
/// prime bases", Mathematics of Computation 86, 2017).
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// No product of small primes has a prime factor beyond this.
const SMALL_PRIME_LIMIT: usize = 1 << 16;

/// Decides primality for one answer.
pub(super) struct Primality {
    work_left: u64,
    /// What was tested before.
    decided: HashMap<Vec<u8>, bool>,
}

/// Whether a number is prime would take more than is left of [`MOST_WORK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuchWork;

impl Default for Primality {
    fn default() -> Self {
        Self { work_left: MOST_WORK, decided: HashMap::new() }
    }
}

impl Primality {
    /// Returns whether the number, given as ASCII digits, is prime.
    pub(super) fn is_prime(&mut self, digits: &[u8]) -> Result<bool, TooMuchWork> {
        if digits.len() > 2 && is_composite_by_its_digits(digits) {
            return Ok(false);
        }
        if let Some(&decided) = self.decided.get(digits) {
            return Ok(decided);
        }
        let text = str::from_utf8(digits).expect("digits are ASCII");
        let number = UBig::from_str_radix(text, 10).expect("these are digits");
        if let Ok(small) = u64::try_from(&number) {
            return Ok(is_small_prime(small));
        }
        let is_prime = !has_small_factor(&number) && self.passes_baillie_psw(&number)?;
        self.decided.insert(digits.to_vec(), is_prime);
        Ok(is_prime)
    }

    /// The number is odd and above 2^64, and has no small factor.
    fn passes_baillie_psw(&mut self, number: &UBig) -> Result<bool, TooMuchWork> {
        if number.bit_len() < LONG_BITS {
            return self.passes(number, &&MontgomeryRepr::new(number.clone()));
        }
        LongRing::new(number).map_or(Ok(false), |ring| self.passes(number, &ring))
    }

    fn passes(&mut self, number: &UBig, ring: &impl Ring) -> Result<bool, TooMuchWork> {
        let bits = number.bit_len();
        let strong_test = (bits * residue_length(bits)) as u64;
        self.spend(strong_test)?;
        if !is_strong_probable_prime(number, ring, |odd| power_of_two(ring, odd)) {
            return Ok(false);
        }
        // A multiplication and a square for each bit, and the square alone is what the strong test takes.
        self.spend(strong_test * 9 / 4)?;
        Ok(is_extra_strong_lucas_probable_prime(number, ring))
    }

    fn spend(&mut self, work: u64) -> Result<(), TooMuchWork> {
        self.work_left = self.work_left.checked_sub(work).ok_or(TooMuchWork)?;
        Ok(())
    }
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
    bases.iter().all(|&base| is_strong_probable_prime(&number, &&ring, |odd| ring.reduce(base).pow(odd)))
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

#[cfg(test)]
mod tests;
