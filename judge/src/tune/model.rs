//! What a search believes of each setting: a Gaussian process over compressed values.

use super::process::{Belief, Covariance, Process, Sample};
use super::table::Worth;
use crate::statistics::Moments;

/// The steps of a fit that compares compressions, and of the fit with the chosen one.
const TRIAL_STEPS: usize = 6;
const STEPS: usize = 25;

/// How values are bent before a process is fitted to them: most processes are smoother on another scale than that of the
/// scores. The likelihood chooses one.
const BENDS: [Bend; 6] =
    [Bend::None, Bend::Below(1.0), Bend::Below(0.25), Bend::Below(0.06), Bend::Above(1.0), Bend::Above(0.25)];

/// A change of scale.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bend {
    /// The values themselves.
    None,
    /// A value v becomes −s ln(1 + (best − v) / s): differences far below the best count for less. s is this part of the
    /// median of best − v.
    Below(f64),
    /// A value v becomes s ln(1 + (v − worst) / s): differences near the worst count for more. s is this part of the
    /// median of v − worst.
    Above(f64),
}

/// A Gaussian process over the settings that were run.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) process: Process,
    /// The candidate of each sample.
    pub(super) candidates: Vec<usize>,
    /// The variance of what a setting is worth that has run on few cases, in the units of the process.
    pub(super) noise: f64,
    bend: usize,
}

/// What is kept from one model to the next: the fit starts there.
#[derive(Debug, Clone)]
pub(super) struct Start {
    covariance: Covariance,
    bend: usize,
}

impl Model {
    /// Fits a model to what the settings are worth. `points` are by candidate. With a `start` the
    /// parameters of an earlier fit are kept as they are, unless they are to be refined. `None` with fewer than two
    /// settings.
    pub(super) fn fit(
        worths: &[Option<Worth>],
        points: &[Vec<f64>],
        categories: &[bool],
        start: Option<&Start>,
        refine: bool,
    ) -> Option<Self> {
        let tried: Vec<(usize, Worth)> =
            worths.iter().enumerate().filter_map(|(place, worth)| Some((place, (*worth)?))).collect();
        if tried.len() < 2 {
            return None;
        }
        let data = Data { tried: &tried, points };
        let begin = start.map_or_else(|| Covariance::prior(categories.len()), |start| start.covariance.clone());
        let fit = |bend: usize, from: &Covariance, steps: usize| {
            let (samples, noise, log_slopes) = data.samples(BENDS[bend]);
            let process = Process::fit(&samples, categories, from, steps)?;
            Some((process.log_posterior + log_slopes, process, noise, bend))
        };
        let chosen = match start.filter(|_| !refine) {
            Some(start) => fit(start.bend, &begin, 0),
            None => {
                let trials = (0..BENDS.len()).filter_map(|bend| fit(bend, &begin, TRIAL_STEPS));
                let best = trials.max_by(|left, right| left.0.total_cmp(&right.0));
                best.and_then(|(_, process, _, bend)| fit(bend, process.covariance(), STEPS))
            }
        };
        let (_, process, noise, bend) = chosen?;
        Some(Self { process, candidates: tried.iter().map(|(place, _)| *place).collect(), noise, bend })
    }

    /// Returns where the next fit starts.
    pub(super) fn start(&self) -> Start {
        Start { covariance: self.process.covariance().clone(), bend: self.bend }
    }

    /// Returns what is believed of each candidate that was run.
    pub(super) fn beliefs(&self) -> Vec<(usize, Belief)> {
        let belief = |(sample, &candidate): (usize, &usize)| (candidate, self.process.of_sample(sample));
        self.candidates.iter().enumerate().map(belief).collect()
    }
}

struct Data<'a> {
    tried: &'a [(usize, Worth)],
    points: &'a [Vec<f64>],
}

impl Data<'_> {
    /// Returns the samples with values of mean 0 and variance 1, the largest noise of a good setting, and the logarithm
    /// of the slopes of the bend, which makes the densities of different bends comparable.
    fn samples(&self, bend: Bend) -> (Vec<Sample>, f64, f64) {
        let bent = bent(&self.tried.iter().map(|(_, worth)| worth.mean).collect::<Vec<_>>(), bend);
        let moments = Moments::of(&bent.iter().map(|bent| bent.value).collect::<Vec<_>>());
        let unit = if moments.deviation() > 0.0 { moments.deviation() } else { 1.0 };
        let sample = |((place, worth), bent): (&(usize, Worth), &Bent)| Sample {
            point: self.points[*place].clone(),
            value: (bent.value - moments.mean()) / unit,
            noise: (worth.variance * (bent.slope / unit).powi(2)).max(1e-6),
        };
        let best = bent.iter().max_by(|left, right| left.value.total_cmp(&right.value)).map_or(1.0, |bent| bent.slope);
        let most = self.tried.iter().map(|(_, worth)| worth.variance).fold(0.0, f64::max) * (best / unit).powi(2);
        let log_slopes = bent.iter().map(|bent| (bent.slope / unit).ln()).sum();
        (self.tried.iter().zip(&bent).map(sample).collect(), most.max(1e-6), log_slopes)
    }
}

/// A value on the new scale, and the slope of that scale there.
struct Bent {
    value: f64,
    slope: f64,
}

fn bent(values: &[f64], bend: Bend) -> Vec<Bent> {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let worst = values.iter().copied().fold(f64::INFINITY, f64::min);
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (scale, sign, end) = match bend {
        Bend::None => (0.0, 1.0, best),
        Bend::Below(part) => (part * median(values.iter().map(|value| best - value).collect()), -1.0, best),
        Bend::Above(part) => (part * median(values.iter().map(|value| value - worst).collect()), 1.0, worst),
    };
    let bend = |&value: &f64| {
        let distance = (value - end).abs();
        if scale > 0.0 {
            Bent { value: sign * scale * (distance / scale).ln_1p(), slope: scale / (scale + distance) }
        } else {
            Bent { value: value - end, slope: 1.0 }
        }
    };
    values.iter().map(bend).collect()
}
