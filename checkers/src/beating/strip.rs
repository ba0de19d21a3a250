//! What a strip of `beating-the-game` starts from, and the words for its sides and tiles.

use crate::random::LONG_LAG;

/// A strip at the start and the numbers behind its random tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    /// The cells from left to right: the exponent of each tile's power of two, 0 for an empty cell.
    pub(super) cells: Vec<u8>,
    /// The statement's `x0` to `x42`.
    pub(super) seed: [u32; LONG_LAG],
}

/// Where the tiles of a move go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Towards the first cell.
    Left,
    /// Towards the last cell.
    Right,
}

impl Side {
    /// Returns the side that a letter of the input stands for.
    pub(super) fn of(letter: u8) -> Option<Self> {
        match letter {
            b'l' => Some(Self::Left),
            b'r' => Some(Self::Right),
            _ => None,
        }
    }

    /// Returns the letter of the input that stands for this side.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Left => 'l',
            Self::Right => 'r',
        }
    }

    /// Returns the side in words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// Returns the other side.
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// Returns the number on a tile: 0 where there is none.
///
/// A strip of 1,000 cells with 2^62 each and 5,000 fours more adds up to less than 2^72: no exponent passes 71.
pub(super) fn tile(exponent: u8) -> u128 {
    if exponent == 0 { 0 } else { 1 << exponent }
}
