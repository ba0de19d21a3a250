//! One process for all settings, or one for each combination of categories.
//!
//! A parameter may matter in one category and not in another: `greedy` has no temperature. A single process has one
//! length for each parameter. It treats a parameter that has no effect in one category as if it had none in all.
//! Separate processes share no information, which costs runs if the categories are alike. So the likelihood chooses.

use super::process::{Belief, Covariance, Process, Sample};

/// Processes that are together conditioned on some samples.
#[derive(Debug, Clone)]
pub(super) struct Processes {
    parts: Vec<Part>,
    categories: Vec<bool>,
    /// For each sample: its part, and its index there.
    places: Vec<(usize, usize)>,
    /// The logarithm of the posterior density of all covariances, up to a constant.
    pub(super) log_posterior: f64,
}

#[derive(Debug, Clone)]
struct Part {
    /// The categories of its settings; none if all settings are in it.
    corner: Vec<f64>,
    process: Process,
}

/// The belief about a setting whose categories have not been run: the prior of a process with mean 0 and variance 1.
const UNKNOWN: Belief = Belief { mean: 0.0, deviation: 1.0 };

impl Processes {
    /// Conditions processes on samples of mean 0 and variance 1, with this many steps to fit the covariances, from those
    /// of an earlier fit. Uses one process or one for each combination of categories, whichever is more likely; without
    /// any steps, the same choice as before. `None` if a covariance is degenerate.
    pub(super) fn fit(samples: &[Sample], categories: &[bool], start: Option<&Self>, steps: usize) -> Option<Self> {
        let one = || Self::of_groups(samples, categories, &[], start, steps);
        let several = || Self::of_groups(samples, categories, categories, start, steps);
        if !categories.contains(&true) {
            return one();
        }
        if steps == 0 {
            let is_by_category = start.is_some_and(|start| start.parts.iter().any(|part| !part.corner.is_empty()));
            return if is_by_category { several() } else { one() };
        }
        let likely = [one(), several()].into_iter().flatten();
        likely.max_by(|left, right| left.log_posterior.total_cmp(&right.log_posterior))
    }

    /// Fits a process for each combination of the categories in `grouping`.
    fn of_groups(
        samples: &[Sample],
        categories: &[bool],
        grouping: &[bool],
        start: Option<&Self>,
        steps: usize,
    ) -> Option<Self> {
        let mut groups: Vec<(Vec<f64>, Vec<Sample>)> = Vec::new();
        let mut places = Vec::with_capacity(samples.len());
        for sample in samples {
            let corner = corner(&sample.point, grouping);
            let group = groups.iter().position(|(other, _)| *other == corner).unwrap_or(groups.len());
            if group == groups.len() {
                groups.push((corner, Vec::new()));
            }
            places.push((group, groups[group].1.len()));
            groups[group].1.push(sample.clone());
        }
        let part = |(corner, samples): (Vec<f64>, Vec<Sample>)| {
            let known = start.and_then(|start| start.parts.iter().find(|part| part.corner == corner));
            let begin =
                known.map_or_else(|| Covariance::prior(categories.len()), |part| part.process.covariance.clone());
            let process = Process::fit(&samples, categories, &begin, steps)?;
            Some(Part { corner, process })
        };
        let parts: Vec<Part> = groups.into_iter().map(part).collect::<Option<_>>()?;
        let log_posterior = parts.iter().map(|part| part.process.log_posterior).sum();
        Some(Self { parts, categories: categories.to_vec(), places, log_posterior })
    }

    /// Returns the belief about the smooth part of the value at a point.
    pub(super) fn at(&self, point: &[f64]) -> Belief {
        self.part(point).map_or(UNKNOWN, |part| self.parts[part].process.at(point))
    }

    /// Returns the belief about the value of a sample, including the rough part.
    pub(super) fn of_sample(&self, sample: usize) -> Belief {
        let (part, place) = self.places[sample];
        self.parts[part].process.of_sample(place)
    }

    /// Adds a sample with the expected value of its point, so that the next points are chosen elsewhere.
    pub(super) fn pretend(&mut self, point: &[f64], noise: f64) {
        if let Some(part) = self.part(point) {
            self.parts[part].process.pretend(point, noise);
        }
    }

    fn part(&self, point: &[f64]) -> Option<usize> {
        let corner = corner(point, &self.categories);
        self.parts.iter().position(|part| part.corner.is_empty() || part.corner == corner)
    }
}

/// Returns the categories of a point.
fn corner(point: &[f64], categories: &[bool]) -> Vec<f64> {
    point.iter().zip(categories).filter(|(_, is_category)| **is_category).map(|(value, _)| *value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATEGORIES: [bool; 2] = [false, true];

    /// Samples in two categories, the value by number and category.
    fn samples(value: impl Fn(f64, f64) -> f64) -> Vec<Sample> {
        let sample = |place: usize| {
            let point = vec![(place / 2) as f64 / 9.0, if place.is_multiple_of(2) { 0.25 } else { 0.75 }];
            Sample { value: value(point[0], point[1]), point, noise: 1e-3 }
        };
        (0..20).map(sample).collect()
    }

    fn fitted(samples: &[Sample]) -> Processes {
        Processes::fit(samples, &CATEGORIES, None, 25).unwrap()
    }

    #[test]
    fn categories_that_differ_have_processes_of_their_own() {
        // Flat in one category, a wave in the other.
        let wave = |at: f64, category: f64| if category < 0.5 { 0.5 } else { 1.5 * (9.0 * at).sin() };
        let processes = fitted(&samples(wave));
        assert_eq!(processes.parts.len(), 2);
        let flat = processes.at(&[0.4, 0.25]);
        let other = processes.at(&[0.4, 0.75]);
        assert!((flat.mean - 0.5).abs() < 0.05 && (other.mean - wave(0.4, 0.75)).abs() < 0.1, "{flat:?} {other:?}");
        assert!(flat.deviation < other.deviation, "what is flat is known everywhere: {flat:?} {other:?}");
        let sample = processes.of_sample(5);
        assert!((sample.mean - wave(2.0 / 9.0, 0.75)).abs() < 0.1, "{sample:?}");
        // Without steps they stay as they were.
        let again = Processes::fit(&samples(wave), &CATEGORIES, Some(&processes), 0).unwrap();
        assert_eq!((again.parts.len(), again.at(&[0.4, 0.75])), (2, other));
    }

    #[test]
    fn categories_that_are_alike_share_a_process() {
        let processes = fitted(&samples(|at, category| 1.5 * (9.0 * at).sin() + 0.1 * category));
        assert_eq!(processes.parts.len(), 1);
        let again = Processes::fit(&samples(|at, _| at), &CATEGORIES, Some(&processes), 0).unwrap();
        assert_eq!(again.parts.len(), 1);
        let without = Processes::fit(&samples(|at, _| at), &[false, false], None, 5).unwrap();
        assert_eq!(without.parts.len(), 1);
    }

    #[test]
    fn nothing_is_known_of_categories_that_were_not_run() {
        let mut processes = fitted(&samples(|at, category| if category < 0.5 { 0.5 } else { 1.5 * (9.0 * at).sin() }));
        assert_eq!(processes.at(&[0.4, 0.9]), UNKNOWN);
        let (before, elsewhere) = (processes.at(&[0.5, 0.75]), processes.at(&[0.5, 0.25]));
        processes.pretend(&[0.5, 0.9], 0.1);
        processes.pretend(&[0.5, 0.75], 0.1);
        assert!(processes.at(&[0.5, 0.75]).deviation < before.deviation);
        assert_eq!(processes.at(&[0.5, 0.25]), elsewhere);
    }
}
