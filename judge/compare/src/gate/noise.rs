//! The noise in the difference of two totals, for a solver whose scores vary between runs: its test, and the planning
//! of gates.
//!
//! With r recorded runs and N runs of today on each case, the difference of the totals has the variance Σ sᵢ² (1/N +
//! 1/r), because the means of the baseline are uncertain as well. The sᵢ² are pooled over the runs of both sides and
//! differ from case to case. `statistics::SumError` has the degrees of freedom.
//!
//! The difference of a case also contains information about its spread, after its share of the common difference is
//! removed. Without this, a baseline whose runs happened to miss the bad ones would be both too high and too quiet.

use super::baseline::{Baseline, Deviations, Sample};
use judge_problem::Direction;
use judge_statistics::power::fewest;
use judge_statistics::{SumError, TermVariance, normal_level};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use std::f64::consts::PI;

/// The maximum skewness that is used, because few runs give a rough estimate.
const MAX_SKEWNESS: f64 = 1.0;

/// The mean scores of a case accepted in both runs.
pub(super) type SamplePair<'a> = (&'a Sample, &'a Sample);

/// The noise of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CaseNoise {
    /// The variance of one run.
    pub(super) run: TermVariance,
    /// The variance of the recorded mean and of today's mean, as multiples of the variance of a run.
    pub(super) recorded: f64,
    pub(super) today: f64,
}

/// The noise in the difference of two totals.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Noise {
    /// By case.
    cases: Vec<CaseNoise>,
    /// The factor of the recorded total.
    pub(super) factor: f64,
    pub(super) error: SumError,
    /// The skewness of the difference, if it is below 0: large falls are then more likely than large gains. Otherwise
    /// 0, because the correction may only prevent alarms.
    pub(super) skewness: f64,
}

/// Returns the deviations of a case on one side. If only one side varies, the runs of the other side count as one run.
/// For example, if a solver begins to fix its random seed, its scores are one draw from the earlier distribution.
fn deviations(sample: &Sample, is_noisy_side: bool) -> Deviations {
    if is_noisy_side { sample.deviations() } else { Deviations { runs: 1.0, squares: 0.0, cubes: 0.0 } }
}

/// Both sides of a case.
struct Pair {
    was: Deviations,
    now: Deviations,
    size: f64,
    /// Today's mean minus the recorded mean, minus the case's share of the common difference.
    residual: f64,
    /// The degrees of freedom of the residual.
    residual_freedom: f64,
}

impl Pair {
    fn freedom_within(&self) -> f64 {
        self.was.runs + self.now.runs - 2.0
    }

    /// The variance of the difference of the means, as a multiple of the variance of a run.
    fn shares(&self, factor: f64) -> f64 {
        1.0 / self.now.runs + factor * factor / self.was.runs
    }

    /// The variance of one run, pooled over both sides and the residual.
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
    let is_noisy = |sample: &Sample| sample.spread > 0.0;
    let (was, now) = (pairs.iter().any(|pair| is_noisy(pair.0)), pairs.iter().any(|pair| is_noisy(pair.1)));
    let difference =
        |(was, now): &SamplePair<'_>| now.mean().to_f64().unwrap_or(0.0) - factor * was.mean().to_f64().unwrap_or(0.0);
    let size = |pair: &SamplePair<'_>| pair.0.mean().abs().to_f64().unwrap_or(0.0);
    let (total, sizes): (f64, f64) = (pairs.iter().map(difference).sum(), pairs.iter().map(size).sum());
    let share = |size: f64| if sizes > 0.0 { size / sizes } else { 1.0 / pairs.len() as f64 };
    let squares: f64 = pairs.iter().map(|pair| share(size(pair)).powi(2)).sum();
    let pair = |pair: &SamplePair<'_>| {
        let size = size(pair);
        Pair {
            was: deviations(pair.0, was),
            now: deviations(pair.1, now),
            size,
            residual: difference(pair) - share(size) * total,
            // Its relative variance, if noise is proportional to size.
            residual_freedom: (1.0 - 2.0 * share(size) + squares).max(0.0),
        }
    };
    pairs.iter().map(pair).collect()
}

impl Noise {
    /// Returns the noise in the difference of the totals, with the recorded one multiplied by `factor`. `None` if
    /// nothing varies.
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
        // Each term is divided by the cube of the standard error, because cubes of large scores would overflow.
        let third: f64 = known.map(|pair| pair.third_moment(factor) / error.deviation / error.deviation).sum();
        let good = if direction == Direction::Max { 1.0 } else { -1.0 };
        let skewness = (good * third / error.deviation).clamp(-MAX_SKEWNESS, 0.0);
        Some(Self { cases, factor, error, skewness: if skewness.is_finite() { skewness } else { 0.0 } })
    }

    /// Returns the standard error with this many runs of each case today.
    fn error_of(&self, runs: u32) -> SumError {
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

/// The relative variance of a run over all cases. It is used for cases that were recorded only once.
fn relative_variance(pairs: &[Pair]) -> TermVariance {
    let known = pairs.iter().filter(|pair| pair.size > 0.0);
    let (squares, freedom) = known.fold((0.0, 0.0), |(squares, freedom), pair| {
        let within = pair.was.squares + pair.now.squares;
        (squares + within / (pair.size * pair.size), freedom + pair.freedom_within())
    });
    TermVariance { variance: if freedom > 0.0 { squares / freedom } else { 0.0 }, freedom: freedom.max(1.0) }
}

/// The probability with which the fall named in the report is noticed.
pub const POWER: f64 = 0.8;

/// The maximum number of runs of a gate that may repeat.
pub const MAX_RUNS: u32 = 3;

/// If the probability of so low a total is below this, the total is doubtful, and the gate repeats the run if allowed.
///
/// The alarm is decided on all runs at the full level. Another look can only prevent alarms, so the level holds.
const DOUBTFUL: f64 = 0.3;

/// The share of the alarms of three runs that remains if the first or second run may end the gate: 4.2 % of 5 % (normal
/// noise, five recorded runs).
const LEFT: f64 = 0.85;

/// Beyond this many standard errors, the skewness correction is constant.
const FURTHEST: f64 = 3.0;

/// The result of the test of a noisy total.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseTest {
    /// The p-value: the probability of a total this low or lower, if the solver fell by no more than allowed.
    pub level: f64,
    /// The level of the test.
    pub alpha: f64,
    /// The standard error of the difference, as a share of the recorded total.
    pub error: Option<f64>,
    /// The degrees of freedom of the standard error.
    pub freedom: f64,
    /// The standard error at each look. The last look decides.
    looks: Vec<SumError>,
    skewness: f64,
    total: f64,
    max_drop: f64,
    pub(super) selection: Vec<Selection>,
}

/// The bias of averaging in only runs that pass: by how much the mean of a case is too high and its sum of squares too
/// low.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Selection {
    pub(super) mean: f64,
    pub(super) squares: f64,
}

impl NoiseTest {
    /// Tests whether the total fell by more than the share `max_drop`. `gain` is the difference to the allowed minimum,
    /// negative if the total is below it.
    pub(super) fn of(noise: &Noise, gain: f64, total: f64, max_drop: f64, alpha: f64, may_repeat: bool) -> Self {
        let looks =
            if may_repeat { (1..=MAX_RUNS).map(|runs| noise.error_of(runs)).collect() } else { vec![noise.error] };
        let corrected = towards_normal(gain / noise.error.deviation, noise.skewness);
        let share = |amount: f64| (total != 0.0).then(|| amount / total.abs());
        let mut test = Self {
            level: noise.error.level_below(corrected * noise.error.deviation),
            alpha,
            error: share(noise.error.deviation),
            freedom: noise.error.freedom,
            looks,
            skewness: noise.skewness,
            total,
            max_drop,
            selection: Vec::new(),
        };
        test.selection = test.selection(noise, if may_repeat { LEFT } else { 1.0 });
        test
    }

    /// Returns whether another run should decide if the low total is noise.
    pub fn is_doubtful(&self) -> bool {
        self.level <= DOUBTFUL
    }

    /// Returns whether the fall is certain.
    pub fn is_fall(&self) -> bool {
        self.level <= self.alpha
    }

    /// Returns the fall, as a share of the recorded total, that would be noticed with the probability [`POWER`]. `None` if
    /// the recorded total is 0.
    pub fn detectable(&self) -> Option<f64> {
        let (last, earlier) = self.looks.split_last()?;
        let fall = if earlier.is_empty() {
            self.critical(last, self.alpha) + last.detectable(0.5, POWER)
        } else {
            self.detectable_looking(last)
        };
        (self.total != 0.0).then(|| fall / self.total.abs() + self.max_drop)
    }

    /// The critical value at this level.
    fn critical(&self, error: &SumError, level: f64) -> f64 {
        let uncorrected = error.detectable(level, 0.5) / error.deviation;
        -from_normal(-uncorrected, self.skewness) * error.deviation
    }

    /// The mean of all runs, recorded and current, is the same with and without an alarm, because it is independent of
    /// their difference. But after an alarm the unchanged baseline is too high: on average by φ(c)/α · v/√V for a case
    /// whose recorded mean has the variance v. This amount, times α/(1 − α), is subtracted if there is no alarm, so
    /// that the expected baseline stays constant from commit to commit. The variance of the difference is too small by
    /// a share of c ρ + ρ², with ρ = φ(c)/Φ(c).
    fn selection(&self, noise: &Noise, left: f64) -> Vec<Selection> {
        let Some(last) = self.looks.last() else { return Vec::new() };
        let decisive = 1.0 / self.looks.len().max(1) as f64;
        let looking = self.looks.len() > 1;
        let critical = (self.critical(last, self.alpha) + self.max_drop * self.total.abs()) / last.deviation;
        let luck = left * density(critical) / normal_level(critical);
        let of = |case: &CaseNoise| {
            let today = if looking { decisive } else { case.today };
            let shares = today + noise.factor * noise.factor * case.recorded;
            let in_errors = case.run.variance / last.deviation;
            Selection {
                mean: luck * in_errors * noise.factor * case.recorded,
                squares: in_errors * in_errors * shares * luck * (critical + luck),
            }
        };
        noise.cases.iter().map(of).collect()
    }

    /// Returns the fall that is noticed with the probability [`POWER`] by a gate that repeats the run while the total
    /// is doubtful.
    fn detectable_looking(&self, last: &SumError) -> f64 {
        let limit = |look: &SumError| {
            let level = if std::ptr::eq(look, last) { self.alpha } else { DOUBTFUL };
            Limit { at: -self.critical(look, level), variance: look.deviation.powi(2) }
        };
        let limits: Vec<Limit> = self.looks.iter().map(limit).collect();
        let (mut too_small, mut enough) = (0.0, 20.0 * self.looks[0].deviation - limits[limits.len() - 1].at);
        for _ in 0..30 {
            let middle = f64::midpoint(too_small, enough);
            if all_below(&limits, -middle) >= POWER { enough = middle } else { too_small = middle }
        }
        enough
    }
}

/// A look: the limit below which the total counts as low, and its variance.
struct Limit {
    at: f64,
    variance: f64,
}

/// Returns the probability that the difference is below its limit at every look, if its mean is `mean`. The mean of
/// more runs and the step from it to the mean of fewer runs are uncorrelated. So the integration starts with the last
/// look, and each earlier one adds an independent step.
fn all_below(looks: &[Limit], mean: f64) -> f64 {
    let Some((last, earlier)) = looks.split_last() else { return 1.0 };
    below_from(earlier, last, mean, last.variance.sqrt())
}

/// As [`all_below`], for a look distributed around `mean` with this deviation, and for the looks before it.
fn below_from(earlier: &[Limit], look: &Limit, mean: f64, deviation: f64) -> f64 {
    const STEPS: u32 = 48;
    const LOWEST: f64 = -5.0;
    let limit = (look.at - mean) / deviation;
    let Some((next, others)) = earlier.split_last() else { return normal_level(limit) };
    let step = (next.variance - look.variance).max(0.0).sqrt().max(1e-9 * deviation);
    let width = (limit.clamp(LOWEST, -LOWEST) - LOWEST) / f64::from(STEPS);
    let at = |index: u32| {
        let z = LOWEST + (f64::from(index) + 0.5) * width;
        density(z) * width * below_from(others, next, mean + z * deviation, step)
    };
    (0..STEPS).map(at).sum()
}

/// Transforms a number with this skewness, in standard deviations, to a nearly normal one: t − h t² + h² t³/3 + h with
/// h a sixth of the skewness (Hall, 1992, for a known variance). It is monotone in t for any h.
fn towards_normal(value: f64, skewness: f64) -> f64 {
    let (h, t) = (skewness / 6.0, value.clamp(-FURTHEST, FURTHEST));
    value - h * t * t + h * h * t.powi(3) / 3.0 + h
}

/// Returns the inverse of [`towards_normal`].
fn from_normal(normal: f64, skewness: f64) -> f64 {
    let (mut low, mut high) = (normal - FURTHEST, normal + FURTHEST);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if towards_normal(middle, skewness) < normal { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

fn density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / (2.0 * PI).sqrt()
}

/// Returns the difference of a total to the allowed minimum, and the factor of the recorded total in it.
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

/// The number of recorded runs from which the estimated spread is reliable.
const ENOUGH_RECORDED: u32 = 5;
/// The numbers of runs of today in the table.
const REPEATS: [u32; 4] = [1, 2, 3, 5];
/// The largest number of cases or runs that is searched.
const MAX: u32 = 1 << 20;

/// A possible gate, with cases as noisy as in the baseline.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Design {
    /// The number of cases.
    pub cases: u32,
    /// `judge baseline --repeat`.
    pub recorded: u32,
    /// `judge gate --repeat`.
    pub repeat: u32,
    /// The fall that is noticed with the probability `power`, as a share of the total.
    pub detectable: f64,
}

/// The spread of a baseline's total, for planning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// The number of accepted cases.
    pub cases: u32,
    /// The minimum number of runs of a case.
    pub recorded: u32,
    /// The standard deviation of the total of one run of each case, as a share of the total.
    pub spread: f64,
    /// The probability of a false alarm.
    pub alpha: f64,
    /// The degrees of freedom of the spread, for each degree of a case's own.
    freedom: f64,
}

impl Calibration {
    /// Returns the spread of a baseline. `None` if it was recorded once, is deterministic, or has the total 0.
    pub fn of(baseline: &Baseline, alpha: f64) -> Option<Self> {
        let known: Vec<&Sample> = baseline.samples().filter(|sample| sample.runs > 1).collect();
        let term = |sample: &&Sample| TermVariance { variance: sample.spread.powi(2), freedom: sample.freedom() };
        let error = SumError::of(&known.iter().map(term).collect::<Vec<_>>())?;
        let total: f64 = known.iter().filter_map(|sample| sample.mean().to_f64()).sum::<f64>().abs();
        let recorded = known.iter().map(|sample| sample.runs).min()?;
        let of_a_case = known.iter().map(|sample| sample.freedom()).sum::<f64>() / known.len() as f64;
        (total > 0.0).then(|| Self {
            cases: u32::try_from(known.len()).unwrap_or(MAX),
            recorded,
            spread: error.deviation / total,
            alpha,
            freedom: error.freedom / of_a_case,
        })
    }

    /// Returns the design with these numbers.
    pub fn design(&self, cases: u32, recorded: u32, repeat: u32) -> Design {
        let share = f64::from(cases) / f64::from(self.cases);
        let runs = 1.0 / f64::from(repeat) + 1.0 / f64::from(recorded);
        let of_a_case = (f64::from(recorded) + f64::from(repeat) - 2.0).max(1.0);
        let error =
            SumError { deviation: self.spread * (runs / share).sqrt(), freedom: self.freedom * share * of_a_case };
        Design { cases, recorded, repeat, detectable: error.detectable(self.alpha, POWER) }
    }

    /// Returns designs with more runs of these cases.
    pub fn table(&self) -> Vec<Design> {
        REPEATS.iter().map(|&repeat| self.design(self.cases, self.recorded, repeat)).collect()
    }

    /// Returns the minimum number of cases, with one run, that notices a fall by this share. `None` above a million.
    pub fn more_cases(&self, fall: f64) -> Option<Design> {
        let recorded = self.recorded.max(ENOUGH_RECORDED);
        least(self.cases, fall, |cases| self.design(cases, recorded, 1))
    }

    /// Returns the minimum number of runs, both recorded and current, that notices a fall by this share. `None` above a
    /// million.
    pub fn more_runs(&self, fall: f64) -> Option<Design> {
        let recorded = self.recorded.max(ENOUGH_RECORDED);
        least(1, fall, |repeat| self.design(self.cases, recorded.max(repeat), repeat))
    }
}

/// Returns the design with the smallest number, from this one, that notices a fall by this share. The noticeable fall
/// shrinks with the number of cases and runs.
fn least(from: u32, fall: f64, design: impl Fn(u32) -> Design) -> Option<Design> {
    let design = |number: u64| design(u32::try_from(number).unwrap_or(MAX));
    let number = fewest(from.into(), MAX.into(), |number| design(number).detectable <= fall)?;
    Some(design(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::baseline::{BaselineCase, CaseResult, Sample};

    fn sample_of_noise(runs: u32, mean: i64, spread: f64) -> Sample {
        Sample::new(runs, BigRational::from_integer(mean.into()), spread)
    }

    fn noise(pairs: &[(Sample, Sample)], factor: f64) -> Option<Noise> {
        let pairs: Vec<SamplePair<'_>> = pairs.iter().map(|(was, now)| (was, now)).collect();
        Noise::of(&pairs, factor, Direction::Max)
    }

    #[test]
    fn the_uncertainty_of_the_baseline_and_the_residuals_of_today_count() {
        // Today lies 10 % off on either side of a common fall of 5 %.
        let today = |case: i64| sample_of_noise(1, 950 + 100 * (1 - 2 * (case % 2)), 0.0);
        let pairs: Vec<_> = (0..20).map(|case| (sample_of_noise(5, 1000, 100.0), today(case))).collect();
        let found = noise(&pairs, 1.0).unwrap();
        // Squares 4 * 100² and 100² / (1 + 1/5), with 4 + 1 - 1/20 degrees of freedom; times 1 + 1/5, for twenty cases.
        let run = (4.0_f64 + 1.0 / 1.2) * 1e4 / 4.95;
        assert!((found.error.deviation - (20.0 * 1.2 * run).sqrt()).abs() < 1e-6, "{found:?}");
        assert!((found.error.freedom - (20.0 * 6.95 - 2.0)).abs() < 1e-6, "{found:?}");
        assert!((found.error_of(2).deviation - (20.0 * 0.7 * run).sqrt()).abs() < 1e-6);
        // Half of the recorded total counts, with a fourth of its variance.
        let half = noise(&pairs, 0.5).unwrap();
        assert!((half.error.deviation - found.error.deviation * (1.05_f64 / 1.2).sqrt()).abs() < 20.0);
    }

    #[test]
    fn one_case_is_held_by_its_own_spread_alone() {
        let found = noise(&[(sample_of_noise(5, 1000, 100.0), sample_of_noise(1, 10, 0.0))], 1.0).unwrap();
        assert!((found.error.deviation - (12_000_f64).sqrt()).abs() < 1e-6 && (found.error.freedom - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_side_that_does_not_vary_says_nothing_of_one_that_does() {
        let found = noise(&[(sample_of_noise(2, 1000, 0.0), sample_of_noise(3, 990, 30.0))], 1.0).unwrap();
        assert!((found.error.deviation - 30.0 * (4.0_f64 / 3.0).sqrt()).abs() < 1e-9, "{found:?}");
        assert_eq!(noise(&[(sample_of_noise(2, 9, 0.0), sample_of_noise(1, 7, 0.0))], 1.0), None);
        assert_eq!(
            noise(
                &[
                    (sample_of_noise(2, 9, 0.0), sample_of_noise(1, 7, 0.0)),
                    (sample_of_noise(2, 9, 0.0), sample_of_noise(1, 9, 0.0))
                ],
                1.0
            ),
            None
        );
    }

    #[test]
    fn a_case_recorded_once_is_as_noisy_as_the_others_are_for_their_size() {
        let pairs = [
            (sample_of_noise(5, 1000, 100.0), sample_of_noise(1, 900, 0.0)),
            (sample_of_noise(1, 3000, 0.0), sample_of_noise(1, 2900, 0.0)),
        ];
        let found = noise(&pairs, 1.0).unwrap();
        assert!((found.cases[1].run.variance - 300.0 * 300.0).abs() < 1e-6, "{found:?}");
        assert!((found.cases[1].recorded - 1.0).abs() < 1e-12 && (found.cases[0].recorded - 0.2).abs() < 1e-12);
    }

    #[test]
    fn only_a_skewness_towards_alarms_counts() {
        let of = |skewness: f64, direction| {
            let was = sample_of_noise(5, 1000, 100.0).with_skewness(skewness);
            let now = sample_of_noise(1, 1000, 0.0);
            Noise::of(&vec![(&was, &now); 20], 1.0, direction).unwrap().skewness
        };
        let (low, none) = (of(-1.0, Direction::Max), of(1.0, Direction::Max));
        // One run has -1, and the baseline removes a 25th of it; twenty cases, and six runs instead of five.
        assert!((-0.4..-0.1).contains(&low) && none == 0.0, "{low} {none}");
        assert_eq!((of(1.0, Direction::Min), of(-1.0, Direction::Min)), (low, 0.0));
        assert_eq!(of(-1e9, Direction::Max), -MAX_SKEWNESS);
    }

    fn sample_of_noise_test(runs: u32, mean: i64, spread: f64) -> Sample {
        Sample::new(runs, BigRational::from_integer(mean.into()), spread)
    }

    /// Twenty cases that all fell by `fall` of 1000, with as much noise as was recorded.
    fn test(runs: u32, fall: i64, skewness: f64, may_repeat: bool) -> NoiseTest {
        let was = sample_of_noise_test(5, 1000, 100.0).with_skewness(skewness);
        let spread = if runs > 1 { 100.0 } else { 0.0 };
        // The residuals show the spread of the runs.
        #[expect(clippy::cast_possible_truncation, reason = "it is a small number")]
        let off = (1e4 * (0.2 + 1.0 / f64::from(runs)) * 0.95).sqrt().round() as i64;
        let now = [
            sample_of_noise_test(runs, 1000 - fall + off, spread),
            sample_of_noise_test(runs, 1000 - fall - off, spread),
        ];
        let pairs: Vec<_> = (0..20).map(|case| (&was, &now[case % 2])).collect();
        let noise = Noise::of(&pairs, 1.0, Direction::Max).unwrap();
        NoiseTest::of(&noise, -20.0 * fall as f64, 20_000.0, 0.0, 0.05, may_repeat)
    }

    #[test]
    fn a_fall_of_two_standard_errors_is_certain() {
        let found = test(1, 50, 0.0, false);
        // 10 % / sqrt(20) * sqrt(1 + 1/5) = 2.449 %; t = -2.041 with 137 degrees of freedom.
        assert!((found.error.unwrap() - 0.024_495).abs() < 2e-5, "{found:?}");
        assert!((found.level - 0.0216).abs() < 3e-4 && found.is_fall(), "{}", found.level);
        assert!((0.0609..0.0620).contains(&found.detectable().unwrap()));
        let skewed = test(1, 50, -1.0, false);
        assert!(skewed.level > found.level + 0.002 && skewed.detectable() > found.detectable(), "{skewed:?}");
        assert_eq!(test(1, 50, 1.0, false).level, found.level);
    }

    #[test]
    fn more_looks_notice_smaller_falls() {
        let of = |runs, may_repeat| test(runs, 0, 0.0, may_repeat).detectable().unwrap();
        let (once, thrice, looking) = (of(1, false), of(3, false), of(1, true));
        assert!(thrice < looking && looking < once - 0.012, "{once} {thrice} {looking}");
        // The result of the first look does not matter, except for the degrees of freedom.
        assert!((of(2, true) - looking).abs() < 1e-3);
    }

    #[test]
    fn the_probability_of_all_looks_is_that_of_correlated_numbers() {
        let look = |at: f64, variance: f64| Limit { at, variance };
        assert!((all_below(&[look(0.0, 2.0), look(0.0, 1.0)], 0.0) - 0.375).abs() < 1e-4);
        assert!((all_below(&[look(1e9, 2.0), look(1e9, 1.5), look(-1.0, 1.0)], 0.0) - 0.158_655).abs() < 1e-4);
        // One in four, and by symmetry: 1/8 + (arcsin √(1/2) + arcsin √(1/2) + arcsin (1/2)) / 4π for variances 4, 2, 1.
        let three = [look(0.0, 4.0), look(0.0, 2.0), look(0.0, 1.0)];
        assert!((all_below(&three, 0.0) - (0.125 + (0.25 + 0.25 + 1.0 / 6.0) / 4.0)).abs() < 1e-3);
    }

    #[test]
    fn the_correction_for_skewness_grows_with_the_number_and_can_be_undone() {
        for skewness in [-1.0, -0.4, 0.0] {
            let all: Vec<f64> = (-80..=80).map(|step| towards_normal(f64::from(step) / 10.0, skewness)).collect();
            assert!(all.is_sorted(), "{skewness}: {all:?}");
            for value in [-6.0, -2.8, -1.6, 0.0, 1.0] {
                assert!((from_normal(towards_normal(value, skewness), skewness) - value).abs() < 1e-9);
            }
        }
        // The gamma distribution of shape 4, mirrored, has the skewness -1; its 5 % quantile lies 1.8768 deviations below.
        assert!((towards_normal(-1.8768, -1.0) + 1.645).abs() < 0.13);
    }

    fn baseline(spread: f64) -> Baseline {
        let sample = Sample::new(5, BigRational::from_integer(1000.into()), spread);
        let entry = BaselineCase {
            result: CaseResult::Accepted(sample),
            input: None,
            cpu: None,
            processor: None,
            tolerance: None,
        };
        let cases = (0..20).map(|case| (format!("seed-{case}"), entry.clone())).collect();
        Baseline { problem: "p".to_owned(), terms: "t".to_owned(), checker: "c".to_owned(), conditions: None, cases }
    }

    #[test]
    fn noise_of_10_percent_on_20_cases_shows_a_fall_of_6_percent() {
        let calibration = Calibration::of(&baseline(100.0), 0.05).unwrap();
        assert!((calibration.spread - 0.1 / 20_f64.sqrt()).abs() < 1e-12);
        // (1.645 + 0.842) * 10 % / sqrt(20) * sqrt(1 + 1/5) = 6.09 % with a known spread.
        let now = calibration.design(20, 5, 1).detectable;
        assert!((0.0609..0.0625).contains(&now), "{now}");
        assert!(calibration.table().windows(2).all(|pair| pair[1].detectable < pair[0].detectable));
    }

    #[test]
    fn a_recommendation_is_the_least_that_is_enough() {
        let calibration = Calibration::of(&baseline(100.0), 0.05).unwrap();
        let more = calibration.more_cases(0.03).unwrap();
        assert!(more.detectable <= 0.03 && calibration.design(more.cases - 1, 5, 1).detectable > 0.03);
        let runs = calibration.more_runs(0.03).unwrap();
        assert!(runs.detectable <= 0.03 && runs.cases == 20 && runs.recorded >= runs.repeat, "{runs:?}");
        let fewer = runs.repeat - 1;
        assert!(calibration.design(20, 5.max(fewer), fewer).detectable > 0.03);
        assert_eq!(calibration.more_cases(0.2).unwrap().cases, 20);
        assert_eq!(calibration.more_cases(1e-9), None);
    }

    #[test]
    fn what_does_not_vary_cannot_be_calibrated() {
        assert_eq!(Calibration::of(&baseline(0.0), 0.05), None);
    }
}
