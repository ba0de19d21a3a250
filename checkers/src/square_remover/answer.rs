//! An answer to `square-remover`: 30,000 integers, three for each swap.

use super::rules::Cell;
use crate::Rejection;
use crate::tokens::{Parsed, Token, Tokens, parse_integer};

/// Two neighbouring cells, and the token that named the second one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Swap<'a> {
    /// The cell that the answer names.
    pub(super) cell: Cell,
    /// Its neighbour in the direction that the answer names.
    pub(super) neighbour: Cell,
    /// The last token of the move.
    pub(super) token: Token<'a>,
}

/// Reads the row, the column and the direction of one move on a board of `size` rows and columns.
///
/// # Errors
/// The first of the three that breaks a rule. It does not know which move it is.
pub(super) fn read_swap<'a>(tokens: &mut Tokens<'a>, size: usize) -> Result<Swap<'a>, Rejection> {
    // A size is at most 16, and what is read is not negative.
    let last = size as i64 - 1;
    let row = tokens.integer_by(parse_signed, "the row", 0..=last)?.1 as usize;
    let column = tokens.integer_by(parse_signed, "the column", 0..=last)?.1 as usize;
    let (token, direction) = tokens.integer_by(parse_signed, "the direction", 0..=3)?;
    let cell = Cell { row, column };
    match cell.neighbour(direction, size) {
        Some(neighbour) => Ok(Swap { cell, neighbour, token }),
        None => Err(leaves_the_board(tokens, token, cell)),
    }
}

/// Reads an integer as the official tester does, which takes a plus sign: no other game does.
#[inline]
fn parse_signed(bytes: &[u8]) -> Parsed {
    match bytes {
        [b'+', b'-', ..] => Parsed::NotANumber,
        [b'+', digits @ ..] => parse_integer(digits),
        bytes => parse_integer(bytes),
    }
}

#[cold]
fn leaves_the_board(tokens: &Tokens<'_>, direction: Token<'_>, cell: Cell) -> Rejection {
    let Cell { row, column } = cell;
    let expected = format!("a direction from row {row}, column {column} to another cell of the board");
    tokens.wrong(direction, "the swap leaves the board", &expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Cell, Cell), String> {
        let mut tokens = Tokens::new(text.as_bytes());
        read_swap(&mut tokens, 8).map(|swap| (swap.cell, swap.neighbour)).map_err(|rejection| rejection.to_string())
    }

    #[test]
    fn a_move_is_a_cell_and_the_way_to_its_neighbour() {
        let cell = |row, column| Cell { row, column };
        for (text, neighbour) in
            [("3 4 0", cell(2, 4)), ("3 4 1", cell(3, 5)), ("3 4 2", cell(4, 4)), ("3 4 3", cell(3, 3))]
        {
            assert_eq!(read(text), Ok((cell(3, 4), neighbour)), "{text}");
        }
        assert_eq!(read("+3\t+004\r\n-0"), read("3 4 0"), "signs and leading zeros");
    }

    #[test]
    fn every_way_off_the_board_is_rejected_and_every_way_along_its_edge_is_not() {
        for (row, column, off) in [(0, 0, [0, 3]), (0, 7, [0, 1]), (7, 0, [2, 3]), (7, 7, [1, 2])] {
            for direction in 0..4 {
                let outcome = read(&format!("{row} {column} {direction}"));
                assert_eq!(outcome.is_err(), off.contains(&direction), "{row} {column} {direction}: {outcome:?}");
            }
        }
        assert_eq!(
            read("0 5 0").unwrap_err(),
            "line 1, column 5: the swap leaves the board: expected a direction from row 0, column 5 to another cell of \
             the board, found `0`"
        );
    }

    #[test]
    fn what_is_no_number_of_the_board_is_rejected_where_it_stands() {
        for (text, message) in [
            ("8 0 0", "line 1, column 1: the row is out of range: expected an integer from 0 to 7, found `8`"),
            ("0 -1 0", "line 1, column 3: the column is out of range: expected an integer from 0 to 7, found `-1`"),
            ("1 1\n4", "line 2, column 1: the direction is out of range: expected an integer from 0 to 3, found `4`"),
            ("+8 0 0", "line 1, column 1: the row is out of range: expected an integer from 0 to 7, found `+8`"),
            ("+-1 0 0", "line 1, column 1: the row is not an integer: expected an integer from 0 to 7, found `+-1`"),
            ("+ 0 0", "line 1, column 1: the row is not an integer: expected an integer from 0 to 7, found `+`"),
            ("++1 0 0", "line 1, column 1: the row is not an integer: expected an integer from 0 to 7, found `++1`"),
            ("1.0 0 0", "line 1, column 1: the row is not an integer: expected an integer from 0 to 7, found `1.0`"),
            (
                "18446744073709551616 0 0",
                "line 1, column 1: the row is out of range: expected an integer from 0 to 7, found \
                 `18446744073709551616`",
            ),
            (
                "1 1",
                "line 1, column 4: the text ends too early: expected the direction, an integer from 0 to 3, found the \
                 end",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }
}
