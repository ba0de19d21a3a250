//! Transforms against products by the definition, with the greatest coefficients that they are meant for.

use super::*;
use crate::random::Frozen;

/// A coefficient of a product modulo x^n − 1 and modulo x^n + 1.
fn coefficients(a: &[i64], b: &[i64], index: usize) -> (i64, i64) {
    let low: i64 = (0..=index).map(|j| a[j] * b[index - j]).sum();
    let high: i64 = (index + 1..a.len()).map(|j| a[j] * b[a.len() + index - j]).sum();
    (low + high, low - high)
}

fn transformed(values: &[i64], transform: impl Fn(&mut [f64])) -> Vec<f64> {
    let mut values: Vec<f64> = values.iter().map(|&value| value as f64).collect();
    transform(&mut values);
    values
}

/// Compares a·b − c·d with the definition, at these indices. Returns the greatest error.
fn greatest_error(transform: &Transform, [a, b, c, d]: &[Vec<i64>; 4], indices: &[usize]) -> f64 {
    let product = |x: &[i64], y: &[i64]| {
        let [x_cyclic, y_cyclic] = [x, y].map(|values| transformed(values, |values| transform.split_cyclic(values)));
        let [x, y] = [x, y].map(|values| transformed(values, |values| transform.split_negacyclic(values)));
        [transform.cyclic_product(&x_cyclic, &y_cyclic), transform.negacyclic_product(&x, &y)]
    };
    let [mut cyclic, mut negacyclic] = product(a, b);
    for (difference, subtrahend) in [&mut cyclic, &mut negacyclic].into_iter().zip(product(c, d)) {
        difference.iter_mut().zip(subtrahend).for_each(|(value, subtrahend)| *value -= subtrahend);
    }
    transform.join_cyclic(&mut cyclic);
    transform.join_negacyclic(&mut negacyclic);
    let errors = indices.iter().map(|&index| {
        let (first, second) = (coefficients(a, b, index), coefficients(c, d, index));
        let (expected, expected_negacyclic) = (first.0 - second.0, first.1 - second.1);
        let error = (cyclic[index] * transform.scale() - expected as f64).abs();
        error.max((negacyclic[index] * transform.scale() - expected_negacyclic as f64).abs())
    });
    errors.fold(0.0, f64::max)
}

/// Polynomials whose coefficients are all as great as may be, with signs of several kinds.
fn great_polynomials(length: usize, random: &mut Frozen) -> Vec<Vec<i64>> {
    let most = 1_i64 << (exact_bits(length) - 1);
    let mut all = vec![vec![most; length], vec![-most; length]];
    all.push((0..length).map(|j| if j % 2 == 0 { most } else { -most }).collect());
    all.push((0..length).map(|j| if j % 4 < 2 { most } else { -most }).collect());
    all.push((0..length).map(|_| if random.below(2) == 0 { most } else { -most }).collect());
    all.push((0..length).map(|_| random.between(0, 2 * most as u64) as i64 - most).collect());
    all
}

#[test]
fn the_greatest_coefficients_are_found_exactly() {
    let mut random = Frozen::new("transform", 1);
    for length in [32, 64, 128, 256, 512, 1024, 2048, 16_384] {
        let transform = Transform::new(length);
        let polynomials = great_polynomials(length, &mut random);
        let indices: Vec<_> = (0..8).map(|_| random.below(length as u64) as usize).chain([0, length - 1]).collect();
        for a in &polynomials {
            for b in &polynomials {
                // The signs of two products that are as great add up.
                let minus_b = b.iter().map(|value| -value).collect();
                let error = greatest_error(&transform, &[a.clone(), b.clone(), a.clone(), minus_b], &indices);
                assert!(error < 0.25, "an error of {error} at the length {length}");
            }
        }
    }
}

#[test]
fn all_coefficients_are_in_their_places() {
    let mut random = Frozen::new("transform", 2);
    for length in [32, 64, 128, 256] {
        let mut polynomial = || (0..length).map(|_| random.below(2_000) as i64 - 1_000).collect::<Vec<i64>>();
        let polynomials = [polynomial(), polynomial(), polynomial(), polynomial()];
        let indices: Vec<_> = (0..length).collect();
        assert!(greatest_error(&Transform::new(length), &polynomials, &indices) < 1e-3);
    }
}

/// The bound on errors supposes that a root is off by at most 2.5·2^-53. A root's square is another root, and errors
/// that cancel there do not in the length.
#[test]
fn the_roots_of_unity_are_as_exact_as_the_bound_supposes() {
    let epsilon = f64::EPSILON / 2.0;
    let transform = Transform::new(1 << 17);
    for (index, &root) in transform.roots.iter().enumerate().skip(1) {
        // Twice the root's own error, that of the other root, and the rounding of this test.
        let difference = root * root - transform.root(index);
        let error = difference.re.hypot(difference.im);
        assert!(error <= (2.0 * 2.5 + 2.5 + 3.0) * epsilon, "w({}) is off: {error:e}", 2 * index);
        let length = (root.re * root.re - 1.0) + root.im * root.im;
        assert!(length.abs() <= 8.0 * epsilon, "w({}) has the length 1 + {length:e}", 2 * index);
    }
    assert_eq!(transform.root(2), Complex { re: 0.0, im: 1.0 });
}

#[test]
fn longer_transforms_have_room_for_shorter_digits() {
    let bits: Vec<_> = [32, 64, 512, 1024, 2048, 4096, 8192, 16_384, 32_768].map(exact_bits).to_vec();
    assert_eq!(bits, [20, 20, 18, 17, 17, 16, 16, 15, 15]);
}
