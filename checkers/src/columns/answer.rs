//! An answer: where the first t pieces land and how often each is shifted.

use super::input::Input;
use crate::Rejection;
use crate::tokens::Tokens;

/// Where one piece goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    /// From 0, left to right.
    pub(super) column: usize,
    /// How often the bottom jewel goes on top: 0 to 2.
    pub(super) shifts: usize,
}

impl Placement {
    /// What is played for the pieces that the answer does not mention.
    pub(super) const OMITTED: Self = Self { column: 0, shifts: 0 };
}

/// Reads all t lines, also those that come after the end of the game: no line's validity depends on the game.
pub(super) fn read(text: &[u8], input: &Input) -> Result<Vec<Placement>, Rejection> {
    let (width, pieces) = (input.width as i64, input.pieces.len() as i64);
    let mut tokens = Tokens::new(text);
    let count = tokens.integer("the number of pieces t", 0..=pieces)? as usize;
    let placements = (1..=count)
        .map(|step| read_placement(&mut tokens, width).map_err(|rejection| rejection.at_step(step)))
        .collect::<Result<_, _>>()?;
    tokens.end()?;
    Ok(placements)
}

fn read_placement(tokens: &mut Tokens<'_>, width: i64) -> Result<Placement, Rejection> {
    let column = tokens.integer("the column p", 1..=width)? as usize - 1;
    let shifts = tokens.integer("the number of shifts s", 0..=2)? as usize;
    Ok(Placement { column, shifts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> Input {
        Input::read(b"6 13\n3\nabc\n***\nabc\n").unwrap()
    }

    #[test]
    fn the_omitted_columns_are_not_in_the_answer() {
        assert_eq!(read(b"0", &input()), Ok(vec![]));
        let placements = vec![Placement { column: 5, shifts: 2 }, Placement { column: 0, shifts: 0 }];
        assert_eq!(read(b"2\r\n6 2\r\n\r\n01\t-0\r\n", &input()), Ok(placements));
    }

    #[test]
    fn the_first_broken_rule_is_named_with_its_place() {
        for (text, complaint) in [
            (
                "",
                "line 1, column 1: the text ends too early: expected the number of pieces t, an integer from 0 to 3, found the end",
            ),
            (
                "4\n",
                "line 1, column 1: the number of pieces t is out of range: expected an integer from 0 to 3, found `4`",
            ),
            (
                "-1",
                "line 1, column 1: the number of pieces t is out of range: expected an integer from 0 to 3, found `-1`",
            ),
            (
                "2\n1 0\n7 3",
                "line 3, column 1, move 2: the column p is out of range: expected an integer from 1 to 6, found `7`",
            ),
            (
                "2\n1 3\n7 3",
                "line 2, column 3, move 1: the number of shifts s is out of range: expected an integer from 0 to 2, found `3`",
            ),
            (
                "1\n18446744073709551617 0",
                "line 2, column 1, move 1: the column p is out of range: expected an integer from 1 to 6, found `18446744073709551617`",
            ),
            (
                "1\n1,0",
                "line 2, column 1, move 1: the column p is not an integer: expected an integer from 1 to 6, found `1,0`",
            ),
            (
                "2\n1 0\n2",
                "line 3, column 2, move 2: the text ends too early: expected the number of shifts s, an integer from 0 to 2, found the end",
            ),
            ("0\n\n1 0", "line 3, column 1: the text goes on too long: expected the end, found `1`"),
            ("1\n1 0\n\0", "line 3, column 1: the text goes on too long: expected the end, found `\\x00`"),
        ] {
            assert_eq!(read(text.as_bytes(), &input()).unwrap_err().to_string(), complaint);
        }
    }
}
