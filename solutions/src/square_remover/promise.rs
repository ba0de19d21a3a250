//! What a board promises: how near its tiles are to squares of one colour.

use super::board::{Board, Row, SIZE, lanes};
use super::weights::{COLORS, WEIGHTS};

/// Blocks of four cells along a side of a board.
const SIDE: usize = SIZE / 2;

/// Blocks of a board. A block is what is weighed at once: two by two cells, numbered row by row.
pub(super) const BLOCKS: usize = SIDE * SIDE;

/// A set of blocks, a bit for each.
pub(super) type Blocks = u64;

/// What each block of a board promises.
pub(super) type Promises = [i16; BLOCKS];

/// A cell and its eight neighbours, a bit for each that has a certain colour: row by row, the lowest bit first.
type Pattern = usize;

/// Patterns there are.
const PATTERNS: usize = 1 << 9;

/// The blocks that a cell's tile has to do with.
static NEAR_CELL: [Blocks; SIZE * SIZE] = near(1);

/// The blocks that the tiles of a square have to do with, by its top left cell.
static NEAR_SQUARE: [Blocks; SIZE * SIZE] = near(2);

/// What blocks are worth.
pub(super) struct Promise {
    /// For the sixteen cells in and around a block, a bit for each that has a certain colour: what that colour promises.
    values: Box<[i16; 1 << 16]>,
}

impl Promise {
    /// Returns what blocks are worth in a game with this number of colours.
    pub(super) fn new(colors: u8) -> Self {
        let weights = weights(colors);
        let value = |window: usize| -> i16 {
            let pattern = |window: usize| window & 7 | (window >> 4 & 7) << 3 | (window >> 8 & 7) << 6;
            // The shifts lead to the patterns of the block's four cells.
            [0, 1, 4, 5].map(|shift| weights[pattern(window >> shift)]).iter().sum()
        };
        let values: Vec<i16> = (0..1 << 16).map(value).collect();
        Self { values: values.try_into().expect("as many as there are windows") }
    }

    /// Returns what each block of a board promises.
    pub(super) fn of_all(&self, board: &Board) -> Promises {
        std::array::from_fn(|block| self.of(board, block))
    }

    /// Returns what a block promises.
    #[inline(always)]
    pub(super) fn of(&self, board: &Board, block: usize) -> i16 {
        // No game has more than six colours.
        windows(board, block)[..6].iter().map(|&window| self.values[usize::from(window)]).sum()
    }
}

/// Returns what a pattern is worth in a game with this number of colours.
fn weights(colors: u8) -> [i16; PATTERNS] {
    let mut weights = [0; PATTERNS];
    let place = COLORS.iter().position(|&known| known == colors).unwrap_or(0);
    for (pattern, values) in &WEIGHTS {
        let mut turned = *pattern;
        for _ in 0..4 {
            turned = turn(turned);
            weights[turned] = values[place];
            weights[mirror(turned)] = values[place];
        }
    }
    weights
}

/// Returns the pattern turned by a right angle.
fn turn(pattern: Pattern) -> Pattern {
    moved(pattern, |row, column| column * 3 + 2 - row)
}

/// Returns the pattern with left and right exchanged.
fn mirror(pattern: Pattern) -> Pattern {
    moved(pattern, |row, column| row * 3 + 2 - column)
}

fn moved(pattern: Pattern, place: impl Fn(usize, usize) -> usize) -> Pattern {
    (0..9).filter(|bit| pattern >> bit & 1 == 1).map(|bit| 1 << place(bit / 3, bit % 3)).sum()
}

/// Returns, for each colour, which of the sixteen cells in and around a block have it: row by row, the lowest bit first.
// Inlined, it would be mixed with the use of its lanes, one by one, instead of working on whole rows.
#[inline(never)]
fn windows(board: &Board, block: usize) -> Row {
    let (row, column) = (block / SIDE % SIDE * 2, block % SIDE * 2);
    let [a, b, c, d] = [0, 1, 2, 3].map(|below| &board.rows[row + below]);
    // The window begins one column before the block.
    let (left, right) = if column == 0 { (1, 0) } else { (0, column - 1) };
    let part = |row: &Row, color: usize| row[color] << left >> right & 15;
    lanes(|color| part(a, color) | part(b, color) << 4 | part(c, color) << 8 | part(d, color) << 12)
}

/// Returns the blocks that a tile has to do with.
pub(super) fn near_cell(row: usize, column: usize) -> Blocks {
    NEAR_CELL[row * SIZE + column]
}

/// Returns the blocks that a square's tiles have to do with.
pub(super) fn near_square(row: usize, column: usize) -> Blocks {
    NEAR_SQUARE[row * SIZE + column]
}

/// Shows every block of a set.
#[inline(always)]
pub(super) fn each(mut blocks: Blocks, mut show: impl FnMut(usize)) {
    while blocks != 0 {
        show(blocks.trailing_zeros() as usize);
        blocks &= blocks - 1;
    }
}

/// Returns, for every cell, the blocks no further than a cell from the square of this size that begins there.
const fn near(size: usize) -> [Blocks; SIZE * SIZE] {
    let mut near = [0; SIZE * SIZE];
    let mut cell = 0;
    while cell < SIZE * SIZE {
        let (row, column) = (cell / SIZE, cell % SIZE);
        let mut block = 0;
        while block < BLOCKS {
            let (top, left) = (block / SIDE * 2, block % SIDE * 2);
            if top + 2 >= row && top <= row + size && left + 2 >= column && left <= column + size {
                near[cell] |= 1 << block;
            }
            block += 1;
        }
        cell += 1;
    }
    near
}

#[cfg(test)]
mod tests {
    use super::super::game::Game;
    use super::*;

    /// Returns what a board of two alternating colours promises that has a third one at these cells.
    fn worth(cells: [[usize; 2]; 4]) -> i32 {
        let mut rows: Vec<Vec<u8>> = (0..8).map(|row| (0..8).map(|column| (row + column) % 2).collect()).collect();
        for [row, column] in cells {
            rows[row][column] = 2;
        }
        let promises = Promise::new(6).of_all(&Board::new(&Game { colors: 6, rows, start_seed: 1 }));
        promises.iter().map(|&promise| i32::from(promise)).sum()
    }

    #[test]
    fn what_one_swap_completes_promises_most() {
        let ready = worth([[2, 2], [2, 3], [3, 2], [3, 4]]);
        let three = worth([[2, 2], [2, 3], [3, 2], [6, 6]]);
        let apart = worth([[2, 2], [2, 6], [6, 2], [6, 6]]);
        assert!(ready > three && three > apart, "{ready} {three} {apart}");
    }

    #[test]
    fn patterns_are_worth_the_same_however_they_lie() {
        let weights = weights(5);
        for pattern in 0..PATTERNS {
            assert_eq!([weights[turn(pattern)], weights[mirror(pattern)]], [weights[pattern]; 2], "{pattern:09b}");
        }
        // An edge of the board is no pattern.
        assert_eq!(weights[0b000_000_111], 0);
    }

    #[test]
    fn a_tile_has_to_do_with_the_blocks_of_its_neighbours() {
        assert_eq!(near_cell(0, 0).count_ones(), 1);
        assert_eq!(near_cell(1, 1).count_ones(), 4);
        assert_eq!(near_square(1, 1).count_ones(), 4);
        assert_eq!(near_square(2, 2).count_ones(), 9);
    }
}
