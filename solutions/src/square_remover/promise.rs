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

/// The corners of a square, as distances from the cell diagonally before its top left one, and their outer neighbours.
const CORNERS: [u8; 4] = [at(1, 1), at(1, 2), at(2, 1), at(2, 2)];
const OUTER: [[u8; 2]; 4] = [[at(0, 1), at(1, 0)], [at(0, 2), at(1, 3)], [at(2, 0), at(3, 1)], [at(2, 3), at(3, 2)]];

/// Returns a distance from the cell diagonally before a square's top left one.
const fn at(row: usize, column: usize) -> u8 {
    // The rows and columns are those around a square: below 3 * STRIDE + 3.
    (row * STRIDE + column) as u8
}

/// Returns where to look in a square of which three tiles are equal.
fn lack(tiles: [u8; 4]) -> Lack {
    let differs = |&corner: &usize| tiles.iter().filter(|&&tile| tile == tiles[corner]).count() == 1;
    let odd = (0..4).find(differs).unwrap_or_default();
    Lack { equal: CORNERS[usize::from(odd == 0)], odd: CORNERS[odd], outer: OUTER[odd] }
}

#[cfg(test)]
mod tests {
    use super::super::board::BORDER;
    use super::*;

    /// Returns a board that is empty but for these rows at its top left.
    fn cells(rows: &[&str]) -> [u8; CELLS] {
        let mut cells = [BORDER; CELLS];
        for (row, text) in rows.iter().enumerate() {
            for (column, digit) in text.bytes().enumerate() {
                cells[(row + 1) * STRIDE + column + 1] = digit - b'0';
            }
        }
        cells
    }

    /// The square whose top left cell is the second of the second row.
    const SQUARE: usize = 2 * STRIDE + 2;

    #[test]
    fn three_tiles_are_ready_when_the_fourth_lies_beside_the_gap() {
        let promise = Promise::new();
        let far = cells(&["2345", "3113", "2145", "5232"]);
        let near = cells(&["2345", "3113", "2141", "5232"]);
        let twice = cells(&["2345", "3113", "2141", "5212"]);
        let values = [far, near, twice].map(|cells| promise.of(&cells, SQUARE));
        assert_eq!(values, [THREE, THREE + READY, THREE + READY + READY_TWICE]);
        assert_eq!(values.map(Promise::is_ready), [false, true, true]);
        let gap = SQUARE + STRIDE + 1;
        assert_eq!(promise.completions(&twice, SQUARE).collect::<Vec<_>>(), [[gap, gap + 1], [gap, gap + STRIDE]]);
    }

    #[test]
    fn every_gap_is_found() {
        let promise = Promise::new();
        for (rows, first) in [
            (["2145", "3213", "2115", "5232"], SQUARE - STRIDE),
            (["2345", "3121", "2115", "5232"], SQUARE + 1),
            (["2345", "3115", "1215", "5232"], SQUARE + STRIDE - 1),
        ] {
            let completions: Vec<_> = promise.completions(&cells(&rows), SQUARE).collect();
            assert_eq!(completions.len(), 1, "{rows:?}");
            assert_eq!(completions[0][0], first, "{rows:?}");
        }
    }
}
