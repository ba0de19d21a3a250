//! Primality: an exact test of 64-bit numbers, fast enough for millions of them, and for longer numbers trial division
//! and the test of Miller and Rabin.

use num_bigint::BigUint;
use num_modular::{ModularPow, ModularUnaryOps};

/// Numbers with more digits count as composite, because a test would take too long.
pub(super) const MAX_DIGITS: usize = 1_200;

/// The limit of the primes for trial division.
const TRIAL: u32 = 10_000;

/// The maximum number of decimal digits that always fit in a `u64`.
pub(super) const MAX_U64_DIGITS: usize = 19;

/// Bases for which Miller and Rabin's test is exact below 2^64 (the first twelve primes: Sorenson and Webster, "Strong
/// pseudoprimes to twelve prime bases", Mathematics of Computation 86, 2017).
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// The primes for the trial division of long numbers.
pub(super) struct Primality {
    small: Vec<u32>,
}

impl Primality {
    pub(super) fn new() -> Self {
        Self { small: (3..TRIAL).filter(|&number| is_prime(u64::from(number))).collect() }
    }

    /// Returns whether the digits spell a prime. Below 2^64 the result is exact. Above it, a composite number could
    /// pass, but this has never been observed.
    pub(super) fn is_prime(&self, digits: &[u8]) -> bool {
        if digits.len() <= MAX_U64_DIGITS {
            return is_prime(super::game::number(digits));
        }
        let odd = digits.last().is_some_and(|last| last % 2 == 1 && *last != 5);
        odd && digits.len() <= MAX_DIGITS && !self.has_small_divisor(digits) && passes(digits)
    }

    fn has_small_divisor(&self, digits: &[u8]) -> bool {
        let divides = |&divisor: &u32| {
            // Nine digits at a time: together with the remainder they stay below 2^64.
            let remainder = digits.chunks(9).fold(0, |remainder: u64, chunk| {
                let power = chunk.iter().fold(1, |power, _| power * 10);
                (remainder * power + super::game::number(chunk)) % u64::from(divisor)
            });
            remainder == 0
        };
        // Trial division pays for more primes in longer numbers.
        self.small.iter().take(2 * digits.len()).any(divides)
    }
}

/// Miller and Rabin's test to the bases 2 and 3.
pub(super) fn passes(digits: &[u8]) -> bool {
    let Some(number) = BigUint::from_radix_be(digits, 10) else { return false };
    let one = BigUint::from(1_u32);
    let most = &number - &one;
    let twos = most.trailing_zeros().unwrap_or(0);
    let odd = &most >> twos;
    [2_u32, 3].into_iter().all(|base| {
        let mut power = BigUint::from(base).modpow(&odd, &number);
        if power == one || power == most {
            return true;
        }
        (1..twos).any(|_| {
            power = &power * &power % &number;
            power == most
        })
    })
}

/// Returns whether the number is prime. The result is exact.
pub(super) fn is_prime(number: u64) -> bool {
    if number < 2 {
        return false;
    }
    if let Some(divisor) = BASES.into_iter().find(|base| number.is_multiple_of(*base)) {
        return number == divisor;
    }
    let twos = (number - 1).trailing_zeros();
    let odd = (number - 1) >> twos;
    BASES.into_iter().all(|base| {
        let mut power = base.powm(odd, &number);
        if power == 1 || power == number - 1 {
            return true;
        }
        (1..twos).any(|_| {
            power = power.sqm(&number);
            power == number - 1
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().map(|byte| byte - b'0').collect()
    }

    #[test]
    fn known_primes_and_composites() {
        let primality = Primality::new();
        // 2^127 - 1 and 10^50 + 151 are prime, 2^67 - 1 is not (Cole), nor is the product of two large primes.
        assert!(primality.is_prime(&digits("170141183460469231731687303715884105727")));
        assert!(primality.is_prime(&digits("100000000000000000000000000000000000000000000000151")));
        assert!(!primality.is_prime(&digits("147573952589676412927")));
        assert!(!primality.is_prime(&digits("340282366920938463463374607431768211457")));
    }
}

#[cfg(test)]
mod prime_tests {
    use super::*;

    #[test]
    fn it_agrees_with_a_sieve() {
        let mut composite = vec![false; 100_000];
        for number in 2..composite.len() {
            assert_eq!(is_prime(number as u64), !composite[number], "{number}");
            (number * number..100_000).step_by(number).for_each(|multiple| composite[multiple] = true);
        }
        assert!(!is_prime(0) && !is_prime(1));
    }

    #[test]
    fn strong_pseudoprimes_and_carmichael_numbers_are_composite() {
        for number in [2047, 3_215_031_751, 3_825_123_056_546_413_051, 561, 101_101, 18_446_744_073_709_551_615] {
            assert!(!is_prime(number), "{number}");
        }
        assert!(is_prime(18_446_744_073_709_551_557), "the largest below 2^64");
    }
}
