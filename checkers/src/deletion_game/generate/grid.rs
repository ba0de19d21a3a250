//! The board of a case that is being made.

/// A row and a column, both from 0, the top left is (0, 0).
pub(super) type Spot = (usize, usize);

/// A grid of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    columns: usize,
    /// Row by row.
    digits: Vec<u8>,
}

impl Grid {
    /// Asks for each cell's digit, row by row.
    pub(super) fn of(rows: usize, columns: usize, mut digit: impl FnMut(usize, usize) -> u8) -> Self {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Self { columns, digits: cells.map(|(row, column)| digit(row, column)).collect() }
    }

    pub(super) fn rows(&self) -> usize {
        self.digits.len() / self.columns
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn by_rows(&self) -> impl Iterator<Item = &[u8]> {
        self.digits.chunks_exact(self.columns)
    }

    pub(super) fn digit(&self, (row, column): Spot) -> u8 {
        self.digits[row * self.columns + column]
    }

    pub(super) fn set(&mut self, (row, column): Spot, digit: u8) {
        self.digits[row * self.columns + column] = digit;
    }

    /// Makes the right half the mirror image of the left.
    pub(super) fn mirror_left_to_right(&mut self) {
        let half = self.columns / 2;
        for row in self.digits.chunks_exact_mut(self.columns) {
            for column in 0..half {
                row[row.len() - 1 - column] = row[column];
            }
        }
    }

    /// Makes the grid the same when it is turned upside down.
    pub(super) fn mirror_by_half_a_turn(&mut self) {
        let half = self.digits.len() / 2;
        for index in 0..half {
            let opposite = self.digits.len() - 1 - index;
            self.digits[opposite] = self.digits[index];
        }
    }
}
