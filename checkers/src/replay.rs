//! What an observer of a game sees.

use crate::Score;

/// Watches a game being replayed. The replay is one fold: with and without an observer it does the same.
pub trait Observer {
    /// Is called after every step of the game, with the move that is being played, as in [`Frame::step`]. `frame` builds
    /// the picture; an observer that does not need it does not call it, so that an unobserved game costs nothing extra.
    fn step(&mut self, step: usize, frame: &mut dyn FnMut() -> Frame);
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn step(&mut self, _step: usize, _frame: &mut dyn FnMut() -> Frame) {}
}

/// One moment of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The move that is being played, from 1; 0 before the first one.
    pub step: usize,
    /// What happened, in a few words: `"abc lands in column 3"`, `"2 matches, combo 1"`.
    pub caption: String,
    /// Points that this step brought.
    pub gained: Score,
    /// Points so far, this step included.
    pub total: Score,
    /// The board after the step.
    pub board: Board,
}

/// A rectangular board as a viewer draws it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// Number of columns; every row of `cells` has this many.
    pub width: usize,
    /// Row-major from the top left: as many rows as `cells.len() / width`.
    pub cells: Vec<Cell>,
}

/// One cell of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// What is written on it; `None` when it is empty.
    pub text: Option<String>,
    /// Which colour it has: equal numbers, equal colours. Meaningless for an empty cell.
    pub color: u32,
    /// Whether the step just played concerns it (moved, matched, about to go).
    pub marked: bool,
}
