//! Symmetric positive definite matrices: the few operations that a Gaussian process needs.

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

    /// Adds a row and a column to an inverse: `cross` and `corner` are those of the matrix itself.
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

/// Returns the sum of the products. Four sums side by side are what a processor adds fastest.
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
