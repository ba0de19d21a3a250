//! The noise of the settings. The scores of some settings vary more than others, so their means count less.
//!
//! The squares of a setting's deviations say little, since a setting runs on few cases. So a Gaussian process learns
//! the logarithm of the variance from all settings (Kersting, Plagemann, Pfaff and Burgard, "Most likely
//! heteroscedastic Gaussian process regression", ICML 2007): settings close to each other have similar noise.

use super::process::Sample;
use super::processes::Processes;
use super::table::Worth;
use statrs::function::gamma::digamma;

/// The variance of a value by setting, relative to the common variance of all settings.
#[derive(Debug, Clone)]
pub(super) struct Noise {
    processes: Processes,
}

/// The fewest degrees of freedom from which the noise of a setting is learnt.
const MIN_FREEDOM: f64 = 0.3;

/// Deviations below this part of the common one count as zero noise: scores may be integers.
const MIN_SQUARE: f64 = 1e-3;

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
        let usable = tried.iter().filter(|(_, worth)| worth.freedom >= MIN_FREEDOM);
        let samples: Vec<Sample> = usable.map(|(place, worth)| sample(&points[*place], worth)).collect();
        if samples.len() < 2 {
            return None;
        }
        let begin = start.map(|start| &start.processes);
        Some(Self { processes: Processes::fit(&samples, categories, begin, steps)? })
    }

    /// Returns the relative variance of a value of the setting at a point.
    pub(super) fn at(&self, point: &[f64]) -> f64 {
        self.processes.at(point).mean.exp()
    }
}

/// The logarithm of a mean square of normal deviations, corrected for its bias: with d degrees of freedom it has the
/// mean digamma(d/2) − ln(d/2) and the variance trigamma(d/2).
fn sample(point: &[f64], worth: &Worth) -> Sample {
    let half = worth.freedom / 2.0;
    let square = (worth.squares / worth.freedom).max(MIN_SQUARE);
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

#[cfg(test)]
mod tests {
    use super::super::table::Values;
    use super::*;
    use crate::Random;

    /// Learns from 40 settings with one parameter, each on 3 of 12 cases.
    fn learnt(deviation: impl Fn(f64) -> f64) -> Noise {
        let mut random = Random::new(8);
        let mut values = Values::default();
        let points: Vec<Vec<f64>> = (0..40).map(|setting| vec![f64::from(setting) / 39.0]).collect();
        for (setting, point) in points.iter().enumerate() {
            for case in 0..3 {
                let case = (setting % 4) * 3 + case;
                values.set(setting, case, Some(100.0 * case as f64 - 500.0 + deviation(point[0]) * random.normal()));
            }
        }
        let mut noise: Option<Noise> = None;
        for _ in 0..3 {
            let noises: Vec<f64> =
                points.iter().map(|point| noise.as_ref().map_or(1.0, |noise| noise.at(point))).collect();
            let worths = values.worths(&[], &noises).into_iter().enumerate();
            let tried: Vec<(usize, Worth)> = worths.filter_map(|(place, worth)| Some((place, worth?))).collect();
            noise = Noise::fit(&tried, &points, &[false], noise.as_ref(), 25);
        }
        noise.unwrap()
    }

    #[test]
    fn settings_near_each_other_tell_how_noisy_they_are() {
        // The variance grows a hundredfold.
        let noise = learnt(|x| 0.1 * 10_f64.powf(x));
        let ratio = noise.at(&[0.9]) / noise.at(&[0.1]);
        assert!((10.0..160.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn equal_noise_is_learnt_as_equal() {
        let noise = learnt(|_| 2.0);
        let ratio = noise.at(&[0.9]) / noise.at(&[0.1]);
        assert!((0.4..2.5).contains(&ratio), "{ratio}");
    }

    #[test]
    fn the_variance_of_a_logarithm_is_known() {
        // trigamma(1/2) = pi^2 / 2, trigamma(1) = pi^2 / 6.
        let square = std::f64::consts::PI.powi(2);
        assert!((trigamma(0.5) - square / 2.0).abs() < 1e-5 && (trigamma(1.0) - square / 6.0).abs() < 1e-5);
    }
}
