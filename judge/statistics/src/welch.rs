//! Is a sum of independent differences below 0? Each term has a variance of its own, estimated from few runs.
//!
//! The sum over its standard error is compared with Student's t with
//!
//! ```text
//! f = (Σ v)² / Σ (v² / (fᵢ + 2)) − 2
//! ```
//!
//! degrees of freedom, where v is the estimated variance of a term and fᵢ its degrees of freedom (Welch, "The
//! generalization of 'Student's' problem when several different population variances are involved", Biometrika 34,
//! 1947, with the constants of Aspin and Welch, Biometrika 36, 1949). It is exact for one term, and the expectation of
//! f is nearly right for many terms of one degree of freedom, where Satterthwaite's formula gives a third of it.

use super::power::{student_level, student_quantile};

/// The estimated variance of a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermVariance {
    /// The variance.
    pub variance: f64,
    /// Its degrees of freedom, at least 1.
    pub freedom: f64,
}

/// The standard error of a sum, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumError {
    /// The standard error.
    pub deviation: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
}

impl SumError {
    /// Returns the standard error of a sum of such terms. `None` if none of them varies.
    #[must_use]
    pub fn of(terms: &[TermVariance]) -> Option<Self> {
        let largest = terms.iter().map(|term| term.variance).fold(0.0, f64::max);
        if largest <= 0.0 || !largest.is_finite() {
            return None;
        }
        // As shares of the largest: squares of large variances would overflow.
        let sum: f64 = terms.iter().map(|term| term.variance / largest).sum();
        let squares: f64 = terms.iter().map(|term| (term.variance / largest).powi(2) / (term.freedom + 2.0)).sum();
        Some(Self { deviation: (sum * largest).sqrt(), freedom: (sum * sum / squares - 2.0).max(1.0) })
    }

    /// Returns the probability of a sum as low as this one, or lower, if its mean is 0.
    #[must_use]
    pub fn level_below(&self, sum: f64) -> f64 {
        student_level(sum / self.deviation, self.freedom)
    }

    /// Returns by how much the mean must lie below 0 for the test at the level `alpha` to notice it with the
    /// probability `power`.
    #[must_use]
    pub fn detectable(&self, alpha: f64, power: f64) -> f64 {
        (student_quantile(1.0 - alpha, self.freedom) + student_quantile(power, self.freedom)) * self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(variance: f64, freedom: f64) -> TermVariance {
        TermVariance { variance, freedom }
    }

    #[test]
    fn one_term_is_students_test() {
        let error = SumError::of(&[term(4.0, 3.0)]).unwrap();
        assert!((error.freedom - 3.0).abs() < 1e-12 && (error.deviation - 2.0).abs() < 1e-12);
        // t(0.95, 3) = 2.353363 (tables).
        assert!((error.level_below(-2.0 * 2.353_363) - 0.05).abs() < 1e-6);
        assert!((error.detectable(0.05, 0.5) - 2.0 * 2.353_363).abs() < 1e-5);
    }

    #[test]
    fn a_dominant_term_leaves_its_own_freedom() {
        let error = SumError::of(&[term(1e12, 4.0), term(1.0, 4.0), term(1.0, 4.0)]).unwrap();
        assert!((error.freedom - 4.0).abs() < 1e-6);
        let even = SumError::of(&[term(1.0, 4.0); 20]).unwrap();
        assert!((even.freedom - (20.0 * 6.0 - 2.0)).abs() < 1e-9);
    }

    #[test]
    fn what_does_not_vary_has_no_error() {
        assert_eq!(SumError::of(&[term(0.0, 4.0)]), None);
        assert_eq!(SumError::of(&[]), None);
        assert!(SumError::of(&[term(1e300, 4.0), term(1e300, 4.0)]).unwrap().freedom > 9.0);
    }
}
