//! One move of foresight: the swap that removes most squares; else the one that leaves the most squares nearly done.

use super::board::{Board, SIZE};
use super::game::{Game, MOVES, Swap, TIME_LIMIT, swaps, write};
use crate::SolveError;
use crate::clock::Clock;
use crate::random::Random;
use std::io::Write;

/// More tiles than 10,000 moves can use up, by far.
const BUFFER: usize = 1 << 20;

/// What a square is worth by how many of its tiles have its most frequent colour.
const PROMISE: [i32; 5] = [0, 0, 1, 4, 0];

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let clock = Clock::start(TIME_LIMIT);
    write(&play(&Game::read(input)?, &clock), output)
}

/// Once the time is up, the moves are random: an answer has all of them.
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

/// Returns the best swap, or none when no swap improves anything.
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

/// Returns how many squares a swap removes, and else how much it adds to the squares' promise.
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
