//! The statement's own strategy: every column goes, unshifted, where it lands lowest, and leftmost among those.

use super::board::Board;
use super::game::{Game, Placement, write};
use crate::SolveError;
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
        let lowest = (0..).zip(board.heights()).min_by_key(|&(_, height)| height);
        let Some(x) = lowest.map(|(x, _)| x).filter(|&x| board.fits(x)) else { break };
        let placement = Placement { x, shift: 0 };
        board.play(column, placement);
        placements.push(placement);
    }
    placements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_plays_the_statement_s_sample_as_shown_there() {
        let input = b"6 13\n11\naba\nbba\nbbb\naab\nbac\ncac\n***\nccb\ncda\naad\ndbc\n";
        let mut answer = Vec::new();
        solve(input, &mut answer).unwrap();
        let shown = "11\n1 0\n2 0\n3 0\n3 0\n4 0\n5 0\n6 0\n6 0\n1 0\n2 0\n3 0\n";
        assert_eq!(String::from_utf8(answer).unwrap(), shown);
    }

    #[test]
    fn it_stops_when_nothing_fits() {
        let input = format!("6 13 100 {}", "abc def ghi jkl mno ".repeat(20));
        // Four columns of three fit under a height of 13, on six places.
        assert_eq!(play(&Game::read(input.as_bytes()).unwrap()).len(), 24);
    }
}
