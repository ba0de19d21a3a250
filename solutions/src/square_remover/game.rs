//! A case of Square Remover as its text gives it, its buffer, and the text of an answer.

use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// How many moves a game has.
pub(super) const MOVES: usize = 10_000;

/// Seconds that a solution takes; the limit is 30.
pub(super) const TIME_LIMIT: f64 = 28.0;

/// One case.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) colors: u8,
    /// The colours, row by row.
    pub(super) rows: Vec<Vec<u8>>,
    pub(super) start_seed: u32,
}

impl Game {
    pub(super) fn read(input: &[u8]) -> Result<Self, SolveError> {
        let mut words = Words::new(input);
        let colors: u8 = words.number("a number of colours from 4 to 6", 4..=6)?;
        let size: usize = words.number("a size from 8 to 16", 8..=16)?;
        let is_color = |byte: u8| byte.is_ascii_digit() && byte - b'0' < colors;
        let rows = (0..size).map(|_| words.text("a row of colours", size, is_color)).collect::<Result<Vec<_>, _>>()?;
        let start_seed = words.number("a start seed from 1 to 2147483646", 1..=2_147_483_646)?;
        words.end()?;
        let rows = rows.into_iter().map(|row| row.iter().map(|digit| digit - b'0').collect()).collect();
        Ok(Self { colors, rows, start_seed })
    }

    /// Returns the first `length` tiles of the buffer.
    pub(super) fn buffer(&self, length: usize) -> Vec<u8> {
        let successor = |&value: &u64| Some(value * 48_271 % 2_147_483_647);
        let values = std::iter::successors(Some(u64::from(self.start_seed)), successor);
        // A colour is below 7.
        values.take(length).map(|value| (value % u64::from(self.colors)) as u8).collect()
    }
}

/// Two neighbouring tiles to be swapped: the upper or left one, and whether the other is below it or beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Swap {
    pub(super) row: u8,
    pub(super) column: u8,
    pub(super) down: bool,
}

/// Returns every swap of a board with this many rows.
pub(super) fn swaps(size: usize) -> Vec<Swap> {
    let size = u8::try_from(size).expect("a board has at most 16 rows");
    let across = (0..size).flat_map(|row| (0..size - 1).map(move |column| Swap { row, column, down: false }));
    let along = (0..size - 1).flat_map(|row| (0..size).map(move |column| Swap { row, column, down: true }));
    across.chain(along).collect()
}

/// Writes an answer.
pub(super) fn write(moves: &[Swap], output: &mut dyn Write) -> Result<(), SolveError> {
    for Swap { row, column, down } in moves {
        let direction = if *down { 2 } else { 1 };
        writeln!(output, "{row}\n{column}\n{direction}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffer_begins_with_the_start_seed() {
        let rows = vec![vec![0; 8]; 8];
        let game = Game { colors: 5, rows, start_seed: 857_377_961 };
        // 857377961, then that times 48271 modulo 2147483647 = 186710447.
        assert_eq!(game.buffer(2), [1, 2]);
    }

    #[test]
    fn a_board_of_eight_has_every_neighbouring_pair_once() {
        assert_eq!(swaps(8).len(), 2 * 8 * 7);
    }

    #[test]
    fn a_color_that_the_game_does_not_have_is_refused() {
        let board = "01230123\n".repeat(7);
        assert!(Game::read(format!("4 8 {board} 01230123 5").as_bytes()).is_ok());
        assert!(Game::read(format!("4 8 {board} 01230124 5").as_bytes()).is_err());
    }
}
