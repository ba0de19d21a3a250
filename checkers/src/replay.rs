//! The frames and numbers that an observer of a game receives.

use crate::Score;
use std::borrow::Cow;

/// Watches a replay. The replay is one fold: it does the same with and without an observer.
pub trait Observer {
    /// Called after every step of the game. `step` is the number of the move, as in [`Frame::step`]. `frame` draws the
    /// picture. An observer that does not need the picture does not call it, so it costs nothing.
    fn step(&mut self, step: usize, frame: &mut dyn FnMut() -> Frame);
}

/// A number that a game counts for an answer, in addition to its score.
#[derive(Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name: a letter, then letters, digits and `_`.
    pub name: &'static str,
    /// The meaning of the number.
    pub meaning: &'static str,
    /// Whether larger numbers are better. Else smaller ones are.
    pub is_more_better: bool,
}

/// An observer that ignores everything.
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
    /// A short description: `"abc lands in column 3"`, `"2 matches, combo 1"`.
    pub caption: String,
    /// Points that this step gained.
    pub gained: Score,
    /// Points so far, including this step.
    pub total: Score,
    /// The board after the step.
    pub board: Board,
    /// The next pieces of the game, a column for each; empty if they are unknown.
    pub ahead: Board,
}

/// A rectangular board as a viewer draws it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Board {
    /// The number of columns. Every row has as many cells.
    pub width: usize,
    /// The cells row by row, from the top left. There are `cells.len() / width` rows.
    pub cells: Vec<Cell>,
}

/// One cell of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The text on it; `None` when it is empty.
    pub text: Option<Cow<'static, str>>,
    /// The number of its colour. Equal numbers get equal colours. Meaningless for an empty cell.
    pub color: u32,
    /// Whether the last step concerns it (moved, matched, about to go).
    pub marked: bool,
}

impl Cell {
    /// A cell with nothing on it.
    pub const EMPTY: Self = Self { text: None, color: 0, marked: false };

    /// Returns a cell with a printable ASCII character on it. It allocates nothing, as boards have up to a million cells.
    pub(crate) fn of_character(character: u8, color: u32, marked: bool) -> Self {
        let place = usize::from(character - b' ');
        Self { text: Some(Cow::Borrowed(&PRINTABLE[place..=place])), color, marked }
    }
}

/// The printable ASCII characters, from the space on.
const PRINTABLE: &str =
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";
