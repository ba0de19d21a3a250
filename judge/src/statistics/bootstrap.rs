//! Bootstrap intervals of a mean, seeded.

use super::interval::Interval;
use super::moments::Moments;
use super::random::Random;
use statrs::distribution::{ContinuousCDF, Normal};

/// Two intervals from the same resamples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// Between the alpha/2 and 1 - alpha/2 quantiles of the resampled means.
    pub percentile: Interval,
    /// The same, bias-corrected and accelerated (Efron, "Better bootstrap confidence intervals", JASA 82, 1987): the
    /// better one for skewed effects.
    pub accelerated: Interval,
}

/// Resamples `effects` with replacement `resamples` times (10,000 suffice). The same effects, seed and count give
/// the same intervals. `None` without effects or resamples.
#[must_use]
pub fn bootstrap(effects: &[f64], alpha: f64, resamples: usize, seed: u64) -> Option<Bootstrap> {
    if effects.is_empty() || resamples == 0 {
        return None;
    }
    let means = sorted_means(effects, resamples, seed);
    let normal = Normal::standard();
    let bias = bias(&means, mean_of(effects.iter()));
    let acceleration = acceleration(effects);
    let adjusted = |level: f64| {
        let shifted = bias + normal.inverse_cdf(level);
        normal.cdf(bias + shifted / (1.0 - acceleration * shifted))
    };
    let between = |low, high| Interval { low: quantile(&means, low), high: quantile(&means, high) };
    let (low, high) = (alpha / 2.0, 1.0 - alpha / 2.0);
    Some(Bootstrap { percentile: between(low, high), accelerated: between(adjusted(low), adjusted(high)) })
}

fn sorted_means(effects: &[f64], resamples: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut draw = || (0..effects.len()).map(|_| effects[random.below(effects.len())]).sum::<f64>();
    let mut means: Vec<f64> = (0..resamples).map(|_| draw() / effects.len() as f64).collect();
    means.sort_by(f64::total_cmp);
    means
}

fn mean_of<'a>(values: impl ExactSizeIterator<Item = &'a f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Returns z0: how far the resampled means lie to one side of the sample's. Half of the equal ones count as below, for
/// effects with many ties.
fn bias(means: &[f64], mean: f64) -> f64 {
    let below = means.partition_point(|&value| value < mean) as f64;
    let not_above = means.partition_point(|&value| value <= mean) as f64;
    let count = means.len() as f64;
    // Kept off 0 and 1, whose normal quantiles are infinite.
    let share = (f64::midpoint(below, not_above) / count).clamp(0.5 / count, 1.0 - 0.5 / count);
    Normal::standard().inverse_cdf(share)
}

/// Returns the acceleration from the jackknife, which for a mean is its skewness over 6 sqrt(n).
fn acceleration(effects: &[f64]) -> f64 {
    Moments::of(effects).skewness() / (6.0 * (effects.len() as f64).sqrt())
}

/// Returns the quantile of sorted values, linear between neighbours.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    let place = level.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_interval_and_another_a_near_one() {
        let effects: Vec<f64> = (0..40).map(|case| f64::from(case * case % 17) - 6.0).collect();
        let first = bootstrap(&effects, 0.05, 2_000, 1).unwrap();
        assert_eq!(bootstrap(&effects, 0.05, 2_000, 1), Some(first));
        let second = bootstrap(&effects, 0.05, 2_000, 2).unwrap();
        assert_ne!(first, second);
        assert!((first.percentile.low - second.percentile.low).abs() < 0.3);
    }

    #[test]
    fn of_symmetric_effects_both_are_near_the_normal_interval() {
        let effects: Vec<f64> = (-50..=50).map(f64::from).collect();
        let radius = 1.96 * Moments::of(&effects).standard_error();
        let found = bootstrap(&effects, 0.05, 10_000, 7).unwrap();
        for interval in [found.percentile, found.accelerated] {
            assert!((interval.low + radius).abs() < 0.3 && (interval.high - radius).abs() < 0.3, "{interval:?}");
        }
    }

    #[test]
    fn skewed_effects_move_the_accelerated_interval_towards_the_tail() {
        let effects: Vec<f64> = (1..=30).map(|case| (f64::from(case) / 6.0).exp()).collect();
        let found = bootstrap(&effects, 0.05, 10_000, 7).unwrap();
        assert!(found.accelerated.low > found.percentile.low);
        assert!(found.accelerated.high > found.percentile.high);
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 1.0), 4.0);
    }

    #[test]
    fn equal_effects_leave_no_doubt_and_none_leave_no_interval() {
        let point = Interval { low: 2.5, high: 2.5 };
        assert_eq!(bootstrap(&[2.5; 6], 0.05, 100, 1), Some(Bootstrap { percentile: point, accelerated: point }));
        assert_eq!(bootstrap(&[], 0.05, 100, 1), None);
    }
}
