//! How heavy the tail of a sample is.

use crate::moments::Moments;

/// Samples of normal effects have a kurtosis of 3, and seldom one above this.
pub(super) const LIGHT_TAILED: f64 = 3.5;

/// Returns the excess of the kurtosis over that of a light-tailed sample. A few large effects suggest others: the level
/// of a test of the mean is less certain, and it takes more cases.
pub(super) fn tail(moments: &Moments) -> f64 {
    (moments.kurtosis() - LIGHT_TAILED).max(0.0)
}
