//! Reads an answer move by move and checks, token by token, whether the path is legal on the current board.

use super::board::{Board, CellIndex};
use super::input::Parameters;
use crate::tokens::{Tokens, parse_integer};
use crate::{Rejection, Undecided};

/// The statement's limit on the length of an answer, in bytes.
const MAX_BYTES: usize = 1_000_000;

/// An answer, read up to some move.
pub(super) struct Answer<'a> {
    tokens: Tokens<'a>,
    /// Where the last move begins in the text.
    last_move: usize,
    parameters: &'a Parameters,
    moves: i64,
    step: u32,
    /// For each cell, the last move whose path visited it.
    visits: Vec<u32>,
}

impl<'a> Answer<'a> {
    /// Reads M. An answer that is too long is rejected before it is read.
    pub(super) fn open(text: &'a [u8], parameters: &'a Parameters, board: &Board) -> Result<Self, Rejection> {
        let mut tokens = Tokens::new(text);
        if text.len() > MAX_BYTES {
            let (expected, found) = (format!("at most {MAX_BYTES} bytes"), format!("{} bytes", text.len()));
            return Err(tokens.rejection_at(MAX_BYTES, "the answer is too long", &expected, &found));
        }
        let moves = tokens.integer("the number of moves M", 0..=parameters.moves)?;
        let visits = vec![0; board.height * board.width];
        Ok(Self { last_move: 0, tokens, parameters, moves, step: 0, visits })
    }

    /// Returns the number of the last move, from 1.
    pub(super) fn step(&self) -> usize {
        self.step as usize
    }

    /// Reads the path of the next move into `path`. Returns false if there is none and the answer ends as it should.
    pub(super) fn next_path(&mut self, board: &Board, path: &mut Vec<CellIndex>) -> Result<bool, Rejection> {
        if i64::from(self.step) == self.moves {
            return self.tokens.end().map(|()| false);
        }
        // A u32 is enough: a text of MAX_BYTES has fewer tokens than that, and each move has at least one token.
        self.step += 1;
        self.read_path(board, path).map_err(|rejection| rejection.at_step(self.step()))?;
        Ok(true)
    }

    /// Returns the error that the points of the last move are not decided.
    pub(super) fn undecided_last_move(&self, why: String) -> Undecided {
        Undecided { place: self.tokens.place_of(self.last_move), step: Some(self.step()), why }
    }

    fn read_path(&mut self, board: &Board, path: &mut Vec<CellIndex>) -> Result<(), Rejection> {
        let lengths = self.parameters.shortest..=self.parameters.longest;
        let (token, length) = self.tokens.integer_by(parse_integer, "the length l", lengths)?;
        self.last_move = token.offset;
        path.clear();
        let mut previous = None;
        for _ in 0..length {
            let (token, row) = self.tokens.integer_by(parse_integer, "the row x", 1..=board.height)?;
            let column = self.tokens.integer("the column y", 1..=board.width)?;
            let position = Position { row, column };
            let cell = board.cell(row - 1, column - 1);
            let broken = broken_rule(board, previous, position, self.visits[cell] == self.step);
            if let Some((rule, expected, found)) = broken {
                return Err(self.tokens.rejection_at(token.offset, rule, &expected, &found));
            }
            self.visits[cell] = self.step;
            path.push(cell);
            previous = Some(position);
        }
        Ok(())
    }
}

/// A cell as answers name it. Both numbers count from 1: the top left cell is (1, 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    row: usize,
    column: usize,
}

impl Position {
    fn touches(self, other: Self) -> bool {
        self.row.abs_diff(other.row) + self.column.abs_diff(other.column) == 1
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "({}, {})", self.row, self.column)
    }
}

/// Returns the first of the statement's conditions 2 to 5 that the path breaks by continuing to `position`: the rule,
/// what was expected, and what was found.
fn broken_rule(
    board: &Board,
    previous: Option<Position>,
    position: Position,
    visited: bool,
) -> Option<(&'static str, String, String)> {
    let broken = |rule, expected: &str, found: String| Some((rule, expected.to_owned(), found));
    if let Some(previous) = previous.filter(|previous| !previous.touches(position)) {
        return broken("the path jumps", &format!("a neighbour of {previous}"), position.to_string());
    }
    if visited {
        return broken("the path visits a cell twice", "a cell that is not on the path yet", position.to_string());
    }
    match board.digit(board.cell(position.row - 1, position.column - 1)) {
        None => broken("the path visits a blank cell", "a cell with a digit", position.to_string()),
        Some(0) if previous.is_none() => {
            broken("the path starts with 0", "a digit from 1 to 9", format!("0 at {position}"))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::input::Input;
    use super::*;

    /// ```text
    /// 1 0 3
    /// 4 5 6
    /// ```
    fn input() -> Input {
        Input::read(b"2 3 2 1 4 1 1 0\n1 0 3\n4 5 6\n").unwrap()
    }

    /// Reads the whole answer without removing cells.
    fn paths(answer: &[u8], board: &Board) -> Result<Vec<Vec<CellIndex>>, Rejection> {
        let input = input();
        let mut answer = Answer::open(answer, &input.parameters, board)?;
        let (mut path, mut paths) = (Vec::new(), Vec::new());
        while answer.next_path(board, &mut path)? {
            paths.push(path.clone());
        }
        Ok(paths)
    }

    #[test]
    fn paths_are_cells_with_any_white_space() {
        let board = input().board;
        assert_eq!(paths(b"\n0\r\n\r\n", &board), Ok(vec![]));
        let cells =
            |positions: &[(usize, usize)]| positions.iter().map(|&(row, column)| board.cell(row, column)).collect();
        let expected = vec![cells(&[(0, 0), (0, 1), (1, 1)]), cells(&[(0, 0)])];
        assert_eq!(paths(b"2 3\t01 1 1\n2 2 2\r\n1 1 1", &board), Ok(expected));
    }

    #[test]
    fn the_first_broken_rule_is_named_with_its_place() {
        let mut board = input().board;
        board.take(&mut [board.cell(1, 2)]);
        for (text, complaint) in [
            (
                "",
                "line 1, column 1: the text ends too early: expected the number of moves M, an integer from 0 to 2, found the end",
            ),
            (
                "3",
                "line 1, column 1: the number of moves M is out of range: expected an integer from 0 to 2, found `3`",
            ),
            (
                "1\n5 9",
                "line 2, column 1, move 1: the length l is out of range: expected an integer from 1 to 4, found `5`",
            ),
            (
                "1\n0",
                "line 2, column 1, move 1: the length l is out of range: expected an integer from 1 to 4, found `0`",
            ),
            (
                "2\n1 1 1\n2 3 1",
                "line 3, column 3, move 2: the row x is out of range: expected an integer from 1 to 2, found `3`",
            ),
            (
                "1\n2 1 0",
                "line 2, column 5, move 1: the column y is out of range: expected an integer from 1 to 3, found `0`",
            ),
            ("1\n2 1 1 2 2", "line 2, column 7, move 1: the path jumps: expected a neighbour of (1, 1), found (2, 2)"),
            ("1\n2 1 1 1 1", "line 2, column 7, move 1: the path jumps: expected a neighbour of (1, 1), found (1, 1)"),
            (
                "1\n4 1 1 1 2 1 1 9",
                "line 2, column 11, move 1: the path visits a cell twice: expected a cell that is not on the path yet, found (1, 1)",
            ),
            (
                "1\n1 1 3",
                "line 2, column 3, move 1: the path visits a blank cell: expected a cell with a digit, found (1, 3)",
            ),
            (
                "1\n1 1 2",
                "line 2, column 3, move 1: the path starts with 0: expected a digit from 1 to 9, found 0 at (1, 2)",
            ),
            ("1\n2 1 1 2 1 1", "line 2, column 11: the text goes on too long: expected the end, found `1`"),
            (
                "1\n2 1 1 2",
                "line 2, column 8, move 1: the text ends too early: expected the column y, an integer from 1 to 3, found the end",
            ),
            ("0\n0", "line 2, column 1: the text goes on too long: expected the end, found `0`"),
        ] {
            assert_eq!(paths(text.as_bytes(), &board).unwrap_err().to_string(), complaint, "{text:?}");
        }
    }

    #[test]
    fn a_megabyte_is_the_most() {
        let board = input().board;
        let mut answer = vec![b' '; 1_000_000];
        answer[0] = b'0';
        assert_eq!(paths(&answer, &board), Ok(vec![]));
        answer.push(b' ');
        assert_eq!(
            paths(&answer, &board).unwrap_err().to_string(),
            "line 1, column 1000001: the answer is too long: expected at most 1000000 bytes, found 1000001 bytes"
        );
    }
}
