//! Primality against a sieve, and against the numbers that are known to fool the one test or the other.

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
    assert_eq!(primality.work_left, MOST_WORK, "small numbers cost nothing");
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

/// The least numbers that are strong pseudoprimes to the first 1, 2, 3, … prime bases (OEIS A014233).
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

/// Each half of Baillie-PSW is fooled by exactly the numbers that are known to fool it (OEIS A001262 and A217719), and
/// by no number both.
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
        LongRing::new(&ubig).is_some_and(|ring| is_strong_probable_prime(&ubig, &ring, |odd| power_of_two(&ring, odd)))
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

/// The same primes and composite numbers once more, as if they were long.
#[test]
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

/// What decides nothing that takes work.
fn exhausted() -> Primality {
    Primality { work_left: 0, ..Primality::default() }
}

/// Returns the first number with this many digits that takes a test.
fn hard(digits: u32) -> BigUint {
    let mut numbers = (1_u32..).step_by(2).map(|odd| BigUint::from(10_u8).pow(digits - 1) + odd);
    numbers.find(|number| exhausted().is_prime(number.to_string().as_bytes()).is_err()).unwrap()
}

/// The figures that the documentation gives.
#[test]
fn the_bound_is_where_the_documentation_says() {
    let strong_test = |digits: u32| {
        let bits = (BigUint::from(10_u8).pow(digits) - 1_u8).bits() as usize;
        (bits * residue_length(bits)) as u64
    };
    assert!(strong_test(73_979) <= MOST_WORK && strong_test(73_980) > MOST_WORK);
    let both = |digits| strong_test(digits) + strong_test(digits) * 9 / 4;
    assert!(both(39_454) <= MOST_WORK && both(39_455) > MOST_WORK);
    // An answer has room for 17 paths of 10,000 cells: each takes 5.8 bytes on a board of 100 rows and columns.
    assert!(17 * both(10_000) <= MOST_WORK);
}

#[test]
fn what_takes_too_much_work_is_not_even_tried() {
    let mut primality = Primality::default();
    let number = BigUint::from(10_u8).pow(99_999) + 9_u8;
    assert_eq!(primality.is_prime(number.to_string().as_bytes()), Err(TooMuchWork));
    assert_eq!(primality.work_left, MOST_WORK);
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
