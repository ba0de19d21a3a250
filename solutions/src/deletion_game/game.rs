//! A case of the Deletion Game: the texts of cases and answers, the points of a move, and the board, on which cells
//! fall.

use super::primality::{MAX_U64_DIGITS, is_prime};
use crate::SolveError;
use crate::input::Words;
use std::io::Write;
use std::ops::RangeInclusive;

/// The maximum length of an answer, in bytes.
const OUTPUT_LIMIT: usize = 1_000_000;

/// The maximum number of cells of a board.
const CELLS: usize = 1 << 24;

/// A cell by its index: column by column, from the floor up.
pub(super) type Cell = usize;

/// The value of a blank cell and of the border.
pub(super) const BLANK: u8 = 10;

/// The parameters of a case, besides the board.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    /// The maximum number of moves.
    pub(super) moves: usize,
    /// The lengths that a path may have. Empty if no path is legal.
    pub(super) lengths: RangeInclusive<usize>,
    /// The exponent of a prime's length.
    pub(super) prime: u32,
    /// The exponent of a palindrome's length.
    pub(super) palindrome: u32,
    /// Whether every cell left at the end halves the score.
    pub(super) clearing: bool,
}

impl Rules {
    /// Returns the points of a path by its length and whether its number is prime or a palindrome. At most 2^64 - 1.
    pub(super) fn points(&self, length: usize, prime: bool, palindrome: bool) -> u64 {
        let power = |holds: bool, exponent| if holds { (length as u64).saturating_pow(exponent) } else { 1 };
        match (power(prime, self.prime), power(palindrome, self.palindrome)) {
            (1, 1) => 0,
            (prime, palindrome) => prime.saturating_add(palindrome),
        }
    }

    /// Returns the points of a path with these digits. A number that does not fit into 64 bits counts as composite.
    pub(super) fn short_worth(&self, digits: &[u8]) -> u64 {
        self.worth(digits, |digits| digits.len() <= MAX_U64_DIGITS && is_prime(number(digits)))
    }

    /// Returns the points of a path with these digits.
    pub(super) fn worth(&self, digits: &[u8], is_prime: impl Fn(&[u8]) -> bool) -> u64 {
        let palindrome = digits.iter().eq(digits.iter().rev());
        // Primality does not matter if the power is one.
        let prime = self.prime > 0 && is_prime(digits);
        self.points(digits.len(), prime, palindrome)
    }
}

/// Returns the number of at most 19 digits.
pub(super) fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |number, &digit| number * 10 + u64::from(digit))
}

/// Reads a case, with or without a test number before it.
pub(super) fn read(input: &[u8]) -> Result<(Rules, Board), SolveError> {
    let mut words = Words::new(input);
    let first_line = input.trim_ascii_start().split(|&byte| byte == b'\n').next().unwrap_or_default();
    if first_line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() == 1 {
        words.number("the number of the test", 0..=u64::MAX)?;
    }
    let rows: usize = words.number("a number of rows", 1..=CELLS)?;
    let columns: usize = words.number("a number of columns", 1..=CELLS / rows)?;
    let moves = words.number("the number of moves K", 0..=usize::MAX)?;
    let shortest: usize = words.number("the shortest length l_min", 0..=usize::MAX)?;
    let longest: usize = words.number("the longest length l_max", 0..=usize::MAX)?;
    let prime = words.number("the exponent c1", 0..=u32::MAX)?;
    let palindrome = words.number("the exponent c2", 0..=u32::MAX)?;
    let clearing = words.number("the parameter F, 0 or 1", 0..=1_u8)? == 1;
    let digits = (0..rows * columns).map(|_| words.number("a digit", 0..=9_u8)).collect::<Result<Vec<_>, _>>()?;
    words.end()?;
    let lengths = shortest.max(1)..=longest.min(rows * columns);
    Ok((Rules { moves, lengths, prime, palindrome, clearing }, Board::new(rows, columns, &digits)))
}

/// A path and its points.
#[derive(Debug, Clone, Default)]
pub(super) struct Path {
    pub(super) cells: Vec<Cell>,
    pub(super) points: u64,
}

/// The moves of an answer as text, never longer than an answer may be.
#[derive(Default)]
pub(super) struct Answer {
    moves: usize,
    text: String,
}

impl Answer {
    /// Returns the answer that plays these moves from this board on, as many as it may hold.
    pub(super) fn of(board: &Board, moves: &[Vec<Cell>]) -> Self {
        let mut board = board.clone();
        let mut answer = Self::default();
        for path in moves {
            if !answer.add(&board, path) {
                break;
            }
            board.delete(path);
        }
        answer
    }

    /// Adds a move on the current board. Returns false and adds nothing if the answer would be too long.
    pub(super) fn add(&mut self, board: &Board, path: &[Cell]) -> bool {
        let before = self.text.len();
        self.text.push_str(&path.len().to_string());
        for &cell in path {
            let (row, column) = board.place(cell);
            self.text.push_str(&format!(" {row} {column}"));
        }
        self.text.push('\n');
        // The first line, with the number of moves, needs space, too.
        if self.text.len() + 24 > OUTPUT_LIMIT {
            self.text.truncate(before);
            return false;
        }
        self.moves += 1;
        true
    }

    pub(super) fn write(&self, output: &mut dyn Write) -> Result<(), SolveError> {
        Ok(write!(output, "{}\n{}", self.moves, self.text)?)
    }
}

/// The board, with a border.
#[derive(Debug, Clone)]
pub(super) struct Board {
    digits: Vec<u8>,
    pub(super) rows: usize,
    pub(super) columns: usize,
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

    /// Returns the difference between the index of a cell and of the one on its right. The cell above has the next
    /// index.
    pub(super) fn stride(&self) -> usize {
        self.rows + 2
    }

    /// Returns the number of steps between two cells.
    pub(super) fn distance(&self, first: Cell, second: Cell) -> usize {
        let [(row, column), (other_row, other_column)] = [self.place(first), self.place(second)];
        row.abs_diff(other_row) + column.abs_diff(other_column)
    }

    /// Returns the number of indices, including the border.
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

    /// Deletes the cells. The cells above them fall.
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
    use crate::search::Random;

    #[test]
    fn the_test_number_may_be_there_or_not() {
        let with = read(b"7\n2 2 5 2 3 1 2 1\n1 2\n3 4\n").unwrap();
        let without = read(b"2 2 5 2 3 1 2 1\n1 2\n3 4\n").unwrap();
        assert_eq!((with.0.moves, with.0.palindrome, with.0.clearing), (5, 2, true));
        assert_eq!((without.0.moves, without.0.lengths), (5, 2..=3));
    }

    #[test]
    fn worth_follows_the_statement_s_examples() {
        let (rules, _) = read(b"1 3 100 2 3 1 1 1\n2 1 1\n").unwrap();
        assert_eq!(rules.short_worth(&[4, 7]), 3);
        assert_eq!(rules.short_worth(&[2, 2]), 3);
        assert_eq!(rules.short_worth(&[1, 3, 1]), 6);
        assert_eq!(rules.short_worth(&[1, 2]), 0);
        assert_eq!(rules.short_worth(&[7]), 0, "one to any power is one");
    }

    #[test]
    fn an_answer_stays_below_its_limit() {
        let (_, board) = read(b"1 3 100 2 3 1 1 1\n2 1 1\n").unwrap();
        let path = board.cells().collect::<Vec<_>>();
        let mut answer = Answer::default();
        let added = (0..200_000).take_while(|_| answer.add(&board, &path)).count();
        let mut text = Vec::new();
        answer.write(&mut text).unwrap();
        assert!(added > 50_000 && text.len() <= OUTPUT_LIMIT);
    }

    /// Returns a random path that the rules allow, if the walk from a random cell gets long enough.
    fn random_path(rules: &Rules, board: &Board, random: &mut Random) -> Option<Vec<Cell>> {
        let starts: Vec<Cell> = board.cells().filter(|&cell| board.digit(cell) != 0).collect();
        let mut path = vec![*random.pick((!starts.is_empty()).then_some(&starts)?)];
        let length = rules.lengths.start() + random.below(rules.lengths.clone().count());
        while path.len() < length {
            let beside = board.neighbors(path[path.len() - 1]).into_iter();
            let free: Vec<Cell> = beside.filter(|&cell| board.digit(cell) != BLANK && !path.contains(&cell)).collect();
            path.push(*random.pick((!free.is_empty()).then_some(&free)?));
        }
        Some(path)
    }

    #[test]
    fn random_play_scores_as_the_checker_says() {
        let checker = checkers::find("deletion-game").unwrap();
        let mut random = Random::new(29);
        let mut scored = 0;
        for _ in 0..500 {
            let [rows, columns, moves] = [1 + random.below(6), 2 + random.below(6), 1 + random.below(8)];
            let shortest = 1 + random.below(2);
            let longest = shortest + random.below(4);
            let [prime, palindrome, clearing] = [random.below(4), random.below(4), random.below(2)];
            // Few different digits make palindromes.
            let digits: String =
                (0..rows * columns).map(|_| random.pick(&[" 0", " 1", " 1", " 3", " 7"])).copied().collect();
            let input =
                format!("{rows} {columns} {moves} {shortest} {longest} {prime} {palindrome} {clearing}\n{digits}\n");
            let (rules, mut board) = read(input.as_bytes()).unwrap();
            let (mut answer, mut sum) = (Answer::default(), 0);
            for _ in 0..moves {
                let Some(path) = random_path(&rules, &board, &mut random) else { break };
                let spelled: Vec<u8> = path.iter().map(|&cell| board.digit(cell)).collect();
                let points = rules.short_worth(&spelled);
                assert!(answer.add(&board, &path));
                // A move without points is wasted: it deletes nothing.
                if points > 0 {
                    board.delete(&path);
                }
                sum += points;
            }
            if rules.clearing {
                sum = sum.checked_shr(board.cells().count() as u32).unwrap_or(0);
            }
            let mut text = Vec::new();
            answer.write(&mut text).unwrap();
            let expected = checker.read(input.as_bytes()).unwrap().check(&text).unwrap();
            assert_eq!(sum.to_string(), expected.to_string(), "{input}{}", text.escape_ascii());
            scored += u32::from(sum > 0);
        }
        assert!(scored > 100, "{scored}");
    }
}

#[cfg(test)]
mod board_tests {
    use super::*;

    #[test]
    fn places_are_counted_from_the_top_left() {
        let board = Board::new(2, 3, &[1, 2, 3, 4, 5, 6]);
        let cell = board.cell(1, 2);
        assert_eq!((board.digit(cell), board.place(cell)), (6, (2, 3)));
    }

    #[test]
    fn cells_above_fall() {
        let mut board = Board::new(3, 2, &[1, 2, 3, 4, 5, 6]);
        board.delete(&[board.cell(1, 0), board.cell(2, 1), board.cell(1, 1)]);
        let rows = |column| [0, 1, 2].map(|row| board.digit(board.cell(row, column)));
        assert_eq!([rows(0), rows(1)], [[BLANK, 1, 5], [BLANK, BLANK, 2]]);
    }
}
