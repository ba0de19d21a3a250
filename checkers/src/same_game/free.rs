//! The open game: plays the answer's moves one after another. In manual play, the player chooses a group.

use super::board::{Board, EMPTY, Flood};
use super::input::{Free, Grid};
use super::{CLEARED_FACTOR, Progress, points};
use crate::manual::counted_lines;
use crate::tokens::{Tokens, parse_integer, signed};
use crate::{CheckError, Choice, ManualGame, Move, NextMoves, Observer, Rejection, Unobserved};

/// Reads `M` and M moves `row col`, and plays them. Returns the board after them and the points so far.
pub(super) fn play<'a>(
    grid: &Grid,
    answer: &[u8],
    observer: &'a mut dyn Observer,
) -> Result<(Board, Progress<'a>), Rejection> {
    let mut board = Board::new(grid);
    let mut flood = Flood::new(&board);
    let mut progress = Progress::new(observer, &board);
    let mut tokens = Tokens::new(answer);
    // A move removes at least two blocks.
    let moves = tokens.integer("the number of moves M", 0..=board.left / 2)?;
    for step in 1..=moves {
        let group = read_move(&mut tokens, &board, &mut flood).map_err(|rejection| rejection.at_step(step))?;
        progress.removes(&board, group);
        board.remove(group);
    }
    tokens.end()?;
    Ok((board, progress))
}

/// Reads a cell and returns its group on this board.
fn read_move<'a>(tokens: &mut Tokens<'_>, board: &Board, flood: &'a mut Flood) -> Result<&'a [usize], Rejection> {
    let (token, row) = tokens.integer_by(parse_integer, "the row", 0..=board.rows - 1)?;
    let column = tokens.integer("the column", 0..=board.columns - 1)?;
    let cell = board.cell(row, column);
    flood.start();
    let group = flood.group(board, cell);
    if group.len() >= 2 {
        return Ok(group);
    }
    let rule = if board.block(cell) == EMPTY { "the cell is empty" } else { "the block is alone" };
    let expected = "a block of a group of two or more";
    Err(tokens.rejection_at(token.offset, rule, expected, &format!("row {row}, column {column}")))
}

impl ManualGame for Free {
    fn answer(&self, moves: &[Move]) -> Vec<u8> {
        counted_lines(moves)
    }

    fn next_moves(&self, moves: &[Move]) -> Result<NextMoves, CheckError> {
        let mut unobserved = Unobserved;
        let (board, progress) = play(&self.grid, &self.answer(moves), &mut unobserved)?;
        let mut flood = Flood::new(&board);
        flood.start();
        let mut choices = Vec::new();
        for cell in board.cells(&board.whole()) {
            let group = flood.group(&board, cell);
            if group.len() >= 2 {
                choices.push(choice(&board, progress.total, group));
            }
        }
        Ok(NextMoves { choices, ahead: crate::Board::default() })
    }
}

/// Returns the removal of a group, named by its first block, after moves with this total.
fn choice(board: &Board, total: u64, group: &[usize]) -> Choice {
    let mut left = board.clone();
    left.remove(group);
    let points = points(group.len());
    let bonus = if left.left == 0 { (total + points) * (CLEARED_FACTOR - 1) } else { 0 };
    Choice {
        played: vec![signed(board.row(group[0])), signed(board.column(group[0]))],
        cells: group.iter().map(|&cell| board.place(cell)).collect(),
        placed: Vec::new(),
        gained: (points + bonus).into(),
        ends: !has_group(&left),
    }
}

fn has_group(board: &Board) -> bool {
    let is_grouped = |cell: usize| {
        let block = board.block(cell);
        block != EMPTY && board.neighbours(cell).iter().any(|&neighbour| board.block(neighbour) == block)
    };
    board.cells(&board.whole()).any(is_grouped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unobserved;

    /// RBB / RRR / RBB, the statement's first example.
    fn play_example(answer: &str) -> Result<u64, String> {
        let grid = Grid { rows: 3, columns: 3, blocks: b"RBBRRRRBB".to_vec() };
        let mut unobserved = Unobserved;
        let played = play(&grid, answer.as_bytes(), &mut unobserved);
        played.map(|(board, progress)| progress.end(&board)).map_err(|rejection| rejection.to_string())
    }

    #[test]
    fn a_cleared_board_counts_fourfold() {
        assert_eq!(play_example("0"), Ok(0));
        assert_eq!(play_example("1\n1 2\n"), Ok(10));
        assert_eq!(play_example("2 0 0\n1 1"), Ok(64));
    }

    #[test]
    fn the_first_broken_rule_is_named_with_its_place() {
        for (answer, complaint) in [
            (
                "",
                "line 1, column 1: the text ends too early: expected the number of moves M, an integer from 0 to 4, found the end",
            ),
            (
                "5\n0 0",
                "line 1, column 1: the number of moves M is out of range: expected an integer from 0 to 4, found `5`",
            ),
            ("1\n3 0", "line 2, column 1, move 1: the row is out of range: expected an integer from 0 to 2, found `3`"),
            (
                "1\n0 -1",
                "line 2, column 3, move 1: the column is out of range: expected an integer from 0 to 2, found `-1`",
            ),
            (
                "2\n0 0\n 0 1\nx",
                "line 3, column 2, move 2: the cell is empty: expected a block of a group of two or more, found row 0, column 1",
            ),
            (
                "2\n0 0\n",
                "line 3, column 1, move 2: the text ends too early: expected the row, an integer from 0 to 2, found the end",
            ),
            ("1\n0 0\n1 1\n", "line 3, column 1: the text goes on too long: expected the end, found `1`"),
        ] {
            assert_eq!(play_example(answer), Err(complaint.to_owned()));
        }
    }

    #[test]
    fn a_block_alone_is_no_group() {
        let grid = Grid { rows: 1, columns: 3, blocks: b"ABA".to_vec() };
        let rejection = play(&grid, b"1\n0 2", &mut Unobserved).err().unwrap();
        assert_eq!((&*rejection.rule, rejection.step), ("the block is alone", Some(1)));
    }
}
