//! The pictures of both games: a strip is a board of one row.

use super::strip::tile;
use crate::{Board, Cell, Frame, Observer, Score};

/// Who watches, and how far the file is played. The points of a frame are the judge's: one for each right case.
pub(super) struct Stage<'a> {
    cases: usize,
    /// The case that is being played, from 1.
    case: usize,
    /// The move that is being played, counted through all cases.
    step: usize,
    right: usize,
    observer: &'a mut dyn Observer,
}

impl<'a> Stage<'a> {
    /// Starts before the first of this many cases.
    pub(super) fn new(cases: usize, observer: &'a mut dyn Observer) -> Self {
        Self { cases, case: 0, step: 0, right: 0, observer }
    }

    /// Shows the strip at the start of the next case.
    pub(super) fn start_case(&mut self, cells: &[u8]) {
        self.case += 1;
        self.show(|| cells.to_vec(), None, 0, || "the start".to_owned());
    }

    /// Shows the strip after the next move. `newest` is the cell of a tile that it brought.
    pub(super) fn show_move(&mut self, cells: impl Fn() -> Vec<u8>, newest: Option<usize>, what: impl Fn() -> String) {
        self.step += 1;
        self.show(cells, newest, 0, what);
    }

    /// Shows the strip at the end of the case, and whether the answer is right.
    pub(super) fn end_case(&mut self, cells: &[u8], right: bool) {
        self.right += usize::from(right);
        let verdict = if right { "the answer is right" } else { "the answer is wrong" };
        self.show(|| cells.to_vec(), None, u8::from(right), || format!("the end, {verdict}"));
    }

    fn show(&mut self, cells: impl Fn() -> Vec<u8>, marked: Option<usize>, gained: u8, what: impl Fn() -> String) {
        let Self { cases, case, step, right, observer } = self;
        observer.step(*step, &mut || Frame {
            step: *step,
            caption: format!("case {case} of {cases}: {}", what()),
            gained: Score::from(gained),
            total: Score::from(*right),
            board: draw(&cells(), marked),
        });
    }
}

fn draw(cells: &[u8], marked: Option<usize>) -> Board {
    let cell = |(index, &exponent): (usize, &u8)| Cell {
        text: (exponent > 0).then(|| tile(exponent).to_string()),
        color: exponent.into(),
        marked: marked == Some(index),
    };
    Board { width: cells.len(), cells: cells.iter().enumerate().map(cell).collect() }
}
