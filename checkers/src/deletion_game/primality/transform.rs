//! Products of polynomials modulo x^n − 1 and x^n + 1, by floating-point transforms whose results are exact.
//!
//! A transform computes the remainders of a polynomial modulo smaller and smaller factors of the modulus, without
//! weights and without reordering:
//!
//! ```text
//! x^n − 1  =  (x^(n/2) − 1) (x^(n/2) + 1)         real, until 16 coefficients are left
//! x^n + 1  =  (x^(n/2) − i) (x^(n/2) + i)         complex: the second remainder is the conjugate of the first
//! x^n − w² =  (x^(n/2) − w) (x^(n/2) + w)         complex, until 2 coefficients are left
//! ```
//!
//! Modulo x^(n/2) − i, the polynomial with the real coefficients c is the complex one with c[j] + i·c[j + n/2]: the
//! upper half of a slice is the imaginary part of the lower one, and the whole transform is in place.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::ops::{Add, Mul, Neg, Sub};

/// The length of the shortest transform.
pub(super) const MIN_LENGTH: usize = 32;

/// Real remainders of this length are multiplied directly.
const REAL_LEAF: usize = 16;

/// Complex remainders of this length are multiplied directly.
const COMPLEX_LEAF: usize = 2;

/// Returns how many bits the coefficients of a, b, c and d, polynomials of this length, may have so that every
/// coefficient of a·b − c·d is found exactly. Coefficients are at most half of 2^bits, or 1 % more on average.
///
/// With ε = 2^-53, a sum of complex numbers is off by at most ε of its absolute value and a product by √5·ε (Brent,
/// Percival and Zimmermann, "Error bounds on complex floating-point multiplication", Mathematics of Computation 76,
/// 2007), and the roots of unity are off by at most 2.5·ε. So each halving of a modulus errs by at most (1 + √5 +
/// 2.5)·ε < 6·ε of the norm, three transforms by 18·ε for each halving, and the products of the remaining coefficients
/// at their ends by 9·ε. A coefficient of a·b is off by at most that sum times the norms of a and b, both at most
/// 2^(bits − 1)·√length; of a·b − c·d, by twice that and a last ε. The error must stay below 1/2.
pub(super) fn exact_bits(length: usize) -> u32 {
    let halvings = length.ilog2() - 2;
    let error = |bits: u32| ((length as u128) << (2 * bits)) * u128::from(18 * halvings + 10) * 101 / 100;
    (1..26).take_while(|&bits| error(bits) < 1 << 53).last().unwrap_or(1)
}

/// Transforms of one length.
pub(super) struct Transform {
    length: usize,
    /// A root of unity w(b) for each even b: w(0) = 1, w(2b)² = w(b), w(2b + 1) = −w(2b), w(2) = i.
    roots: Vec<Complex<f64>>,
}

impl Transform {
    /// Prepares for a length that is a power of two from [`MIN_LENGTH`].
    pub(super) fn new(length: usize) -> Self {
        // The turn of w(b) is b's binary digits in reverse, after the point.
        let turn = |b: usize| (b as u64).reverse_bits() as f64 / 2_f64.powi(64);
        Self { length, roots: (0..length).step_by(2).map(|b| Complex::root_of_unity(turn(b))).collect() }
    }

    /// Returns the factor for all coefficients after a transform and its inverse.
    pub(super) fn scale(&self) -> f64 {
        4.0 / self.length as f64
    }

    /// Transforms a polynomial modulo x^n − 1.
    pub(super) fn split_cyclic(&self, mut values: &mut [f64]) {
        while values.len() > REAL_LEAF {
            let (lower, upper) = values.split_at_mut(values.len() / 2);
            sums_and_differences(lower, upper);
            self.split_negacyclic(upper);
            values = lower;
        }
    }

    /// Undoes [`Transform::split_cyclic`].
    pub(super) fn join_cyclic(&self, values: &mut [f64]) {
        let mut length = 2 * REAL_LEAF;
        while length <= values.len() {
            let (lower, upper) = values[..length].split_at_mut(length / 2);
            self.join_negacyclic(upper);
            sums_and_differences(lower, upper);
            length *= 2;
        }
    }

    /// Returns the transform of a product modulo x^n − 1 from its factors' transforms.
    pub(super) fn cyclic_product(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; a.len()];
        let mut length = a.len();
        while length > REAL_LEAF {
            let upper = length / 2..length;
            self.multiply_negacyclic(&a[upper.clone()], &b[upper.clone()], &mut product[upper]);
            length /= 2;
        }
        for (index, value) in product[..REAL_LEAF].iter_mut().enumerate() {
            let terms = (0..REAL_LEAF).map(|j| a[j] * b[(index + REAL_LEAF - j) % REAL_LEAF]);
            // The inverse transform makes the rest larger by the same factor.
            *value = (REAL_LEAF / 4) as f64 * terms.sum::<f64>();
        }
        product
    }

    /// Transforms a polynomial modulo x^n + 1.
    pub(super) fn split_negacyclic(&self, values: &mut [f64]) {
        let (re, im) = values.split_at_mut(values.len() / 2);
        let (mut length, mut first) = (re.len(), 2);
        if starts_with_one_halving(length) {
            split_in_two(re, im, self.root(2 * first));
            (length, first) = (length / 2, 2 * first);
        }
        while length > COMPLEX_LEAF {
            for (block, (re, im)) in (first..).zip(re.chunks_exact_mut(length).zip(im.chunks_exact_mut(length))) {
                split_in_four(re, im, self.root(2 * block), self.root(4 * block));
            }
            (length, first) = (length / 4, 4 * first);
        }
    }

    /// Undoes [`Transform::split_negacyclic`].
    pub(super) fn join_negacyclic(&self, values: &mut [f64]) {
        let (re, im) = values.split_at_mut(values.len() / 2);
        let mut length = 4 * COMPLEX_LEAF;
        while length <= re.len() {
            let first = 2 * (re.len() / length);
            for (block, (re, im)) in (first..).zip(re.chunks_exact_mut(length).zip(im.chunks_exact_mut(length))) {
                join_four(re, im, self.root(2 * block), self.root(4 * block));
            }
            length *= 4;
        }
        if starts_with_one_halving(re.len()) {
            join_two(re, im, self.root(4));
        }
    }

    /// Returns the transform of a product modulo x^n + 1 from its factors' transforms.
    pub(super) fn negacyclic_product(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; a.len()];
        self.multiply_negacyclic(a, b, &mut product);
        product
    }

    /// Multiplies remainders a0 + a1·x and b0 + b1·x modulo x² − w.
    fn multiply_negacyclic(&self, a: &[f64], b: &[f64], product: &mut [f64]) {
        let leaves = product.len() / 2 / COMPLEX_LEAF;
        let (a_re, a_im) = halves(a, leaves);
        let (b_re, b_im) = halves(b, leaves);
        let (re, im) = product.split_at_mut(COMPLEX_LEAF * leaves);
        let results = re.as_chunks_mut().0.iter_mut().zip(im.as_chunks_mut().0);
        for (leaf, (re, im)) in results.enumerate() {
            let [a0, a1] = [0, 1].map(|j| Complex { re: a_re[leaf][j], im: a_im[leaf][j] });
            let [b0, b1] = [0, 1].map(|j| Complex { re: b_re[leaf][j], im: b_im[leaf][j] });
            let low = a0 * b0 + self.root(2 * leaves + leaf) * (a1 * b1);
            let high = a0 * b1 + a1 * b0;
            (*re, *im) = ([low.re, high.re], [low.im, high.im]);
        }
    }

    #[inline]
    fn root(&self, block: usize) -> Complex<f64> {
        let root = self.roots[block / 2];
        if block.is_multiple_of(2) { root } else { -root }
    }
}

/// Moduli are halved twice at a time. If the number of halvings is odd, a single halving comes first.
fn starts_with_one_halving(length: usize) -> bool {
    (length / COMPLEX_LEAF).ilog2() % 2 == 1
}

/// Returns the real and the imaginary parts of a transform's leaves.
#[inline]
fn halves(values: &[f64], leaves: usize) -> (&[[f64; COMPLEX_LEAF]], &[[f64; COMPLEX_LEAF]]) {
    let (re, im) = values.split_at(COMPLEX_LEAF * leaves);
    (&re.as_chunks().0[..leaves], &im.as_chunks().0[..leaves])
}

fn sums_and_differences(lower: &mut [f64], upper: &mut [f64]) {
    for (a, b) in lower.iter_mut().zip(upper) {
        (*a, *b) = (*a + *b, *a - *b);
    }
}

/// Consecutive coefficients of a complex polynomial, in pairs.
struct Part<'a> {
    re: &'a mut [[f64; 2]],
    im: &'a mut [[f64; 2]],
}

impl<'a> Part<'a> {
    #[inline]
    fn new(re: &'a mut [f64], im: &'a mut [f64]) -> Self {
        Self { re: re.as_chunks_mut().0, im: im.as_chunks_mut().0 }
    }

    /// Returns both halves.
    #[inline]
    fn halves(self) -> [Self; 2] {
        let half = self.re.len() / 2;
        let ((low_re, high_re), (low_im, high_im)) = (self.re.split_at_mut(half), self.im.split_at_mut(half));
        [Self { re: low_re, im: low_im }, Self { re: &mut high_re[..half], im: &mut high_im[..half] }]
    }

    #[inline]
    fn get(&self, index: usize) -> Complex<Lanes> {
        Complex { re: Lanes(self.re[index]), im: Lanes(self.im[index]) }
    }

    #[inline]
    fn set(&mut self, index: usize, value: Complex<Lanes>) {
        (self.re[index], self.im[index]) = (value.re.0, value.im.0);
    }
}

/// From the remainder modulo x^n − w² to those modulo x^(n/2) − w and x^(n/2) + w.
fn split_in_two(re: &mut [f64], im: &mut [f64], w: Complex<f64>) {
    let w = w.twice();
    let [mut low, mut high] = Part::new(re, im).halves();
    for j in 0..low.re.len() {
        let (a, b) = (low.get(j), high.get(j) * w);
        low.set(j, a + b);
        high.set(j, a - b);
    }
}

/// Undoes [`split_in_two`]; the result is twice as large.
fn join_two(re: &mut [f64], im: &mut [f64], w: Complex<f64>) {
    let w = w.conjugate().twice();
    let [mut low, mut high] = Part::new(re, im).halves();
    for j in 0..low.re.len() {
        let (a, b) = (low.get(j), high.get(j));
        low.set(j, a + b);
        high.set(j, (a - b) * w);
    }
}

/// Splits twice: by w², and then by w and i·w.
#[inline]
fn split_in_four(re: &mut [f64], im: &mut [f64], w2: Complex<f64>, w: Complex<f64>) {
    let (w2, w) = (w2.twice(), w.twice());
    let [low, high] = Part::new(re, im).halves();
    let ([mut p0, mut p1], [mut p2, mut p3]) = (low.halves(), high.halves());
    for j in 0..p0.re.len() {
        let (a0, a1, a2, a3) = (p0.get(j), p1.get(j), p2.get(j) * w2, p3.get(j) * w2);
        let (b0, b1) = (a0 + a2, (a1 + a3) * w);
        let (b2, b3) = (a0 - a2, ((a1 - a3) * w).times_i());
        p0.set(j, b0 + b1);
        p1.set(j, b0 - b1);
        p2.set(j, b2 + b3);
        p3.set(j, b2 - b3);
    }
}

/// Undoes [`split_in_four`]; the result is four times as large.
#[inline]
fn join_four(re: &mut [f64], im: &mut [f64], w2: Complex<f64>, w: Complex<f64>) {
    let (w2, w) = (w2.conjugate().twice(), w.conjugate().twice());
    let [low, high] = Part::new(re, im).halves();
    let ([mut p0, mut p1], [mut p2, mut p3]) = (low.halves(), high.halves());
    for j in 0..p0.re.len() {
        let (a0, a1, a2, a3) = (p0.get(j), p1.get(j), p2.get(j), p3.get(j));
        let (b0, b1) = (a0 + a1, (a0 - a1) * w);
        let (b2, b3) = (a2 + a3, (a3 - a2).times_i() * w);
        p0.set(j, b0 + b2);
        p1.set(j, b1 + b3);
        p2.set(j, (b0 - b2) * w2);
        p3.set(j, (b1 - b3) * w2);
    }
}

/// A complex number, or two of them in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

/// Two numbers that are processed together. Compilers turn this into vector instructions.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Lanes(pub(super) [f64; 2]);

impl Complex<f64> {
    /// Returns e^(2πi·turn) for a turn of at least 0 and less than 1/2. The argument of the sine is at most an eighth
    /// of a turn, so its rounding does not matter.
    fn root_of_unity(turn: f64) -> Self {
        let first_eighth = |turn: f64| {
            let (im, re) = (TAU * turn).sin_cos();
            Self { re, im }
        };
        if turn >= 0.25 {
            Self::root_of_unity(turn - 0.25).times_i()
        } else if turn > 0.125 {
            let Self { re, im } = first_eighth(0.25 - turn);
            Self { re: im, im: re }
        } else if turn == 0.125 {
            Self { re: FRAC_1_SQRT_2, im: FRAC_1_SQRT_2 }
        } else {
            first_eighth(turn)
        }
    }

    /// Returns the number in both lanes.
    #[inline]
    pub(super) fn twice(self) -> Complex<Lanes> {
        Complex { re: Lanes([self.re; 2]), im: Lanes([self.im; 2]) }
    }
}

impl<T: Copy + Neg<Output = T>> Complex<T> {
    #[inline]
    fn times_i(self) -> Self {
        Self { re: -self.im, im: self.re }
    }

    #[inline]
    fn conjugate(self) -> Self {
        Self { re: self.re, im: -self.im }
    }
}

impl<T: Add<Output = T>> Add for Complex<T> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<T: Sub<Output = T>> Sub for Complex<T> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Mul for Complex<T> {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl<T: Neg<Output = T>> Neg for Complex<T> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline]
    fn add(self, Self([a, b]): Self) -> Self {
        Self([self.0[0] + a, self.0[1] + b])
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline]
    fn sub(self, Self([a, b]): Self) -> Self {
        Self([self.0[0] - a, self.0[1] - b])
    }
}

impl Mul for Lanes {
    type Output = Self;

    #[inline]
    fn mul(self, Self([a, b]): Self) -> Self {
        Self([self.0[0] * a, self.0[1] * b])
    }
}

impl Neg for Lanes {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self([-self.0[0], -self.0[1]])
    }
}

#[cfg(test)]
mod tests {
    //! Compares transforms with products by the definition, for the largest allowed coefficients.
    use super::*;
    use crate::random::FrozenRandom;

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

    /// Compares a·b − c·d with the definition, at these indices. Returns the largest error.
    fn greatest_error(transform: &Transform, [a, b, c, d]: &[Vec<i64>; 4], indices: &[usize]) -> f64 {
        let product = |x: &[i64], y: &[i64]| {
            let [x_cyclic, y_cyclic] =
                [x, y].map(|values| transformed(values, |values| transform.split_cyclic(values)));
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

    /// Polynomials whose coefficients all have the maximal size, with signs of several kinds.
    fn great_polynomials(length: usize, random: &mut FrozenRandom) -> Vec<Vec<i64>> {
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
        let mut random = FrozenRandom::new("transform", 1);
        for length in [32, 64, 128, 256, 512, 1024, 2048, 16_384] {
            let transform = Transform::new(length);
            let polynomials = great_polynomials(length, &mut random);
            let indices: Vec<_> = (0..8).map(|_| random.below(length as u64) as usize).chain([0, length - 1]).collect();
            for a in &polynomials {
                for b in &polynomials {
                    // The signs of two products of the maximal size add up.
                    let minus_b = b.iter().map(|value| -value).collect();
                    let error = greatest_error(&transform, &[a.clone(), b.clone(), a.clone(), minus_b], &indices);
                    assert!(error < 0.25, "an error of {error} at the length {length}");
                }
            }
        }
    }

    #[test]
    fn all_coefficients_are_in_their_places() {
        let mut random = FrozenRandom::new("transform", 2);
        for length in [32, 64, 128, 256] {
            let mut polynomial = || (0..length).map(|_| random.below(2_000) as i64 - 1_000).collect::<Vec<i64>>();
            let polynomials = [polynomial(), polynomial(), polynomial(), polynomial()];
            let indices: Vec<_> = (0..length).collect();
            assert!(greatest_error(&Transform::new(length), &polynomials, &indices) < 1e-3);
        }
    }

    /// The bound on errors assumes that a root is off by at most 2.5·2^-53. A root's square is another root, and errors
    /// that cancel in one do not cancel in the length.
    #[test]
    fn the_roots_of_unity_are_as_exact_as_the_bound_supposes() {
        let epsilon = f64::EPSILON / 2.0;
        let transform = Transform::new(1 << 17);
        for (index, &root) in transform.roots.iter().enumerate().skip(1) {
            // Twice the root's own error, the other root's error, and the rounding of this test.
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
}
