//! Primality of the number of a path: cheap rejections, an exact test below 2^64, Baillie-PSW above.
//!
//! The time of a test grows a little faster than the square of the number of digits. An answer can contain a number of
//! about 140,000 digits. If it is prime, the test would take a quarter of an hour. So [`MAX_WORK`] bounds the work for
//! one answer, and numbers that need more are not decided. The bound counts steps, not time, so the result is the same
//! on every machine. Cheap rejections cost nothing, and no number is tested twice.
//!
//! Baillie-PSW is the test of Baillie and Wagstaff ("Lucas pseudoprimes", Mathematics of Computation 35, 1980) and of
//! Pomerance, Selfridge and Wagstaff: a strong test to base 2, then a Lucas test, here the extra strong one. No
//! composite number is known that passes both.

mod long_ring;
mod transform;

use dashu_int::UBig;
use dashu_int::monty::{Montgomery, MontgomeryRepr};
use dashu_int::ops::{BitTest, SquareRoot};
use long_ring::{LongRing, residue_length};
use num_integer::gcd;
use num_modular::ModularSymbols;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The maximum work for one answer: the number of multiplications times the length of their factors in a [`LongRing`].
/// It takes about 80 seconds on one core of an AMD EPYC of 2025.
///
/// It is enough for every prime of up to 39,454 digits, for every composite number of up to 73,979 digits, and for any
/// answer whose numbers have at most 10,000 digits.
const MAX_WORK: u64 = 4_100_000_000;

/// From this number of bits on, a [`LongRing`] is faster than Montgomery's reduction word by word.
const LONG_BITS: usize = 6_200;

/// Prime bases that together decide every number below 3.3·10^24 (Sorenson and Webster, "Strong pseudoprimes to twelve
/// prime bases", Mathematics of Computation 86, 2017).
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// All small primes are below this limit.
const SMALL_PRIME_LIMIT: usize = 1 << 16;

/// Decides primality for one answer.
pub(super) struct Primality {
    work_left: u64,
    /// The results of earlier tests.
    decided: HashMap<Vec<u8>, bool>,
}

/// A primality test would take more work than is left of [`MAX_WORK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuchWork;

impl Default for Primality {
    fn default() -> Self {
        Self { work_left: MAX_WORK, decided: HashMap::new() }
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

    /// Tests an odd number above 2^64 without small factors.
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
        // This test takes a multiplication and a square for each bit. The strong test takes only the square.
        self.spend(strong_test * 9 / 4)?;
        Ok(is_extra_strong_lucas_probable_prime(number, ring))
    }

    fn spend(&mut self, work: u64) -> Result<(), TooMuchWork> {
        self.work_left = self.work_left.checked_sub(work).ok_or(TooMuchWork)?;
        Ok(())
    }
}

/// Returns whether 2, 3, 5 or 11 divides a number of more than two digits. 11 divides every palindrome of even length.
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
    // The smallest number that is a strong pseudoprime to 2, 3, 5 and 7 is 3215031751 (Jaeschke, 1993).
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

/// Returns whether a small odd prime divides a number above 2^64. Longer numbers get more trial divisions.
fn has_small_factor(number: &UBig) -> bool {
    let words = number.bit_len().div_ceil(64);
    SMALL_PRIME_PRODUCTS.iter().take(words * words).any(|&product| gcd(product, number % product) > 1)
}

/// The integers modulo an odd number.
pub(super) trait Ring {
    /// An element of the ring.
    type Residue;

    /// Returns the residue of this integer.
    fn residue(&self, integer: i64) -> Self::Residue;

    /// Returns x², or twice as much.
    fn square(&self, x: &Self::Residue, doubled: bool) -> Self::Residue;

    /// Returns x² − c, for a `c` that [`Ring::residue`] returned.
    fn square_less(&self, x: &Self::Residue, c: &Self::Residue) -> Self::Residue;

    /// Returns x·y − c, for a `c` that [`Ring::residue`] returned.
    fn product_less(&self, x: &Self::Residue, y: &Self::Residue, c: &Self::Residue) -> Self::Residue;

    /// Returns whether both residues are equal.
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

/// Returns whether an odd number is a strong probable prime to a base (Miller 1976, Rabin 1980). `power` returns a
/// power of the base.
fn is_strong_probable_prime<R: Ring>(number: &UBig, ring: &R, power: impl FnOnce(&UBig) -> R::Residue) -> bool {
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

/// Returns a power of 2, with a square for each bit of the exponent.
fn power_of_two<R: Ring>(ring: &R, exponent: &UBig) -> R::Residue {
    let bits = (0..exponent.bit_len()).rev();
    bits.fold(ring.residue(1), |power, bit| ring.square(&power, exponent.bit(bit)))
}

/// Returns whether an odd number is an extra strong Lucas probable prime (Grantham, "Frobenius pseudoprimes",
/// Mathematics of Computation 70, 2001), with Q = 1 and Baillie's choice of P: the first from 3 for which P² − 4 is not
/// a square modulo the number.
fn is_extra_strong_lucas_probable_prime<R: Ring>(number: &UBig, ring: &R) -> bool {
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

/// Returns the first P from 3 for which the Jacobi symbol of P² − 4 is −1. Some composite numbers have none.
fn lucas_parameter(number: &UBig) -> Option<i64> {
    // For a square the symbol is never −1. Every other number has such a P, and it is small.
    let root = number.sqrt();
    if root.sqr() == *number {
        return None;
    }
    let symbol = |p: &i64| UBig::from((p * p - 4).unsigned_abs()).jacobi(number);
    (3..).find(|p| symbol(p) < 1).filter(|p| symbol(p) == -1)
}

/// Returns the number without its factors of 2, and the number of these factors. The number is not 0.
fn odd_part(number: UBig) -> (UBig, usize) {
    let twos = number.trailing_zeros().unwrap_or(0);
    (number >> twos, twos)
}

#[cfg(test)]
mod tests {
    //! Compares primality with a sieve, and with numbers that are known to fool one of the two tests.
    use super::*;
    use num_bigint::BigUint;

    fn is_prime(number: &BigUint) -> bool {
        Primality::default().is_prime(number.to_string().as_bytes()).unwrap()
    }

    fn number(digits: &str) -> BigUint {
        digits.parse().unwrap()
    }

    fn mersenne(exponent: u32) -> BigUint {
        (BigUint::from(1_u8) << exponent) - 1_u8
    }

    fn repunit(digits: usize) -> BigUint {
        number(&"1".repeat(digits))
    }

    #[test]
    fn every_number_below_two_million_is_as_a_sieve_says() {
        let mut prime = vec![true; 2_000_000];
        prime[..2].fill(false);
        for factor in 2..1500 {
            (factor * factor..prime.len()).step_by(factor).for_each(|multiple| prime[multiple] = false);
        }
        let mut primality = Primality::default();
        for (number, &expected) in prime.iter().enumerate() {
            assert_eq!(primality.is_prime(number.to_string().as_bytes()), Ok(expected), "{number}");
        }
        assert_eq!(primality.work_left, MAX_WORK, "small numbers cost nothing");
    }

    #[test]
    fn carmichael_numbers_are_composite() {
        for number in [
            561_u64,
            1105,
            1729,
            2465,
            2821,
            6601,
            8911,
            10585,
            15841,
            29341,
            41041,
            62745,
            63973,
            75361,
            825_265,
            321_197_185,
            5_394_826_801,
            232_250_619_601,
            9_746_347_772_161,
            1_436_697_831_295_441,
            60_977_817_398_996_785,
            7_156_857_700_403_137_441,
        ] {
            assert!(!is_prime(&number.into()), "{number}");
        }
        // (6k + 1)(12k + 1)(18k + 1), with k such that all three are prime and far above the small primes.
        let k = BigUint::from(1_000_000_001_121_u64);
        let factors = [6_u8, 12, 18].map(|times| &k * times + 1_u8);
        assert!(factors.iter().all(is_prime));
        assert!(!is_prime(&factors.iter().product()));
    }

    /// The smallest numbers that are strong pseudoprimes to the first 1, 2, 3, … prime bases (OEIS A014233).
    #[test]
    fn the_least_strong_pseudoprimes_are_composite() {
        for digits in [
            "2047",
            "1373653",
            "25326001",
            "3215031751",
            "2152302898747",
            "3474749660383",
            "341550071728321",
            "3825123056546413051",
            "318665857834031151167461",
            "3317044064679887385961981",
        ] {
            assert!(!is_prime(&number(digits)), "{digits}");
        }
    }

    #[test]
    fn strong_lucas_pseudoprimes_are_composite() {
        for number in [5459_u32, 5777, 10877, 16109, 18971, 22499, 24569, 25199, 40309, 58519, 75077, 97439] {
            assert!(!is_prime(&number.into()), "{number}");
        }
    }

    /// The numbers that fool each half of Baillie-PSW are exactly the known ones (OEIS A001262 and A217719), and no
    /// number fools both.
    #[test]
    fn each_half_of_the_great_test_has_its_own_pseudoprimes() {
        let (mut strong, mut lucas) = (Vec::new(), Vec::new());
        for number in (101..80_000_u64).step_by(2) {
            let (prime, number) = (is_small_prime(number), UBig::from(number));
            let ring = MontgomeryRepr::new(number.clone());
            let passes = is_strong_probable_prime(&number, &&ring, |odd| power_of_two(&&ring, odd));
            let passes_lucas = is_extra_strong_lucas_probable_prime(&number, &&ring);
            if prime {
                assert!(passes && passes_lucas, "{number} is prime");
            } else {
                strong.extend(passes.then(|| number.clone()));
                lucas.extend(passes_lucas.then_some(number));
            }
        }
        let known = [2047_u32, 3277, 4033, 4681, 8321, 15841, 29341, 42799, 49141, 52633, 65281, 74665];
        assert_eq!(strong, known.map(UBig::from));
        let known = [989_u32, 3239, 5777, 10877, 27971, 29681, 30739, 31631, 39059, 72389, 73919, 75077];
        assert_eq!(lucas, known.map(UBig::from));
    }

    /// Arnault's number of 397 digits ("Rabin-Miller primality test: composite numbers which pass it", Mathematics of
    /// Computation 64, 1995): a strong pseudoprime to every prime base below 307.
    #[test]
    fn arnaults_number_is_composite() {
        let p = number(
            "29674495668685510550154174642905332730771991799853043350995075531276838753171770199594238596428121188033664754218345562493168782883",
        );
        let factors = [p.clone(), (&p - 1_u8) * 313_u16 + 1_u8, (&p - 1_u8) * 353_u16 + 1_u8];
        assert!(factors.iter().all(is_prime));
        let product: BigUint = factors.iter().product();
        assert_eq!(product.to_string().len(), 397);
        let ubig = UBig::from_str_radix(&product.to_string(), 10).unwrap();
        let ring = MontgomeryRepr::new(ubig.clone());
        for base in [2_u64, 3, 5, 7, 11, 13, 101, 293] {
            assert!(is_strong_probable_prime(&ubig, &&ring, |odd| ring.reduce(base).pow(odd)), "{base}");
        }
        assert!(
            LongRing::new(&ubig)
                .is_some_and(|ring| is_strong_probable_prime(&ubig, &ring, |odd| power_of_two(&ring, odd)))
        );
        assert!(!is_prime(&product));
    }

    /// Primes from the 65th bit on, in order.
    fn great_primes() -> Vec<BigUint> {
        let offset = |exponent: u32, offset: u32| BigUint::from(10_u8).pow(exponent) + offset;
        vec![
            number("18446744073709551629"),
            mersenne(127),
            mersenne(521),
            repunit(317),
            mersenne(1279),
            offset(399, 1311),
            offset(449, 99),
            mersenne(2203),
            repunit(1031),
            (BigUint::from(3_u8) << 3912) + 1_u8,
            mersenne(4423),
        ]
    }

    #[test]
    fn great_primes_are_prime_and_their_products_are_not() {
        let primes = great_primes();
        for (index, prime) in primes.iter().enumerate() {
            assert!(is_prime(prime), "{prime}");
            assert!(!is_prime(&(prime * prime)), "the square of {prime}");
            assert!(!is_prime(&(prime * &primes[index / 2])), "{prime} times {}", primes[index / 2]);
            assert!(!is_prime(&(prime + 2_u8)) || index == 0, "{prime} + 2");
        }
        assert!(is_prime(&number("18446744073709551557")));
    }

    /// The same primes and composite numbers again, treated as long ones.
    #[test]
    #[ignore = "CI: seconds of work"]
    fn transforms_say_the_same_of_great_primes_and_their_products() {
        let passes = |number: &BigUint| {
            let number = UBig::from_str_radix(&number.to_string(), 10).unwrap();
            LongRing::new(&number).is_some_and(|ring| {
                let strong = is_strong_probable_prime(&number, &ring, |odd| power_of_two(&ring, odd));
                let lucas = is_extra_strong_lucas_probable_prime(&number, &ring);
                assert_eq!(strong, lucas, "no such number fools either");
                strong
            })
        };
        let primes = &great_primes()[1..10];
        for (index, prime) in primes.iter().enumerate() {
            assert!(passes(prime), "{prime}");
            assert!(!passes(&(prime * prime)), "the square of {prime}");
            assert!(!passes(&(prime * &primes[index / 2])), "{prime} times {}", primes[index / 2]);
        }
    }

    /// Mersenne primes of 2,993 and 6,002 digits, and composite numbers as long without small factors.
    #[test]
    #[ignore = "CI: seconds of work"]
    fn numbers_of_thousands_of_digits_are_decided() {
        let (smaller, greater) = (mersenne(9941), mersenne(19937));
        assert!(is_prime(&smaller));
        assert!(is_prime(&greater));
        assert!(!is_prime(&(&smaller * mersenne(4423))));
        assert!(!is_prime(&(&smaller * &smaller)));
    }

    #[test]
    fn every_even_palindrome_is_a_multiple_of_11_and_cheap() {
        let mut primality = exhausted();
        for half in ["3", "19", "7001", &"13".repeat(50_000)] {
            let palindrome: String = half.chars().chain(half.chars().rev()).collect();
            assert_eq!(primality.is_prime(palindrome.as_bytes()), Ok(false), "{half}");
        }
        assert_eq!(primality.is_prime(b"11"), Ok(true));
    }

    #[test]
    fn small_factors_are_found_and_cost_nothing() {
        let mut primality = exhausted();
        let great = mersenne(4423);
        for factor in [7_u32, 13, 17, 1009, 65_521] {
            assert_eq!(primality.is_prime((&great * factor).to_string().as_bytes()), Ok(false), "{factor}");
        }
        assert_eq!(primality.is_prime(great.to_string().as_bytes()), Err(TooMuchWork));
    }

    /// A test that may not do any work.
    fn exhausted() -> Primality {
        Primality { work_left: 0, ..Primality::default() }
    }

    /// Returns the first number with this many digits that needs a test.
    fn hard(digits: u32) -> BigUint {
        let mut numbers = (1_u32..).step_by(2).map(|odd| BigUint::from(10_u8).pow(digits - 1) + odd);
        numbers.find(|number| exhausted().is_prime(number.to_string().as_bytes()).is_err()).unwrap()
    }

    /// The figures in the documentation.
    #[test]
    fn the_bound_is_where_the_documentation_says() {
        let strong_test = |digits: u32| {
            let bits = (BigUint::from(10_u8).pow(digits) - 1_u8).bits() as usize;
            (bits * residue_length(bits)) as u64
        };
        assert!(strong_test(73_979) <= MAX_WORK && strong_test(73_980) > MAX_WORK);
        let both = |digits| strong_test(digits) + strong_test(digits) * 9 / 4;
        assert!(both(39_454) <= MAX_WORK && both(39_455) > MAX_WORK);
        // An answer can contain 17 paths of 10,000 cells: each cell takes 5.8 bytes on a board of 100 rows and columns.
        assert!(17 * both(10_000) <= MAX_WORK);
    }

    #[test]
    fn what_takes_too_much_work_is_not_even_tried() {
        let mut primality = Primality::default();
        let number = BigUint::from(10_u8).pow(99_999) + 9_u8;
        assert_eq!(primality.is_prime(number.to_string().as_bytes()), Err(TooMuchWork));
        assert_eq!(primality.work_left, MAX_WORK);
        assert_eq!(primality.is_prime(mersenne(2203).to_string().as_bytes()), Ok(true));
    }

    #[test]
    fn a_number_is_tested_once() {
        let (composite, prime) = (hard(300).to_string(), mersenne(521).to_string());
        let mut primality = Primality::default();
        assert_eq!(primality.is_prime(composite.as_bytes()), Ok(false));
        assert_eq!(primality.is_prime(prime.as_bytes()), Ok(true));
        primality.work_left = 0;
        assert_eq!([composite, prime].map(|number| primality.is_prime(number.as_bytes())), [Ok(false), Ok(true)]);
        assert_eq!(primality.is_prime(hard(301).to_string().as_bytes()), Err(TooMuchWork));
    }
}
