//! A strip of the hard game as one word.

/// A strip as one word: the exponents of its tiles from left to right, without the empty cells, the leftmost in the
/// lowest bits; and [`PUSHED_RIGHT`]. Which cell the newest tile is on, its layer tells.
pub(super) type Strip = u64;

/// Set when the last move went right: the newest tile is then the leftmost, otherwise the rightmost.
pub(super) const PUSHED_RIGHT: Strip = 1 << 63;

/// The longest strip there is.
pub(super) const LONGEST: usize = 9;

/// Bits of a tile in a [`Strip`]. On nine cells no tile passes 2^10: each larger one needs the one before it twice, the
/// second time with a cell less.
pub(super) const TILE_BITS: usize = 4;
