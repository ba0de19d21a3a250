//! A case of `square-remover`: its numbers and its board, read from text and written as text.

use crate::tokens::Tokens;
use crate::{Malformed, Rejection};
use std::ops::RangeInclusive;

/// The number of colours.
const COLORS: RangeInclusive<u8> = 4..=6;

/// The number of rows, and of columns.
const SIZES: RangeInclusive<usize> = 8..=16;

/// The first number of the buffer's sequence.
const START_SEEDS: RangeInclusive<u32> = 1..=2_147_483_646;

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Game {
    /// The number of colours.
    pub(super) colors: u8,
    /// The number of rows, and of columns: the statement's `N`.
    pub(super) size: usize,
    /// The colours of the tiles, row-major from the top left.
    pub(super) board: Vec<u8>,
    /// The first number of the buffer's sequence.
    pub(super) start_seed: u32,
}

impl Game {
    /// Reads `colors`, `N`, `N` rows of `N` digits and `startSeed`.
    ///
    /// # Errors
    /// Returns the first place where the text breaks the format.
    pub(super) fn read(text: &[u8]) -> Result<Self, Malformed> {
        let mut tokens = Tokens::new(text);
        let colors = tokens.integer("the number of colors", COLORS)?;
        let size = tokens.integer("the board's size N", SIZES)?;
        let mut board = Vec::with_capacity(size * size);
        for _ in 0..size {
            read_row(&mut tokens, colors, size, &mut board)?;
        }
        let start_seed = tokens.integer("startSeed", START_SEEDS)?;
        tokens.end()?;
        Ok(Self { colors, size, board, start_seed })
    }

    /// Returns the text that [`Game::read`] reads, as the official tester writes it.
    pub(super) fn to_text(&self) -> Vec<u8> {
        let mut text = format!("{}\n{}\n", self.colors, self.size).into_bytes();
        for row in self.board.chunks(self.size) {
            text.extend(row.iter().map(|color| b'0' + color));
            text.push(b'\n');
        }
        text.extend(format!("{}\n", self.start_seed).into_bytes());
        text
    }
}

fn read_row(tokens: &mut Tokens<'_>, colors: u8, size: usize, board: &mut Vec<u8>) -> Result<(), Rejection> {
    let expected = || format!("{size} digits below {colors}");
    let row = tokens.token("a row of the board")?;
    if row.bytes.len() != size {
        return Err(tokens.wrong(row, "the row has another length", &expected()));
    }
    if !row.bytes.iter().all(|byte| (b'0'..b'0' + colors).contains(byte)) {
        return Err(tokens.wrong(row, "the row contains characters that are not colors", &expected()));
    }
    board.extend(row.bytes.iter().map(|digit| digit - b'0'));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statement's third example, on a board of our own.
    const TEXT: &str =
        "5\n8\n30421131\n40044240\n01342042\n41231002\n21220000\n40110402\n04423124\n03422243\n257017653\n";

    #[test]
    fn written_cases_can_be_read_again() {
        let game = Game::read(TEXT.as_bytes()).unwrap();
        assert_eq!((game.colors, game.size, game.start_seed), (5, 8, 257_017_653));
        assert_eq!(game.board[..10], [3, 0, 4, 2, 1, 1, 3, 1, 4, 0]);
        assert_eq!(game.to_text(), TEXT.as_bytes());
    }

    #[test]
    fn white_space_is_free() {
        let spaced = TEXT.replace('\n', "\r\n\t ");
        assert_eq!(Game::read(spaced.as_bytes()), Game::read(TEXT.as_bytes()));
        assert_eq!(Game::read(TEXT.trim_end().as_bytes()), Game::read(TEXT.as_bytes()));
    }

    #[test]
    fn every_number_is_held_to_its_range() {
        for (from, to, message) in [
            (
                "5\n8",
                "3\n8",
                "line 1, column 1: the number of colors is out of range: expected an integer from 4 to 6, \
                              found `3`",
            ),
            (
                "5\n8",
                "7\n8",
                "line 1, column 1: the number of colors is out of range: expected an integer from 4 to 6, \
                              found `7`",
            ),
            (
                "5\n8",
                "5\n17",
                "line 2, column 1: the board's size N is out of range: expected an integer from 8 to 16, \
                               found `17`",
            ),
            (
                "5\n8",
                "5\n9",
                "line 3, column 1: the row has another length: expected 9 digits below 5, found `30421131`",
            ),
            (
                "30421131",
                "30421135",
                "line 3, column 1: the row contains characters that are not colors: expected 8 digits \
                                      below 5, found `30421135`",
            ),
            (
                "257017653",
                "0",
                "line 11, column 1: startSeed is out of range: expected an integer from 1 to 2147483646, \
                                found `0`",
            ),
            (
                "257017653",
                "2147483647",
                "line 11, column 1: startSeed is out of range: expected an integer from 1 to \
                                         2147483646, found `2147483647`",
            ),
            ("257017653", "1 1", "line 11, column 3: the text goes on too long: expected the end, found `1`"),
        ] {
            let malformed = Game::read(TEXT.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert_eq!(malformed.to_string(), message);
        }
    }
}
