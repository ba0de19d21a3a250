//! The promise of a board: how close its tiles are to forming squares of one colour. The tiles of one colour around a
//! cell have a weight that was fitted to games of the search itself.
//!
//! The origin of the weights: a beam of 80 played games of 10,000 moves, nine for each number of colours, none of them
//! a case of the problem. After every second move, a beam of 20 continued from one of the boards for 15 moves. Some of
//! these boards were changed first by one or two random moves that complete a square. The value of a board was the gain
//! of these moves, in removed squares and remaining promise, minus the mean of the game. The weights are a least
//! squares fit of the values to the counts of the patterns, from 45,000 boards for each number of colours. The promise
//! in the values came from an earlier fit, and in the first one from weights made by hand. This is the fourth fit. It
//! explains 57, 67 and 75 % of the variance.

use super::board::{Board, Row, SIZE, lanes};

/// The number of blocks along a side of a board.
const SIDE: usize = SIZE / 2;

/// The number of blocks of a board. A block of two by two cells is evaluated at once. Blocks are numbered row by row.
const BLOCKS: usize = SIDE * SIDE;

/// A set of blocks, one bit for each.
pub(super) type Blocks = u64;

/// The promise of each block of a board.
pub(super) type Promises = [i16; BLOCKS];

/// The cells around and at a cell that have a certain colour: one bit for each of the nine cells, row by row, the
/// lowest bit first.
type Pattern = usize;

/// The number of patterns.
const PATTERNS: usize = 1 << 9;

/// The numbers of colours that have weights.
const COLORS: [u8; 3] = [4, 5, 6];

/// The value of a removed square.
pub(super) const REMOVED: i32 = 750;

/// For each cell, the blocks whose promise depends on its tile.
static NEAR_CELL: [Blocks; SIZE * SIZE] = near(1);

/// For each square, by its top left cell, the blocks whose promise depends on its tiles.
static NEAR_SQUARE: [Blocks; SIZE * SIZE] = near(2);

/// The values of blocks.
pub(super) struct Promise {
    /// The promise of a colour by the sixteen cells in and around a block, one bit for each cell that has the colour.
    values: Box<[i16; 1 << 16]>,
}

impl Promise {
    /// Returns the values of blocks in a game with this number of colours.
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

    /// Returns the promise of each block of a board.
    pub(super) fn of_all(&self, board: &Board) -> Promises {
        std::array::from_fn(|block| self.of(board, block))
    }

    /// Returns the promise of a block.
    #[inline(always)]
    pub(super) fn of(&self, board: &Board, block: usize) -> i16 {
        // No game has more than six colours.
        windows(board, block)[..6].iter().map(|&window| self.values[usize::from(window)]).sum()
    }
}

/// Returns the values of all patterns in a game with this number of colours.
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

/// Returns, for each colour, which of the sixteen cells in and around a block have it, row by row, the lowest bit
/// first.
// If it were inlined, the compiler would process its lanes one by one instead of whole rows.
#[inline(never)]
fn windows(board: &Board, block: usize) -> Row {
    let (row, column) = (block / SIDE % SIDE * 2, block % SIDE * 2);
    let [a, b, c, d] = [0, 1, 2, 3].map(|below| &board.rows[row + below]);
    // The window begins one column before the block.
    let (left, right) = if column == 0 { (1, 0) } else { (0, column - 1) };
    let part = |row: &Row, color: usize| row[color] << left >> right & 15;
    lanes(|color| part(a, color) | part(b, color) << 4 | part(c, color) << 8 | part(d, color) << 12)
}

/// Returns the blocks whose promise depends on a tile.
pub(super) fn near_cell(row: usize, column: usize) -> Blocks {
    NEAR_CELL[row * SIZE + column]
}

/// Returns the blocks whose promise depends on the tiles of a square.
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

/// Returns, for every cell, the blocks at most one cell away from the square of this size that starts there.
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

/// Patterns of a colour in the nine cells around and at a cell, and their values by [`COLORS`]. Turned and mirrored
/// patterns have the same value and are not listed. All other patterns have the value 0: patterns within the three
/// cells of one side, which would count at some edges of a board and not at others, and patterns with a complete
/// square.
const WEIGHTS: [(usize, [i16; 3]); 78] = [
    (0b000_001_010, [-66, -74, -86]),
    (0b000_001_011, [-69, -96, -124]),
    (0b000_001_100, [-16, -3, 9]),
    (0b000_001_101, [4, 37, 37]),
    (0b000_001_110, [-41, -48, -59]),
    (0b000_001_111, [-78, -68, -60]),
    (0b000_010_000, [-290, -302, -303]),
    (0b000_010_001, [-111, -112, -118]),
    (0b000_010_010, [-145, -180, -190]),
    (0b000_010_011, [-32, -45, -53]),
    (0b000_010_101, [-43, -34, -45]),
    (0b000_010_111, [27, 19, 41]),
    (0b000_011_010, [37, 20, 18]),
    (0b000_011_100, [-51, -47, -37]),
    (0b000_011_101, [142, 134, 141]),
    (0b000_011_110, [26, 12, 38]),
    (0b000_101_000, [20, 41, 48]),
    (0b000_101_001, [4, 20, 48]),
    (0b000_101_010, [-49, -38, -11]),
    (0b000_101_011, [103, 143, 167]),
    (0b000_101_101, [34, 67, 101]),
    (0b000_101_111, [151, 155, 179]),
    (0b000_111_000, [-97, -128, -149]),
    (0b000_111_001, [-29, -40, -29]),
    (0b000_111_010, [15, 8, -12]),
    (0b000_111_101, [41, 40, 10]),
    (0b001_000_100, [-20, -28, -18]),
    (0b001_000_101, [-29, -34, -22]),
    (0b001_000_110, [-20, -16, -11]),
    (0b001_000_111, [-1, 19, 36]),
    (0b001_001_110, [-23, -25, -31]),
    (0b001_001_111, [-103, -101, -63]),
    (0b001_010_100, [-39, -31, -12]),
    (0b001_010_101, [-7, 16, 30]),
    (0b001_010_110, [-14, -9, 14]),
    (0b001_010_111, [70, 68, 85]),
    (0b001_011_110, [52, 74, 55]),
    (0b001_100_001, [-10, -6, 18]),
    (0b001_100_010, [-72, -78, -73]),
    (0b001_100_011, [-16, 18, 41]),
    (0b001_100_101, [-7, 14, 23]),
    (0b001_100_110, [-53, -56, -57]),
    (0b001_100_111, [-7, -17, 5]),
    (0b001_101_001, [-8, -34, 22]),
    (0b001_101_010, [-52, -60, -40]),
    (0b001_101_011, [50, 85, 118]),
    (0b001_101_100, [-18, -24, 2]),
    (0b001_101_101, [15, 30, 71]),
    (0b001_101_110, [48, 62, 70]),
    (0b001_101_111, [83, 86, 96]),
    (0b001_110_001, [-51, -45, -48]),
    (0b001_110_010, [30, 36, 57]),
    (0b001_110_011, [44, 54, 46]),
    (0b001_110_101, [97, 87, 99]),
    (0b001_111_001, [14, 2, 39]),
    (0b001_111_010, [41, 33, 11]),
    (0b001_111_100, [-3, -28, -25]),
    (0b001_111_101, [34, 77, 79]),
    (0b010_101_010, [-18, -4, 24]),
    (0b010_101_011, [43, 66, 77]),
    (0b010_101_101, [4, -3, 1]),
    (0b010_101_111, [85, -25, 12]),
    (0b010_111_010, [42, 61, 94]),
    (0b010_111_101, [34, 106, 24]),
    (0b011_100_101, [32, 34, 70]),
    (0b011_100_111, [68, 81, 48]),
    (0b011_101_110, [-21, -7, -52]),
    (0b011_101_111, [106, 24, 41]),
    (0b011_110_101, [90, 50, 16]),
    (0b101_000_101, [-50, -91, -97]),
    (0b101_000_111, [30, 5, 64]),
    (0b101_001_111, [-1, -20, -1]),
    (0b101_010_101, [-12, -16, 31]),
    (0b101_010_111, [60, 17, 26]),
    (0b101_101_101, [-10, 98, -3]),
    (0b101_101_111, [81, 46, 4]),
    (0b101_111_101, [26, 105, 65]),
    (0b111_101_111, [-113, 31, -32]),
];

#[cfg(test)]
mod tests {
    use super::super::Game;
    use super::*;

    /// Returns the promise of a board of two alternating colours with a third colour at these cells.
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
    fn turned_patterns_are_worth_the_same() {
        let weights = weights(5);
        for pattern in 0..PATTERNS {
            assert_eq!([weights[turn(pattern)], weights[mirror(pattern)]], [weights[pattern]; 2], "{pattern:09b}");
        }
        // An edge of the board is not a pattern.
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
