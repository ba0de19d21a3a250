//! The test of a solver whose scores change from run to run: has its total fallen, or is it noise?
//!
//! With r recorded runs and N runs of today on each case, the difference of the totals has the variance
//! Σ sᵢ² (1/N + 1/r), for the means of the baseline are uncertain as well. The sᵢ² are pooled over the runs of both sides
//! and differ from case to case: `statistics::SumError` tells the degrees of freedom.

use super::baseline::{Baseline, CaseResult};
use super::sample::Sample;
use crate::model::Direction;
use crate::statistics::{SumError, TermVariance, normal_level};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use std::f64::consts::PI;

/// How often a fall is noticed that the report names.
pub const POWER: f64 = 0.8;

/// A total that chance would make as low as this more rarely is looked at again, where the gate may run a second time.
///
/// The alarm is decided on both runs at the full level, so a second look can only prevent alarms: the level stays. It
/// loses little of it, for a total that is certainly low in two runs is rarely above this in the first: 4.7 % are left
/// of 5 % (normal noise, five recorded runs).
pub(super) const DOUBTFUL: f64 = 0.3;

/// The mean scores of a case that was accepted both times.
pub(super) type SamplePair<'a> = (&'a Sample, &'a Sample);

/// The noise in the difference of two totals.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Noise {
    /// By case of the comparison.
    terms: Vec<TermVariance>,
    error: SumError,
    /// The variance of today's total, and by how many runs it is one.
    today: f64,
    runs: f64,
}

/// What the test of a noisy total found.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseTest {
    /// The probability of so low a total, or a lower one, if the solver has fallen by no more than it may.
    pub level: f64,
    /// The level from which on it is an alarm.
    pub alpha: f64,
    /// The fall, as a share of the recorded total, that would be noticed with the probability [`POWER`]. `None` if the
    /// recorded total is 0.
    pub detectable: Option<f64>,
    /// The standard error of the difference, as a share of the recorded total.
    pub error: Option<f64>,
    /// The degrees of freedom of the standard error.
    pub freedom: f64,
    /// By how much the mean of a case gains when only runs that pass are averaged in, by case of the comparison.
    pub(super) luck: Vec<f64>,
}

impl NoiseTest {
    /// Returns whether the total is so low that a second run should tell whether it is noise.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.level <= DOUBTFUL
    }

    /// Returns whether the fall is certain.
    #[must_use]
    pub fn is_fall(&self) -> bool {
        self.level <= self.alpha
    }
}

/// What is known of the noise of one side.
struct Side {
    is_noisy: bool,
}

impl Side {
    fn of<'a>(mut samples: impl Iterator<Item = &'a Sample>) -> Self {
        Self { is_noisy: samples.any(|sample| sample.spread() > 0.0) }
    }

    /// The squares and their degrees of freedom: those of a side that does not vary say nothing of one that does.
    fn squares(&self, sample: &Sample) -> (f64, f64) {
        if self.is_noisy { (sample.squares(), sample.freedom()) } else { (0.0, 0.0) }
    }

    /// The variance of the mean, in variances of a run. A side that does not vary beside one that does counts as one run:
    /// if a solver begins to fix the seed of its random numbers, its scores are one draw of those that it had.
    fn share(&self, sample: &Sample) -> f64 {
        1.0 / self.runs(sample)
    }

    fn runs(&self, sample: &Sample) -> f64 {
        if self.is_noisy { f64::from(sample.runs()) } else { 1.0 }
    }
}

impl Noise {
    /// Returns the noise in the difference of the totals, the recorded one times `factor`. `None` if nothing varies.
    pub(super) fn of(pairs: &[SamplePair<'_>], factor: f64) -> Option<Self> {
        let (was, now) = (Side::of(pairs.iter().map(|pair| pair.0)), Side::of(pairs.iter().map(|pair| pair.1)));
        let pooled = |pair: &SamplePair<'_>| {
            let ((first, first_freedom), (second, second_freedom)) = (was.squares(pair.0), now.squares(pair.1));
            (first + second, first_freedom + second_freedom)
        };
        let relative = relative_variance(pairs, pooled);
        let term = |pair: &SamplePair<'_>| {
            let runs = now.share(pair.1) + factor * factor * was.share(pair.0);
            let TermVariance { variance, freedom } = match pooled(pair) {
                (squares, freedom) if freedom > 0.0 => TermVariance { variance: squares / freedom, freedom },
                _ => TermVariance { variance: relative.variance * size(pair).powi(2), freedom: relative.freedom },
            };
            TermVariance { variance: variance * runs, freedom }
        };
        let terms: Vec<TermVariance> = pairs.iter().map(term).collect();
        let today = |(pair, term): (&SamplePair<'_>, &TermVariance)| {
            let (mine, others) = (now.share(pair.1), factor * factor * was.share(pair.0));
            term.variance * mine / (mine + others)
        };
        let runs = pairs.iter().map(|pair| now.runs(pair.1)).fold(1.0, f64::max);
        Some(Self { error: SumError::of(&terms)?, today: pairs.iter().zip(&terms).map(today).sum(), runs, terms })
    }

    /// Tests whether the total fell by more than the share `max_drop`: `gain` is how far it lies above what is allowed,
    /// and below 0 if it lies below.
    pub(super) fn test(self, gain: f64, total: f64, max_drop: f64, alpha: f64, may_repeat: bool) -> NoiseTest {
        let detectable = if may_repeat { self.detectable_twice(alpha) } else { self.error.detectable(alpha, POWER) };
        let Self { terms, error, .. } = self;
        let share = |amount: f64| (total != 0.0).then(|| amount / total.abs());
        let critical = error.detectable(alpha, 0.5) / error.deviation + max_drop * total.abs() / error.deviation;
        let luck = mean_above(-critical) / error.deviation;
        NoiseTest {
            level: error.level_below(gain),
            alpha,
            detectable: share(detectable).map(|fall| fall + max_drop),
            error: share(error.deviation),
            freedom: error.freedom,
            luck: terms.iter().map(|term| luck * term.variance).collect(),
        }
    }
}

impl Noise {
    /// Returns the fall that is noticed with the probability [`POWER`] by a gate that runs once, and a second time if the
    /// total is doubtful.
    fn detectable_twice(&self, alpha: f64) -> f64 {
        let of_a_run = self.today * self.runs;
        let recorded = (self.error.deviation.powi(2) - self.today).max(0.0);
        let (once, twice) = ((recorded + of_a_run).sqrt(), (recorded + of_a_run / 2.0).sqrt());
        let second = SumError { deviation: twice, ..self.error };
        let (critical, doubtful) =
            (second.detectable(alpha, 0.5), SumError { deviation: once, ..self.error }.detectable(DOUBTFUL, 0.5));
        let notices = |fall: f64| both_below((fall - doubtful) / once, (fall - critical) / twice, twice / once);
        let (mut too_small, mut enough) = (0.0, 20.0 * once + critical);
        for _ in 0..30 {
            let middle = f64::midpoint(too_small, enough);
            if notices(middle) >= POWER { enough = middle } else { too_small = middle }
        }
        enough
    }
}

/// Returns the probability that two standard normal numbers with this correlation lie below `first` and `second`: the
/// integral of φ(z) Φ((second − ρ z) / √(1 − ρ²)) up to `first`.
fn both_below(first: f64, second: f64, correlation: f64) -> f64 {
    const STEPS: u32 = 80;
    const LOWEST: f64 = -6.0;
    let rest = (1.0 - correlation * correlation).sqrt().max(1e-9);
    let width = (first.clamp(LOWEST, -LOWEST) - LOWEST) / f64::from(STEPS);
    let at = |step: u32| {
        let z = LOWEST + (f64::from(step) + 0.5) * width;
        density(z) * normal_level((second - correlation * z) / rest) * width
    };
    (0..STEPS).map(at).sum()
}

fn density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / (2.0 * PI).sqrt()
}

/// The relative variance of a run over all cases, for those that were recorded once beside others that vary.
fn relative_variance<'a>(pairs: &[SamplePair<'a>], pooled: impl Fn(&SamplePair<'a>) -> (f64, f64)) -> TermVariance {
    let known = pairs.iter().filter(|pair| size(pair) > 0.0).map(|pair| (pooled(pair), size(pair)));
    let (squares, freedom) = known.fold((0.0, 0.0), |(squares, sum), ((square, freedom), size)| {
        (squares + square / (size * size), sum + freedom)
    });
    TermVariance { variance: if freedom > 0.0 { squares / freedom } else { 0.0 }, freedom: freedom.max(1.0) }
}

fn size(pair: &SamplePair<'_>) -> f64 {
    pair.0.mean().abs().to_f64().unwrap_or(0.0)
}

/// The mean of a standard normal number, given that it lies above this: φ(x) / Φ(−x).
fn mean_above(threshold: f64) -> f64 {
    density(threshold) / normal_level(-threshold)
}

/// Returns the baseline with the runs of today, which hold the gate, averaged in.
///
/// Only runs that pass are averaged in, and these are lucky on average: by φ(c)/Φ(c) standard errors of the difference,
/// with c the critical value (a tenth of one at a level of 5 %). This much is taken off, from each case its share, or
/// the baseline would rise from commit to commit until the gate cried wolf.
#[must_use]
pub fn averaged(baseline: &Baseline, today: &Baseline, test: &NoiseTest, direction: Direction) -> Baseline {
    let sign = if direction == Direction::Max { -1.0 } else { 1.0 };
    let mut luck = test.luck.iter();
    let mut averaged = baseline.clone();
    for (case, entry) in &mut averaged.cases {
        let Some(now) = today.cases.get(case) else { continue };
        match (&entry.result, &now.result) {
            (CaseResult::Accepted(before), CaseResult::Accepted(after)) => {
                let merged = before.merged(after);
                let share = f64::from(after.runs()) / f64::from(merged.runs());
                let by = luck.next().map_or(0.0, |luck| sign * luck * share);
                entry.result = CaseResult::Accepted(merged.moved(by));
            }
            (CaseResult::Failed(_), _) => entry.result = now.result.clone(),
            (CaseResult::Accepted(_), CaseResult::Failed(_)) => {}
        }
        entry.input = now.input.clone();
        entry.cpu = now.cpu;
    }
    averaged
}

/// Returns how far a total lies above what is allowed, and by which factor of the recorded one that is.
pub(super) fn allowed(
    was: &BigRational,
    now: &BigRational,
    max_drop: &BigRational,
    direction: Direction,
) -> (f64, f64) {
    let slack = max_drop * was.abs();
    let (gain, bound) = match direction {
        Direction::Max => (now - was + &slack, was - &slack),
        Direction::Min => (was - now + &slack, was + &slack),
    };
    let factor = if was.is_positive() || was.is_negative() { (bound / was).to_f64() } else { None };
    (gain.to_f64().unwrap_or(0.0), factor.unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(runs: u32, mean: i64, spread: f64) -> Sample {
        Sample::new(runs, BigRational::from_integer(mean.into()), spread)
    }

    fn test(was: &Sample, now: &Sample, may_repeat: bool) -> NoiseTest {
        let pairs = vec![(was, now); 20];
        let gain = 20.0 * (now.mean() - was.mean()).to_f64().unwrap();
        Noise::of(&pairs, 1.0).unwrap().test(gain, 20_000.0, 0.0, 0.05, may_repeat)
    }

    #[test]
    fn the_uncertainty_of_the_baseline_counts() {
        let found = test(&sample(5, 1000, 100.0), &sample(1, 950, 0.0), false);
        // 10 % / sqrt(20) * sqrt(1 + 1/5) = 2.449 %; t = -2.041 with 118 degrees of freedom.
        assert!((found.error.unwrap() - 0.024_495).abs() < 1e-6);
        assert!((found.level - 0.0217).abs() < 2e-4 && found.is_fall(), "{}", found.level);
        assert!((0.0609..0.0620).contains(&found.detectable.unwrap()));
    }

    #[test]
    fn a_side_that_does_not_vary_says_nothing_of_one_that_does() {
        let found = test(&sample(2, 1000, 0.0), &sample(3, 990, 30.0), false);
        // One run beside today's three: 3 % * sqrt((1 + 1/3) / 20).
        assert!((found.error.unwrap() - 0.03 * (4.0_f64 / 60.0).sqrt()).abs() < 1e-9);
        assert_eq!(Noise::of(&[(&sample(2, 9, 0.0), &sample(1, 7, 0.0))], 1.0), None);
    }

    #[test]
    fn a_case_recorded_once_is_as_noisy_as_the_others_are_for_their_size() {
        let (noisy, new) = (sample(5, 1000, 100.0), sample(1, 3000, 0.0));
        let noise = Noise::of(&[(&noisy, &sample(1, 900, 0.0)), (&new, &sample(1, 2900, 0.0))], 1.0).unwrap();
        assert!((noise.terms[1].variance - 300.0 * 300.0 * 2.0).abs() < 1e-6);
    }

    #[test]
    fn a_second_look_notices_smaller_falls() {
        let was = sample(5, 1000, 100.0);
        let of = |runs, spread, may_repeat| test(&was, &sample(runs, 1000, spread), may_repeat).detectable.unwrap();
        let (once, twice, looking) = (of(1, 0.0, false), of(2, 100.0, false), of(1, 0.0, true));
        assert!(twice < looking && looking < once - 0.008, "{once} {twice} {looking}");
        // The same however the first look ended, but for the degrees of freedom.
        assert!((of(2, 100.0, true) - looking).abs() < 1e-3);
        assert!((both_below(0.0, 0.0, 0.0) - 0.25).abs() < 1e-4);
        assert!((both_below(0.0, 0.0, 0.5_f64.sqrt()) - 0.375).abs() < 1e-4);
    }
}
