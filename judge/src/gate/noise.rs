//! The test of a solver whose scores change from run to run: has its total fallen, or is it noise?
//!
//! With r recorded runs and N runs of today on each case, the difference of the totals has the variance
//! Σ sᵢ² (1/N + 1/r), for the means of the baseline are uncertain as well. The sᵢ² are pooled over the runs of both sides
//! and differ from case to case: `statistics::SumError` tells the degrees of freedom.

use super::baseline::{Baseline, CaseResult};
use super::sample::Sample;
use crate::model::Direction;
use crate::statistics::{SumError, TermVariance};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use std::f64::consts::PI;

/// How often a fall is noticed that the report names.
pub const POWER: f64 = 0.8;

/// The mean scores of a case that was accepted both times.
pub(super) type SamplePair<'a> = (&'a Sample, &'a Sample);

/// The noise in the difference of two totals.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Noise {
    /// By case of the comparison.
    terms: Vec<TermVariance>,
    error: SumError,
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

    /// The variance of the mean, in variances of a run. A side that was run once may be as noisy as the other one.
    fn share(&self, sample: &Sample) -> f64 {
        if self.is_noisy || sample.runs() == 1 { 1.0 / f64::from(sample.runs()) } else { 0.0 }
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
        Some(Self { error: SumError::of(&terms)?, terms })
    }

    /// Tests whether the total fell by more than the share `max_drop`: `gain` is how far it lies above what is allowed,
    /// and below 0 if it lies below.
    pub(super) fn test(self, gain: f64, total: f64, max_drop: f64, alpha: f64) -> NoiseTest {
        let Self { terms, error } = self;
        let share = |amount: f64| (total != 0.0).then(|| amount / total.abs());
        let critical = error.detectable(alpha, 0.5) / error.deviation + max_drop * total.abs() / error.deviation;
        let luck = mean_above(-critical) / error.deviation;
        NoiseTest {
            level: error.level_below(gain),
            alpha,
            detectable: share(error.detectable(alpha, POWER)).map(|fall| fall + max_drop),
            error: share(error.deviation),
            freedom: error.freedom,
            luck: terms.iter().map(|term| luck * term.variance).collect(),
        }
    }
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
    let density = (-threshold * threshold / 2.0).exp() / (2.0 * PI).sqrt();
    density / crate::statistics::normal_level(-threshold)
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
