//! A game of columns as its moves only, for pages without a server. `columns.js` plays them again, with the pieces of
//! the case.

use super::{GameReplay, Look};
use indexmap::IndexSet;
use serde::Serialize;

/// The jewels of a piece.
const HEIGHT: usize = 3;

/// The number of next pieces that a frame shows.
const SHOWN: usize = 10;

/// The stored part of a game. The rest follows from the pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnsMoves {
    /// A character for each piece, counted from `0`: three times the column, plus how often the bottom jewel moves to
    /// the top.
    pub moves: String,
    /// The number of pieces that the game shows.
    #[serde(skip)]
    pub pieces: usize,
    /// The checksum of the frames, with which a page checks that it has played the same game.
    pub sum: u32,
}

impl GameReplay {
    /// Returns the moves of a whole game of columns; `None` if the frames show another game.
    pub fn columns_moves(&self) -> Option<ColumnsMoves> {
        if self.queue.height != HEIGHT || self.width == 0 {
            return None;
        }
        let (mut start, mut moves) = (0, String::new());
        for delta in &self.frames {
            if delta.s.is_some_and(|step| step > 0) {
                let caption = &self.captions[delta.t as usize];
                let shifts = shifts(self.queue.cells.get(HEIGHT * start..)?.get(..HEIGHT)?, &self.cells, caption)?;
                moves.push(char::from(b'0' + u8::try_from(HEIGHT * column_of(caption)? + shifts).ok()?));
            }
            start += delta.q;
        }
        let record = serde_json::to_vec(&self.record()).ok()?;
        Some(ColumnsMoves { pieces: moves.len() + SHOWN, moves, sum: sum_of(&record) })
    }
}

/// Returns the column, from 0, in a caption such as `abc does not fit in column 3: the game is over`.
fn column_of(caption: &str) -> Option<usize> {
    let (_, rest) = caption.split_once("column ")?;
    let end = rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse::<usize>().ok()?.checked_sub(1)
}

/// Returns how often the bottom jewel of a piece moved to the top before it landed. The caption begins with the jewels as
/// they landed, from the bottom, and a piece has their looks from the top.
fn shifts(piece: &[u32], looks: &IndexSet<Look>, caption: &str) -> Option<usize> {
    let mut jewels: Vec<&str> =
        piece.iter().rev().map(|look| looks[*look as usize].0.as_deref().unwrap_or("")).collect();
    (0..HEIGHT).find(|_| {
        let is_landed = caption.starts_with(&jewels.concat());
        jewels.rotate_left(1);
        is_landed
    })
}

/// Returns the sum of bytes: FNV-1a.
fn sum_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(2_166_136_261, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(16_777_619))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::replay::MoveRange;

    #[test]
    fn moves_are_read_from_the_frames() {
        let checker = checkers::find("columns").unwrap();
        let case = checker.read(b"6 13\n5\nabc\n***\nabd\naaa\nbbb\n").unwrap();
        let mut replay = GameReplay::new(MoveRange::default());
        case.replay(b"4\n6 2\n6 0\n1 1\n1 2\n", &mut replay).unwrap();
        let known = replay.columns_moves().unwrap();
        // Equal jewels are not shifted, and the rules place the piece that the answer leaves out.
        assert_eq!((known.moves.as_str(), known.pieces), ("A?100", 15));
        assert_eq!(sum_of(b"judge"), 0xaae2_e5a4);
    }

    #[test]
    fn other_games_have_no_moves() {
        let checker = checkers::find("same-game-free").unwrap();
        let case = checker.read(&checker.generate(1).unwrap()).unwrap();
        let mut replay = GameReplay::new(MoveRange::default());
        case.replay(b"0\n", &mut replay).unwrap();
        assert_eq!(replay.columns_moves(), None);
    }
}
