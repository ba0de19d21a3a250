//! How noisy the settings are: some have scores that vary more than others, and their means are worth less.
//!
//! The squares of a setting's deviations say little, since a setting runs on few cases. So a Gaussian process learns the
//! logarithm of the variance from all settings (Kersting, Plagemann, Pfaff and Burgard, "Most likely heteroscedastic
//! Gaussian process regression", ICML 2007): settings that lie near each other are about as noisy.

use super::process::Sample;
use super::processes::{Covariances, Processes};
use super::table::Worth;
use statrs::function::gamma::digamma;

/// The variance of a value by setting, relative to what is common to all settings.
#[derive(Debug, Clone)]
pub(super) struct Noise {
    processes: Processes,
}

/// The fewest degrees of freedom from which the noise of a setting is learnt.
const FEWEST_FREEDOM: f64 = 0.3;

/// Deviations below this part of what is common are as good as none: scores may be whole numbers.
const LEAST_SQUARE: f64 = 1e-3;

impl Noise {
    /// Learns from the deviations of all settings. The covariance of `start` is kept if there are no `steps` to fit it in. `None` with
    /// fewer than two settings that have deviations.
    pub(super) fn fit(
        tried: &[(usize, Worth)],
        points: &[Vec<f64>],
        categories: &[bool],
        start: Option<&Self>,
        steps: usize,
    ) -> Option<Self> {
        let usable = tried.iter().filter(|(_, worth)| worth.freedom >= FEWEST_FREEDOM);
        let samples: Vec<Sample> = usable.map(|(place, worth)| sample(&points[*place], worth)).collect();
        if samples.len() < 2 {
            return None;
        }
        let begin = start.map_or_else(|| Covariances::prior(categories.len()), |start| start.processes.covariances());
        Some(Self { processes: Processes::fit(&samples, categories, &begin, steps)? })
    }

    /// Returns the relative variance of a value of the setting at a point.
    pub(super) fn at(&self, point: &[f64]) -> f64 {
        self.processes.at(point).mean.exp()
    }
}

/// The logarithm of a mean square of normal deviations, its bias taken away: with d degrees of freedom it has the mean
/// digamma(d/2) − ln(d/2) and the variance trigamma(d/2).
fn sample(point: &[f64], worth: &Worth) -> Sample {
    let half = worth.freedom / 2.0;
    let square = (worth.squares / worth.freedom).max(LEAST_SQUARE);
    Sample { point: point.to_vec(), value: square.ln() - digamma(half) + half.ln(), noise: trigamma(half) }
}

/// The derivative of digamma, by its recurrence and its asymptotic series.
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 5.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    sum + 1.0 / x + 0.5 / (x * x) + 1.0 / (6.0 * x.powi(3)) - 1.0 / (30.0 * x.powi(5))
}
