//! Counts the points and tells an observer what happens, frame by frame.

use super::board::{Board, CellIndex};
use super::input::Parameters;
use super::rules::Subscores;
use crate::{Cell, Frame, Observer, Score};
use num_bigint::{BigInt, BigUint};
use std::collections::HashSet;

/// How many digits of a number a caption shows.
const SHOWN_DIGITS: usize = 30;

/// The points of a game so far, and its voice.
pub(super) struct Narrator<'a> {
    observer: &'a mut dyn Observer,
    step: usize,
    total: BigUint,
}

impl<'a> Narrator<'a> {
    pub(super) fn new(observer: &'a mut dyn Observer) -> Self {
        Self { observer, step: 0, total: BigUint::ZERO }
    }

    pub(super) fn total(&self) -> &BigUint {
        &self.total
    }

    pub(super) fn start(&mut self, board: &Board) {
        self.show(&BigUint::ZERO, || ("the board is full".to_owned(), picture(board, &[])));
    }

    /// `board` is the one that the path has not been taken from yet.
    pub(super) fn chosen(
        &mut self,
        step: usize,
        board: &Board,
        path: &[CellIndex],
        number: &[u8],
        subscores: &Subscores,
    ) {
        self.step = step;
        let score = subscores.score();
        self.total += &score;
        self.show(&score, || {
            let number = shortened(number);
            let caption = if score == BigUint::ZERO {
                format!("{number} scores nothing: the move is wasted")
            } else {
                format!("{number} scores {} as a prime + {} as a palindrome", subscores.prime, subscores.palindrome)
            };
            (caption, picture(board, path))
        });
    }

    pub(super) fn dropped(&mut self, board: &Board) {
        self.show(&BigUint::ZERO, || (format!("the rest drops: {} left", board.filled()), picture(board, &[])));
    }

    /// With F = 1 the points become the final score in a frame of their own.
    pub(super) fn end(&mut self, board: &Board, parameters: &Parameters, score: &BigUint) {
        if parameters.halves_for_what_is_left {
            let points = std::mem::replace(&mut self.total, score.clone());
            let caption = || format!("{points} halved for each of the {} left", board.filled());
            self.show(&BigUint::ZERO, || (caption(), picture(board, &[])));
        }
    }

    fn show(&mut self, gained: &BigUint, scene: impl Fn() -> (String, crate::Board)) {
        let (step, total) = (self.step, &self.total);
        let exact = |points: &BigUint| Score::from(BigInt::from(points.clone()));
        self.observer.step(step, &mut || {
            let (caption, board) = scene();
            Frame { step, caption, gained: exact(gained), total: exact(total), board }
        });
    }
}

/// Returns the number, or how it begins and how long it is.
fn shortened(number: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&number[..number.len().min(SHOWN_DIGITS)]);
    if number.len() > SHOWN_DIGITS { format!("{shown}… ({} digits)", number.len()) } else { shown.into_owned() }
}

/// Draws the board from its top left.
fn picture(board: &Board, marked: &[CellIndex]) -> crate::Board {
    let marked: HashSet<_> = marked.iter().copied().collect();
    let draw = |cell| match board.digit(cell) {
        Some(digit) => Cell { text: Some(digit.to_string()), color: u32::from(digit), marked: marked.contains(&cell) },
        None => Cell { text: None, color: 0, marked: false },
    };
    let row = |row| (0..board.width()).map(move |column| board.cell(row, column));
    crate::Board { width: board.width(), cells: (0..board.height()).flat_map(row).map(draw).collect() }
}
