//! All strips that a hard case can be after some moves, a word each, and the moves from there to the next layer.

use super::packed::{LONGEST, PUSHED_RIGHT, Strip, TILE_BITS};
use super::rules::Arrival;
use super::seen::Seen;
use super::strip::{Side, Start};

/// A tile's own bits.
const TILE: u64 = 0b1111;

/// The lower three bits of every tile.
const LOWER_BITS: u64 = 0x7777_7777_7777_7777;

/// The highest bit of every tile.
const HIGHEST_BITS: u64 = 0x8888_8888_8888_8888;

/// All distinct strips after the same number of moves.
///
/// An attempt that changes nothing draws no number and a move draws two. The same numbers come next on
/// every way to a strip, so that it is followed once. Its points are known too. A tile of 2^e that was merged from twos brought
/// (e-1) 2^e points on its way; each tile that was given as a four spared its first merge, and its 4 points.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    length: usize,
    /// The exponent of the tile that the last move brought, or of the first tile of all.
    pub(super) newest: u8,
    /// By the number of tiles: which of the cells that were empty then the newest tile is on.
    places: [usize; LONGEST + 1],
    /// How many tiles were given as fours.
    fours: u32,
    /// In the order in which they were found.
    pub(super) strips: Vec<Strip>,
}

/// One move of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    /// Where the tiles went.
    pub(super) side: Side,
    /// The exponents of the cells after it.
    pub(super) cells: Vec<u8>,
    /// The cell of the tile that it brought.
    pub(super) newest: usize,
    /// The points after it.
    pub(super) points: u32,
}

impl Layer {
    /// Returns the layer of the start alone, whose one tile arrived on an empty strip.
    pub(super) fn first(start: &Start) -> Self {
        let length = start.cells.len();
        let cell = start.cells.iter().position(|&exponent| exponent > 0).unwrap_or(0);
        let exponent = start.cells[cell];
        let nothing = Self { length, newest: 0, places: [0; LONGEST + 1], fours: 0, strips: Vec::new() };
        // Nine cells at most. A tile on the last one lies against the right side, and must be known to.
        let layer = nothing.after(Arrival::at(cell as u8, exponent));
        let pushed = if cell + 1 == length { PUSHED_RIGHT } else { 0 };
        Self { strips: vec![Strip::from(exponent) | pushed], ..layer }
    }

    /// Returns the next layer, with no strips yet.
    fn after(&self, arrival: Arrival) -> Self {
        let place =
            |count| if (1..=self.length).contains(&count) { arrival.place_among(self.length + 1 - count) } else { 0 };
        Self {
            length: self.length,
            newest: arrival.exponent,
            places: std::array::from_fn(place),
            fours: self.fours + u32::from(arrival.exponent == 2),
            strips: Vec::with_capacity(2 * self.strips.len()),
        }
    }

    /// Returns the next layer.
    pub(super) fn next(&self, arrival: Arrival, seen: &mut Seen) -> Self {
        let mut next = self.after(arrival);
        // Each strip has at most two followers.
        seen.forget(2 * self.strips.len());
        for &strip in &self.strips {
            for follower in self.moves(strip, arrival.exponent).into_iter().flatten() {
                if seen.insert(follower) {
                    next.strips.push(follower);
                }
            }
        }
        next
    }

    /// Returns the strips after a move to the left and one to the right; `None` where nothing changes.
    // Half a million calls in a game: a call of its own takes a fifth more of the whole time.
    #[inline(always)]
    pub(super) fn moves(&self, strip: Strip, arriving: u8) -> [Option<Strip>; 2] {
        let tiles = strip & !PUSHED_RIGHT;
        let count = count(tiles);
        let equal = equal_neighbours(tiles);
        let gap = self.gap(strip, count);
        let full = count == self.length;
        let (loose_left, loose_right) = if strip == tiles { (gap, !full) } else { (!full, gap) };
        let left = || {
            let pushed = merge(tiles, equal, Side::Left);
            pushed | Strip::from(arriving) << (TILE_BITS * self::count(pushed))
        };
        let right = || merge(tiles, equal, Side::Right) << TILE_BITS | Strip::from(arriving) | PUSHED_RIGHT;
        [(loose_left || equal != 0).then(left), (loose_right || equal != 0).then(right)]
    }

    /// Whether empty cells part the newest tile from the others, or from its side if there are none.
    #[inline]
    fn gap(&self, strip: Strip, count: usize) -> bool {
        let touching = if strip & PUSHED_RIGHT == 0 { 0 } else { self.length - count };
        self.places[count] != touching
    }

    /// Whether no move changes this strip: it is full and nothing on it can merge.
    pub(super) fn is_end(&self, strip: Strip) -> bool {
        let tiles = strip & !PUSHED_RIGHT;
        count(tiles) == self.length && equal_neighbours(tiles) == 0
    }

    /// Returns the points that were made on the way to this strip.
    pub(super) fn points(&self, strip: Strip) -> u32 {
        let brought = |exponent: u8| u32::from(exponent - 1) << exponent;
        exponents(strip).map(brought).sum::<u32>() - 4 * self.fours
    }

    /// Returns the move that led to this strip.
    pub(super) fn describe(&self, strip: Strip) -> Move {
        let tiles: Vec<u8> = exponents(strip).collect();
        let (count, place) = (tiles.len(), self.places[tiles.len()]);
        let mut cells = vec![0; self.length];
        let (side, newest) = if strip & PUSHED_RIGHT == 0 {
            cells[..count].copy_from_slice(&tiles);
            cells.swap(count - 1, count - 1 + place);
            (Side::Left, count - 1 + place)
        } else {
            cells[self.length - count..].copy_from_slice(&tiles);
            cells.swap(self.length - count, place);
            (Side::Right, place)
        };
        Move { side, cells, newest, points: self.points(strip) }
    }
}

/// Returns the exponents of a strip's tiles from left to right.
fn exponents(strip: Strip) -> impl Iterator<Item = u8> {
    let tiles = strip & !PUSHED_RIGHT;
    (0..count(tiles)).map(move |index| (tiles >> (TILE_BITS * index) & TILE) as u8)
}

/// Returns how many tiles there are.
#[inline]
fn count(tiles: Strip) -> usize {
    (tiles.ilog2() as usize) / TILE_BITS + 1
}

/// Returns the highest bits of the tiles that are equal to their right neighbours.
#[inline]
fn equal_neighbours(tiles: Strip) -> u64 {
    !nonzero(tiles ^ tiles >> TILE_BITS) & nonzero(tiles)
}

/// Returns the highest bits of the tiles that are not zero.
#[inline]
fn nonzero(tiles: u64) -> u64 {
    (((tiles & LOWER_BITS) + LOWER_BITS) | tiles) & HIGHEST_BITS
}

/// Merges equal neighbours, those nearer to `side` first.
#[inline]
fn merge(mut tiles: Strip, mut equal: u64, side: Side) -> Strip {
    while equal != 0 {
        let highest_bit = if side == Side::Left { equal.trailing_zeros() } else { equal.ilog2() };
        let shift = highest_bit & !0b11;
        let before = (1 << shift) - 1;
        // The left one of the pair goes; the right one, now in its place, grows.
        tiles = (tiles & before | tiles >> TILE_BITS & !before) + (1 << shift);
        // What has grown cannot merge again: no pair with it is left.
        equal = match side {
            Side::Left => equal >> TILE_BITS & !(before << TILE_BITS | TILE),
            Side::Right => equal & before >> TILE_BITS,
        };
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges a list by the book.
    fn merged(mut tiles: Vec<u8>, side: Side) -> Vec<u8> {
        if side == Side::Right {
            tiles.reverse();
        }
        let mut result = Vec::new();
        let mut tiles = tiles.into_iter().peekable();
        while let Some(tile) = tiles.next() {
            let grows = tiles.next_if_eq(&tile).is_some();
            result.push(tile + u8::from(grows));
        }
        if side == Side::Right {
            result.reverse();
        }
        result
    }

    #[test]
    fn all_strips_of_three_kinds_of_tiles_merge_as_lists_do() {
        for length in 1..=LONGEST {
            for number in 0..3usize.pow(length as u32) {
                let tiles: Vec<u8> =
                    (0..length).map(|index| (number / 3usize.pow(index as u32) % 3) as u8 + 1).collect();
                let strip = tiles.iter().rev().fold(0, |strip, &tile| strip << TILE_BITS | Strip::from(tile));
                for side in [Side::Left, Side::Right] {
                    let result: Vec<u8> = exponents(merge(strip, equal_neighbours(strip), side)).collect();
                    assert_eq!(result, merged(tiles.clone(), side), "{tiles:?} to the {}", side.name());
                }
            }
        }
    }

    #[test]
    fn the_first_tile_does_not_move_to_the_side_it_lies_against() {
        for (cells, moves) in [([1, 0, 0], [false, true]), ([0, 1, 0], [true, true]), ([0, 0, 1], [true, false])] {
            let layer = Layer::first(&Start { cells: cells.to_vec(), seed: [0; 43] });
            assert_eq!(layer.moves(layer.strips[0], 1).map(|strip| strip.is_some()), moves, "{cells:?}");
        }
    }
}
