//! A board of the Deletion Game with a border, and how its cells fall.

/// A cell by its index: column by column, from the floor up.
pub(super) type Cell = usize;

/// What stands in a blank cell and in the border.
pub(super) const BLANK: u8 = 10;

/// The board.
#[derive(Debug, Clone)]
pub(super) struct Board {
    digits: Vec<u8>,
    rows: usize,
    columns: usize,
}

impl Board {
    /// Returns the board with these digits, row by row from the top.
    pub(super) fn new(rows: usize, columns: usize, digits: &[u8]) -> Self {
        let mut board = Self { digits: vec![BLANK; (rows + 2) * (columns + 2)], rows, columns };
        for (row, line) in digits.chunks_exact(columns).enumerate() {
            for (column, &digit) in line.iter().enumerate() {
                let cell = board.cell(row, column);
                board.digits[cell] = digit;
            }
        }
        board
    }

    /// Returns the cell at a row from the top and a column, both from 0.
    pub(super) fn cell(&self, row: usize, column: usize) -> Cell {
        (column + 1) * (self.rows + 2) + self.rows - row
    }

    /// Returns a cell's row from the top and its column, both from 1.
    pub(super) fn place(&self, cell: Cell) -> (usize, usize) {
        (self.rows + 1 - cell % (self.rows + 2), cell / (self.rows + 2))
    }

    /// Returns the digit of a cell, or [`BLANK`].
    pub(super) fn digit(&self, cell: Cell) -> u8 {
        self.digits[cell]
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns by how much the index grows from a cell to the one on its right. The cell above has the next index.
    pub(super) fn stride(&self) -> usize {
        self.rows + 2
    }

    /// Returns how many steps two cells are apart.
    pub(super) fn distance(&self, first: Cell, second: Cell) -> usize {
        let [(row, column), (other_row, other_column)] = [self.place(first), self.place(second)];
        row.abs_diff(other_row) + column.abs_diff(other_column)
    }

    /// Returns how many indices there are, the border included.
    pub(super) fn indices(&self) -> usize {
        self.digits.len()
    }

    /// Returns the four cells beside a cell.
    pub(super) fn neighbors(&self, cell: Cell) -> [Cell; 4] {
        [cell - 1, cell + 1, cell - self.rows - 2, cell + self.rows + 2]
    }

    /// Returns the cells that are not blank.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> {
        (0..self.digits.len()).filter(|&cell| self.digits[cell] != BLANK)
    }

    /// Deletes the cells; what is above them falls.
    pub(super) fn delete(&mut self, path: &[Cell]) {
        path.iter().for_each(|&cell| self.digits[cell] = BLANK);
        let mut columns: Vec<usize> = path.iter().map(|cell| cell / (self.rows + 2)).collect();
        columns.sort_unstable();
        columns.dedup();
        for column in columns {
            let floor = column * (self.rows + 2) + 1;
            let stack = &mut self.digits[floor..floor + self.rows];
            let mut filled = 0;
            for height in 0..stack.len() {
                if stack[height] != BLANK {
                    stack.swap(filled, height);
                    filled += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_the_top_left() {
        let board = Board::new(2, 3, &[1, 2, 3, 4, 5, 6]);
        let cell = board.cell(1, 2);
        assert_eq!((board.digit(cell), board.place(cell)), (6, (2, 3)));
    }

    #[test]
    fn what_is_above_falls() {
        let mut board = Board::new(3, 2, &[1, 2, 3, 4, 5, 6]);
        board.delete(&[board.cell(1, 0), board.cell(2, 1), board.cell(1, 1)]);
        let rows = |column| [0, 1, 2].map(|row| board.digit(board.cell(row, column)));
        assert_eq!([rows(0), rows(1)], [[BLANK, 1, 5], [BLANK, BLANK, 2]]);
    }
}
