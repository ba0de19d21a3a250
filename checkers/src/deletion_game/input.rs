//! The input of a case: the parameters and the board.

use super::board::Board;
use crate::tokens::Tokens;
use crate::{Malformed, Rejection};

/// The maximum of c1 and c2. The statement's bound is unknown. This one keeps a subscore below a few thousand bits.
const MAX_EXPONENT: u32 = 100;

/// A case, found valid.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) board: Board,
    pub(super) parameters: Parameters,
}

/// The parameters of a case, besides the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameters {
    /// K: the maximum number of moves.
    pub(super) moves: i64,
    /// l_min: from 1.
    pub(super) shortest: i64,
    /// l_max: from l_min.
    pub(super) longest: i64,
    /// c1: from 0 to 100.
    pub(super) prime_exponent: u32,
    /// c2: from 0 to 100.
    pub(super) palindrome_exponent: u32,
    /// F: whether every remaining digit halves the score.
    pub(super) halves_for_what_is_left: bool,
}

impl Input {
    /// Reads the test number, if there is one, the eight parameters and the board.
    pub(super) fn read(text: &[u8]) -> Result<Self, Malformed> {
        let mut tokens = Tokens::new(text);
        if has_test_number(text) {
            tokens.integer("the test number", 0..=i64::MAX)?;
        }
        let height = tokens.integer("the number of rows n", 1..=i64::MAX)?;
        let width = tokens.integer("the number of columns m", 1..=i64::MAX)?;
        let parameters = read_parameters(&mut tokens)?;
        let digits = read_digits(&mut tokens, height.saturating_mul(width), text.len())?;
        tokens.end()?;
        let width = usize::try_from(width).expect("every cell is a byte of the input");
        Ok(Self { board: Board::from_rows(width, &digits), parameters })
    }
}

/// Returns whether the first line that is not blank has a single token. Without a test number it has eight.
fn has_test_number(text: &[u8]) -> bool {
    let lines = text.split(|&byte| byte == b'\n');
    let mut counts = lines.map(|line| {
        let mut tokens = Tokens::new(line);
        std::iter::from_fn(|| tokens.next()).take(2).count()
    });
    counts.find(|&count| count > 0) == Some(1)
}

fn read_parameters(tokens: &mut Tokens<'_>) -> Result<Parameters, Rejection> {
    let moves = tokens.integer("the number of moves K", 0..=i64::MAX)?;
    let shortest = tokens.integer("the shortest length l_min", 1..=i64::MAX)?;
    let longest = tokens.integer("the longest length l_max", shortest..=i64::MAX)?;
    let prime_exponent = tokens.integer("the exponent c1", 0..=MAX_EXPONENT)?;
    let palindrome_exponent = tokens.integer("the exponent c2", 0..=MAX_EXPONENT)?;
    let halves_for_what_is_left = tokens.integer("the flag F", 0..=1_u8)? == 1;
    Ok(Parameters { moves, shortest, longest, prime_exponent, palindrome_exponent, halves_for_what_is_left })
}

/// Reads the board row by row. It is never longer than the text, even if the text claims a larger size.
fn read_digits(tokens: &mut Tokens<'_>, count: i64, text_length: usize) -> Result<Vec<u8>, Rejection> {
    let room = usize::try_from(count).unwrap_or(usize::MAX).min(text_length);
    let mut digits = Vec::with_capacity(room);
    for _ in 0..count {
        digits.push(tokens.digit("the cell")?);
    }
    Ok(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_number_may_be_missing() {
        let with = Input::read(b"7\n2 3 4 2 6 1 0 1\n1 2 3\n4 5 6\n").unwrap();
        let without = Input::read(b"\r\n \r\n2 3 4 2 6 1 0 1\r\n1\t2 3\r\n\r\n4 5  06").unwrap();
        assert_eq!(with, without);
        assert_eq!(with.board, Board::from_rows(3, &[1, 2, 3, 4, 5, 6]));
        let parameters = Parameters {
            moves: 4,
            shortest: 2,
            longest: 6,
            prime_exponent: 1,
            palindrome_exponent: 0,
            halves_for_what_is_left: true,
        };
        assert_eq!(with.parameters, parameters);
    }

    #[test]
    fn the_first_broken_constraint_is_named_with_its_place() {
        for (text, complaint) in [
            ("", "line 1, column 1: the text ends too early: expected the number of rows n"),
            ("0\n", "line 2, column 1: the text ends too early: expected the number of rows n"),
            ("x\n", "line 1, column 1: the test number is not an integer"),
            ("0 1 1 1 1 1 1 0\n5", "line 1, column 1: the number of rows n is out of range"),
            ("1 -1 1 1 1 1 1 0\n5", "line 1, column 3: the number of columns m is out of range"),
            ("1 1 -1 1 1 1 1 0\n5", "line 1, column 5: the number of moves K is out of range"),
            ("1 1 1 0 1 1 1 0\n5", "line 1, column 7: the shortest length l_min is out of range"),
            (
                "1 1 1 3 2 1 1 0\n5",
                "line 1, column 9: the longest length l_max is out of range: expected an integer from 3",
            ),
            (
                "1 1 1 1 1 101 1 0\n5",
                "line 1, column 11: the exponent c1 is out of range: expected an integer from 0 to 100",
            ),
            (
                "1 1 1 1 1 1 -1 0\n5",
                "line 1, column 13: the exponent c2 is out of range: expected an integer from 0 to 100",
            ),
            ("1 1 1 1 1 1 1 2\n5", "line 1, column 15: the flag F is out of range: expected an integer from 0 to 1"),
            ("1 1 1 1 1 1 1 0\n-1", "line 2, column 1: the cell is out of range: expected an integer from 0 to 9"),
            ("1 2 1 1 1 1 1 0\n5 10", "line 2, column 3: the cell is out of range: expected an integer from 0 to 9"),
            ("1 2 1 1 1 1 1 0\n5 a", "line 2, column 3: the cell is not an integer"),
            ("1 2 1 1 1 1 1 0\n5\n", "line 3, column 1: the text ends too early: expected the cell"),
            ("1 1 1 1 1 1 1 0\n5 6", "line 2, column 3: the text goes on too long"),
        ] {
            let found = Input::read(text.as_bytes()).unwrap_err().to_string();
            assert!(found.starts_with(complaint), "{text:?}: {found}");
        }
    }

    #[test]
    fn a_board_that_is_only_claimed_is_not_allocated() {
        for size in ["1000000000 1000000000", "9223372036854775807 9223372036854775807"] {
            let text = format!("{size} 1 1 1 1 1 0\n1 2 3");
            let complaint = Input::read(text.as_bytes()).unwrap_err();
            assert_eq!(complaint.0.rule, "the text ends too early");
        }
    }
}
