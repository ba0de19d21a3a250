//! Counts the points and tells an observer what happens, removal by removal.

use super::board::{Board, EMPTY};
use crate::{Cell, Frame, Observer};

/// How often the points count when the board is cleared.
const CLEARED_FACTOR: u64 = 4;

/// The score of a game so far, and its voice.
pub(super) struct Narrator<'a> {
    observer: &'a mut dyn Observer,
    step: usize,
    total: u64,
}

impl<'a> Narrator<'a> {
    pub(super) fn new(observer: &'a mut dyn Observer, board: &Board) -> Self {
        let mut narrator = Self { observer, step: 0, total: 0 };
        narrator.show(0, board, &[], || "the board at the start".to_owned());
        narrator
    }

    /// Returns one that counts on from the same points.
    pub(super) fn continued<'b>(&self, observer: &'b mut dyn Observer) -> Narrator<'b> {
        Narrator { observer, step: self.step, total: self.total }
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// `board` is the one that `group` is still on.
    pub(super) fn removes(&mut self, board: &Board, group: &[usize]) {
        self.step += 1;
        let size = group.len();
        let points = (size * (size - 1) / 2) as u64;
        self.show(points, board, group, || format!("{size} × {} go", char::from(board.block(group[0]))));
    }

    /// Returns the score.
    pub(super) fn end(mut self, board: &Board) -> u64 {
        match board.left() {
            0 => {
                let bonus = self.total * (CLEARED_FACTOR - 1);
                self.show(bonus, board, &[], || "the board is cleared: all points count fourfold".to_owned());
            }
            1 => self.show(0, board, &[], || "1 block is left".to_owned()),
            left => self.show(0, board, &[], || format!("{left} blocks are left")),
        }
        self.total
    }

    fn show(&mut self, gained: u64, board: &Board, marked: &[usize], caption: impl Fn() -> String) {
        self.total += gained;
        let (step, total) = (self.step, self.total);
        self.observer.step(step, &mut || Frame {
            step,
            caption: caption(),
            gained: gained.into(),
            total: total.into(),
            board: picture(board, marked),
        });
    }
}

fn picture(board: &Board, marked: &[usize]) -> crate::Board {
    let cells = board.cells(&board.everywhere()).map(|cell| match board.block(cell) {
        EMPTY => Cell { text: None, color: 0, marked: false },
        block => Cell {
            text: Some(char::from(block).into()),
            color: u32::from(block - b'A'),
            marked: marked.contains(&cell),
        },
    });
    crate::Board { width: board.columns(), cells: cells.collect() }
}
