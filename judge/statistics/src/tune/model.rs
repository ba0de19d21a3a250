//! The model of a search: Gaussian processes over compressed values.

use super::noise::Noise;
use super::process::{Belief, Sample};
use super::processes::Processes;
use super::space::Space;
use super::table::{Values, Worth};
use crate::Moments;
use crate::{Random, normal_level};

/// The number of steps of a fit that compares scales, and of the fit with the chosen scale.
const TRIAL_STEPS: usize = 6;
const STEPS: usize = 25;

/// The maximum number of settings for which the curve is chosen again.
const MAX_CURVE_TRIALS: usize = 128;

/// How values are transformed before a process is fitted to them. Most processes are smoother on another scale than the
/// scores' own. The likelihood chooses one.
const CURVES: [Curve; 6] =
    [Curve::None, Curve::Below(1.0), Curve::Below(0.25), Curve::Below(0.06), Curve::Above(1.0), Curve::Above(0.25)];

/// A change of scale.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Curve {
    /// The values themselves.
    None,
    /// A value v becomes −s ln(1 + (best − v) / s): differences far below the best count less. s is this part of the
    /// median of best − v.
    Below(f64),
    /// A value v becomes s ln(1 + (v − worst) / s): differences near the worst count more. s is this part of the median
    /// of v − worst.
    Above(f64),
}

/// Gaussian processes over the settings that were run.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) processes: Processes,
    /// The candidate of each sample.
    pub(super) candidates: Vec<usize>,
    /// The variance of the worth of a setting that has run on few cases, in the units of the processes.
    pub(super) noise: f64,
    curve: usize,
    scale: Scale,
    noises: Option<Noise>,
}

impl Model {
    /// Fits a model to the worth of the settings. `points` are by candidate. The parameters of an earlier model, `start`,
    /// are kept unchanged, unless they are to be refined. `None` with fewer than two settings.
    pub(super) fn fit(
        values: &Values,
        expected: &[Option<f64>],
        points: &[Vec<f64>],
        categories: &[bool],
        start: Option<&Self>,
        refine: bool,
    ) -> Option<Self> {
        let tried = |noises: Option<&Noise>| -> Vec<(usize, Worth)> {
            let noises: Vec<f64> = points.iter().map(|point| noises.map_or(1.0, |noises| noises.at(point))).collect();
            let worths = values.worths(expected, &noises).into_iter().enumerate();
            worths.filter_map(|(place, worth)| Some((place, worth?))).collect()
        };
        let noises = start.and_then(|start| start.noises.as_ref());
        let steps = if refine { STEPS } else { 0 };
        let noises = Noise::fit(&tried(noises), points, categories, noises, steps);
        let tried = tried(noises.as_ref());
        if tried.len() < 2 {
            return None;
        }
        let begin = start.map(|start| &start.processes);
        let fit = |curve: usize, from: Option<&Processes>, steps: usize| {
            let Samples { samples, noise, log_slopes, scale } = samples(&tried, points, CURVES[curve]);
            let processes = Processes::fit(&samples, categories, from, steps)?;
            let candidates = tried.iter().map(|(place, _)| *place).collect();
            Some((
                processes.log_posterior + log_slopes,
                Self { processes, candidates, noise, curve, scale, noises: None },
            ))
        };
        let chosen = match start {
            Some(start) if !refine => fit(start.curve, begin, 0),
            Some(start) if tried.len() > MAX_CURVE_TRIALS => fit(start.curve, begin, STEPS),
            _ => {
                let trials = (0..CURVES.len()).filter_map(|curve| fit(curve, begin, TRIAL_STEPS));
                let best = trials.max_by(|left, right| left.0.total_cmp(&right.0));
                best.and_then(|(_, model)| fit(model.curve, Some(&model.processes), STEPS))
            }
        };
        chosen.map(|(_, model)| Self { noises, ..model })
    }

    /// Returns the mean value that is expected of each of these candidates.
    pub(super) fn expected(&self, candidates: usize) -> Vec<Option<f64>> {
        let mut expected = vec![None; candidates];
        for (candidate, belief) in self.beliefs() {
            expected[candidate] = Some(self.scale.undone(belief.mean));
        }
        expected
    }

    /// Returns the belief about each candidate that was run.
    pub(super) fn beliefs(&self) -> Vec<(usize, Belief)> {
        let belief = |(sample, &candidate): (usize, &usize)| (candidate, self.processes.of_sample(sample));
        self.candidates.iter().enumerate().map(belief).collect()
    }
}

/// How to undo the change of scale.
#[derive(Debug, Clone, Copy)]
struct Scale {
    curve: Curve,
    best: f64,
    worst: f64,
    /// The s of the curve; 0 for none.
    size: f64,
    mean: f64,
    unit: f64,
}

/// The samples of a process.
struct Samples {
    samples: Vec<Sample>,
    /// The largest noise of a good setting.
    noise: f64,
    /// The logarithm of the slopes of the transformation, which makes the densities of different transformations
    /// comparable.
    log_slopes: f64,
    scale: Scale,
}

/// Returns the samples of the settings that were run, with values of mean 0 and variance 1.
fn samples(tried: &[(usize, Worth)], points: &[Vec<f64>], curve: Curve) -> Samples {
    let scale = Scale::of(&tried.iter().map(|(_, worth)| worth.mean).collect::<Vec<_>>(), curve);
    let slopes: Vec<f64> = tried.iter().map(|(_, worth)| scale.slope(worth.mean) / scale.unit).collect();
    let sample = |((place, worth), slope): (&(usize, Worth), &f64)| Sample {
        point: points[*place].clone(),
        value: (scale.curved(worth.mean) - scale.mean) / scale.unit,
        noise: (worth.variance * slope * slope).max(1e-6),
    };
    let most = tried.iter().map(|(_, worth)| worth.variance).fold(0.0, f64::max);
    Samples {
        samples: tried.iter().zip(&slopes).map(sample).collect(),
        noise: (most * (scale.slope(scale.best) / scale.unit).powi(2)).max(1e-6),
        log_slopes: slopes.iter().map(|slope| slope.ln()).sum(),
        scale,
    }
}

impl Scale {
    fn of(values: &[f64], curve: Curve) -> Self {
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let worst = values.iter().copied().fold(f64::INFINITY, f64::min);
        let median = |distance: &dyn Fn(f64) -> f64| {
            let mut distances: Vec<f64> = values.iter().map(|value| distance(*value)).collect();
            distances.sort_by(f64::total_cmp);
            distances[distances.len() / 2]
        };
        let size = match curve {
            Curve::None => 0.0,
            Curve::Below(part) => part * median(&|value| best - value),
            Curve::Above(part) => part * median(&|value| value - worst),
        };
        let curve = if size > 0.0 { curve } else { Curve::None };
        let mut scale = Self { curve, best, worst, size, mean: 0.0, unit: 1.0 };
        let moments = Moments::of(&values.iter().map(|value| scale.curved(*value)).collect::<Vec<_>>());
        scale.mean = moments.mean();
        scale.unit = if moments.deviation() > 0.0 { moments.deviation() } else { 1.0 };
        scale
    }

    fn curved(&self, value: f64) -> f64 {
        match self.curve {
            Curve::None => value - self.best,
            Curve::Below(_) => -self.size * ((self.best - value) / self.size).ln_1p(),
            Curve::Above(_) => self.size * ((value - self.worst) / self.size).ln_1p(),
        }
    }

    fn slope(&self, value: f64) -> f64 {
        match self.curve {
            Curve::None => 1.0,
            Curve::Below(_) => self.size / (self.size + self.best - value),
            Curve::Above(_) => self.size / (self.size + value - self.worst),
        }
    }

    /// Returns the value of a number of the process.
    fn undone(&self, number: f64) -> f64 {
        let curved = number * self.unit + self.mean;
        match self.curve {
            Curve::None => curved + self.best,
            Curve::Below(_) => self.best - self.size * (-curved / self.size).exp_m1(),
            Curve::Above(_) => self.worst + self.size * (curved / self.size).exp_m1(),
        }
    }
}

/// The number of points anywhere, around each of the best settings, and in each step of the climb.
const ANYWHERE: usize = 120;
const AROUND: usize = 24;
const BEST: usize = 5;
const CLIMB: usize = 60;

/// The spreads of the steps around a setting.
const SPREADS: [f64; 4] = [0.3, 0.1, 0.03, 0.01];

/// Returns the point with the largest expected improvement over the best setting, as found by a random search and a
/// climb from its result. With a `corner`, only points with its categories count, and the best setting there.
pub(super) fn propose(
    model: &Model,
    space: &Space,
    points: &[Vec<f64>],
    corner: Option<&[f64]>,
    random: &mut Random,
) -> Vec<f64> {
    let mut beliefs = model.beliefs();
    beliefs.sort_by(|left, right| right.1.mean.total_cmp(&left.1.mean));
    let lowest = beliefs.last().map_or(0.0, |(_, belief)| belief.mean);
    beliefs.retain(|(place, _)| corner.is_none_or(|corner| space.has_categories(&points[*place], corner)));
    let target = beliefs.first().map_or(lowest, |(_, belief)| belief.mean);
    let placed = |mut point: Vec<f64>| {
        if let Some(corner) = corner {
            space.set_categories(&mut point, corner);
        }
        space.point(&space.setting(&point))
    };
    let mut best = (f64::NEG_INFINITY, placed(space.anywhere(random)));
    let consider = |point: Vec<f64>, best: &mut (f64, Vec<f64>)| {
        let point = placed(point);
        let worth = log_improvement(model, &point, target);
        if worth > best.0 {
            *best = (worth, point);
        }
    };
    (0..ANYWHERE).for_each(|_| consider(space.anywhere(random), &mut best));
    for (candidate, _) in beliefs.iter().take(BEST) {
        for step in 0..AROUND {
            consider(space.near(&points[*candidate], SPREADS[step % SPREADS.len()], random), &mut best);
        }
    }
    for step in 0..CLIMB {
        let spread = 0.1 * 0.05_f64.powf(step as f64 / CLIMB as f64);
        let near = space.near(&best.1, spread, random);
        consider(near, &mut best);
    }
    best.1
}

/// Returns the logarithm of the expected improvement over the target.
fn log_improvement(model: &Model, point: &[f64], target: f64) -> f64 {
    let belief = model.processes.at(point);
    let deviation = belief.deviation.max(1e-9);
    let z = (belief.mean - target) / deviation;
    let log_density = -0.5 * z * z - 0.5 * (2.0 * std::f64::consts::PI).ln();
    if z < -6.0 {
        // The first term of the expansion for large negative z, where the difference below would have no correct
        // digits.
        return deviation.ln() + log_density - 2.0 * (-z).ln();
    }
    deviation.ln() + (log_density.exp() + z * normal_level(z)).max(f64::MIN_POSITIVE).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_scale_can_be_undone() {
        let values = [3.0, -1.0, 7.5, 100.0, 0.0];
        for curve in CURVES {
            let scale = Scale::of(&values, curve);
            for value in values {
                let number = (scale.curved(value) - scale.mean) / scale.unit;
                assert!((scale.undone(number) - value).abs() < 1e-9, "{curve:?}");
                let slope = (scale.curved(value + 1e-6) - scale.curved(value - 1e-6)) / 2e-6;
                assert!((scale.slope(value) - slope).abs() < 1e-6, "{curve:?}");
            }
        }
        assert_eq!(Scale::of(&[2.0, 2.0], Curve::Below(1.0)).undone(0.0), 2.0);
    }
}
