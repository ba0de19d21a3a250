//! The scores of a case in several runs of one solver: how many, their mean, their spread and their skewness.

use checkers::Score;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// The scores of a case in one or more runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    runs: u32,
    mean: BigRational,
    spread: f64,
    cubes: f64,
}

/// How far the scores of some runs lie from their mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviations {
    pub(super) runs: f64,
    /// The sum of their squares.
    pub(super) squares: f64,
    /// The sum of their cubes.
    pub(super) cubes: f64,
}

impl Deviations {
    /// Returns those of these runs together with others whose mean is higher by `step` (Chan, Golub and LeVeque,
    /// "Updating formulae and a pairwise algorithm for computing sample variances", 1979; the cubes follow in the same
    /// way).
    pub(super) fn joined(self, others: Self, step: f64) -> Self {
        let runs = self.runs + others.runs;
        let between = self.runs * others.runs / runs * step * step;
        let uneven = 3.0 * (self.runs * others.squares - others.runs * self.squares) / runs;
        let cubes = self.cubes + others.cubes + (between * (self.runs - others.runs) / runs + uneven) * step;
        Self { runs, squares: self.squares + others.squares + between, cubes }
    }

    /// Returns the unbiased estimate of the third central moment. `None` below three runs.
    pub(super) fn third_moment(self) -> Option<f64> {
        let Self { runs, cubes, .. } = self;
        (runs > 2.0).then(|| cubes * runs / ((runs - 1.0) * (runs - 2.0)))
    }
}

impl From<Score> for Sample {
    fn from(score: Score) -> Self {
        Self::new(1, score.to_rational(), 0.0)
    }
}

impl Sample {
    /// Returns the sample of `runs` runs, at least 1, with this mean and this unbiased standard deviation.
    #[must_use]
    pub fn new(runs: u32, mean: BigRational, spread: f64) -> Self {
        Self { runs: runs.max(1), mean, spread, cubes: 0.0 }
    }

    /// Returns the sample with this skewness: the unbiased third central moment in cubes of the spread. Fewer than three
    /// runs have none.
    #[must_use]
    pub fn with_skewness(self, skewness: f64) -> Self {
        let (runs, scale) = (f64::from(self.runs), self.spread.powi(3));
        let is_known = self.runs > 2 && scale > 0.0;
        Self { cubes: if is_known { skewness * scale * (runs - 1.0) * (runs - 2.0) / runs } else { 0.0 }, ..self }
    }

    /// Returns the skewness, 0 if there is none.
    #[must_use]
    pub fn skewness(&self) -> f64 {
        let skewness = self.deviations().third_moment().map_or(0.0, |moment| moment / self.spread.powi(3));
        if skewness.is_finite() { skewness } else { 0.0 }
    }

    /// Returns the number of runs.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// Returns the mean score.
    #[must_use]
    pub fn mean(&self) -> &BigRational {
        &self.mean
    }

    /// Returns the unbiased standard deviation of the scores, 0 of a single one.
    #[must_use]
    pub fn spread(&self) -> f64 {
        self.spread
    }

    /// Returns the degrees of freedom of the spread.
    #[must_use]
    pub fn freedom(&self) -> f64 {
        f64::from(self.runs) - 1.0
    }

    /// Returns the sum of the squared differences from the mean.
    #[must_use]
    pub fn squares(&self) -> f64 {
        self.spread * self.spread * self.freedom()
    }

    /// Returns the score of every run, if they are equal.
    #[must_use]
    pub fn constant(&self) -> Option<Score> {
        if self.spread == 0.0 { Score::from_rational(&self.mean) } else { None }
    }

    pub(super) fn deviations(&self) -> Deviations {
        Deviations { runs: f64::from(self.runs), squares: self.squares(), cubes: self.cubes }
    }

    /// Returns this sample and another one as one.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let runs = self.runs + other.runs;
        let step = &other.mean - &self.mean;
        let all = self.deviations().joined(other.deviations(), step.to_f64().unwrap_or(f64::INFINITY));
        let mean = &self.mean + step * BigRational::new(other.runs.into(), runs.into());
        Self { runs, mean, spread: (all.squares / (f64::from(runs) - 1.0)).sqrt(), cubes: all.cubes }
    }

    /// Returns the sample with its mean moved by `by`, if that is a number, and `squares` added to the sum of the
    /// squared differences.
    #[must_use]
    pub(super) fn corrected(&self, by: f64, squares: f64) -> Self {
        let by = BigRational::from_float(by).unwrap_or_else(BigRational::zero);
        let spread = ((self.squares() + squares) / self.freedom().max(1.0)).sqrt();
        Self { mean: &self.mean + by, spread, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scores: &[i64]) -> Sample {
        let all = scores.iter().map(|&score| Sample::from(Score::from(score)));
        all.reduce(|sum, next| sum.merged(&next)).unwrap()
    }

    #[test]
    fn a_sample_is_the_same_however_it_is_put_together() {
        // Mean 4; squares 9 + 4 + 1 + 36 = 50.
        let whole = of(&[1, 2, 3, 10]);
        assert_eq!((whole.runs(), whole.mean().clone()), (4, BigRational::from_integer(4.into())));
        assert!((whole.spread() - (50.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        let halves = of(&[1, 10]).merged(&of(&[2, 3]));
        assert!((halves.spread() - whole.spread()).abs() < 1e-12 && halves.mean() == whole.mean());
        // Cubes -27 - 8 - 1 + 216 = 180; 180 * 4 / (3 * 2) = 120.
        let skewness = 120.0 / (50.0_f64 / 3.0).powf(1.5);
        assert!((whole.skewness() - skewness).abs() < 1e-12 && (halves.skewness() - skewness).abs() < 1e-12);
        let stored = Sample::new(4, whole.mean().clone(), whole.spread()).with_skewness(skewness);
        assert!((stored.skewness() - skewness).abs() < 1e-12);
        assert_eq!((of(&[1, 9]).skewness(), of(&[5, 5, 5]).skewness()), (0.0, 0.0));
    }

    #[test]
    fn a_correction_moves_the_mean_and_widens_the_spread() {
        let found = of(&[1, 2, 3, 10]).corrected(-0.5, 4.0);
        assert_eq!(found.mean(), &BigRational::new(7.into(), 2.into()));
        assert!((found.squares() - 54.0).abs() < 1e-12);
    }

    #[test]
    fn equal_scores_are_constant_whatever_their_length() {
        let long: Score = "123456789012345678901234567890".parse().unwrap();
        let twice = Sample::from(long.clone()).merged(&Sample::from(long.clone()));
        assert_eq!((twice.constant(), twice.runs(), twice.spread()), (Some(long), 2, 0.0));
        assert_eq!(of(&[1, 3]).constant(), None);
    }
}
