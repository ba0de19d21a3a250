//! Primality of numbers that a search can form by the million.

/// The most decimal digits that always fit in a `u64`.
pub(super) const DIGITS: usize = 19;

/// Bases for which Miller and Rabin's test is exact below 2^64 (the first twelve primes: Sorenson and Webster, "Strong
/// pseudoprimes to twelve prime bases", Mathematics of Computation 86, 2017).
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Tells whether the number is prime; exact.
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
        let mut power = power_modulo(base, odd, number);
        if power == 1 || power == number - 1 {
            return true;
        }
        (1..twos).any(|_| {
            power = product_modulo(power, power, number);
            power == number - 1
        })
    })
}

fn power_modulo(base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut square = base % modulus;
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product_modulo(result, square, modulus);
        }
        square = product_modulo(square, square, modulus);
        exponent >>= 1;
    }
    result
}

fn product_modulo(a: u64, b: u64, modulus: u64) -> u64 {
    // The remainder is below the modulus, which fits.
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

#[cfg(test)]
mod tests {
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
