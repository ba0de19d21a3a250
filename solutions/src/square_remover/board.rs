//! The board of Square Remover: swapping, and removing squares in the order of the rules.

use super::game::{Game, Swap};

/// Cells from one row to the next: the widest board with a border on each side.
pub(super) const STRIDE: usize = 18;

/// Cells of a board with its border.
pub(super) const CELLS: usize = STRIDE * STRIDE;

/// The border's colour. A square that reaches into the border never has one colour.
pub(super) const BORDER: u8 = 255;

/// The squares that a cell belongs to, as distances to their top left cells.
pub(super) const AROUND_CELL: [usize; 4] = [STRIDE + 1, STRIDE, 1, 0];

/// A position of the game: the tiles, and how many tiles the buffer has given.
#[derive(Clone)]
pub(super) struct Board {
    pub(super) cells: [u8; CELLS],
    /// Four for every square removed so far.
    pub(super) drawn: u32,
    /// Tells positions apart: the same tiles have the same number, whatever moves led to them.
    pub(super) hash: u64,
}

/// A random number for each colour of each cell. A position's hash combines those of its tiles.
static HASHES: [[u64; 8]; CELLS] = hashes();

/// A set of squares, each named by its top left cell; the lowest is the first in the rules' order.
struct Squares([u64; CELLS.div_ceil(64)]);

impl Board {
    /// Returns the position before the first cascade.
    pub(super) fn new(game: &Game) -> Self {
        let mut cells = [BORDER; CELLS];
        for (row, colors) in game.rows.iter().enumerate() {
            let start = (row + 1) * STRIDE + 1;
            cells[start..start + colors.len()].copy_from_slice(colors);
        }
        Self { cells, drawn: 0, hash: 0 }
    }

    /// Returns how many squares have been removed.
    pub(super) fn score(&self) -> u32 {
        self.drawn / 4
    }

    /// Removes squares until none is left, looking at the whole board.
    pub(super) fn resolve_all(&mut self, buffer: &[u8]) {
        let inside = (STRIDE..CELLS - STRIDE - 1).filter(|&cell| self.cells[cell] != BORDER);
        let mut squares = Squares([0; _]);
        inside.for_each(|cell| squares.insert(cell));
        self.resolve(squares, buffer, |_| ());
    }

    /// Swaps two tiles and removes squares until none is left. Shows each square that is removed.
    pub(super) fn play(&mut self, [first, second]: [usize; 2], buffer: &[u8], removed: impl FnMut(usize)) {
        self.exchange([first, second]);
        let mut squares = Squares([0; _]);
        for cell in [first, second] {
            AROUND_CELL.iter().for_each(|distance| squares.insert(cell - distance));
        }
        self.resolve(squares, buffer, removed);
    }

    /// Swaps two tiles, and leaves it at that.
    pub(super) fn exchange(&mut self, [first, second]: [usize; 2]) {
        let colors = [self.cells[first], self.cells[second]];
        self.put(first, colors[1]);
        self.put(second, colors[0]);
    }

    /// Tells whether one of the cells belongs to a square of one colour.
    pub(super) fn completes(&self, cells: [usize; 2]) -> bool {
        cells.iter().any(|cell| AROUND_CELL.iter().any(|distance| self.is_complete(cell - distance)))
    }

    /// Removes squares until none is left. Only the given squares may have one colour.
    fn resolve(&mut self, mut squares: Squares, buffer: &[u8], mut removed: impl FnMut(usize)) {
        while let Some(square) = squares.take_first() {
            if !self.is_complete(square) {
                continue;
            }
            for (cell, &next) in corners(square).into_iter().zip(&buffer[self.drawn as usize..]) {
                self.put(cell, next);
            }
            self.drawn += 4;
            removed(square);
            for row in [square - STRIDE, square, square + STRIDE] {
                (row - 1..=row + 1).for_each(|changed| squares.insert(changed));
            }
        }
    }

    fn put(&mut self, cell: usize, color: u8) {
        let old = std::mem::replace(&mut self.cells[cell], color);
        let hashes = &HASHES[cell];
        self.hash ^= hashes[usize::from(old & 7)] ^ hashes[usize::from(color & 7)];
    }

    /// Tells whether the square's four tiles have one colour.
    pub(super) fn is_complete(&self, square: usize) -> bool {
        let [a, b, c, d] = corners(square).map(|cell| self.cells[cell]);
        a == b && a == c && a == d && a != BORDER
    }
}

const fn hashes() -> [[u64; 8]; CELLS] {
    let mut hashes = [[0; 8]; CELLS];
    let mut state = 1_u64;
    let mut i = 0;
    while i < CELLS * 8 {
        // Xorshift (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        hashes[i / 8][i % 8] = state;
        i += 1;
    }
    hashes
}

/// Returns the four cells of a square in the order in which they are refilled.
pub(super) fn corners(square: usize) -> [usize; 4] {
    [square, square + 1, square + STRIDE, square + STRIDE + 1]
}

/// Returns the two cells that a swap exchanges.
pub(super) fn cells_of(swap: Swap) -> [usize; 2] {
    let first = (usize::from(swap.row) + 1) * STRIDE + usize::from(swap.column) + 1;
    [first, first + if swap.down { STRIDE } else { 1 }]
}

impl Squares {
    fn insert(&mut self, square: usize) {
        self.0[square / 64] |= 1 << (square % 64);
    }

    fn take_first(&mut self) -> Option<usize> {
        let (index, word) = self.0.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(index * 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_truth;

    fn replay(game: &Game, answer: &str) -> u32 {
        let buffer = game.buffer(1 << 17);
        let mut board = Board::new(game);
        board.resolve_all(&buffer);
        let numbers: Vec<usize> = answer.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect();
        for triple in numbers.chunks_exact(3) {
            let first = (triple[0] + 1) * STRIDE + triple[1] + 1;
            let second = [first - STRIDE, first + 1, first + STRIDE, first - 1][triple[2]];
            board.play([first, second], &buffer, |_| ());
        }
        board.score()
    }

    #[test]
    fn known_answers_have_their_known_scores() {
        let Some(folder) = ground_truth::folder("square-remover") else { return };
        let table = ground_truth::read(&folder.join("expected"), "tsv").unwrap();
        let mut compared = 0;
        for line in table.lines().skip(1) {
            let [answer, seed, score] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            // Not every answer may be passed on with the project.
            let Ok(answer) = std::fs::read_to_string(folder.join(answer)) else { continue };
            let game = Game::read(ground_truth::read(&folder.join(seed), "in").unwrap().as_bytes()).unwrap();
            assert_eq!(replay(&game, &answer), score.parse().unwrap(), "{line}");
            compared += 1;
        }
        assert!(compared >= 10);
    }

    #[test]
    fn squares_go_from_the_top_left_and_are_refilled_row_by_row() {
        let mut rows = [[0, 1, 2, 3, 0, 1, 2, 3], [2, 3, 0, 1, 2, 3, 0, 1]].repeat(4);
        for (row, column) in [(3, 5), (3, 6), (4, 5), (4, 6), (6, 1), (6, 2), (7, 1), (7, 2)] {
            rows[row][column] = 1;
        }
        let game = Game { colors: 4, rows: rows.into_iter().map(Vec::from).collect(), start_seed: 1 };
        let mut board = Board::new(&game);
        board.resolve_all(&[0, 2, 3, 0, 3, 0, 2, 1]);
        let tiles = |row: usize, column| corners((row + 1) * STRIDE + column + 1).map(|cell| board.cells[cell]);
        assert_eq!((board.score(), tiles(3, 5), tiles(6, 1)), (2, [0, 2, 3, 0], [3, 0, 2, 1]));
    }
}
