//! One move of foresight: the swap that removes most squares; else the one that leaves the most squares nearly done.

use super::board::{AROUND_CELL, BORDER, Board, CELLS, cells_of, corners};
use super::game::{Game, MOVES, Swap, swaps, write};
use crate::SolveError;
use crate::random::Random;
use std::io::Write;

/// More tiles than 10,000 moves can use up, by far.
const BUFFER: usize = 1 << 20;

/// What a square is worth by how many of its tiles have its most frequent colour.
const PROMISE: [i32; 5] = [0, 0, 1, 4, 0];

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    write(&play(&Game::read(input)?), output)
}

fn play(game: &Game) -> Vec<Swap> {
    let buffer = game.buffer(BUFFER);
    let swaps = swaps(game.rows.len());
    let mut random = Random::new(1);
    let mut board = Board::new(game);
    board.resolve_all(&buffer);
    (0..MOVES)
        .map(|_| {
            let swap = choose(&board, &swaps, &buffer).unwrap_or_else(|| *random.pick(&swaps));
            board.play(cells_of(swap), &buffer, |_| ());
            swap
        })
        .collect()
}

/// Returns the best swap, or none when no swap improves anything.
fn choose(board: &Board, swaps: &[Swap], buffer: &[u8]) -> Option<Swap> {
    let rated = swaps.iter().map(|&swap| (rate(board, cells_of(swap), buffer), swap));
    let (rating, swap) = rated.max_by_key(|&(rating, _)| rating)?;
    (rating > (0, 0)).then_some(swap)
}

/// Returns how many squares a swap removes, and else how much it adds to the squares' promise.
fn rate(board: &Board, swapped: [usize; 2], buffer: &[u8]) -> (u32, i32) {
    if board.cells[swapped[0]] == board.cells[swapped[1]] {
        return (0, 0);
    }
    let mut after = board.clone();
    after.cells.swap(swapped[0], swapped[1]);
    let touched = swapped.into_iter().flat_map(|cell| AROUND_CELL.map(|distance| cell - distance));
    if touched.clone().any(|square| after.is_complete(square)) {
        let mut after = board.clone();
        after.play(swapped, buffer, |_| ());
        return (after.score() - board.score(), 0);
    }
    // Squares that hold both tiles are counted twice and do not change.
    (0, touched.map(|square| promise(&after.cells, square) - promise(&board.cells, square)).sum())
}

fn promise(cells: &[u8; CELLS], square: usize) -> i32 {
    let tiles = corners(square).map(|cell| cells[cell]);
    if tiles.contains(&BORDER) {
        return 0;
    }
    let most = tiles.iter().map(|tile| tiles.iter().filter(|other| *other == tile).count()).max();
    PROMISE[most.unwrap_or(0)]
}
