//! The values of settings on cases, and the worth of each setting, corrected for the cases that it ran on.

use std::collections::BTreeMap;

/// The values by setting and case.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    /// By setting: larger is better; `None` is a failure that counts as the worst of its case.
    rows: Vec<BTreeMap<usize, Option<f64>>>,
}

/// The worth of a setting by its own runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Worth {
    /// Its mean value, as if it had run on every case that any setting has run on.
    pub(super) mean: f64,
    /// The variance of that mean.
    pub(super) variance: f64,
    /// The squares of the deviations of its values, relative to the noise that is common to all settings, and their degrees of
    /// freedom.
    pub(super) squares: f64,
    pub(super) freedom: f64,
}

/// The rounds of a fit, each over all values. These are enough for cases that are linked by few settings.
const ROUNDS: usize = 60;

struct Cell {
    setting: usize,
    case: usize,
    value: f64,
    /// The relative variance of the setting's values.
    noise: f64,
}

impl Values {
    /// Adds a value, or replaces it.
    pub(super) fn set(&mut self, setting: usize, case: usize, value: Option<f64>) {
        if self.rows.len() <= setting {
            self.rows.resize(setting + 1, BTreeMap::new());
        }
        self.rows[setting].insert(case, value.filter(|value| value.is_finite()));
    }

    /// Returns the number of cases that a setting has run on.
    pub(super) fn count(&self, setting: usize) -> usize {
        self.rows.get(setting).map_or(0, BTreeMap::len)
    }

    /// Returns whether a setting failed a case without a value.
    pub(super) fn has_failed(&self, setting: usize) -> bool {
        self.rows.get(setting).is_some_and(|row| row.values().any(Option::is_none))
    }

    /// Returns the worth of each setting; `None` if it has not run. Settings are compared on shared cases, directly or
    /// through other settings: each value has a part of the setting and a part of the case. The parts are added, or
    /// multiplied if that explains the values better.
    ///
    /// `expected` is the belief about the settings, if there is one. The cases are then measured by it, instead of by
    /// the worth of the settings that ran on them. So settings that share few cases are still compared well. `noises`
    /// are the variances of a value by setting, relative to a common one; 1 by default. Noisy settings count less in
    /// the measure of a case.
    pub(super) fn worths(&self, expected: &[Option<f64>], noises: &[f64]) -> Vec<Option<Worth>> {
        let cells = self.cells(noises);
        let added = Fit::added(&cells, self.rows.len(), expected);
        let fit = match Fit::multiplied(&cells, self.rows.len(), expected) {
            Some(multiplied) if multiplied.misfit < added.misfit => multiplied,
            _ => added,
        };
        let worth = |setting| (self.count(setting) > 0).then(|| fit.worths[setting]);
        (0..self.rows.len()).map(worth).collect()
    }

    /// Every value. A failure is the worst value of its case, and makes no difference if all fail.
    fn cells(&self, noises: &[f64]) -> Vec<Cell> {
        let mut worst: BTreeMap<usize, f64> = BTreeMap::new();
        for (&case, value) in self.rows.iter().flatten() {
            if let Some(value) = *value {
                worst.entry(case).and_modify(|worst| *worst = worst.min(value)).or_insert(value);
            }
        }
        let rows = self.rows.iter().enumerate();
        rows.flat_map(|(setting, row)| row.iter().map(move |(&case, &value)| (setting, case, value)))
            .filter_map(|(setting, case, value)| {
                let value = value.or_else(|| worst.get(&case).copied())?;
                Some(Cell { setting, case, value, noise: noises.get(setting).copied().unwrap_or(1.0) })
            })
            .collect()
    }
}

/// The parts of settings and cases that explain the values best.
struct Fit {
    worths: Vec<Worth>,
    /// The logarithm of the likelihood, with the other sign, by value.
    misfit: f64,
}

/// A sum and its divisor.
#[derive(Clone, Copy, Default)]
struct Share {
    sum: f64,
    weight: f64,
}

impl Share {
    fn ratio(self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }
}

impl Fit {
    /// value = setting + case + noise, by least squares.
    fn added(cells: &[Cell], settings: usize, expected: &[Option<f64>]) -> Self {
        let mut of_settings = vec![Share::default(); settings];
        let mut of_cases = vec![Share::default(); cases(cells)];
        for round in 0..=ROUNDS {
            // In the last round, the belief is used for the settings.
            let before = level(&of_cases);
            let part = |setting: usize| {
                let believed = expected.get(setting).copied().flatten().filter(|_| round == ROUNDS);
                believed.map_or_else(|| of_settings[setting].ratio(), |mean| mean - before)
            };
            let of_case = |cell: &Cell| (cell.case, (cell.value - part(cell.setting)) / cell.noise, 1.0 / cell.noise);
            add_up(&mut of_cases, cells.iter().map(of_case));
            let of_setting = |cell: &Cell| (cell.setting, cell.value - of_cases[cell.case].ratio(), 1.0);
            add_up(&mut of_settings, cells.iter().map(of_setting));
        }
        let left = |cell: &Cell| cell.value - of_settings[cell.setting].ratio() - of_cases[cell.case].ratio();
        let squares: Vec<f64> = cells.iter().map(|cell| left(cell).powi(2) / cell.noise).collect();
        let noise = squares.iter().sum::<f64>() / freedom(cells, &of_settings, &of_cases);
        let level = level(&of_cases);
        let errors = errors(cells, &squares, settings, noise, |cell| noise * cell.noise);
        let worth = |(share, sum): (&Share, Worth)| Worth {
            mean: share.ratio() + level,
            variance: sum.variance / share.weight.max(1.0).powi(2),
            ..sum
        };
        let worths = of_settings.iter().zip(errors).map(worth).collect();
        Self { worths, misfit: noise.ln() / 2.0 }
    }

    /// value = setting · case, with a variance in proportion to a power of it, whichever explains the values best. `None` if
    /// values differ in sign.
    fn multiplied(cells: &[Cell], settings: usize, expected: &[Option<f64>]) -> Option<Self> {
        let sign = cells.first()?.value.signum();
        if cells.iter().any(|cell| cell.value * sign <= 0.0) {
            return None;
        }
        let fits = POWERS.map(|power| Self::with_power(cells, settings, expected, sign, power));
        fits.into_iter().min_by(|left, right| left.misfit.total_cmp(&right.misfit))
    }

    /// The part of a case is the weighted mean of value / setting, by the variances. The part of a setting is the sum
    /// of its values divided by the sum of its cases' parts. So settings are compared by their expected totals, and
    /// large cases count more.
    fn with_power(cells: &[Cell], settings: usize, expected: &[Option<f64>], sign: f64, power: i32) -> Self {
        let mut of_settings = vec![Share { sum: 1.0, weight: 1.0 }; settings];
        let mut of_cases = vec![Share::default(); cases(cells)];
        for round in 0..=ROUNDS {
            // In the last round, the belief is used for the settings, if it is a score with the right sign.
            let before = level(&of_cases) * sign;
            let believed = |setting: usize| expected.get(setting).copied().flatten().map(|mean| mean / before);
            let part = |setting: usize| {
                let believed = believed(setting).filter(|part| round == ROUNDS && *part > 0.0);
                believed.unwrap_or_else(|| of_settings[setting].ratio())
            };
            let of_case = |cell: &Cell| {
                let setting = part(cell.setting);
                let weight = setting.powi(1 - power) / cell.noise;
                (cell.case, cell.value * sign * weight, setting * weight)
            };
            add_up(&mut of_cases, cells.iter().map(of_case));
            let of_setting = |cell: &Cell| (cell.setting, cell.value * sign, of_cases[cell.case].ratio());
            add_up(&mut of_settings, cells.iter().map(of_setting));
        }
        let level = level(&of_cases);
        let expected = |cell: &Cell| of_settings[cell.setting].ratio() * of_cases[cell.case].ratio();
        let square =
            |cell: &Cell| (cell.value * sign - expected(cell)).powi(2) / expected(cell).powi(power) / cell.noise;
        let squares: Vec<f64> = cells.iter().map(square).collect();
        let noise = squares.iter().sum::<f64>() / freedom(cells, &of_settings, &of_cases);
        let spread = cells.iter().map(|cell| expected(cell).ln()).sum::<f64>() / cells.len() as f64;
        let errors = errors(cells, &squares, settings, noise, |cell| noise * cell.noise * expected(cell).powi(power));
        let worth = |(share, sum): (&Share, Worth)| Worth {
            mean: sign * share.ratio() * level,
            variance: (level / share.weight).powi(2) * sum.variance,
            ..sum
        };
        let worths = of_settings.iter().zip(errors).map(worth).collect();
        Self { worths, misfit: (noise.ln() + f64::from(power) * spread) / 2.0 }
    }
}

/// The variance of a value is in proportion to this power of its expectation.
const POWERS: [i32; 3] = [0, 1, 2];

/// The weight of the common noise, in values, relative to a case's own noise.
const COMMON_NOISE: f64 = 4.0;

/// Returns, by setting, the variance of the sum of its values, still without a mean. Some cases are noisier than others:
/// the noise of each is estimated from its own deviations, and shrunk towards the common noise. `squares` are the squared
/// deviations of the values, relative to their `variance` up to a factor.
fn errors(cells: &[Cell], squares: &[f64], settings: usize, noise: f64, variance: impl Fn(&Cell) -> f64) -> Vec<Worth> {
    let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
    let mut of_cases = vec![Share { sum: COMMON_NOISE, weight: COMMON_NOISE }; cases(cells)];
    for (cell, square) in cells.iter().zip(squares) {
        of_cases[cell.case].sum += if mean > 0.0 { square / mean } else { 1.0 };
        of_cases[cell.case].weight += 1.0;
    }
    let mut weights = vec![0.0; of_cases.len()];
    let mut counts = vec![0.0; settings];
    for cell in cells {
        weights[cell.case] += 1.0 / cell.noise;
        counts[cell.setting] += 1.0;
    }
    let mut errors = vec![Worth::default(); settings];
    for (cell, square) in cells.iter().zip(squares) {
        let error = &mut errors[cell.setting];
        let of_case = of_cases[cell.case].ratio();
        error.variance += variance(cell) * of_case;
        if noise > 0.0 {
            error.squares += square * cell.noise / noise / of_case;
            error.freedom += (1.0 - 1.0 / counts[cell.setting]) * (1.0 - 1.0 / cell.noise / weights[cell.case]);
        }
    }
    errors
}

fn cases(cells: &[Cell]) -> usize {
    cells.iter().map(|cell| cell.case + 1).max().unwrap_or(0)
}

/// Adds up the values and weights of each place.
fn add_up(shares: &mut [Share], values: impl Iterator<Item = (usize, f64, f64)>) {
    shares.fill(Share::default());
    for (place, value, weight) in values {
        shares[place].sum += value;
        shares[place].weight += weight;
    }
}

/// Returns the mean over the cases that were run.
fn level(of_cases: &[Share]) -> f64 {
    let used = of_cases.iter().filter(|share| share.weight > 0.0);
    used.clone().map(|share| share.ratio()).sum::<f64>() / used.count().max(1) as f64
}

/// Returns the degrees of freedom that the fit leaves, at least 1.
fn freedom(cells: &[Cell], of_settings: &[Share], of_cases: &[Share]) -> f64 {
    let parts = of_settings.iter().chain(of_cases).filter(|share| share.weight > 0.0).count();
    (cells.len() + 1).saturating_sub(parts).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(worths: &[Option<Worth>], setting: usize) -> f64 {
        worths[setting].unwrap().mean
    }

    #[test]
    fn settings_that_share_no_case_are_compared_through_another() {
        // Case c is worth 1,000 c or 10^c. Settings 0 and 2 share no case.
        let links = [(0, 0..3), (1, 2..5), (2, 4..6)];
        let (mut added, mut multiplied) = (Values::default(), Values::default());
        for (setting, cases) in links {
            for case in cases {
                added.set(setting, case, Some(setting as f64 - 1_000.0 * case as f64 + 1_500.0));
                multiplied.set(setting, case, Some(-(setting as f64 + 1.0) * 10_f64.powi(case as i32)));
            }
        }
        let worths = added.worths(&[], &[]);
        assert!((mean(&worths, 1) - mean(&worths, 0) - 1.0).abs() < 0.01, "{worths:?}");
        assert!((mean(&worths, 2) - mean(&worths, 0) - 2.0).abs() < 0.02, "{worths:?}");
        let worths = multiplied.worths(&[], &[]);
        assert!((mean(&worths, 1) / mean(&worths, 0) - 2.0).abs() < 1e-3, "{worths:?}");
        assert!((mean(&worths, 2) / mean(&worths, 0) - 3.0).abs() < 1e-3, "{worths:?}");
        // (1 + 10 + … + 10^5) / 6, the mean score of the first setting on all cases.
        assert!((mean(&worths, 0) / -18518.5 - 1.0).abs() < 1e-3, "{worths:?}");
    }

    #[test]
    fn a_failure_is_the_worst_of_its_case_and_a_case_that_all_fail_counts_for_nothing() {
        let mut values = Values::default();
        for (setting, row) in [[Some(5.0), None, None], [Some(4.0), Some(-1.0), None]].into_iter().enumerate() {
            row.into_iter().enumerate().for_each(|(case, value)| values.set(setting, case, value));
        }
        let worths = values.worths(&[], &[]);
        assert!((mean(&worths, 0) - mean(&worths, 1) - 0.5).abs() < 1e-9, "{worths:?}");
        assert_eq!((values.count(0), values.count(7)), (3, 0));
    }

    #[test]
    fn the_variance_is_that_of_the_mean() {
        // 40 settings of the same worth on 16 cases, noise of variance 4.
        let mut random = crate::Random::new(4);
        let mut values = Values::default();
        for setting in 0..40 {
            (0..16).for_each(|case| values.set(setting, case, Some(2.0 * random.normal() + 9.0 * case as f64 - 60.0)));
        }
        let worths: Vec<Worth> = values.worths(&[], &[]).into_iter().flatten().collect();
        assert!((worths[0].variance - 0.25).abs() < 0.05, "{:?}", worths[0]);
        let means: Vec<f64> = worths.iter().map(|worth| worth.mean).collect();
        let spread = crate::Moments::of(&means).deviation().powi(2);
        assert!((0.12..0.45).contains(&spread), "{spread}");
    }

    #[test]
    fn what_ran_on_noisy_cases_is_less_certain() {
        // The first eight cases have a tenth of the noise of the others; each setting runs on one half.
        let mut random = crate::Random::new(6);
        let mut values = Values::default();
        for setting in 0..40 {
            for case in (0..16).filter(|case| setting < 4 || (case < &8) == (setting % 2 == 0)) {
                values.set(setting, case, Some(random.normal() * if case < 8 { 0.1 } else { 1.0 }));
            }
        }
        let worths: Vec<Worth> = values.worths(&[], &[]).into_iter().flatten().collect();
        assert!(worths[38].variance * 4.0 < worths[39].variance, "{:?} {:?}", worths[38], worths[39]);
        assert!(worths[0].variance < worths[39].variance);
    }
}
