//! What a board promises: how near its squares are to having one colour.

use super::board::{CELLS, STRIDE};

/// What a square with three equal tiles is worth; a removed square is worth [`REMOVED`].
const THREE: i16 = 80;
/// What it is worth in addition when one swap completes it.
const READY: i16 = 175;
/// What it is worth in addition when either of two swaps does.
const READY_TWICE: i16 = 8;
/// What a square with two pairs of colours is worth: side by side, and across.
const PAIRS: i16 = 115;
const PAIRS_ACROSS: i16 = 144;
/// What a square with one pair is worth: side by side, and across.
const PAIR: i16 = 40;
const PAIR_ACROSS: i16 = 20;

/// What a removed square is worth.
pub(super) const REMOVED: i32 = 750;

/// Which tiles of a square are equal, as the bits of the six pairs.
type Pattern = usize;

/// Where to look in a square that lacks one tile, as distances from the cell diagonally before its top left one.
#[derive(Debug, Clone, Copy, Default)]
struct Lack {
    /// One of the three equal tiles; 0 when the square does not lack exactly one.
    equal: u8,
    /// The tile that differs.
    odd: u8,
    /// The two neighbours of that tile outside the square.
    outer: [u8; 2],
}

/// What squares are worth, by their pattern.
pub(super) struct Promise {
    values: [i16; 64],
    lacks: [Lack; 64],
}

impl Promise {
    pub(super) fn new() -> Self {
        let mut promise = Self { values: [0; 64], lacks: [Lack::default(); 64] };
        // Colours 0 to 3 show every pattern there is.
        for code in 0..256_usize {
            let tiles = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6].map(|color| color as u8);
            let pattern = pattern(tiles);
            promise.values[pattern] = value(pattern);
            if pattern.count_ones() == 3 {
                promise.lacks[pattern] = lack(tiles);
            }
        }
        promise
    }

    /// Returns what a square is worth.
    #[inline(always)]
    pub(super) fn of(&self, cells: &[u8; CELLS], square: usize) -> i16 {
        let pattern = pattern_at(cells, square);
        let lack = &self.lacks[pattern];
        if lack.equal == 0 {
            return self.values[pattern];
        }
        let cell = |distance: u8| cells[square - STRIDE - 1 + usize::from(distance)];
        let color = cell(lack.equal);
        match lack.outer.map(|distance| cell(distance) == color) {
            [true, true] => THREE + READY + READY_TWICE,
            [false, false] => THREE,
            _ => THREE + READY,
        }
    }

    /// Tells whether a square worth this much is one swap from being complete.
    pub(super) fn is_ready(value: i16) -> bool {
        value >= THREE + READY
    }

    /// Returns the swaps, as pairs of cells in order, that complete a square lacking one tile.
    pub(super) fn completions(&self, cells: &[u8; CELLS], square: usize) -> impl Iterator<Item = [usize; 2]> {
        let lack = self.lacks[pattern_at(cells, square)];
        let cell = move |distance: u8| square - STRIDE - 1 + usize::from(distance);
        let fitting = lack.outer.into_iter().filter(move |&outer| cells[cell(outer)] == cells[cell(lack.equal)]);
        fitting.map(move |outer| [cell(lack.odd.min(outer)), cell(lack.odd.max(outer))])
    }
}

#[inline(always)]
fn pattern_at(cells: &[u8; CELLS], square: usize) -> Pattern {
    pattern([cells[square], cells[square + 1], cells[square + STRIDE], cells[square + STRIDE + 1]])
}

/// Returns which of the tiles (top left, top right, bottom left, bottom right) are equal.
#[inline(always)]
fn pattern([a, b, c, d]: [u8; 4]) -> Pattern {
    let bit = |equal: bool, place: u32| usize::from(equal) << place;
    bit(a == b, 0) | bit(c == d, 1) | bit(a == c, 2) | bit(b == d, 3) | bit(a == d, 4) | bit(b == c, 5)
}

/// Returns what a square is worth, as far as its own tiles tell.
fn value(pattern: Pattern) -> i16 {
    // The bits of the two pairs across.
    let across = pattern & 0b11_0000;
    match (pattern.count_ones(), across) {
        (1, 0) => PAIR,
        (1, _) => PAIR_ACROSS,
        (2, 0) => PAIRS,
        (2, _) => PAIRS_ACROSS,
        (3, _) => THREE,
        _ => 0,
    }
}

/// Returns where to look in a square of which three tiles are equal.
fn lack([a, b, c, d]: [u8; 4]) -> Lack {
    // Distances from the cell diagonally before the top left one; they are all below 3 * STRIDE.
    let at = |row: usize, column: usize| (row * STRIDE + column) as u8;
    let [top_left, top_right, bottom_left, bottom_right] = [at(1, 1), at(1, 2), at(2, 1), at(2, 2)];
    if b == c && c == d {
        Lack { equal: top_right, odd: top_left, outer: [at(0, 1), at(1, 0)] }
    } else if a == c && c == d {
        Lack { equal: top_left, odd: top_right, outer: [at(0, 2), at(1, 3)] }
    } else if a == b && b == d {
        Lack { equal: top_left, odd: bottom_left, outer: [at(2, 0), at(3, 1)] }
    } else {
        Lack { equal: top_left, odd: bottom_right, outer: [at(2, 3), at(3, 2)] }
    }
}
