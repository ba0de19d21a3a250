//! Square Remover: swap neighbouring tiles so that 2x2 squares of one colour appear and are replaced. This file has the
//! texts of cases and answers, the buffer, and the plain solver, which looks one move ahead: it takes the swap that
//! removes the most squares, or else the one that leaves the most squares nearly complete.

mod beam;
mod board;
mod promise;

use crate::input::Words;
use crate::search::{Clock, Random};
use crate::{Solution, SolveError};
use board::{Board, SIZE};
use std::io::Write;

/// The number of moves in a game.
const MOVES: usize = 10_000;

/// Seconds that a solution takes; the limit is 30.
const TIME_LIMIT: f64 = 28.0;

/// Far more tiles than 10,000 moves can use up.
const BUFFER: usize = 1 << 20;

/// The value of a square by the number of its tiles that have its most frequent colour.
const PROMISE: [i32; 5] = [0, 0, 1, 4, 0];

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution { id: "square-remover", summary: "beam search over swaps", solve: beam::solve },
    Solution {
        id: "square-remover-plain",
        summary: "one move of foresight: most squares, then most promise",
        solve: solve_plain,
    },
];

/// One case.
#[derive(Debug)]
struct Game {
    colors: u8,
    /// The colours, row by row.
    rows: Vec<Vec<u8>>,
    start_seed: u32,
}

impl Game {
    fn read(input: &[u8]) -> Result<Self, SolveError> {
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
    fn buffer(&self, length: usize) -> Vec<u8> {
        let successor = |&value: &u64| Some(value * 48_271 % 2_147_483_647);
        let values = std::iter::successors(Some(u64::from(self.start_seed)), successor);
        let color = |value| u8::try_from(value % u64::from(self.colors)).expect("it is below the number of colours");
        values.take(length).map(color).collect()
    }
}

/// Two neighbouring tiles to be swapped: the upper or left one, and whether the other is below it or beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Swap {
    row: u8,
    column: u8,
    down: bool,
}

/// Returns every swap of a board with this many rows.
fn swaps(size: usize) -> Vec<Swap> {
    let size = u8::try_from(size).expect("a board has at most 16 rows");
    let across = (0..size).flat_map(|row| (0..size - 1).map(move |column| Swap { row, column, down: false }));
    let along = (0..size - 1).flat_map(|row| (0..size).map(move |column| Swap { row, column, down: true }));
    across.chain(along).collect()
}

/// Writes an answer.
fn write(moves: &[Swap], output: &mut dyn Write) -> Result<(), SolveError> {
    for Swap { row, column, down } in moves {
        let direction = if *down { 2 } else { 1 };
        writeln!(output, "{row}\n{column}\n{direction}")?;
    }
    Ok(())
}

pub(crate) fn solve_plain(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let clock = Clock::start(TIME_LIMIT);
    write(&play(&Game::read(input)?, &clock), output)
}

/// When the time is over, the moves are random, because an answer needs all of them.
fn play(game: &Game, clock: &Clock) -> Vec<Swap> {
    let buffer = game.buffer(BUFFER);
    let swaps = swaps(game.rows.len());
    let mut random = Random::new(1);
    let mut board = Board::new(game);
    board.resolve_all(&buffer);
    (0..MOVES)
        .map(|_| {
            let best = if clock.used() < 1.0 { choose(&board, &swaps, &buffer) } else { None };
            let swap = best.unwrap_or_else(|| *random.pick(&swaps));
            board.play(swap, &buffer, |_, _| ());
            swap
        })
        .collect()
}

/// Returns the best swap, or `None` if no swap improves anything.
fn choose(board: &Board, swaps: &[Swap], buffer: &[u8]) -> Option<Swap> {
    let mut after = board.clone();
    let mut rate = |swap: Swap| {
        after.exchange(swap);
        let rating = rate(board, &after, swap, buffer);
        after.exchange(swap);
        (rating, swap)
    };
    let (rating, swap) = swaps.iter().map(|&swap| rate(swap)).max_by_key(|&(rating, _)| rating)?;
    (rating > (0, 0)).then_some(swap)
}

/// Returns how many squares a swap removes, and how much it adds to the promise of the squares.
fn rate(board: &Board, swapped: &Board, swap: Swap, buffer: &[u8]) -> (u32, i32) {
    if swapped.is_complete_near(swap) {
        let mut after = board.clone();
        after.play(swap, buffer, |_, _| ());
        return (after.score() - board.score(), 0);
    }
    (0, promise(swapped, swap) - promise(board, swap))
}

/// Returns the promise of the squares that a swap's tiles belong to.
fn promise(board: &Board, swap: Swap) -> i32 {
    let (row, column) = (usize::from(swap.row), usize::from(swap.column));
    let rows = row.saturating_sub(1)..=(row + usize::from(swap.down)).min(SIZE - 1);
    let columns = column.saturating_sub(1)..=column + usize::from(!swap.down);
    rows.flat_map(|row| columns.clone().map(move |column| PROMISE[board.most(row, column)])).sum()
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
