//! The state of a game of `square-remover` and its two steps: a swap, and the removal of a square. New tiles come from
//! a buffer that is filled by a Lehmer generator.

use super::input::Game;

/// The number of bits of a tile in its row. A colour needs three of them, and the fourth takes the carry of a sum.
const TILE_BITS: usize = 4;

/// The bits of one tile.
const TILE: u64 = 0b1111;

/// A 7 in every tile. Added to anything from 1 to 7, it sets the tile's highest bit.
const SEVENS: u64 = 0x7777_7777_7777_7777;

/// The highest bit of every tile.
const TOP_BITS: u64 = 0x8888_8888_8888_8888;

/// A prime. The sequence from any start contains all numbers from 1 to `MODULUS - 1` before it repeats.
const MODULUS: u64 = 2_147_483_647;

/// The multiplier of C++'s `minstd_rand`.
const MULTIPLIER: u64 = 48_271;

/// A cell of the board, or a square by its top left cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    /// The row, from 0 at the top.
    pub(super) row: usize,
    /// The column, from 0 at the left.
    pub(super) column: usize,
}

impl Cell {
    /// Returns the cell's neighbour in a direction: 0 up, 1 right, 2 down, 3 left. `None` outside a board of `size`
    /// rows and columns.
    #[inline]
    pub(super) fn neighbour(self, direction: i64, size: usize) -> Option<Self> {
        let Self { row, column } = self;
        let (row, column) = match direction {
            0 => (row.wrapping_sub(1), column),
            1 => (row, column + 1),
            2 => (row + 1, column),
            _ => (row, column.wrapping_sub(1)),
        };
        (row < size && column < size).then_some(Self { row, column })
    }
}

/// The state of a game. A row is one word, four bits a tile, so that all squares of a row are found at once.
#[derive(Debug, Clone)]
pub(super) struct Position {
    /// The number of rows, and of columns.
    pub(super) size: usize,
    colors: u32,
    rows: [u64; 16],
    /// The highest bits of the tiles that have a right neighbour.
    left_corners: u64,
    /// One bit for each row that can be the upper row of a square.
    upper_rows: u32,
    /// The upper rows that may have a square. All other rows have none.
    suspects: u32,
    /// The next number of the buffer: `A[0] = start`, `A[i] = A[i-1] * 48271 mod 2147483647`.
    upcoming: u32,
    /// The number of removed squares.
    pub(super) score: u64,
}

impl Position {
    /// Returns the position before the first removal. Squares may be anywhere.
    pub(super) fn new(game: &Game) -> Self {
        let mut rows = [0; 16];
        for (row, colors) in rows.iter_mut().zip(game.board.chunks(game.size)) {
            *row = colors.iter().rev().fold(0, |row, &color| row << TILE_BITS | u64::from(color));
        }
        let upper_rows = (1 << (game.size - 1)) - 1;
        Self {
            size: game.size,
            colors: u32::from(game.colors),
            rows,
            left_corners: TOP_BITS & ((1 << (TILE_BITS * (game.size - 1))) - 1),
            upper_rows,
            suspects: upper_rows,
            upcoming: game.start_seed,
            score: 0,
        }
    }

    /// Returns the colour of a cell's tile.
    #[inline]
    pub(super) fn color(&self, cell: Cell) -> u64 {
        self.rows[cell.row] >> (TILE_BITS * cell.column) & TILE
    }

    /// Swaps the tiles of two neighbours.
    #[inline]
    pub(super) fn swap(&mut self, one: Cell, other: Cell) {
        // Only the bits that differ change.
        let change = self.color(one) ^ self.color(other);
        self.rows[one.row] ^= change << (TILE_BITS * one.column);
        self.rows[other.row] ^= change << (TILE_BITS * other.column);
        // A tile belongs to squares whose upper row is the row of the tile or the one above.
        self.suspects |= self.upper_rows & ((0b11 << one.row | 0b11 << other.row) >> 1);
    }

    /// Removes the topmost square, the leftmost of several, and returns it. Returns `None` if there is none.
    ///
    /// This gives the result of a scan from the top after every removal. Rows that are not suspects have no square. A
    /// row becomes a suspect again when it gets a new tile.
    #[inline]
    pub(super) fn remove_first_square(&mut self) -> Option<Cell> {
        while self.suspects != 0 {
            let row = self.suspects.trailing_zeros() as usize;
            let squares = self.squares_below(row);
            if squares != 0 {
                let square = Cell { row, column: squares.trailing_zeros() as usize / TILE_BITS };
                self.refill(square);
                return Some(square);
            }
            self.suspects &= self.suspects - 1;
        }
        None
    }

    /// Returns the squares with this upper row, as the highest bits of their top left tiles.
    #[inline]
    fn squares_below(&self, row: usize) -> u64 {
        let (upper, lower) = (self.rows[row], self.rows[row + 1]);
        // This word is zero at a tile that equals its right neighbour, the tile below and the one to the right of that.
        let differences = (upper ^ upper >> TILE_BITS) | (lower ^ lower >> TILE_BITS) | (upper ^ lower);
        !(differences + SEVENS) & self.left_corners
    }

    /// Scores a square and refills its cells from the buffer: top left, top right, bottom left, bottom right.
    #[inline]
    fn refill(&mut self, square: Cell) {
        let shift = TILE_BITS * square.column;
        let pair = TILE | TILE << TILE_BITS;
        for row in [square.row, square.row + 1] {
            let tiles = self.draw() | self.draw() << TILE_BITS;
            self.rows[row] = self.rows[row] & !(pair << shift) | tiles << shift;
        }
        self.score += 1;
        self.suspects |= self.upper_rows & (0b111 << square.row >> 1);
    }

    /// Takes the leftmost tile from the buffer.
    #[inline]
    fn draw(&mut self) -> u64 {
        let number = self.upcoming;
        self.upcoming = successor(number);
        u64::from(number % self.colors)
    }

    /// Returns the next tiles of the buffer, which stay there.
    pub(super) fn upcoming(&self, count: usize) -> Vec<u64> {
        let mut position = self.clone();
        (0..count).map(|_| position.draw()).collect()
    }
}

/// Returns the number after this one in the buffer's sequence.
#[inline]
fn successor(number: u32) -> u32 {
    // A remainder modulo MODULUS fits in 31 bits.
    (u64::from(number) * MULTIPLIER % MODULUS) as u32
}

#[cfg(test)]
#[path = "../../tests/games/model/square_remover.rs"]
mod model;

#[cfg(test)]
mod tests {
    use super::model::Model;
    use super::*;
    use proptest::prelude::*;

    fn board_of(position: &Position) -> Vec<Vec<u64>> {
        let rows = 0..position.size;
        rows.map(|row| (0..position.size).map(|column| position.color(Cell { row, column })).collect()).collect()
    }

    fn game(size: usize, rows: &str) -> Game {
        let board = rows.split_whitespace().collect::<String>().bytes().map(|digit| digit - b'0').collect();
        Game { colors: 6, size, board, start_seed: 1 }
    }

    /// Colours of the buffer, colours on the board (few, so that squares and near-squares abound), size, seed, moves.
    /// With 2 colours, nearly every removal causes another one; with 3, a third of them do.
    fn games() -> impl Strategy<Value = (Game, Vec<(usize, usize, i64)>)> {
        (2..=6u8, 1..=6u8, 8..=16usize, 1..=2_147_483_646u32).prop_flat_map(|(colors, on_board, size, start_seed)| {
            let board = prop::collection::vec(0..on_board.min(colors), size * size);
            let game = board.prop_map(move |board| Game { colors, size, board, start_seed });
            // In half of the cases all moves are in one corner, so that the same tiles are swapped repeatedly.
            let moves = prop_oneof![Just(3), Just(size)]
                .prop_flat_map(|reach| prop::collection::vec((0..reach, 0..reach, 0..4i64), 0..60));
            (game, moves)
        })
    }

    /// Removes squares on both sides, at most `limit`, and compares the boards after each.
    fn settle_alike(position: &mut Position, model: &mut Model, limit: usize) -> Result<(), TestCaseError> {
        for _ in 0..limit {
            let expected = model.remove_one().map(|(row, column)| Cell { row, column });
            prop_assert_eq!(position.remove_first_square(), expected);
            prop_assert_eq!(board_of(position), model.board.clone());
            prop_assert_eq!(position.score, model.score);
            if expected.is_none() {
                break;
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        #[test]
        fn squares_go_in_the_order_of_a_full_scan_after_every_removal((game, moves) in games()) {
            let (mut position, mut model) = (Position::new(&game), Model::read(str::from_utf8(&game.to_text()).unwrap()));
            settle_alike(&mut position, &mut model, 300)?;
            for (row, column, direction) in moves {
                let cell = Cell { row, column };
                if let Some(neighbour) = cell.neighbour(direction, game.size) {
                    position.swap(cell, neighbour);
                    model.swap(row, column, direction as usize);
                    // Fewer than there are: a move then starts with squares still standing.
                    settle_alike(&mut position, &mut model, 20)?;
                }
            }
        }
    }

    #[test]
    fn of_overlapping_squares_the_topmost_goes_first_and_then_the_leftmost() {
        let board = "01234501 12300012 23400023 30051134 41151145 50123450 01234501 12345012";
        let mut position = Position::new(&game(8, board));
        let rows: Vec<Cell> = std::iter::from_fn(|| position.remove_first_square()).take(2).collect();
        // Rows 1 and 2 have squares at columns 3 and 4; 1 % 6 and the numbers after it then break the second.
        assert_eq!(rows, [Cell { row: 1, column: 3 }, Cell { row: 3, column: 4 }]);
    }

    #[test]
    fn the_buffer_fills_top_left_top_right_bottom_left_bottom_right() {
        let board = "00123450 00234501 12345012 23450123 34501234 45012345 50123450 01234501";
        let mut position = Position::new(&game(8, board));
        assert_eq!(position.remove_first_square(), Some(Cell { row: 0, column: 0 }));
        // 1, 48271, 182605794, 1291394886 modulo 6.
        let filled = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(row, column)| position.color(Cell { row, column }));
        assert_eq!(filled, [1, 1, 0, 0]);
    }

    #[test]
    fn a_full_board_of_the_largest_size_has_its_last_square_in_the_corner() {
        let rows = (0..14).map(|row| if row % 2 == 0 { "0101010101010101" } else { "2323232323232323" });
        let board: String = rows.chain(["0101010101010144", "2323232323232344"]).collect::<Vec<_>>().join(" ");
        let mut position = Position::new(&game(16, &board));
        assert_eq!(position.remove_first_square(), Some(Cell { row: 14, column: 14 }));
    }
}

#[cfg(test)]
mod lehmer_tests {
    use super::*;

    #[test]
    fn the_numbers_follow_by_the_formula() {
        let mut number = 857_377_961;
        let mut expected: u128 = 857_377_961;
        for _ in 0..10_000 {
            assert_eq!(u128::from(number), expected);
            number = successor(number);
            expected = expected * 48_271 % 2_147_483_647;
        }
    }

    /// The C++ standard (`rand.predef`): the 10000th number after the default seed 1.
    #[test]
    fn the_ten_thousandth_number_is_the_published_one() {
        assert_eq!((0..10_000).fold(1, |number, _| successor(number)), 399_268_537);
    }
}
