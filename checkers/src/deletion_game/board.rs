//! The board: a grid of digits. When cells are removed, the digits above them drop.

/// The value of a cell without a digit.
const BLANK: u8 = u8::MAX;

/// The number of a cell. Cells are numbered column by column, each from the bottom up.
pub(super) type CellIndex = usize;

/// A grid of digits. Blanks are always above the digits of their column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Board {
    /// n of the statement.
    pub(super) height: usize,
    /// m of the statement.
    pub(super) width: usize,
    /// Column by column, so that a drop moves neighbours in memory.
    cells: Vec<u8>,
    /// The number of cells that are not blank.
    pub(super) filled: usize,
}

impl Board {
    /// Returns a board with these digits, row by row from the top, each row of `width` digits from the left.
    pub(super) fn from_rows(width: usize, digits: &[u8]) -> Self {
        let height = digits.len() / width;
        let mut cells = vec![BLANK; digits.len()];
        for (row, digits) in digits.chunks_exact(width).enumerate() {
            let bottom_up = height - 1 - row;
            for (column, &digit) in digits.iter().enumerate() {
                cells[column * height + bottom_up] = digit;
            }
        }
        Self { height, width, filled: cells.len(), cells }
    }

    /// Returns the cell in a row, from 0 at the top, and a column, from 0 at the left.
    #[inline]
    pub(super) fn cell(&self, row: usize, column: usize) -> CellIndex {
        column * self.height + (self.height - 1 - row)
    }

    /// Returns the digit on the cell, unless it is blank.
    #[inline]
    pub(super) fn digit(&self, cell: CellIndex) -> Option<u8> {
        Some(self.cells[cell]).filter(|&digit| digit != BLANK)
    }

    /// Removes these cells and lets the digits above them drop. The cells are different and not blank. Sorts `path`.
    pub(super) fn take(&mut self, path: &mut [CellIndex]) {
        let height = self.height;
        path.sort_unstable();
        for taken in path.chunk_by(|a, b| a / height == b / height) {
            self.take_from_column(taken);
        }
        self.filled -= path.len();
    }

    /// Removes cells of one column, from the bottom up. Each run of digits between two removed cells moves as one
    /// piece.
    fn take_from_column(&mut self, taken: &[CellIndex]) {
        let column_end = (taken[0] / self.height + 1) * self.height;
        let mut top = taken[0];
        for (index, &cell) in taken.iter().enumerate() {
            let run_end = taken.get(index + 1).copied().unwrap_or(column_end);
            self.cells.copy_within(cell + 1..run_end, top);
            top += run_end - (cell + 1);
        }
        self.cells[top..column_end].fill(BLANK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(board: &Board) -> Vec<Vec<Option<u8>>> {
        let row = |row| (0..board.width).map(|column| board.digit(board.cell(row, column))).collect();
        (0..board.height).map(row).collect()
    }

    #[test]
    fn digits_drop_past_every_taken_cell_below_them() {
        let mut board = Board::from_rows(2, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
        let mut path = [(3, 0), (3, 1), (2, 1), (1, 1), (1, 0)].map(|(row, column)| board.cell(row, column));
        board.take(&mut path);
        let expected =
            [[None, None], [None, None], [Some(1), None], [Some(5), Some(2)], [Some(9), Some(0)]].map(Vec::from);
        assert_eq!(rows(&board), expected);
        assert_eq!(board.filled, 5);
    }

    #[test]
    fn a_whole_board_can_be_taken() {
        let mut board = Board::from_rows(3, &[1, 2, 3, 4, 5, 6]);
        let mut path: Vec<_> = (0..6).rev().collect();
        board.take(&mut path);
        assert_eq!(rows(&board), vec![vec![None; 3]; 2]);
        assert_eq!(board.filled, 0);
    }
}
