//! The board of Square Remover as bits: swapping, removing squares in the order of the rules, and finding the swaps
//! that complete a square, with all columns and colours of a row at once.

use super::{Game, Swap};

/// The maximum number of rows, and of columns.
pub(super) const SIZE: usize = 16;

/// A row of the board: for each colour the columns that have it, the lowest bit for the first. With two more lanes than
/// colours, a row fits the vector registers of the processor.
pub(super) type Row = [u16; 8];

/// A position of the game: the tiles, and the number of tiles drawn from the buffer.
#[derive(Clone)]
pub(super) struct Board {
    /// The rows, with an empty one before the first and after the last.
    pub(super) rows: [Row; SIZE + 2],
    /// Four for every square removed so far.
    drawn: u32,
}

/// For each pair of colours, the row that has them in its first two columns.
static PAIRS: [[Row; 8]; 8] = pairs();

/// Random numbers for the hash of a board, one for each half of a row.
static FACTORS: [u64; 2 * (SIZE + 2)] = factors();

impl Board {
    /// Returns the position before the first cascade.
    pub(super) fn new(game: &Game) -> Self {
        let mut rows = [[0; 8]; _];
        for (row, colors) in rows[1..].iter_mut().zip(&game.rows) {
            colors.iter().enumerate().for_each(|(column, &color)| row[usize::from(color)] |= 1 << column);
        }
        Self { rows, drawn: 0 }
    }

    /// Returns the number of removed squares.
    pub(super) fn score(&self) -> u32 {
        self.drawn / 4
    }

    /// Returns the hash of the position. It depends only on the tiles.
    pub(super) fn hash(&self) -> u64 {
        let words = self.rows.as_flattened().as_chunks::<4>().0;
        let mut hash = 0_u64;
        for ([a, b, c, d], factor) in words.iter().zip(&FACTORS) {
            let word = u64::from(*a) | u64::from(*b) << 16 | u64::from(*c) << 32 | u64::from(*d) << 48;
            hash = hash.wrapping_add(word.wrapping_mul(*factor));
        }
        hash
    }

    /// Removes squares on the whole board until none is left.
    pub(super) fn resolve_all(&mut self, buffer: &[u8]) {
        self.resolve(0, SIZE - 1, buffer, |_, _| ());
    }

    /// Swaps two tiles and removes squares until none is left. Shows the row and column of each square that is removed.
    #[inline(always)]
    pub(super) fn play(&mut self, swap: Swap, buffer: &[u8], removed: impl FnMut(usize, usize)) {
        self.exchange(swap);
        let row = usize::from(swap.row);
        self.resolve(row.saturating_sub(1), row + usize::from(swap.down), buffer, removed);
    }

    /// Swaps two tiles without removing squares.
    #[inline(always)]
    pub(super) fn exchange(&mut self, swap: Swap) {
        let (row, column) = (usize::from(swap.row) + 1, swap.column);
        if swap.down {
            // If one of the two tiles has the colour, the other gets it.
            let change: Row = lanes(|color| (self.rows[row][color] ^ self.rows[row + 1][color]) & 1 << column);
            self.rows[row] = lanes(|color| self.rows[row][color] ^ change[color]);
            self.rows[row + 1] = lanes(|color| self.rows[row + 1][color] ^ change[color]);
        } else {
            let tiles = self.rows[row];
            let change: Row = lanes(|color| (tiles[color] ^ tiles[color] >> 1) & 1 << column);
            self.rows[row] = lanes(|color| tiles[color] ^ change[color] ^ change[color] << 1);
        }
    }

    /// Removes squares until none is left. The first square must have its upper row between `first` and `last`.
    #[inline(always)]
    fn resolve(&mut self, first: usize, last: usize, buffer: &[u8], mut removed: impl FnMut(usize, usize)) {
        let (mut row, mut last) = (first, last);
        while row <= last {
            let complete = self.complete(row);
            let columns = complete.iter().fold(0, |columns, lane| columns | lane);
            if columns == 0 {
                row += 1;
                continue;
            }
            let column = columns.trailing_zeros();
            let square: Row = lanes(|color| (complete[color] & 1 << column) * 3);
            let drawn = self.drawn as usize;
            for (row, tiles) in [row + 1, row + 2].into_iter().zip(buffer[drawn..drawn + 4].as_chunks().0) {
                let [left, right]: [u8; 2] = *tiles;
                let pair = &PAIRS[usize::from(left & 7)][usize::from(right & 7)];
                self.rows[row] = lanes(|color| self.rows[row][color] ^ square[color] ^ pair[color] << column);
            }
            self.drawn += 4;
            removed(row, column as usize);
            last = last.max(row + 1).min(SIZE - 1);
            row = row.saturating_sub(1);
        }
    }

    /// Returns whether a tile of the swap belongs to a square of one colour. No other tiles may.
    pub(super) fn is_complete_near(&self, swap: Swap) -> bool {
        let row = usize::from(swap.row);
        (row.saturating_sub(1)..=row + usize::from(swap.down)).any(|row| self.complete(row) != [0; 8])
    }

    /// Returns how many tiles of a square have its most frequent colour, or 0 if part of it is outside the board.
    pub(super) fn most(&self, row: usize, column: usize) -> usize {
        let counts = lanes(|color| {
            let [above, below] = [1, 2].map(|next| self.rows[row + next][color] >> column);
            (above & 1) + (above >> 1 & 1) + (below & 1) + (below >> 1 & 1)
        });
        let most = counts.iter().fold(0, |most, &count| most.max(count));
        if counts.iter().sum::<u16>() < 4 { 0 } else { usize::from(most) }
    }

    /// Returns, for each colour, the columns where a square of it has its top left tile in this row.
    #[inline(always)]
    fn complete(&self, row: usize) -> Row {
        lanes(|color| {
            let both = self.rows[row + 1][color] & self.rows[row + 2][color];
            both & both >> 1
        })
    }
}

/// Returns a row built lane by lane.
#[inline(always)]
pub(super) fn lanes(lane: impl Fn(usize) -> u16) -> Row {
    // A plain loop: the compiler makes it a single instruction.
    let mut row = [0; 8];
    for (color, bits) in row.iter_mut().enumerate() {
        *bits = lane(color);
    }
    row
}

const fn factors() -> [u64; 2 * (SIZE + 2)] {
    let mut factors = [0; 2 * (SIZE + 2)];
    let mut state = 1_u64;
    let mut i = 0;
    while i < 64 + factors.len() {
        // Xorshift (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003). Its first numbers are small.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if i >= 64 {
            factors[i - 64] = state | 1;
        }
        i += 1;
    }
    factors
}

const fn pairs() -> [[Row; 8]; 8] {
    let mut pairs = [[[0; 8]; 8]; 8];
    let mut i = 0;
    while i < 64 {
        pairs[i / 8][i % 8][i / 8] |= 1;
        pairs[i / 8][i % 8][i % 8] |= 2;
        i += 1;
    }
    pairs
}

/// The columns of a row where a tile from that neighbour would complete a square.
struct Gaps {
    from_left: u16,
    from_right: u16,
    from_above: u16,
    from_below: u16,
}

/// Shows every swap that completes a square of a board with this many rows, each once.
pub(super) fn completing_swaps(board: &Board, size: usize, mut show: impl FnMut(Swap)) {
    let mut from_below_before = 0;
    for (row, index) in (0..).zip(0..size) {
        let Gaps { from_left, from_right, from_above, from_below } = gaps(board, index);
        if row > 0 {
            each(from_below_before | from_above, |column| show(Swap { row: row - 1, column, down: true }));
        }
        each(from_right | from_left >> 1, |column| show(Swap { row, column, down: false }));
        from_below_before = from_below;
    }
}

#[inline(always)]
fn gaps(board: &Board, row: usize) -> Gaps {
    let [above, here, below] = [&board.rows[row], &board.rows[row + 1], &board.rows[row + 2]];
    let left = lanes(|color| here[color] << 1);
    let right = lanes(|color| here[color] >> 1);
    // The cells that are the only ones missing in the square up and to the left, and so on.
    let above_left = lanes(|color| above[color] & above[color] << 1 & left[color] & !here[color]);
    let above_right = lanes(|color| above[color] & above[color] >> 1 & right[color] & !here[color]);
    let below_left = lanes(|color| below[color] & below[color] << 1 & left[color] & !here[color]);
    let below_right = lanes(|color| below[color] & below[color] >> 1 & right[color] & !here[color]);
    // The tile must come from a side away from the square.
    let filled = |one: &Row, other: &Row, side: &Row| any(&lanes(|color| (one[color] | other[color]) & side[color]));
    Gaps {
        from_left: filled(&above_right, &below_right, &left),
        from_right: filled(&above_left, &below_left, &right),
        from_above: filled(&below_left, &below_right, above),
        from_below: filled(&above_left, &above_right, below),
    }
}

/// Returns the columns that some colour has.
#[inline(always)]
fn any(row: &Row) -> u16 {
    row.iter().fold(0, |columns, lane| columns | lane)
}

/// Shows every column of a set.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a column is below 16")]
fn each(mut columns: u16, mut show: impl FnMut(u8)) {
    while columns != 0 {
        show(columns.trailing_zeros() as u8);
        columns &= columns - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MOVES, swaps, write};
    use super::*;
    use crate::ground_truth;
    use crate::search::Random;

    fn replay(game: &Game, answer: &str) -> u32 {
        let buffer = game.buffer(1 << 17);
        let mut board = Board::new(game);
        board.resolve_all(&buffer);
        let numbers: Vec<u8> = answer.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect();
        for triple in numbers.chunks_exact(3) {
            let [row, column, direction] = [triple[0], triple[1], triple[2]];
            let down = direction % 2 == 0;
            // A swap is named by its upper or left tile.
            let swap = Swap { row: row - u8::from(direction == 0), column: column - u8::from(direction == 3), down };
            board.play(swap, &buffer, |_, _| ());
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
    fn random_play_scores_as_the_checker_says() {
        let checker = checkers::find("square-remover").unwrap();
        let mut random = Random::new(31);
        for seed in 101..=120 {
            let input = checker.generate(seed).unwrap();
            let game = Game::read(&input).unwrap();
            let swaps = swaps(game.rows.len());
            let moves: Vec<Swap> = (0..MOVES).map(|_| *random.pick(&swaps)).collect();
            let mut answer = Vec::new();
            write(&moves, &mut answer).unwrap();
            let expected = checker.read(&input).unwrap().check(&answer).unwrap().to_string();
            assert_eq!(replay(&game, str::from_utf8(&answer).unwrap()).to_string(), expected, "seed {seed}");
        }
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
        let color = |row: usize, column: usize| (0..8).find(|&color| board.rows[row + 1][color] >> column & 1 == 1);
        let tiles = |row: usize, column: usize| {
            [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(y, x)| color(row + y, column + x).unwrap())
        };
        assert_eq!((board.score(), tiles(3, 5), tiles(6, 1)), (2, [0, 2, 3, 0], [3, 0, 2, 1]));
    }
}

#[cfg(test)]
mod completing_tests {
    use super::super::{Game, swaps};
    use super::*;
    use crate::search::Random;

    #[test]
    fn exactly_the_swaps_that_complete_a_square_are_shown() {
        let mut random = Random::new(3);
        let mut shown = 0;
        for size in 8..=16 {
            let rows = (0..size).map(|_| (0..size).map(|_| random.below(4) as u8).collect()).collect();
            let game = Game { colors: 4, rows, start_seed: 11 };
            let mut board = Board::new(&game);
            board.resolve_all(&game.buffer(1 << 12));
            let mut found = Vec::new();
            completing_swaps(&board, size, |swap| found.push(swap));
            let completes = |swap: &Swap| {
                let mut board = board.clone();
                board.exchange(*swap);
                board.is_complete_near(*swap)
            };
            let mut expected: Vec<Swap> = swaps(size).into_iter().filter(completes).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected);
            shown += found.len();
        }
        assert!(shown > 50, "{shown}");
    }
}
