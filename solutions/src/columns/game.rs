//! A case of Columns as its text gives it, and the text of an answer.

use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// A jewel of any column but the magic one: its letter, counted from 0.
pub(super) type Color = u8;

/// What falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// Three jewels, bottom to top.
    Jewels([Color; 3]),
    /// Three magic jewels: they clear the colour they land on.
    Magic,
}

/// Where a column goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    /// The field's column, from 0.
    pub(super) x: u8,
    /// How often the bottom jewel went on top.
    pub(super) shift: u8,
}

/// One case.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) columns: Vec<Column>,
}

impl Game {
    pub(super) fn read(input: &[u8]) -> Result<Self, SolveError> {
        let mut words = Words::new(input);
        let width = words.number("a width from 6 to 12", 6..=12)?;
        let height = words.number("a height from 13 to 19", 13..=19)?;
        let count: usize = words.number("a number of columns up to 10000", 1..=10_000)?;
        let columns = (0..count).map(|_| read_column(&mut words)).collect::<Result<_, _>>()?;
        words.end()?;
        Ok(Self { width, height, columns })
    }

    /// Returns how many colours the columns have, counting every letter up to the last one used.
    pub(super) fn colors(&self) -> usize {
        let jewels = self.columns.iter().flat_map(|column| match column {
            Column::Jewels(jewels) => &jewels[..],
            Column::Magic => &[],
        });
        jewels.max().map_or(0, |&last| usize::from(last) + 1)
    }
}

fn read_column(words: &mut Words) -> Result<Column, SolveError> {
    let expected = "three small letters or ***";
    let text = words.text(expected, 3, |byte| byte.is_ascii_lowercase() || byte == b'*')?;
    match *text {
        [b'*', b'*', b'*'] => Ok(Column::Magic),
        [a, b, c] if !text.contains(&b'*') => Ok(Column::Jewels([a - b'a', b - b'a', c - b'a'])),
        _ => Err(words.unexpected(expected, text)),
    }
}

/// Writes an answer.
pub(super) fn write(placements: &[Placement], output: &mut dyn Write) -> Result<(), SolveError> {
    writeln!(output, "{}", placements.len())?;
    for Placement { x, shift } in placements {
        writeln!(output, "{} {shift}", x + 1)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_mixes_magic_and_letters_is_refused() {
        assert!(Game::read(b"6 13 1 *a*").is_err());
        assert_eq!(Game::read(b"6 13\n1\n***\n").unwrap().columns, [Column::Magic]);
    }

    #[test]
    fn a_missing_or_additional_column_is_refused() {
        assert!(Game::read(b"6 13 2 abc").is_err());
        assert!(Game::read(b"6 13 1 abc abc").is_err());
    }
}
