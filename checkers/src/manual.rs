//! Manual play: the player chooses the moves one by one and sees the effect of each possible move.

use crate::{Board, Case, Cell, CheckError, Malformed, Score};

/// A move, as a line of an answer has it: `[3, 1]` is the line `3 1`.
pub type Move = Vec<i64>;

/// Reads a case that people can play.
pub type ManualReader = fn(&[u8]) -> Result<Box<dyn ManualGame>, Malformed>;

/// A case that people can play. Its answers are lists of moves, and the effect of a move is known before the player
/// chooses it.
pub trait ManualGame: Case {
    /// Returns the answer that plays these moves. If an answer needs more moves, moves without effect are added, if
    /// there are any. The moves may break rules; [`Case::check`] detects that.
    fn answer(&self, moves: &[Move]) -> Vec<u8>;

    /// Returns the possible next moves after these moves, and the known future pieces.
    ///
    /// # Errors
    /// Returns the first broken rule, or says that the checker cannot decide.
    fn next_moves(&self, moves: &[Move]) -> Result<NextMoves, CheckError>;
}

/// The possible next moves, and the known future pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextMoves {
    /// All moves with different effects. Empty when the game is over.
    pub choices: Vec<Choice>,
    /// The next pieces as a picture, the nearest first. The piece to play now is marked. Empty in a game without
    /// pieces.
    pub ahead: Board,
}

/// A move that can be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub played: Move,
    /// The cells of the board that select this move, as indices into [`Board::cells`].
    pub cells: Vec<usize>,
    /// The cells that the move fills before anything else happens: an index and the new cell.
    pub placed: Vec<(usize, Cell)>,
    /// The points that the move gains.
    pub gained: Score,
    /// Whether the game is over after it.
    pub ends: bool,
}

/// Writes moves as lines of an answer.
pub(crate) fn lines(moves: &[Move]) -> String {
    let line = |played: &Move| played.iter().map(i64::to_string).collect::<Vec<_>>().join(" ") + "\n";
    moves.iter().map(line).collect()
}

/// Writes the number of moves, and the moves as lines.
pub(crate) fn counted_lines(moves: &[Move]) -> Vec<u8> {
    format!("{}\n{}", moves.len(), lines(moves)).into_bytes()
}
