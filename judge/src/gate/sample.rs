//! The scores of a case in several runs of one solver: how many, their mean and their spread.

use checkers::Score;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// The scores of a case in one or more runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    runs: u32,
    mean: BigRational,
    spread: f64,
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
        Self { runs: runs.max(1), mean, spread }
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

    /// Returns this sample and another one as one (Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm
    /// for computing sample variances", 1979).
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let runs = self.runs + other.runs;
        let ratio = |part: u32, whole: u32| BigRational::new(part.into(), whole.into());
        let step = &other.mean - &self.mean;
        let between = ratio(self.runs, runs) * BigRational::from_integer(other.runs.into()) * &step * &step;
        let squares = self.squares() + other.squares() + between.to_f64().unwrap_or(f64::INFINITY);
        let mean = &self.mean + step * ratio(other.runs, runs);
        Self::new(runs, mean, (squares / (f64::from(runs) - 1.0)).sqrt())
    }

    /// Returns the sample with its mean moved by this much, if that is a number.
    #[must_use]
    pub fn moved(&self, by: f64) -> Self {
        let by = BigRational::from_float(by).unwrap_or_else(BigRational::zero);
        Self { mean: &self.mean + by, ..self.clone() }
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
    }

    #[test]
    fn equal_scores_are_constant_whatever_their_length() {
        let long: Score = "123456789012345678901234567890".parse().unwrap();
        let twice = Sample::from(long.clone()).merged(&Sample::from(long.clone()));
        assert_eq!((twice.constant(), twice.runs(), twice.spread()), (Some(long), 2, 0.0));
        assert_eq!(of(&[1, 3]).constant(), None);
    }
}
