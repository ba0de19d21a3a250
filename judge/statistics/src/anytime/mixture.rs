//! Mixtures of wealths, each given by its logarithm.

/// Returns the logarithm of the weighted mean of numbers that are given by their logarithms.
pub(super) fn log_mean_exp(logs: &[f64], weights: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = weights.iter().zip(logs).map(|(weight, log)| weight * (log - largest).exp()).sum();
    largest + (sum / weights.iter().sum::<f64>()).ln()
}
