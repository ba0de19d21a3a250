//! The prescribed strategy: one fold, watched or not.

use super::board::Board;
use super::groups::Groups;
use super::input::Grid;
use super::replay::Narrator;
use crate::Observer;

/// Plays the strategy to its end. Returns the score.
pub(super) fn play(grid: &Grid, order: &[u8], observer: &mut dyn Observer) -> u64 {
    let mut board = Board::new(grid);
    let mut groups = Groups::new(&board, order);
    let mut narrator = Narrator::new(observer, &board);
    while let Some(group) = groups.next(&board) {
        narrator.removes(&board, group);
        let disturbed = board.remove(group);
        groups.update(&board, &disturbed);
    }
    narrator.end(&board)
}
