//! The prescribed strategy: keeps the groups of the board in the order in which the strategy removes them, plays them,
//! and compares the answer, one number, with the score.

use super::Progress;
use super::board::{Board, Flood, Region};
use super::input::Grid;
use crate::tokens::{Parsed, Tokens, parse_integer};
use crate::{Observer, Rejection};

/// The urgency of a group: the group with the smallest one is removed first. From the high bits down, it contains the
/// place of its colour in the order, its size, and its first cell (so its smallest row, and its smallest column in that
/// row). Places fit in 5 bits, sizes and cells in 12. It is a single word, because after every removal the minimum of
/// hundreds is searched.
type Urgency = u32;

/// The urgency of a group that no longer exists.
const GONE: Urgency = Urgency::MAX;

/// The group number of a cell without a group.
const NO_GROUP: u16 = u16::MAX;

/// Plays the strategy to its end. Returns the score.
pub(super) fn play(grid: &Grid, order: &[u8], observer: &mut dyn Observer) -> u64 {
    let mut board = Board::new(grid);
    let mut groups = Groups::new(&board, order);
    let mut progress = Progress::new(observer, &board);
    while let Some(group) = groups.next(&board) {
        progress.removes(&board, group);
        let disturbed = board.remove(group);
        groups.update(&board, &disturbed);
    }
    progress.end(&board)
}

/// Returns an error unless the answer consists of this score only.
pub(super) fn compare(answer: &[u8], score: u64) -> Result<(), Rejection> {
    let expected = score.to_string();
    let mut tokens = Tokens::new(answer);
    let token = tokens.token(&expected)?;
    match parse_integer(token.bytes) {
        Parsed::Value(value) if u64::try_from(value) == Ok(score) => tokens.end(),
        Parsed::NotANumber => Err(tokens.wrong(token, "the score is not an integer", &expected)),
        Parsed::Value(_) | Parsed::TooLarge => Err(tokens.wrong(token, "the score is wrong", &expected)),
    }
}

/// The groups that may be removed next. After a removal, only the part of the board that has changed is searched again.
/// A colour is ignored until its turn comes for the first time.
struct Groups<'a> {
    order: &'a [u8],
    /// The number of colours of the order whose turn has come.
    turns: usize,
    /// For each colour whose turn has come, its place in the order.
    place: [Option<u8>; 256],
    register: Register,
    flood: Flood,
}

impl<'a> Groups<'a> {
    /// Starts without groups. `order` names all colours of the board.
    pub(super) fn new(board: &Board, order: &'a [u8]) -> Self {
        Self { order, turns: 0, place: [None; 256], register: Register::new(board), flood: Flood::new(board) }
    }

    /// Returns the cells of the group to be removed next.
    pub(super) fn next(&mut self, board: &Board) -> Option<&[usize]> {
        loop {
            if let Some(first) = self.register.most_urgent() {
                self.flood.start();
                return Some(self.flood.group(board, first));
            }
            let &color = self.order.get(self.turns)?;
            self.place[usize::from(color)] = Some(u8::try_from(self.turns).expect("there are 26 colours"));
            self.turns += 1;
            self.update(board, &board.whole());
        }
    }

    /// Searches the changed part of the board again.
    fn update(&mut self, board: &Board, disturbed: &Region) {
        for cell in board.cells(disturbed) {
            self.register.forget(cell);
        }
        self.flood.start();
        for cell in board.cells(disturbed) {
            if let Some(place) = self.place[usize::from(board.block(cell))] {
                self.register.note(self.flood.group(board, cell), place);
            }
        }
        self.register.reuse_numbers();
    }
}

/// The group of each cell, and the urgency of each group.
struct Register {
    /// The number of each cell's group.
    group: Vec<u16>,
    /// By the number of the group.
    urgency: Vec<Urgency>,
    /// Numbers that no cell uses.
    free: Vec<u16>,
    /// Numbers of forgotten groups. Cells that the update has not reached may still use them until the update ends.
    freed: Vec<u16>,
}

impl Register {
    fn new(board: &Board) -> Self {
        Self { group: vec![NO_GROUP; board.size()], urgency: Vec::new(), free: Vec::new(), freed: Vec::new() }
    }

    /// Returns the first cell of the most urgent group.
    fn most_urgent(&self) -> Option<usize> {
        let urgency = self.urgency.iter().copied().min().filter(|&urgency| urgency != GONE)?;
        Some(urgency as usize & 0xfff)
    }

    /// Forgets the group of this cell. The same update notes the new state of its other cells.
    fn forget(&mut self, cell: usize) {
        let number = std::mem::replace(&mut self.group[cell], NO_GROUP);
        if number != NO_GROUP && self.urgency[usize::from(number)] != GONE {
            self.urgency[usize::from(number)] = GONE;
            self.freed.push(number);
        }
    }

    /// Records these connected cells as a group, if there are at least two. They leave their former groups.
    fn note(&mut self, cells: &[usize], place: u8) {
        if cells.len() < 2 {
            return;
        }
        let mut first = usize::MAX;
        for &cell in cells {
            self.forget(cell);
            first = first.min(cell);
        }
        #[expect(clippy::cast_possible_truncation, reason = "a board has less than 2^12 cells")]
        let size_and_first = (cells.len() << 12 | first) as Urgency;
        let urgency = Urgency::from(place) << 24 | size_and_first;
        let number = match self.free.pop() {
            Some(number) => number,
            None => {
                self.urgency.push(GONE);
                u16::try_from(self.urgency.len() - 1).expect("a board has less than 2^12 groups")
            }
        };
        self.urgency[usize::from(number)] = urgency;
        for &cell in cells {
            self.group[cell] = number;
        }
    }

    fn reuse_numbers(&mut self) {
        self.free.append(&mut self.freed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_and_nothing_else_is_accepted() {
        let zeros = format!("{}64", "0".repeat(1_000));
        for answer in ["64", " 64\r\n\n", "0064", &zeros] {
            assert_eq!(compare(answer.as_bytes(), 64), Ok(()), "{answer}");
        }
        assert_eq!(compare(b"-0", 0), Ok(()));
    }

    #[test]
    fn a_wrong_answer_is_told_the_right_one() {
        for (answer, complaint) in [
            ("", "line 1, column 1: the text ends too early: expected 64, found the end"),
            ("63", "line 1, column 1: the score is wrong: expected 64, found `63`"),
            ("-64 7", "line 1, column 1: the score is wrong: expected 64, found `-64`"),
            ("18446744073709551680", "line 1, column 1: the score is wrong: expected 64, found `18446744073709551680`"),
            ("64.0", "line 1, column 1: the score is not an integer: expected 64, found `64.0`"),
            ("+64", "line 1, column 1: the score is not an integer: expected 64, found `+64`"),
            ("64\n64", "line 2, column 1: the text goes on too long: expected the end, found `64`"),
        ] {
            assert_eq!(compare(answer.as_bytes(), 64).unwrap_err().to_string(), complaint);
        }
    }
}
