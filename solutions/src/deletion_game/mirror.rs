//! Palindromes that fill a whole board that is the same after half a turn, or in a mirror.

use super::board::{Board, Cell};

/// The border's own mark for a cell without a link.
const NONE: Cell = 0;

/// Returns the paths to and fro over the whole board, along the rows and along the columns, from two corners.
pub(super) fn snakes(board: &Board) -> [Vec<Cell>; 4] {
    let (rows, columns) = (board.rows(), board.columns());
    let by_rows = |flip: bool| {
        let cell = move |row: usize, i: usize| {
            let forward = row.is_multiple_of(2) != flip;
            board.cell(row, if forward { i } else { columns - 1 - i })
        };
        (0..rows).flat_map(|row| (0..columns).map(move |i| cell(row, i))).collect()
    };
    let by_columns = |flip: bool| {
        let cell = move |column: usize, i: usize| {
            let forward = column.is_multiple_of(2) != flip;
            board.cell(if forward { i } else { rows - 1 - i }, column)
        };
        (0..columns).flat_map(|column| (0..rows).map(move |i| cell(column, i))).collect()
    };
    [by_rows(false), by_rows(true), by_columns(false), by_columns(true)]
}

/// Returns the longest part of a path, cut off at both ends alike, that is a palindrome not longer than `longest`.
pub(super) fn middle_palindrome(board: &Board, path: &[Cell], longest: usize) -> Vec<Cell> {
    let length = path.len();
    let digit = |i: usize| board.digit(path[i]);
    let equal = (0..length / 2).rev().take_while(|&i| digit(i) == digit(length - 1 - i)).count();
    let least = (length / 2 - equal).max(length.saturating_sub(longest).div_ceil(2));
    let start = (least..length.div_ceil(2)).find(|&start| digit(start) != 0);
    start.map_or_else(Vec::new, |start| path[start..length - start].to_vec())
}

/// Returns a palindrome that runs through nearly all of the left half that the right half mirrors, and back there.
pub(super) fn mirrored(board: &Board, longest: usize) -> Vec<Cell> {
    let columns = board.columns();
    if !columns.is_multiple_of(2) || columns < 4 || board.rows() < 2 {
        return Vec::new();
    }
    let mirror = |cell: Cell| {
        let (row, column) = board.place(cell);
        board.cell(row - 1, columns - column)
    };
    let mut loops = Loops::new(board, |cell| board.digit(cell) == board.digit(mirror(cell)));
    loops.join_blocks();
    loops.take_in_the_rest();
    let middle = columns / 2;
    let half = (0..board.rows()).map(|row| loops.around(board.cell(row, middle - 1))).max_by_key(Vec::len);
    let Some(half) = half.filter(|half| half.len() > 3) else { return Vec::new() };
    // The loop is cut before one of its cells at the middle: the path ends there.
    let at_middle = |&i: &usize| board.place(half[i]).1 == middle;
    let skipped = half.len().saturating_sub(longest / 2);
    let start = |end: usize| (end + 1 + skipped) % half.len();
    let Some(end) = (0..half.len()).filter(at_middle).find(|&end| board.digit(half[start(end)]) != 0) else {
        return Vec::new();
    };
    let mut path: Vec<Cell> = (skipped..half.len()).map(|i| half[(end + 1 + i) % half.len()]).collect();
    let back: Vec<Cell> = path.iter().rev().map(|&cell| mirror(cell)).collect();
    path.extend(back);
    path
}

/// Loops through the good cells of the left half: first around blocks of two by two, then joined and widened.
struct Loops<'a> {
    board: &'a Board,
    good: Vec<bool>,
    /// For each cell, its two neighbours on its loop.
    links: Vec<[Cell; 2]>,
    /// For each block's top left cell, another block of the same loop, or itself.
    root: Vec<Cell>,
    blocks: Vec<Cell>,
}

impl<'a> Loops<'a> {
    fn new(board: &'a Board, is_good: impl Fn(Cell) -> bool) -> Self {
        let middle = board.columns() / 2;
        let mut good = vec![false; board.indices()];
        for row in 0..board.rows() {
            for cell in (0..middle).map(|column| board.cell(row, column)) {
                good[cell] = is_good(cell);
            }
        }
        let mut loops = Self {
            board,
            good,
            links: vec![[NONE; 2]; board.indices()],
            root: (0..board.indices()).collect(),
            blocks: vec![],
        };
        // Blocks begin at the middle, so that the loop touches it everywhere.
        for row in (0..board.rows() - 1).step_by(2) {
            for column in (0..middle - 1).rev().step_by(2) {
                loops.add_block(board.cell(row, column));
            }
        }
        loops
    }

    fn add_block(&mut self, block: Cell) {
        let [a, b, c, d] = self.corners(block);
        if [a, b, c, d].iter().all(|&cell| self.good[cell]) {
            self.links[a] = [c, b];
            self.links[b] = [a, d];
            self.links[d] = [b, c];
            self.links[c] = [d, a];
            self.blocks.push(block);
        }
    }

    /// Returns the top left, top right, bottom left and bottom right cells.
    fn corners(&self, block: Cell) -> [Cell; 4] {
        let right = block + self.board.stride();
        [block, right, block - 1, right - 1]
    }

    /// Joins neighbouring blocks that are on different loops, until there is one for each connected part.
    fn join_blocks(&mut self) {
        for block in self.blocks.clone() {
            let [_, b, c, d] = self.corners(block);
            let right = block + 2 * self.board.stride();
            let below = block - 2;
            if self.is_block(right) && self.unite(block, right) {
                let [e, _, f, _] = self.corners(right);
                self.cross([b, d], [e, f]);
            }
            if self.is_block(below) && self.unite(block, below) {
                let [e, f, _, _] = self.corners(below);
                self.cross([c, d], [e, f]);
            }
        }
    }

    /// Tells whether a block of the grid is there and whole. Beyond the half's edges nothing is good.
    fn is_block(&self, block: Cell) -> bool {
        self.links[block] != [NONE; 2] && self.corners(block).iter().all(|&cell| self.good[cell])
    }

    /// Makes two loops one in the books. Returns false if they were one already.
    fn unite(&mut self, first: Cell, second: Cell) -> bool {
        let roots = [first, second].map(|block| self.find(block));
        self.root[roots[0]] = roots[1];
        roots[0] != roots[1]
    }

    fn find(&mut self, mut block: Cell) -> Cell {
        while self.root[block] != block {
            self.root[block] = self.root[self.root[block]];
            block = self.root[block];
        }
        block
    }

    /// Replaces the parallel links a-b and c-d by a-c and b-d.
    fn cross(&mut self, [a, b]: [Cell; 2], [c, d]: [Cell; 2]) {
        self.relink(a, b, c);
        self.relink(b, a, d);
        self.relink(c, d, a);
        self.relink(d, c, b);
    }

    fn relink(&mut self, cell: Cell, old: Cell, new: Cell) {
        for link in &mut self.links[cell] {
            if *link == old {
                *link = new;
                return;
            }
        }
    }

    /// Widens the loops by pairs of good cells that lie beside two cells in a row, as long as there are any.
    fn take_in_the_rest(&mut self) {
        let mut waiting: Vec<Cell> = (0..self.links.len()).filter(|&cell| self.links[cell] != [NONE; 2]).collect();
        while let Some(cell) = waiting.pop() {
            for next in self.links[cell] {
                if let Some(pair) = self.pair_beside(cell, next) {
                    self.links[pair[0]] = [cell, pair[1]];
                    self.links[pair[1]] = [pair[0], next];
                    self.relink(cell, next, pair[0]);
                    self.relink(next, cell, pair[1]);
                    waiting.extend([cell, next, pair[0], pair[1]]);
                    break;
                }
            }
        }
    }

    /// Returns two free good cells beside two neighbouring cells, on the same side.
    fn pair_beside(&self, cell: Cell, next: Cell) -> Option<[Cell; 2]> {
        let side = if cell.abs_diff(next) == 1 { self.board.stride() } else { 1 };
        let pairs = [[cell + side, next + side], [cell - side, next - side]];
        pairs.into_iter().find(|pair| pair.iter().all(|&cell| self.good[cell] && self.links[cell] == [NONE; 2]))
    }

    /// Returns the cells of the loop through a cell, from it on.
    fn around(&self, start: Cell) -> Vec<Cell> {
        let mut cells = Vec::new();
        let (mut before, mut cell) = (NONE, start);
        while self.links[start] != [NONE; 2] && (cells.is_empty() || cell != start) {
            cells.push(cell);
            let [one, other] = self.links[cell];
            (before, cell) = (cell, if one == before { other } else { one });
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::HashSet;

    fn assert_palindrome(board: &Board, path: &[Cell]) {
        let digits: Vec<u8> = path.iter().map(|&cell| board.digit(cell)).collect();
        assert!(digits.iter().eq(digits.iter().rev()) && digits[0] != 0);
        assert!(path.windows(2).all(|pair| board.neighbors(pair[0]).contains(&pair[1])));
        assert_eq!(path.iter().collect::<HashSet<_>>().len(), path.len());
    }

    #[test]
    fn a_mirrored_board_but_for_some_cells_is_nearly_one_palindrome() {
        for columns in [20, 22, 42] {
            let mut random = Random::new(columns as u64);
            let mut digits: Vec<u8> = (0..100 * columns).map(|_| random.below(10) as u8).collect();
            for row in digits.chunks_exact_mut(columns) {
                (0..columns / 2).for_each(|column| row[columns - 1 - column] = row[column]);
            }
            (0..10).for_each(|_| digits[random.below(100 * columns)] = 3);
            let board = Board::new(100, columns, &digits);
            let path = mirrored(&board, usize::MAX);
            assert_palindrome(&board, &path);
            assert!(path.len() > 100 * columns - 60, "{} of {}", path.len(), 100 * columns);
            let short = mirrored(&board, 501);
            assert_palindrome(&board, &short);
            assert_eq!(short.len(), 500);
        }
    }

    #[test]
    fn a_board_that_is_the_same_after_half_a_turn_is_one_palindrome() {
        let board = Board::new(3, 3, &[1, 2, 3, 4, 5, 4, 3, 2, 1]);
        let [by_rows, ..] = snakes(&board);
        let path = middle_palindrome(&board, &by_rows, 9);
        assert_palindrome(&board, &path);
        assert_eq!(path.len(), 9);
        assert_eq!(middle_palindrome(&board, &by_rows, 8).len(), 7);
    }

    #[test]
    fn what_is_not_mirrored_has_no_long_palindrome() {
        let board = Board::new(4, 4, &[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(mirrored(&board, 16).is_empty());
    }
}
