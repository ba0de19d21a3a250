//! The open game played by hand: a group is chosen.

use super::board::{Board, EMPTY};
use super::flood::Flood;
use super::free::play_moves;
use super::input::Free;
use super::replay::Narrator;
use crate::by_hand::counted_lines;
use crate::{ByHand, CheckError, Choice, Move, Outlook, Unobserved};

impl ByHand for Free {
    fn answer(&self, moves: &[Move]) -> Vec<u8> {
        counted_lines(moves)
    }

    fn outlook(&self, moves: &[Move]) -> Result<Outlook, CheckError> {
        let mut unobserved = Unobserved;
        let (board, narrator) = play_moves(&self.grid, &self.answer(moves), &mut unobserved)?;
        let mut flood = Flood::new(&board);
        flood.start();
        let mut choices = Vec::new();
        for cell in board.cells(&board.everywhere()) {
            let group = flood.group(&board, cell);
            if group.len() >= 2 {
                choices.push(choice(&board, &narrator, group));
            }
        }
        Ok(Outlook { choices, ahead: crate::Board { width: 0, cells: Vec::new() } })
    }
}

/// Returns the removal of a group, named by its first block.
fn choice(board: &Board, narrator: &Narrator<'_>, group: &[usize]) -> Choice {
    let mut unobserved = Unobserved;
    let mut after = narrator.continued(&mut unobserved);
    let mut left = board.clone();
    after.removes(board, group);
    left.remove(group);
    Choice {
        // A board has at most 50 rows and columns.
        played: vec![board.row(group[0]) as i64, board.column(group[0]) as i64],
        cells: group.iter().map(|&cell| board.place(cell)).collect(),
        placed: Vec::new(),
        gained: (after.end(&left) - narrator.total()).into(),
        ends: !has_group(&left),
    }
}

fn has_group(board: &Board) -> bool {
    let is_grouped = |cell: usize| {
        let block = board.block(cell);
        block != EMPTY && board.neighbours(cell).iter().any(|&neighbour| board.block(neighbour) == block)
    };
    board.cells(&board.everywhere()).any(is_grouped)
}
