//! The open game, plainly: the largest group always goes first.

use super::board::{Board, write_moves};
use crate::SolveError;
use crate::input::Words;
use std::io::Write;

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let mut board = Board::read(&mut words)?;
    words.end()?;
    let mut moves = Vec::new();
    while let Some(group) = board.groups().into_iter().max_by_key(|group| group.blocks.len()) {
        let block = group.blocks[0];
        moves.push((board.row(block), block.x));
        board.remove(&group);
    }
    write_moves(&moves, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_name_cells_of_the_board_as_it_is_then() {
        let mut answer = Vec::new();
        solve(b"3\nRBB\nRRR\nRBB\n", &mut answer).unwrap();
        // The five Rs from the lower left corner; then the four Bs, which lie on the floor.
        assert_eq!(String::from_utf8(answer).unwrap(), "2\n2 0\n2 0\n");
    }
}
