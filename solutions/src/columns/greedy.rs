//! One move of foresight: every column goes where it brings most now; among equals, where it lands lowest.

use super::board::Board;
use super::game::{Column, Game, Placement, write};
use crate::SolveError;
use std::cmp::Reverse;
use std::io::Write;

/// Enough planes for every letter.
const PLANES: usize = 5;

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    write(&play(&Game::read(input)?), output)
}

/// Plays until a column fits nowhere.
fn play(game: &Game) -> Vec<Placement> {
    let mut board = Board::<PLANES>::new(game);
    let mut placements = Vec::with_capacity(game.columns.len());
    for &column in &game.columns {
        let Some(placement) = best_placement(&board, column) else { break };
        board.play(column, placement);
        placements.push(placement);
    }
    placements
}

fn best_placement(board: &Board<PLANES>, column: Column) -> Option<Placement> {
    let places = (0..).zip(board.heights()).filter(|&(x, _)| board.fits(x));
    let placements = places.flat_map(|(x, &height)| (0..3).map(move |shift| (Placement { x, shift }, height)));
    let best = placements.max_by_key(|&(placement, height)| {
        let points = board.clone().play(column, placement);
        // The last of equal maxima is taken: negate what should be small, so that ties go to the left.
        (points, Reverse((height, placement.x, placement.shift)))
    });
    best.map(|(placement, _)| placement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_a_match_rather_than_a_low_place() {
        let game = Game::read(b"6 13 2 baa acd").unwrap();
        let placements = play(&game);
        assert_eq!(placements, [Placement { x: 0, shift: 0 }, Placement { x: 0, shift: 0 }]);
    }
}
