//! The ring against the arithmetic of a library.

use super::*;
use crate::random::Frozen;
use dashu_int::monty::MontgomeryRepr;
use proptest::prelude::*;

/// An odd number of this many bits.
fn odd_number(random: &mut Frozen, bits: usize) -> UBig {
    let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| random.below(u64::MAX)).collect();
    let number = UBig::from_words(&words) >> (words.len() * 64 - bits);
    number | UBig::ONE << (bits - 1) | UBig::ONE
}

/// Does the same steps on both sides, and compares after each. Returns whether there is such a ring.
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
        // What stands for an integer is the integer times what stands for 1.
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
        steps_are_alike(&odd_number(&mut Frozen::new("ring", seed), bits), &steps)?;
    }
}

/// Moduli around the greatest of each shape, and as sparse or as dense as can be.
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

/// Returns what is left of 2^order − 1 without the factors of 2^d − 1 for smaller d.
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
    let common = UBig::ones(64) * odd_number(&mut Frozen::new("ring", 1), 1000);
    assert!(LongRing::new(&common).is_none());
    assert!(LongRing::new(&(UBig::ones(640) / UBig::ones(10))).is_none());
}
