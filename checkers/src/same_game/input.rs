//! The input of a case: the grid of blocks and, if the strategy is prescribed, the order of the colours.

use crate::tokens::{Token, Tokens};
use crate::{Feature, Malformed, Rejection};

/// The maximum number of rows, and of columns.
const MAX_SIDE: usize = 50;

/// A case of `same-game`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prescribed {
    pub(super) grid: Grid,
    /// Every colour of the grid, and possibly others.
    pub(super) order: Vec<u8>,
}

impl Prescribed {
    /// Reads the number of rows, the rows and the order.
    pub(super) fn read(text: &[u8]) -> Result<Self, Malformed> {
        let mut tokens = Tokens::new(text);
        let grid = Grid::read(&mut tokens)?;
        let order = read_order(&mut tokens, &grid)?;
        tokens.end()?;
        Ok(Self { grid, order })
    }
}

/// A case of `same-game-free`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Free {
    pub(super) grid: Grid,
}

impl Free {
    /// Reads the number of rows and the rows.
    pub(super) fn read(text: &[u8]) -> Result<Self, Malformed> {
        let mut tokens = Tokens::new(text);
        let grid = Grid::read(&mut tokens)?;
        tokens.end()?;
        Ok(Self { grid })
    }
}

/// The blocks at the start.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// From 1 to 50.
    pub(super) rows: usize,
    /// From 1 to 50.
    pub(super) columns: usize,
    /// Capital letters, row-major from the top left.
    pub(super) blocks: Vec<u8>,
}

impl Grid {
    fn read(tokens: &mut Tokens<'_>) -> Result<Self, Rejection> {
        let rows = tokens.integer("the number of rows R", 1..=MAX_SIDE)?;
        let mut blocks = read_row(tokens, None)?.to_vec();
        let columns = blocks.len();
        for _ in 1..rows {
            blocks.extend_from_slice(read_row(tokens, Some(columns))?);
        }
        Ok(Self { rows, columns, blocks })
    }

    pub(super) fn features(&self) -> Vec<Feature> {
        let colors = seen(&self.blocks).count_ones();
        vec![
            Feature::count("rows", self.rows),
            Feature::count("columns", self.columns),
            Feature { name: "colors", value: i64::from(colors) },
        ]
    }
}

/// Reads a row. It must be as long as the first one, for which `columns` is `None`.
fn read_row<'a>(tokens: &mut Tokens<'a>, columns: Option<usize>) -> Result<&'a [u8], Rejection> {
    let expected = match columns {
        None => format!("1 to {MAX_SIDE} capital letters"),
        Some(1) => "1 capital letter, as in the first row".to_owned(),
        Some(columns) => format!("{columns} capital letters, as in the first row"),
    };
    let token = tokens.token(&expected)?;
    let length = token.bytes.len();
    if !columns.map_or(length <= MAX_SIDE, |columns| length == columns) {
        return Err(tokens.wrong(token, "the row has a wrong length", &expected));
    }
    capitals(tokens, token, "the row", &expected)
}

fn read_order(tokens: &mut Tokens<'_>, grid: &Grid) -> Result<Vec<u8>, Rejection> {
    const EXPECTED: &str = "1 to 26 different capital letters";
    let token = tokens.token(EXPECTED)?;
    let order = capitals(tokens, token, "the order", EXPECTED)?;
    if seen(order).count_ones() as usize != order.len() {
        return Err(tokens.wrong(token, "the order names a colour twice", EXPECTED));
    }
    match grid.blocks.iter().find(|block| !order.contains(block)) {
        None => Ok(order.to_vec()),
        Some(&missing) => {
            let expected = format!("`{}`, which is on the board, among them", char::from(missing));
            Err(tokens.wrong(token, "the order lacks a colour", &expected))
        }
    }
}

fn capitals<'a>(tokens: &Tokens<'a>, token: Token<'a>, name: &str, expected: &str) -> Result<&'a [u8], Rejection> {
    if token.bytes.iter().all(u8::is_ascii_uppercase) {
        Ok(token.bytes)
    } else {
        Err(tokens.wrong(token, &format!("{name} is not all capital letters"), expected))
    }
}

/// Returns the set of these capital letters, one bit for each.
fn seen(letters: &[u8]) -> u32 {
    letters.iter().fold(0, |seen, letter| seen | 1 << (letter - b'A'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_with_any_white_space() {
        let grid = Grid { rows: 2, columns: 3, blocks: b"ABBCCA".to_vec() };
        let case = Prescribed { grid, order: b"BXCA".to_vec() };
        assert_eq!(Prescribed::read(b"\r\n2 ABB\tCCA\n\n  BXCA"), Ok(case));
        assert_eq!(Free::read(b"1\tZ").unwrap().grid, Grid { rows: 1, columns: 1, blocks: vec![b'Z'] });
    }

    #[test]
    fn the_first_broken_constraint_is_named_with_its_place() {
        let long = format!("1\n{}\nA", "A".repeat(51));
        for (text, complaint) in [
            (
                "",
                "line 1, column 1: the text ends too early: expected the number of rows R, an integer from 1 to 50, found the end",
            ),
            (
                "0\nA",
                "line 1, column 1: the number of rows R is out of range: expected an integer from 1 to 50, found `0`",
            ),
            (
                "51\nA",
                "line 1, column 1: the number of rows R is out of range: expected an integer from 1 to 50, found `51`",
            ),
            (
                &long,
                "line 2, column 1: the row has a wrong length: expected 1 to 50 capital letters, found `AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA…` (51 bytes)",
            ),
            (
                "2\nAB\nABC\nABC",
                "line 3, column 1: the row has a wrong length: expected 2 capital letters, as in the first row, found `ABC`",
            ),
            (
                "2\nAB\nAb\nAB",
                "line 3, column 1: the row is not all capital letters: expected 2 capital letters, as in the first row, found `Ab`",
            ),
            (
                "2\nA\n",
                "line 3, column 1: the text ends too early: expected 1 capital letter, as in the first row, found the end",
            ),
            (
                "1\nAB",
                "line 2, column 3: the text ends too early: expected 1 to 26 different capital letters, found the end",
            ),
            (
                "1\nAB\nA1B",
                "line 3, column 1: the order is not all capital letters: expected 1 to 26 different capital letters, found `A1B`",
            ),
            (
                "1\nAB\nABA",
                "line 3, column 1: the order names a colour twice: expected 1 to 26 different capital letters, found `ABA`",
            ),
            (
                "1\nAB\nACD",
                "line 3, column 1: the order lacks a colour: expected `B`, which is on the board, among them, found `ACD`",
            ),
            ("1\nAB\nAB\nC", "line 4, column 1: the text goes on too long: expected the end, found `C`"),
        ] {
            assert_eq!(Prescribed::read(text.as_bytes()).unwrap_err().to_string(), complaint);
        }
    }

    #[test]
    fn the_open_game_has_no_order() {
        let complaint = Free::read(b"1\nAB\nAB\n").unwrap_err().to_string();
        assert_eq!(complaint, "line 3, column 1: the text goes on too long: expected the end, found `AB`");
    }
}
