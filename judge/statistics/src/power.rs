//! The detectable effect of a fixed number of cases, and the number of cases that an effect needs.
//!
//! For the two-sided paired t-test at level `alpha`: n cases show a mean effect d with the probability `power` where
//!
//! ```text
//! d = (t(1 - alpha/2, n-1) + t(power, n-1)) * s / sqrt(n)
//! ```
//!
//! with s the standard deviation of the effects. (The usual approximation to the non-central t; within one case of it
//! from five cases on.)
//!
//! # Sums of differences
//!
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

use super::moments::Interval;
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};

/// The largest number of cases that is searched.
pub(super) const MAX_CASES: u64 = 1 << 40;
/// Degrees of freedom from which on the expansion is used.
const NORMAL_FROM: f64 = 10_000.0;

/// Returns the smallest mean effect that `cases` cases show with the given power. `None` below two cases.
pub fn detectable_effect(deviation: f64, cases: u64, alpha: f64, power: f64) -> Option<f64> {
    let freedom = cases.checked_sub(1).filter(|&freedom| freedom > 0)? as f64;
    let quantiles = student_quantile(1.0 - alpha / 2.0, freedom) + student_quantile(power, freedom);
    Some(quantiles * deviation / (cases as f64).sqrt())
}

/// Returns the interval of the standard deviation of normal effects, from a sample's deviation s: s sqrt((n - 1) / q) for
/// the two quantiles q of chi-squared with n - 1 degrees of freedom. `None` below two cases.
pub fn deviation_interval(deviation: f64, cases: u64, alpha: f64) -> Option<Interval> {
    let freedom = cases.checked_sub(1).filter(|&freedom| freedom > 0)? as f64;
    let chi_squared = ChiSquared::new(freedom).ok()?;
    let end = |level: f64| deviation * (freedom / chi_squared.inverse_cdf(level)).sqrt();
    Some(Interval { low: end(1.0 - alpha / 2.0), high: end(alpha / 2.0) })
}

/// Returns the quantile of Student's t, by the first term of its expansion around the normal one where that is exact
/// to eight digits (Abramowitz and Stegun, 26.7.5): the iteration for the t itself does not terminate there.
pub(super) fn student_quantile(level: f64, freedom: f64) -> f64 {
    let normal = Normal::standard().inverse_cdf(level);
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) if freedom < NORMAL_FROM => student.inverse_cdf(level),
        _ => normal + (normal.powi(3) + normal) / (4.0 * freedom),
    }
}

/// Returns the probability of a Student's t of at most `value`.
pub(super) fn student_level(value: f64, freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) if freedom < NORMAL_FROM => student.cdf(value),
        _ => normal_level(value),
    }
}

/// Returns the probability of a standard normal number of at most `value`.
pub fn normal_level(value: f64) -> f64 {
    Normal::standard().cdf(value)
}

/// Returns the smallest number of cases that show a mean effect of this size with the given power. `None` for an
/// effect of 0, or one that would need more than 2^40 cases.
pub fn cases_needed(deviation: f64, effect: f64, alpha: f64, power: f64) -> Option<u64> {
    let shows = |cases| detectable_effect(deviation, cases, alpha, power).is_some_and(|least| least <= effect.abs());
    fewest(2, MAX_CASES, |cases| effect != 0.0 && shows(cases))
}

/// Returns the smallest of these numbers that suffices. Any larger number also suffices, so bisection finds it.
pub fn fewest(least: u64, most: u64, suffices: impl Fn(u64) -> bool) -> Option<u64> {
    if !suffices(most) {
        return None;
    }
    let (mut too_few, mut enough) = (least.saturating_sub(1), most);
    while enough - too_few > 1 {
        let middle = u64::midpoint(too_few, enough);
        if suffices(middle) { enough = middle } else { too_few = middle }
    }
    Some(enough)
}

/// The estimated variance of a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermVariance {
    /// The variance.
    pub variance: f64,
    /// Its degrees of freedom, at least 1.
    pub freedom: f64,
}

/// The standard error of a sum, and its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumError {
    /// The standard error.
    pub deviation: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
}

impl SumError {
    /// Returns the standard error of a sum of such terms. `None` if none of them varies.
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
    pub fn level_below(&self, sum: f64) -> f64 {
        student_level(sum / self.deviation, self.freedom)
    }

    /// Returns how far the mean must lie below 0 for the test at the level `alpha` to notice it with the probability
    /// `power`.
    pub fn detectable(&self, alpha: f64, power: f64) -> f64 {
        (student_quantile(1.0 - alpha, self.freedom) + student_quantile(power, self.freedom)) * self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_sizes_for_a_paired_test() {
        // Cohen's tables for the paired t-test, two-sided 5 %, power 80 %: 34 cases for 0.5 sd, 199 for 0.2 sd.
        assert!((33..=34).contains(&cases_needed(1.0, 0.5, 0.05, 0.8).unwrap()));
        assert!((198..=199).contains(&cases_needed(1.0, 0.2, 0.05, 0.8).unwrap()));
    }

    #[test]
    fn quantiles_of_the_tables() {
        for (freedom, expected) in [(1.0, 12.706_2), (3.0, 3.182_446), (30.0, 2.042_272), (9_999.0, 1.960_201)] {
            assert!((student_quantile(0.975, freedom) - expected).abs() < 1e-4 * expected, "{freedom}");
        }
        assert!((student_quantile(0.975, 10_000.0) - student_quantile(0.975, 9_999.0)).abs() < 1e-7);
        assert!((student_quantile(0.5, 7.0)).abs() < 1e-9);
    }

    #[test]
    fn scipy_finds_the_same() {
        // (stats.t.ppf(1 - alpha / 2, n - 1) + stats.t.ppf(power, n - 1)) / sqrt(n), scipy 1.17.1.
        for (cases, alpha, power, expected) in
            [(34, 0.05, 0.8, 0.495_144_664_741_557_7), (100, 0.01, 0.9, 0.391_656_689_931_531_24)]
        {
            assert!((detectable_effect(1.0, cases, alpha, power).unwrap() - expected).abs() < 1e-7);
        }
    }

    #[test]
    fn the_two_directions_agree() {
        for effect in [0.01, 0.3, 1.0, -0.3] {
            let cases = cases_needed(2.0, effect, 0.05, 0.9).unwrap();
            assert!(detectable_effect(2.0, cases, 0.05, 0.9).unwrap() <= effect.abs());
            assert!(detectable_effect(2.0, cases - 1, 0.05, 0.9).is_none_or(|least| least > effect.abs()));
        }
    }

    #[test]
    fn the_interval_of_a_deviation_is_that_of_the_tables() {
        // Chi-squared with 19 degrees of freedom: 8.9065 and 32.8523.
        let interval = deviation_interval(2.0, 20, 0.05).unwrap();
        assert!((interval.low - 2.0 * (19.0_f64 / 32.8523).sqrt()).abs() < 1e-4, "{interval:?}");
        assert!((interval.high - 2.0 * (19.0_f64 / 8.9065).sqrt()).abs() < 1e-4, "{interval:?}");
        assert_eq!(deviation_interval(2.0, 1, 0.05), None);
    }

    #[test]
    fn hopeless_questions_have_no_number() {
        assert_eq!(cases_needed(1.0, 0.0, 0.05, 0.8), None);
        assert_eq!(cases_needed(1.0, 1e-9, 0.05, 0.8), None);
        assert_eq!(detectable_effect(1.0, 1, 0.05, 0.8), None);
    }

    #[test]
    fn identical_solvers_need_the_fewest_cases_there_are() {
        assert_eq!(cases_needed(0.0, 0.1, 0.05, 0.8), Some(2));
    }

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
