//! The board, on which blocks fall down and columns move left after a removal, and the search for groups of connected
//! blocks of one colour.

use super::input::Grid;
use std::ops::Range;

/// The value of an empty cell, instead of a letter.
pub(super) const EMPTY: u8 = 0;

/// The blocks, row-major from the top left, in a frame of empty cells: one row above, one below, and one column on the
/// right, which also is the left neighbour of the next row. So every cell has four neighbours. The order of the indices
/// is the order by row and then by column.
#[derive(Debug, Clone)]
pub(super) struct Board {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Distance between a cell and the one below it.
    stride: usize,
    blocks: Vec<u8>,
    /// The number of blocks left.
    pub(super) left: usize,
}

/// The part of a board where a removal may have changed the groups: the cells whose block has changed, and their
/// neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Board {
    pub(super) fn new(grid: &Grid) -> Self {
        let (rows, columns, stride) = (grid.rows, grid.columns, grid.columns + 1);
        let mut board = Self { rows, columns, stride, blocks: vec![EMPTY; (rows + 2) * stride], left: rows * columns };
        for (row, blocks) in grid.blocks.chunks(columns).enumerate() {
            let start = board.cell(row, 0);
            board.blocks[start..start + columns].copy_from_slice(blocks);
        }
        board
    }

    /// Returns the number of cells, including the frame.
    pub(super) fn size(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the index of a cell. Row 0 is the top.
    pub(super) fn cell(&self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride + column
    }

    pub(super) fn column(&self, cell: usize) -> usize {
        cell % self.stride
    }

    pub(super) fn row(&self, cell: usize) -> usize {
        cell / self.stride - 1
    }

    /// Returns the index of a cell in row-major order without the frame.
    pub(super) fn place(&self, cell: usize) -> usize {
        self.row(cell) * self.columns + self.column(cell)
    }

    /// Returns the block in this cell, or [`EMPTY`].
    pub(super) fn block(&self, cell: usize) -> u8 {
        self.blocks[cell]
    }

    /// Returns the cells next to one that is not in the frame.
    pub(super) fn neighbours(&self, cell: usize) -> [usize; 4] {
        [cell - self.stride, cell - 1, cell + 1, cell + self.stride]
    }

    /// Returns the whole board.
    pub(super) fn whole(&self) -> Region {
        Region { rows: 0..self.rows, columns: 0..self.columns }
    }

    /// Returns the cells in this part of the board.
    pub(super) fn cells(&self, part: &Region) -> impl Iterator<Item = usize> + use<> {
        let (stride, columns) = (self.stride, part.columns.clone());
        part.rows.clone().flat_map(move |row| (row + 1) * stride + columns.start..(row + 1) * stride + columns.end)
    }

    /// Removes the blocks in these cells, at least one, and lets the others settle.
    pub(super) fn remove(&mut self, group: &[usize]) -> Region {
        let (mut lowest, mut first, mut last) = (0, self.columns, 0);
        for &cell in group {
            self.blocks[cell] = EMPTY;
            lowest = lowest.max(self.row(cell));
            first = first.min(self.column(cell));
            last = last.max(self.column(cell));
        }
        self.left -= group.len();
        for column in first..=last {
            self.settle(column, lowest);
        }
        let bottom = self.cell(self.rows - 1, 0);
        if self.blocks[bottom + first..=bottom + last].contains(&EMPTY) {
            self.close_up(first);
            return Region { rows: 0..self.rows, columns: first.saturating_sub(1)..self.columns };
        }
        // No cell below the lowest removed one has changed.
        Region { rows: 0..self.rows.min(lowest + 2), columns: first.saturating_sub(1)..self.columns.min(last + 2) }
    }

    /// Lets the blocks of a column in this row or above it fall.
    fn settle(&mut self, column: usize, lowest: usize) {
        let mut ground = self.cell(lowest, column);
        for cell in (0..=lowest).rev().map(|row| (row + 1) * self.stride + column) {
            if self.blocks[cell] != EMPTY {
                self.blocks.swap(cell, ground);
                ground -= self.stride;
            }
        }
    }

    /// Moves columns to the left over empty ones. None of the empty ones is left of `first`.
    fn close_up(&mut self, first: usize) {
        let mut kept = first;
        for column in first..self.columns {
            if self.blocks[self.cell(self.rows - 1, column)] != EMPTY {
                for row in 0..self.rows {
                    let (from, to) = (self.cell(row, column), self.cell(row, kept));
                    self.blocks.swap(from, to);
                }
                kept += 1;
            }
        }
    }
}

/// A search for groups. It keeps its memory, so the hundreds of searches of a game allocate only once.
#[derive(Debug)]
pub(super) struct Flood {
    round: u32,
    /// For each cell, the round in which it was last found.
    seen: Vec<u32>,
    found: Vec<usize>,
}

impl Flood {
    pub(super) fn new(board: &Board) -> Self {
        Self { round: 0, seen: vec![0; board.size()], found: Vec::new() }
    }

    /// Starts a round, in which no cell has been found yet.
    pub(super) fn start(&mut self) {
        self.round += 1;
    }

    /// Returns the group of a cell, including the cell. Returns no cells if the cell is empty or was found earlier in
    /// this round.
    pub(super) fn group(&mut self, board: &Board, start: usize) -> &[usize] {
        self.found.clear();
        let color = board.block(start);
        if color != EMPTY {
            self.find(start);
        }
        let mut next = 0;
        while let Some(&cell) = self.found.get(next) {
            next += 1;
            for neighbour in board.neighbours(cell) {
                if board.block(neighbour) == color {
                    self.find(neighbour);
                }
            }
        }
        &self.found
    }

    fn find(&mut self, cell: usize) {
        if self.seen[cell] != self.round {
            self.seen[cell] = self.round;
            self.found.push(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rows: &[&str]) -> Board {
        Board::new(&Grid { rows: rows.len(), columns: rows[0].len(), blocks: rows.concat().into_bytes() })
    }

    fn rows(board: &Board) -> Vec<String> {
        let text = |row| (0..board.columns).map(move |column| (row, column));
        let block = |(row, column)| match board.block(board.cell(row, column)) {
            EMPTY => '-',
            block => char::from(block),
        };
        (0..board.rows).map(|row| text(row).map(block).collect()).collect()
    }

    #[test]
    fn blocks_fall_and_several_empty_columns_close_up() {
        let mut board = board(&["AXXXB", "CXDXE", "FXGXH"]);
        let group =
            [(0, 1), (0, 2), (0, 3), (1, 1), (1, 3), (2, 1), (2, 3)].map(|(row, column)| board.cell(row, column));
        let disturbed = board.remove(&group);
        assert_eq!(rows(&board), ["A-B--", "CDE--", "FGH--"]);
        assert_eq!((board.left, disturbed), (8, Region { rows: 0..3, columns: 0..5 }));
    }

    #[test]
    fn a_removal_disturbs_what_falls_and_what_lies_beside_and_below() {
        let mut board = board(&["ABCDE", "FGXXJ", "KLMNO", "PQRST"]);
        let disturbed = board.remove(&[board.cell(1, 2), board.cell(1, 3)]);
        assert_eq!(rows(&board), ["AB--E", "FGCDJ", "KLMNO", "PQRST"]);
        assert_eq!(disturbed, Region { rows: 0..3, columns: 1..5 });
    }

    #[test]
    fn of_two_cells_the_higher_and_then_the_lefter_has_the_smaller_index() {
        let board = board(&["AB", "CD", "EF"]);
        let cells: Vec<_> = board.cells(&board.whole()).collect();
        assert!(cells.is_sorted());
        assert_eq!(cells.iter().map(|&cell| board.block(cell)).collect::<Vec<_>>(), b"ABCDEF");
        assert!(cells.iter().all(|&cell| cell == board.cell(board.row(cell), board.column(cell))));
    }
}

#[cfg(test)]
mod flood_tests {
    use super::super::input::Grid;
    use super::*;

    #[test]
    fn a_group_is_connected_along_sides_and_found_once_a_round() {
        let board = Board::new(&Grid { rows: 3, columns: 3, blocks: b"ABAAABBBA".to_vec() });
        let mut flood = Flood::new(&board);
        for _ in 0..2 {
            flood.start();
            let mut group = flood.group(&board, board.cell(1, 1)).to_vec();
            group.sort_unstable();
            assert_eq!(group, [(0, 0), (1, 0), (1, 1)].map(|(r, c)| board.cell(r, c)));
            assert_eq!(flood.group(&board, board.cell(0, 0)), []);
            assert_eq!(flood.group(&board, board.cell(2, 2)), [board.cell(2, 2)]);
        }
    }
}
