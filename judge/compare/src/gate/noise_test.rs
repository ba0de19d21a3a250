//! The test of a noisy total: has it fallen, or is it noise?

use super::noise::Noise;
use judge_problem::Direction;
use judge_statistics::{SumError, normal_level};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use std::f64::consts::PI;

/// How often a fall is noticed that the report names.
pub const POWER: f64 = 0.8;

/// The most runs of a gate that may run again.
pub const MOST_RUNS: u32 = 3;

/// A total that chance would make as low as this more rarely is looked at again, where the gate may run again.
///
/// The alarm is decided on all runs at the full level, so another look can only prevent alarms: the level is kept.
pub(super) const DOUBTFUL: f64 = 0.3;

/// The share of the alarms of three runs that is left where the first or the second may end the gate: 4.2 % of 5 % (normal
/// noise, five recorded runs).
const LEFT: f64 = 0.85;

/// Beyond as many standard errors, the correction for skewness stays what it is.
const FURTHEST: f64 = 3.0;

/// What the test of a noisy total found.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseTest {
    /// The probability of so low a total, or a lower one, if the solver has fallen by no more than it may.
    pub level: f64,
    /// The level from which on it is an alarm.
    pub alpha: f64,
    /// The standard error of the difference, as a share of the recorded total.
    pub error: Option<f64>,
    /// The degrees of freedom of the standard error.
    pub freedom: f64,
    /// The standard error after each look, of which the last decides.
    looks: Vec<SumError>,
    skewness: f64,
    total: f64,
    max_drop: f64,
    pub(super) selection: Vec<Selection>,
}

/// How the cases of baselines that are averaged in differ from all: by what the mean is too high and the sum of squares too
/// low, by case of the comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Selection {
    pub(super) mean: f64,
    pub(super) squares: f64,
}

impl NoiseTest {
    /// Tests whether the total fell by more than the share `max_drop`: `gain` is how far it lies above what is allowed,
    /// and below 0 if it lies below.
    pub(super) fn of(noise: &Noise, gain: f64, total: f64, max_drop: f64, alpha: f64, may_repeat: bool) -> Self {
        let looks =
            if may_repeat { (1..=MOST_RUNS).map(|runs| noise.error_of(runs)).collect() } else { vec![noise.error] };
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

    /// Returns whether the total is so low that another run should tell whether it is noise.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.level <= DOUBTFUL
    }

    /// Returns whether the fall is certain.
    #[must_use]
    pub fn is_fall(&self) -> bool {
        self.level <= self.alpha
    }

    /// Returns the fall, as a share of the recorded total, that would be noticed with the probability [`POWER`]. `None` if
    /// the recorded total is 0.
    #[must_use]
    pub fn detectable(&self) -> Option<f64> {
        let (last, earlier) = self.looks.split_last()?;
        let fall = if earlier.is_empty() {
            self.critical(last, self.alpha) + last.detectable(0.5, POWER)
        } else {
            self.detectable_looking(last)
        };
        (self.total != 0.0).then(|| fall / self.total.abs() + self.max_drop)
    }

    /// How far below 0 a total is at this level.
    fn critical(&self, error: &SumError, level: f64) -> f64 {
        let uncorrected = error.detectable(level, 0.5) / error.deviation;
        -from_normal(-uncorrected, self.skewness) * error.deviation
    }

    /// Runs that pass and those that raise an alarm have the same mean of all runs, recorded ones and those of today, since
    /// it does not depend on their difference. But where there is an alarm the baseline stays as it is, which is too high:
    /// it is so on average by φ(c)/α · v/√V for a case with the variance v of its recorded mean. That much, times α/(1 − α),
    /// is taken off where there is none, and the mean of the baseline stays what it is from commit to commit. The variance
    /// of the difference is too small by a share of c ρ + ρ², with ρ = φ(c)/Φ(c).
    fn selection(&self, noise: &Noise, left: f64) -> Vec<Selection> {
        let Some(last) = self.looks.last() else { return Vec::new() };
        let decisive = 1.0 / self.looks.len().max(1) as f64;
        let looking = self.looks.len() > 1;
        let critical = (self.critical(last, self.alpha) + self.max_drop * self.total.abs()) / last.deviation;
        let luck = left * density(critical) / normal_level(critical);
        let of = |case: &super::noise::CaseNoise| {
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

    /// Returns the fall that is noticed with the probability [`POWER`] by a gate that runs once, and again while the total is
    /// doubtful.
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

/// A look: the total counts as low below this, and its variance then.
struct Limit {
    at: f64,
    variance: f64,
}

/// Returns the probability that the difference lies below its limit at every look, if its mean is `mean`. A mean of more
/// runs and the step from it to one of fewer are uncorrelated, so the last look comes first and each earlier one adds a
/// step of its own.
fn all_below(looks: &[Limit], mean: f64) -> f64 {
    let Some((last, earlier)) = looks.split_last() else { return 1.0 };
    below_from(earlier, last, mean, last.variance.sqrt())
}

/// As [`all_below`], of a look that lies around `mean` with this deviation, and of those before it.
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

/// Returns a number of this skewness, in standard deviations, as a nearly normal one: t − h t² + h² t³/3 + h with h a sixth
/// of the skewness (Hall, 1992, for a known variance). It grows with t, whatever h.
fn towards_normal(value: f64, skewness: f64) -> f64 {
    let (h, t) = (skewness / 6.0, value.clamp(-FURTHEST, FURTHEST));
    value - h * t * t + h * h * t.powi(3) / 3.0 + h
}

/// Returns the number of this skewness that [`towards_normal`] turns into `normal`.
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
    use super::super::sample::Sample;
    use super::*;

    fn sample(runs: u32, mean: i64, spread: f64) -> Sample {
        Sample::new(runs, BigRational::from_integer(mean.into()), spread)
    }

    /// Twenty cases that all fell by `fall` of 1000, with as much noise as was recorded.
    fn test(runs: u32, fall: i64, skewness: f64, may_repeat: bool) -> NoiseTest {
        let was = sample(5, 1000, 100.0).with_skewness(skewness);
        let spread = if runs > 1 { 100.0 } else { 0.0 };
        // The residuals give the spread of the runs beside them.
        let off = (1e4 * (0.2 + 1.0 / f64::from(runs)) * 0.95).sqrt().round() as i64;
        let now = [sample(runs, 1000 - fall + off, spread), sample(runs, 1000 - fall - off, spread)];
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
        // The same however the first look ended, but for the degrees of freedom.
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
}
