//! Games that people play, move by move: what can be played next, and what it would bring.

use crate::{Board, Case, Cell, CheckError, Malformed, Score};
use std::fmt::Write;

/// A move, as a line of an answer has it: `[3, 1]` is the line `3 1`.
pub type Move = Vec<i64>;

/// Reads a case that people can play.
pub type ManualReader = fn(&[u8]) -> Result<Box<dyn ManualGame>, Malformed>;

/// A case that people can play: its answers are moves, and each is chosen knowing what the ones before it did.
pub trait ManualGame: Case {
    /// Returns the answer that plays these moves. Where an answer needs more moves than these, it goes on with moves that
    /// bring nothing, if there are any. Whether moves keep to the rules is for [`Case::check`] to say.
    fn answer(&self, moves: &[Move]) -> Vec<u8>;

    /// Returns what can be played after these moves, and what is known to come.
    ///
    /// # Errors
    /// The first broken rule, or what the checker cannot decide.
    fn outlook(&self, moves: &[Move]) -> Result<Outlook, CheckError>;
}

/// What can be played next, and what is known to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// Every move that does something of its own; none when the game is over.
    pub choices: Vec<Choice>,
    /// What the game brings next, as a picture of its own: the next first, and marked where it is played now. Empty in a
    /// game that brings nothing.
    pub ahead: Board,
}

/// A move that can be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub played: Move,
    /// The cells of the board that stand for it, by their places in [`Board::cells`].
    pub cells: Vec<usize>,
    /// What it puts where, before anything else happens: a place and what is there then.
    pub placed: Vec<(usize, Cell)>,
    /// The points that it brings.
    pub gained: Score,
    /// Whether the game is over after it.
    pub ends: bool,
}

/// Returns moves as lines of an answer.
pub(crate) fn lines(moves: &[Move]) -> String {
    let mut text = String::new();
    for played in moves {
        for (place, number) in played.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(text, "{}{number}", if place == 0 { "" } else { " " });
        }
        text.push('\n');
    }
    text
}

/// Returns the number of moves, and the moves as lines.
pub(crate) fn counted_lines(moves: &[Move]) -> Vec<u8> {
    format!("{}\n{}", moves.len(), lines(moves)).into_bytes()
}
