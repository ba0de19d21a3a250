//! The noise in the difference of two totals, of a solver whose scores change from run to run.
//!
//! With r recorded runs and N runs of today on each case, the difference of the totals has the variance
//! Σ sᵢ² (1/N + 1/r), for the means of the baseline are uncertain as well. The sᵢ² are pooled over the runs of both sides
//! and differ from case to case: `statistics::SumError` tells the degrees of freedom.
//!
//! Today's difference of a case tells of its spread as well, less its share of the common one. Without it, a baseline whose
//! runs happened to miss the bad ones would be high and look quiet at once.

use super::sample::{Deviations, Sample};
use judge_problem::Direction;
use judge_statistics::{SumError, TermVariance};
use num_traits::{Signed, ToPrimitive};

/// A skewness is taken for no larger than this: that of few runs is a rough estimate.
const LARGEST_SKEWNESS: f64 = 1.0;

/// The mean scores of a case that was accepted both times.
pub(super) type SamplePair<'a> = (&'a Sample, &'a Sample);

/// The noise of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CaseNoise {
    /// The variance of one run.
    pub(super) run: TermVariance,
    /// The variance of the recorded mean and of today's, in variances of a run.
    pub(super) recorded: f64,
    pub(super) today: f64,
}

/// The noise in the difference of two totals.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Noise {
    /// By case of the comparison.
    pub(super) cases: Vec<CaseNoise>,
    /// The recorded total counts as often.
    pub(super) factor: f64,
    pub(super) error: SumError,
    /// The skewness of the difference, below 0 where large falls are likelier than large gains, and else 0: it is there to
    /// prevent alarms.
    pub(super) skewness: f64,
}

/// What is known of the noise of one side.
struct Side {
    is_noisy: bool,
}

impl Side {
    fn of<'a>(mut samples: impl Iterator<Item = &'a Sample>) -> Self {
        Self { is_noisy: samples.any(|sample| sample.spread() > 0.0) }
    }

    /// The runs of a side that does not vary say nothing of one that does, and count as one run beside it: if a solver
    /// begins to fix the seed of its random numbers, its scores are one draw of those that it had.
    fn deviations(&self, sample: &Sample) -> Deviations {
        if self.is_noisy { sample.deviations() } else { Deviations { runs: 1.0, squares: 0.0, cubes: 0.0 } }
    }
}

/// Both sides of a case.
struct Pair {
    was: Deviations,
    now: Deviations,
    size: f64,
    /// How far today's mean lies above the recorded one, less the case's share of the common difference.
    residual: f64,
    /// The degrees of freedom of the residual.
    residual_freedom: f64,
}

impl Pair {
    fn freedom_within(&self) -> f64 {
        self.was.runs + self.now.runs - 2.0
    }

    /// The variance of the difference of the means, in variances of a run.
    fn shares(&self, factor: f64) -> f64 {
        1.0 / self.now.runs + factor * factor / self.was.runs
    }

    /// The variance of one run: of both sides, and of the residual.
    fn run(&self, factor: f64) -> TermVariance {
        let squares = self.was.squares + self.now.squares + self.residual * self.residual / self.shares(factor);
        let freedom = self.freedom_within() + self.residual_freedom;
        TermVariance { variance: squares / freedom, freedom }
    }

    /// The third central moment of the difference of the means.
    fn third_moment(&self, factor: f64) -> f64 {
        let of_a_run = self.was.joined(self.now, self.residual).third_moment().unwrap_or(0.0);
        of_a_run * (self.now.runs.powi(-2) - factor.powi(3) * self.was.runs.powi(-2))
    }
}

fn both_sides(pairs: &[SamplePair<'_>], factor: f64) -> Vec<Pair> {
    let (was, now) = (Side::of(pairs.iter().map(|pair| pair.0)), Side::of(pairs.iter().map(|pair| pair.1)));
    let difference =
        |(was, now): &SamplePair<'_>| now.mean().to_f64().unwrap_or(0.0) - factor * was.mean().to_f64().unwrap_or(0.0);
    let size = |pair: &SamplePair<'_>| pair.0.mean().abs().to_f64().unwrap_or(0.0);
    let (total, sizes): (f64, f64) = (pairs.iter().map(difference).sum(), pairs.iter().map(size).sum());
    let share = |size: f64| if sizes > 0.0 { size / sizes } else { 1.0 / pairs.len() as f64 };
    let squares: f64 = pairs.iter().map(|pair| share(size(pair)).powi(2)).sum();
    let pair = |pair: &SamplePair<'_>| {
        let size = size(pair);
        Pair {
            was: was.deviations(pair.0),
            now: now.deviations(pair.1),
            size,
            residual: difference(pair) - share(size) * total,
            // Its variance, in those of the difference, if noise is proportional to size.
            residual_freedom: (1.0 - 2.0 * share(size) + squares).max(0.0),
        }
    };
    pairs.iter().map(pair).collect()
}

impl Noise {
    /// Returns the noise in the difference of the totals, the recorded one times `factor`. `None` if nothing varies.
    pub(super) fn of(pairs: &[SamplePair<'_>], factor: f64, direction: Direction) -> Option<Self> {
        let pairs = both_sides(pairs, factor);
        if !pairs.iter().any(|pair| pair.was.squares + pair.now.squares > 0.0) {
            return None;
        }
        let relative = relative_variance(&pairs);
        let case = |pair: &Pair| CaseNoise {
            run: if pair.freedom_within() > 0.0 {
                pair.run(factor)
            } else {
                TermVariance { variance: relative.variance * pair.size.powi(2), ..relative }
            },
            recorded: 1.0 / pair.was.runs,
            today: 1.0 / pair.now.runs,
        };
        let cases: Vec<CaseNoise> = pairs.iter().map(case).collect();
        let error = error(&cases, factor, None)?;
        let known = pairs.iter().filter(|pair| pair.freedom_within() > 0.0);
        // In cubes of the standard error, term by term: cubes of large scores would overflow.
        let third: f64 = known.map(|pair| pair.third_moment(factor) / error.deviation / error.deviation).sum();
        let good = if direction == Direction::Max { 1.0 } else { -1.0 };
        let skewness = (good * third / error.deviation).clamp(-LARGEST_SKEWNESS, 0.0);
        Some(Self { cases, factor, error, skewness: if skewness.is_finite() { skewness } else { 0.0 } })
    }

    /// Returns the standard error if today had this many runs of each case.
    pub(super) fn error_of(&self, runs: u32) -> SumError {
        error(&self.cases, self.factor, Some(1.0 / f64::from(runs))).unwrap_or(self.error)
    }
}

fn error(cases: &[CaseNoise], factor: f64, today: Option<f64>) -> Option<SumError> {
    let term = |case: &CaseNoise| {
        let shares = today.unwrap_or(case.today) + factor * factor * case.recorded;
        TermVariance { variance: case.run.variance * shares, ..case.run }
    };
    SumError::of(&cases.iter().map(term).collect::<Vec<_>>())
}

/// The relative variance of a run over all cases, for those that were recorded once beside others that vary.
fn relative_variance(pairs: &[Pair]) -> TermVariance {
    let known = pairs.iter().filter(|pair| pair.size > 0.0);
    let (squares, freedom) = known.fold((0.0, 0.0), |(squares, freedom), pair| {
        let within = pair.was.squares + pair.now.squares;
        (squares + within / (pair.size * pair.size), freedom + pair.freedom_within())
    });
    TermVariance { variance: if freedom > 0.0 { squares / freedom } else { 0.0 }, freedom: freedom.max(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;

    fn sample(runs: u32, mean: i64, spread: f64) -> Sample {
        Sample::new(runs, BigRational::from_integer(mean.into()), spread)
    }

    fn noise(pairs: &[(Sample, Sample)], factor: f64) -> Option<Noise> {
        let pairs: Vec<SamplePair<'_>> = pairs.iter().map(|(was, now)| (was, now)).collect();
        Noise::of(&pairs, factor, Direction::Max)
    }

    #[test]
    fn the_uncertainty_of_the_baseline_and_the_residuals_of_today_count() {
        // Today lies 10 % off on either side of a common fall of 5 %.
        let today = |case: i64| sample(1, 950 + 100 * (1 - 2 * (case % 2)), 0.0);
        let pairs: Vec<_> = (0..20).map(|case| (sample(5, 1000, 100.0), today(case))).collect();
        let found = noise(&pairs, 1.0).unwrap();
        // Squares 4 * 100² and 100² / (1 + 1/5), with 4 + 1 - 1/20 degrees of freedom; times 1 + 1/5, of twenty cases.
        let run = (4.0_f64 + 1.0 / 1.2) * 1e4 / 4.95;
        assert!((found.error.deviation - (20.0 * 1.2 * run).sqrt()).abs() < 1e-6, "{found:?}");
        assert!((found.error.freedom - (20.0 * 6.95 - 2.0)).abs() < 1e-6, "{found:?}");
        assert!((found.error_of(2).deviation - (20.0 * 0.7 * run).sqrt()).abs() < 1e-6);
        // Half of what is recorded counts with a fourth of its variance.
        let half = noise(&pairs, 0.5).unwrap();
        assert!((half.error.deviation - found.error.deviation * (1.05_f64 / 1.2).sqrt()).abs() < 20.0);
    }

    #[test]
    fn one_case_is_held_by_its_own_spread_alone() {
        let found = noise(&[(sample(5, 1000, 100.0), sample(1, 10, 0.0))], 1.0).unwrap();
        assert!((found.error.deviation - (12_000_f64).sqrt()).abs() < 1e-6 && (found.error.freedom - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_side_that_does_not_vary_says_nothing_of_one_that_does() {
        let found = noise(&[(sample(2, 1000, 0.0), sample(3, 990, 30.0))], 1.0).unwrap();
        assert!((found.error.deviation - 30.0 * (4.0_f64 / 3.0).sqrt()).abs() < 1e-9, "{found:?}");
        assert_eq!(noise(&[(sample(2, 9, 0.0), sample(1, 7, 0.0))], 1.0), None);
        assert_eq!(noise(&[(sample(2, 9, 0.0), sample(1, 7, 0.0)), (sample(2, 9, 0.0), sample(1, 9, 0.0))], 1.0), None);
    }

    #[test]
    fn a_case_recorded_once_is_as_noisy_as_the_others_are_for_their_size() {
        let pairs = [(sample(5, 1000, 100.0), sample(1, 900, 0.0)), (sample(1, 3000, 0.0), sample(1, 2900, 0.0))];
        let found = noise(&pairs, 1.0).unwrap();
        assert!((found.cases[1].run.variance - 300.0 * 300.0).abs() < 1e-6, "{found:?}");
        assert!((found.cases[1].recorded - 1.0).abs() < 1e-12 && (found.cases[0].recorded - 0.2).abs() < 1e-12);
    }

    #[test]
    fn only_a_skewness_towards_alarms_counts() {
        let of = |skewness: f64, direction| {
            let was = sample(5, 1000, 100.0).with_skewness(skewness);
            let now = sample(1, 1000, 0.0);
            Noise::of(&vec![(&was, &now); 20], 1.0, direction).unwrap().skewness
        };
        let (low, none) = (of(-1.0, Direction::Max), of(1.0, Direction::Max));
        // One run has -1, the baseline takes a 25th off; twenty cases, and six runs in place of five.
        assert!((-0.4..-0.1).contains(&low) && none == 0.0, "{low} {none}");
        assert_eq!((of(1.0, Direction::Min), of(-1.0, Direction::Min)), (low, 0.0));
        assert_eq!(of(-1e9, Direction::Max), -LARGEST_SKEWNESS);
    }
}
