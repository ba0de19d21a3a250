//! Complex numbers, one at a time or two side by side.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::ops::{Add, Mul, Neg, Sub};

/// A complex number, or two of them in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Complex<T> {
    pub(super) re: T,
    pub(super) im: T,
}

/// Two numbers that are calculated with at once: compilers make vector instructions of this.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lanes(pub(super) [f64; 2]);

impl Complex<f64> {
    /// Returns e^(2πi·turn) for a turn of at least 0 and less than 1/2. The angle that the sine is taken of is at most an
    /// eighth of a turn, so that its rounding does not matter.
    pub(super) fn root_of_unity(turn: f64) -> Self {
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
    pub(super) fn times_i(self) -> Self {
        Self { re: -self.im, im: self.re }
    }

    #[inline]
    pub(super) fn conjugate(self) -> Self {
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
