//! A Gaussian process: predicts the value of any setting from the values of tried settings.
//!
//! Rasmussen and Williams, "Gaussian Processes for Machine Learning", MIT Press 2006: the predictions are (2.25) and
//! (2.26), the likelihood is (2.30), its gradient (5.9). The covariance is Matérn's with smoothness 5/2 and a length
//! for each parameter (automatic relevance determination): an irrelevant parameter gets a large length.

/// A tried setting.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// Its position: from 0 to 1 in each parameter.
    pub(super) point: Vec<f64>,
    /// Its mean value.
    pub(super) value: f64,
    /// The variance of that mean by the choice of cases.
    pub(super) noise: f64,
}

/// The parameters of the covariance, as logarithms: a length for each parameter, the smooth variance, and the rough
/// variance between settings that no distance explains.
#[derive(Debug, Clone)]
pub(super) struct Covariance {
    logs: Vec<f64>,
}

/// The density of the prior is normal in each logarithm: mean and standard deviation.
const LENGTH: [f64; 2] = [-0.7, 1.0];
const SMOOTH: [f64; 2] = [0.0, 1.0];
const ROUGH: [f64; 2] = [-4.5, 1.5];

/// The steps of the optimiser in each logarithm: initial, minimal and maximal.
const STEPS: [f64; 3] = [0.2, 0.005, 0.6];

impl Covariance {
    /// Returns the most likely parameters without data. Lengths grow with the number of parameters, as do the distances
    /// between points.
    pub(super) fn prior(parameters: usize) -> Self {
        let mut logs = vec![LENGTH[0] + (parameters as f64).sqrt().ln(); parameters];
        logs.extend([SMOOTH[0], ROUGH[0]]);
        Self { logs }
    }

    fn parameters(&self) -> usize {
        self.logs.len() - 2
    }

    fn smooth(&self) -> f64 {
        self.logs[self.parameters()].exp()
    }

    fn rough(&self) -> f64 {
        self.logs[self.parameters() + 1].exp()
    }

    /// Returns the covariance of two settings without the rough part. Different categories are equally far from each
    /// other.
    fn between(&self, space: &[bool], left: &[f64], right: &[f64]) -> f64 {
        self.smooth() * matern(self.distance(space, left, right))
    }

    fn distance(&self, space: &[bool], left: &[f64], right: &[f64]) -> f64 {
        let logs = &self.logs[..self.parameters()];
        let squares =
            logs.iter().zip(space).zip(left.iter().zip(right)).map(|((log, &is_category), (left, right))| {
                separation(is_category, *left, *right) * (-2.0 * log).exp()
            });
        squares.sum::<f64>().sqrt()
    }

    /// Returns the derivatives of the logarithm of the prior density, and the density up to a constant.
    fn prior_gradient(&self) -> (f64, Vec<f64>) {
        let most_likely = Self::prior(self.parameters());
        let spreads = std::iter::repeat_n(LENGTH[1], self.parameters()).chain([SMOOTH[1], ROUGH[1]]);
        let scaled: Vec<(f64, f64)> = self
            .logs
            .iter()
            .zip(&most_likely.logs)
            .zip(spreads)
            .map(|((log, center), spread)| ((log - center) / spread, spread))
            .collect();
        let density = scaled.iter().map(|(scaled, _)| -scaled * scaled / 2.0).sum();
        (density, scaled.iter().map(|(scaled, spread)| -scaled / spread).collect())
    }
}

/// Returns the square of the difference in one parameter.
fn separation(is_category: bool, left: f64, right: f64) -> f64 {
    if is_category { f64::from(u8::from((left - right).abs() > 1e-9)) } else { (left - right) * (left - right) }
}

fn matern(distance: f64) -> f64 {
    let scaled = 5.0_f64.sqrt() * distance;
    (1.0 + scaled + scaled * scaled / 3.0) * (-scaled).exp()
}

/// A Gaussian process conditioned on some samples.
#[derive(Debug, Clone)]
pub(super) struct Process {
    pub(super) covariance: Covariance,
    /// Which parameters are categories.
    space: Vec<bool>,
    points: Vec<Vec<f64>>,
    /// The values less their mean, and the inverse of their covariance.
    values: Vec<f64>,
    inverse: Matrix,
    weights: Vec<f64>,
    /// The mean far from all samples.
    mean: f64,
    /// The logarithm of the posterior density of the covariance's parameters, up to a constant.
    pub(super) log_posterior: f64,
}

/// The belief about the value at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Belief {
    /// The mean.
    pub(super) mean: f64,
    /// The standard deviation.
    pub(super) deviation: f64,
}

impl Process {
    /// Conditions a process on samples. `None` if the covariance is degenerate.
    pub(super) fn of(samples: &[Sample], space: &[bool], covariance: &Covariance) -> Option<Self> {
        let matrix = Matrix::symmetric(samples.len(), |row, column| {
            let own = if row == column { covariance.rough() + samples[row].noise } else { 0.0 };
            covariance.between(space, &samples[row].point, &samples[column].point) + own
        });
        let (inverse, log_determinant) = matrix.inverse()?;
        let ones = inverse.times(&vec![1.0; samples.len()]);
        let raw: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
        let mean = dot(&ones, &raw) / ones.iter().sum::<f64>();
        let values: Vec<f64> = raw.iter().map(|value| value - mean).collect();
        let weights = inverse.times(&values);
        let log_posterior = -0.5 * dot(&values, &weights) - 0.5 * log_determinant + covariance.prior_gradient().0;
        let points = samples.iter().map(|sample| sample.point.clone()).collect();
        let (covariance, space) = (covariance.clone(), space.to_vec());
        log_posterior.is_finite().then_some(Self {
            covariance,
            space,
            points,
            values,
            inverse,
            weights,
            mean,
            log_posterior,
        })
    }

    /// Conditions a process on samples. Fits the parameters of the covariance by this many steps uphill from the given
    /// ones (Rprop without backtracking: Riedmiller and Braun, 1993).
    pub(super) fn fit(samples: &[Sample], space: &[bool], start: &Covariance, steps: usize) -> Option<Self> {
        let mut best = Self::of(samples, space, start)?;
        let mut current = best.clone();
        let mut step = vec![STEPS[0]; start.logs.len()];
        let mut last = vec![0.0; start.logs.len()];
        for _ in 0..steps {
            let gradient = current.gradient();
            let mut next = current.covariance.clone();
            for (place, slope) in gradient.into_iter().enumerate() {
                let agreement = slope * last[place];
                let factor = if agreement > 0.0 {
                    1.2
                } else if agreement < 0.0 {
                    0.5
                } else {
                    1.0
                };
                step[place] = (step[place] * factor).clamp(STEPS[1], STEPS[2]);
                next.logs[place] += step[place] * slope.signum();
                last[place] = slope;
            }
            let Some(process) = Self::of(samples, space, &next) else { break };
            current = process;
            if current.log_posterior > best.log_posterior {
                best = current.clone();
            }
        }
        Some(best)
    }

    /// Returns the derivatives of the log posterior.
    fn gradient(&self) -> Vec<f64> {
        let parameters = self.covariance.parameters();
        let rates: Vec<f64> = self.covariance.logs[..parameters].iter().map(|log| (-2.0 * log).exp()).collect();
        let (smooth, rough) = (self.covariance.smooth(), self.covariance.rough());
        let mut gradient = self.covariance.prior_gradient().1;
        let root = 5.0_f64.sqrt();
        for row in 0..self.points.len() {
            for column in 0..=row {
                let weight = self.weights[row] * self.weights[column] - self.inverse.row(row)[column];
                if row == column {
                    gradient[parameters] += weight * smooth / 2.0;
                    gradient[parameters + 1] += weight * rough / 2.0;
                    continue;
                }
                let (left, right) = (&self.points[row], &self.points[column]);
                let distance = self.covariance.distance(&self.space, left, right);
                gradient[parameters] += weight * smooth * matern(distance);
                let slope = weight * smooth * 5.0 / 3.0 * (1.0 + root * distance) * (-root * distance).exp();
                for place in 0..parameters {
                    let square = separation(self.space[place], left[place], right[place]);
                    gradient[place] += slope * square * rates[place];
                }
            }
        }
        gradient
    }

    fn cross(&self, point: &[f64]) -> Vec<f64> {
        self.points.iter().map(|other| self.covariance.between(&self.space, point, other)).collect()
    }

    /// Returns the belief about the smooth part of the value at a point.
    pub(super) fn at(&self, point: &[f64]) -> Belief {
        let cross = self.cross(point);
        self.belief(&cross, self.covariance.smooth())
    }

    /// Returns the belief about the value of a sample, including the rough part.
    pub(super) fn of_sample(&self, sample: usize) -> Belief {
        let mut cross = self.cross(&self.points[sample]);
        cross[sample] += self.covariance.rough();
        self.belief(&cross, self.covariance.smooth() + self.covariance.rough())
    }

    fn belief(&self, cross: &[f64], prior: f64) -> Belief {
        let explained: f64 = (0..cross.len()).map(|row| cross[row] * dot(self.inverse.row(row), cross)).sum();
        Belief { mean: self.mean + dot(cross, &self.weights), deviation: (prior - explained).max(0.0).sqrt() }
    }

    /// Adds a sample with the expected value of its point, so that the next points are chosen elsewhere.
    pub(super) fn pretend(&mut self, point: &[f64], noise: f64) {
        let cross = self.cross(point);
        let value = dot(&cross, &self.weights);
        let corner = self.covariance.smooth() + self.covariance.rough() + noise;
        self.inverse.grow_inverse(&cross, corner);
        self.points.push(point.to_vec());
        self.values.push(value);
        self.weights = self.inverse.times(&self.values);
    }
}

/// A square matrix, row by row.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// Returns the symmetric matrix with these cells.
    pub(super) fn symmetric(size: usize, cell: impl Fn(usize, usize) -> f64) -> Self {
        let mut matrix = Self { size, cells: vec![0.0; size * size] };
        for row in 0..size {
            for column in 0..=row {
                let value = cell(row, column);
                matrix.cells[row * size + column] = value;
                matrix.cells[column * size + row] = value;
            }
        }
        matrix
    }

    /// Returns a row.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..][..self.size]
    }

    /// Returns the product with a vector.
    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size).map(|row| dot(self.row(row), vector)).collect()
    }

    /// Returns the inverse and the logarithm of the determinant; `None` if the matrix is not positive definite.
    ///
    /// By Cholesky's factor L: the rows of L⁻¹ come from forward substitution, and the inverse is L⁻ᵀ L⁻¹. All inner
    /// loops run over rows.
    pub(super) fn inverse(mut self) -> Option<(Self, f64)> {
        let size = self.size;
        let mut log_determinant = 0.0;
        for row in 0..size {
            for column in 0..=row {
                let (above, below) = self.cells.split_at(row * size);
                let own = &below[..size];
                let other = if column == row { own } else { &above[column * size..][..size] };
                let rest = own[column] - dot(&own[..column], &other[..column]);
                if column < row {
                    self.cells[row * size + column] = rest / self.cells[column * size + column];
                } else if rest > 0.0 && rest.is_finite() {
                    self.cells[row * size + row] = rest.sqrt();
                    log_determinant += rest.ln();
                } else {
                    return None;
                }
            }
        }
        Some((self.inverse_of_factor(), log_determinant))
    }

    fn inverse_of_factor(&self) -> Self {
        let size = self.size;
        // Row by row: L⁻¹ has zeros above the diagonal.
        let mut lower = vec![0.0; size * size];
        for row in 0..size {
            let (done, rest) = lower.split_at_mut(row * size);
            let own = &mut rest[..size];
            let pivot = 1.0 / self.cells[row * size + row];
            for column in 0..row {
                add_scaled(&mut own[..=column], &done[column * size..][..=column], -self.cells[row * size + column]);
            }
            own[..row].iter_mut().for_each(|cell| *cell *= pivot);
            own[row] = pivot;
        }
        let mut inverse = Self { size, cells: vec![0.0; size * size] };
        for factor in lower.chunks_exact(size.max(1)).enumerate().map(|(row, cells)| &cells[..=row]) {
            for (row, &scale) in factor.iter().enumerate() {
                add_scaled(&mut inverse.cells[row * size..][..=row], &factor[..=row], scale);
            }
        }
        for row in 0..size {
            for column in row + 1..size {
                inverse.cells[row * size + column] = inverse.cells[column * size + row];
            }
        }
        inverse
    }

    /// Adds a row and a column to an inverse: `cross` and `corner` belong to the matrix itself.
    pub(super) fn grow_inverse(&mut self, cross: &[f64], corner: f64) {
        let weights = self.times(cross);
        let rest = (corner - dot(cross, &weights)).max(f64::MIN_POSITIVE);
        let last = self.size;
        let old = std::mem::replace(self, Self { size: 0, cells: Vec::new() });
        *self = Self::symmetric(last + 1, |row, column| match (row == last, column == last) {
            (true, true) => 1.0 / rest,
            (true, false) => -weights[column] / rest,
            _ => old.cells[row * last + column] + weights[row] * weights[column] / rest,
        });
    }
}

/// Returns the sum of the products. Four parallel sums are fastest on a processor.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (left, right) = (left.chunks_exact(4), right.chunks_exact(4));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(left, right)| left * right).sum();
    for (left, right) in left.zip(right) {
        for lane in 0..4 {
            sums[lane] += left[lane] * right[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn add_scaled(sum: &mut [f64], row: &[f64], scale: f64) {
    sum.iter_mut().zip(row).for_each(|(sum, cell)| *sum += cell * scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Sample> {
        let sample = |place: usize| {
            let point = vec![place as f64 / 11.0, (place * 7 % 12) as f64 / 11.0];
            Sample { value: (4.0 * point[0]).sin(), point, noise: 1e-4 }
        };
        (0..12).map(sample).collect()
    }

    #[test]
    fn the_gradient_is_that_of_the_log_posterior() {
        let covariance = Covariance { logs: vec![-0.5, 0.1, 0.3, -3.0] };
        let at = |covariance: &Covariance| Process::of(&samples(), &[false, false], covariance).unwrap();
        let gradient = at(&covariance).gradient();
        for (place, slope) in gradient.into_iter().enumerate() {
            let shifted = |shift: f64| {
                let mut covariance = covariance.clone();
                covariance.logs[place] += shift;
                at(&covariance).log_posterior
            };
            let expected = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!((slope - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{place}: {slope} {expected}");
        }
    }

    #[test]
    fn a_fit_finds_which_parameter_matters_and_predicts() {
        let process = Process::fit(&samples(), &[false, false], &Covariance::prior(2), 40).unwrap();
        let logs = &process.covariance.logs;
        assert!(logs[1] > logs[0] + 1.0, "the second parameter does nothing: {logs:?}");
        let between = process.at(&[0.4, 0.9]);
        assert!((between.mean - 1.6_f64.sin()).abs() < 0.1, "{between:?}");
        assert!(process.at(&[0.5, 0.5]).deviation < process.at(&[3.0, 3.0]).deviation);
    }

    #[test]
    fn a_pretended_sample_lowers_the_uncertainty_and_keeps_the_mean() {
        let mut process = Process::of(&samples(), &[false, false], &Covariance::prior(2)).unwrap();
        let point = [0.05, 0.95];
        let before = process.at(&point);
        process.pretend(&point, 0.01);
        let after = process.at(&point);
        assert!((before.mean - after.mean).abs() < 1e-9 && after.deviation < before.deviation);
    }

    fn example() -> Matrix {
        Matrix::symmetric(6, |row, column| if row == column { 3.0 } else { 1.0 / (1.0 + row.abs_diff(column) as f64) })
    }

    #[test]
    fn an_inverse_by_hand() {
        // [[4, 2], [2, 3]] has determinant 8 and inverse [[3, -2], [-2, 4]] / 8.
        let (inverse, log_determinant) =
            Matrix::symmetric(2, |row, column| [[4.0, 2.0], [2.0, 3.0]][row][column]).inverse().unwrap();
        assert!((log_determinant - 8.0_f64.ln()).abs() < 1e-12);
        for (cell, expected) in inverse.cells.iter().zip([0.375, -0.25, -0.25, 0.5]) {
            assert!((cell - expected).abs() < 1e-12);
        }
        assert!(Matrix::symmetric(2, |_, _| 1.0).inverse().is_none(), "singular");
    }

    #[test]
    fn a_grown_inverse_is_that_of_the_grown_matrix() {
        let whole = example();
        let (mut grown, _) = Matrix::symmetric(5, |row, column| whole.row(row)[column]).inverse().unwrap();
        grown.grow_inverse(&whole.row(5)[..5], whole.row(5)[5]);
        let (direct, _) = whole.inverse().unwrap();
        for (grown, direct) in grown.cells.iter().zip(&direct.cells) {
            assert!((grown - direct).abs() < 1e-12);
        }
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let (inverse, _) = example().inverse().unwrap();
        for row in 0..6 {
            let product = inverse.times(example().row(row));
            for (column, cell) in product.into_iter().enumerate() {
                assert!((cell - f64::from(u8::from(row == column))).abs() < 1e-12);
            }
        }
    }
}
