//! Mean, variance, skewness and kurtosis of a growing sample, and intervals.

/// The first four moments, updated case by case.
///
/// The sums are about the running mean (Pébay, "Formulas for robust, one-pass parallel computation of covariances and
/// arbitrary-order statistical moments", Sandia report SAND2008-6212): sums of plain powers would lose all digits if
/// the mean is large against the spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// The unit of the values, a power of two, so dividing by it is exact.
    unit: f64,
    count: usize,
    mean: f64,
    squares: f64,
    cubes: f64,
    fourths: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { unit: 1.0, count: 0, mean: 0.0, squares: 0.0, cubes: 0.0, fourths: 0.0 }
    }
}

/// The largest rounding error of a mean or a spread, as a share of the sum of the sizes.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl Moments {
    /// Returns the moments of a whole sample. Its unit is of the size of the largest value: fourth powers of huge or
    /// tiny numbers are out of range. Values that cancel out or are equal, except for rounding errors, have a mean or a
    /// spread of exactly 0.
    pub fn of(sample: &[f64]) -> Self {
        let largest = sample.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let mut moments = Self { unit: power_of_two(largest), ..Self::default() };
        sample.iter().for_each(|&value| moments.push(value));
        let error = ROUNDING * sample.iter().map(|value| (value / moments.unit).abs()).sum::<f64>();
        if moments.mean.abs() * moments.count as f64 <= error {
            moments.mean = 0.0;
        }
        if moments.squares.sqrt() <= error {
            (moments.squares, moments.cubes, moments.fourths) = (0.0, 0.0, 0.0);
        }
        moments
    }

    /// Adds one value, which is finite.
    pub fn push(&mut self, value: f64) {
        let value = value / self.unit;
        let before = self.count as f64;
        self.count += 1;
        let count = self.count as f64;
        let step = (value - self.mean) / count;
        let product = (value - self.mean) * step * before;
        self.mean += step;
        let fourth = product * step * step * (count * count - 3.0 * count + 3.0);
        self.fourths += fourth + 6.0 * step * step * self.squares - 4.0 * step * self.cubes;
        self.cubes += product * step * (count - 2.0) - 3.0 * step * self.squares;
        self.squares += product;
    }

    /// Returns the number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the mean, 0 without values.
    pub fn mean(&self) -> f64 {
        self.mean * self.unit
    }

    /// Returns the unbiased standard deviation, 0 of fewer than two values.
    pub fn deviation(&self) -> f64 {
        if self.count < 2 { 0.0 } else { (self.squares / (self.count as f64 - 1.0)).sqrt() * self.unit }
    }

    /// Returns the standard error of the mean, 0 of fewer than two values.
    pub fn standard_error(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.deviation() / (self.count as f64).sqrt() }
    }

    /// Returns the sample skewness, m3 / m2^(3/2); 0 if all values are equal.
    pub fn skewness(&self) -> f64 {
        let spread = (self.squares / self.count.max(1) as f64).powf(1.5);
        if spread > 0.0 { self.cubes / self.count as f64 / spread } else { 0.0 }
    }

    /// Returns the sample kurtosis, m4 / m2^2: about 3 for normal values; 0 if all values are equal.
    pub fn kurtosis(&self) -> f64 {
        let spread = self.squares * self.squares;
        if spread > 0.0 { self.fourths * self.count as f64 / spread } else { 0.0 }
    }

    /// Returns the moments of the values less this.
    pub(super) fn less(self, center: f64) -> Self {
        Self { mean: self.mean - center / self.unit, ..self }
    }

    /// Returns the sums of the values, of their squares and of their cubes.
    pub(super) fn power_sums(&self) -> [f64; 3] {
        let (count, mean) = (self.count as f64, self.mean);
        let squares = self.squares + count * mean * mean;
        let cubes = self.cubes + 3.0 * mean * self.squares + count * mean.powi(3);
        [count * mean * self.unit, squares * self.unit.powi(2), cubes * self.unit.powi(3)]
    }
}

/// Returns a power of two of the size of a number, 1 for 0.
pub fn power_of_two(number: f64) -> f64 {
    let exponent = number.abs().log2().floor();
    if exponent.is_finite() { exponent.exp2() } else { 1.0 }
}

/// The effects that the data do not rule out, ends included.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Interval {
    /// The smallest of them.
    pub low: f64,
    /// The largest of them.
    pub high: f64,
}

impl Interval {
    /// Returns the middle.
    pub fn center(self) -> f64 {
        self.low + (self.high - self.low) / 2.0
    }

    /// Returns half the width, the number after a `±`.
    pub fn radius(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Returns whether `effect` lies within.
    pub fn contains(self, effect: f64) -> bool {
        self.low <= effect && effect <= self.high
    }

    /// Returns the smallest interval that contains this one and `effect`.
    pub fn reaching(self, effect: f64) -> Self {
        Self { low: self.low.min(effect), high: self.high.max(effect) }
    }

    /// Returns whether every effect within is smaller than `bound` in size.
    pub fn is_within(self, bound: f64) -> bool {
        -bound < self.low && self.high < bound
    }
}

/// Samples of normal effects have a kurtosis of 3, and seldom one above this.
pub(crate) const LIGHT_TAILED: f64 = 3.5;

/// Returns by how much the kurtosis exceeds the kurtosis of a light-tailed sample. A few large effects suggest that
/// there are more. The level of a test of the mean is then less certain, and it needs more cases.
pub(crate) fn tail(moments: &Moments) -> f64 {
    (moments.kurtosis() - LIGHT_TAILED).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_hand_worked_sample() {
        // Mean 4; deviations -3, -2, -1, 6: squares 9 + 4 + 1 + 36 = 50, cubes -27 - 8 - 1 + 216 = 180, fourth powers
        // 81 + 16 + 1 + 1296 = 1394.
        let moments = Moments::of(&[1.0, 2.0, 3.0, 10.0]);
        assert!((moments.mean() - 4.0).abs() < 1e-12);
        assert!((moments.deviation() - (50.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((moments.skewness() - 45.0 / 12.5_f64.powf(1.5)).abs() < 1e-12);
        assert!((moments.kurtosis() - 348.5 / 12.5_f64.powi(2)).abs() < 1e-12);
        let expected = [16.0, 114.0, 1_036.0];
        assert!(moments.power_sums().iter().zip(expected).all(|(sum, expected)| (sum - expected).abs() < 1e-9));
    }

    #[test]
    fn a_far_away_mean_costs_no_digits() {
        let moments = Moments::of(&[1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0]);
        assert!((moments.deviation() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_size_of_the_values_does_not_matter() {
        let plain = Moments::of(&[1.0, 2.0, 3.0, 10.0]);
        for unit in [1e-250, 1e250] {
            let moments = Moments::of(&[unit, 2.0 * unit, 3.0 * unit, 10.0 * unit]);
            assert!((moments.mean() / unit - 4.0).abs() < 1e-12);
            assert!((moments.deviation() / unit - plain.deviation()).abs() < 1e-12);
            assert!((moments.skewness() - plain.skewness()).abs() < 1e-12);
            assert!((moments.kurtosis() - plain.kurtosis()).abs() < 1e-12);
        }
    }

    #[test]
    fn rounding_errors_are_no_mean_and_no_spread() {
        assert_eq!(Moments::of(&[0.1, 0.2, -0.3]).mean(), 0.0);
        assert_eq!(Moments::of(&[0.1 + 0.2, 0.3, 0.3]).deviation(), 0.0);
    }

    #[test]
    fn nothing_and_one_value_have_no_spread() {
        assert_eq!(Moments::default().deviation(), 0.0);
        assert_eq!(Moments::of(&[5.0]).standard_error(), 0.0);
        assert_eq!(Moments::of(&[5.0, 5.0]).skewness(), 0.0);
        assert_eq!(Moments::of(&[5.0, 5.0]).kurtosis(), 0.0);
    }
}
