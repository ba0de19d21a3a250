//! The best score of a hard case. A search goes move by move through layers: a [`Layer`] holds all distinct strips
//! after the same number of moves, each as one word, and [`Seen`] finds duplicates.

use super::input::{Side, Start};
use super::rules::{NewTile, SubtractWithCarry};

/// The bits of one tile.
const TILE: u64 = 0b1111;

/// The lower three bits of every tile.
const LOWER_BITS: u64 = 0x7777_7777_7777_7777;

/// The highest bit of every tile.
const TOP_BITS: u64 = 0x8888_8888_8888_8888;

/// A strip as one word: the exponents of its tiles from left to right, without the empty cells, the leftmost in the
/// lowest bits; and [`PUSHED_RIGHT`]. The layer knows the cell of the newest tile.
pub(super) type Strip = u64;

/// Set if the last move went right. Then the newest tile is the leftmost, otherwise the rightmost.
const PUSHED_RIGHT: Strip = 1 << 63;

/// The length of the longest strip.
const MAX_LENGTH: usize = 9;

/// The number of bits of a tile in a [`Strip`]. On nine cells no tile passes 2^10: a larger tile needs the one before
/// it twice, the second time with one cell less.
const TILE_BITS: usize = 4;

/// A strip that no move changes.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    points: u32,
    moves: usize,
    strip: Strip,
}

/// Returns the best score that can be reached from here.
pub(super) fn best_score(start: &Start) -> u32 {
    search(start, |_| ()).points
}

/// Returns the moves of a game that reaches the best score.
pub(super) fn best_game(start: &Start) -> Vec<Move> {
    let mut layers = Vec::new();
    let End { mut strip, moves, .. } = search(start, |layer| layers.push(layer.clone()));
    let mut game = Vec::with_capacity(moves);
    for pair in layers[..=moves].windows(2).rev() {
        let [before, after] = pair else { break };
        game.push(after.describe(strip));
        let leads_here = |&&way: &&Strip| before.moves(way, after.newest).contains(&Some(strip));
        strip = *before.strips.iter().find(leads_here).expect("a strip comes from the layer before");
    }
    game.reverse();
    game
}

/// Follows all strips to their ends and passes every layer to `visit`. Returns the end with the most points, or the
/// latest of several.
fn search(start: &Start, mut visit: impl FnMut(&Layer)) -> End {
    let mut random = SubtractWithCarry::new(start.seed);
    let mut layer = Layer::first(start);
    let mut seen = Seen::default();
    let mut best = End::default();
    for moves in 0.. {
        visit(&layer);
        for &strip in layer.strips.iter().filter(|&&strip| layer.is_end(strip)) {
            let points = layer.points(strip);
            if points >= best.points {
                best = End { points, moves, strip };
            }
        }
        if layer.strips.is_empty() {
            break;
        }
        layer = layer.next(NewTile::draw(&mut random), &mut seen);
    }
    best
}

/// All distinct strips after the same number of moves.
///
/// All sequences of moves that lead to a strip of this layer have drawn the same random numbers: an attempt that
/// changes nothing draws none, and a move draws two. So each strip is followed only once.
///
/// The strip also determines the points. A tile 2^e that was merged from twos brought (e-1) 2^e points. Each tile that
/// arrived as a four needed no first merge, so 4 points are subtracted for it.
#[derive(Debug, Clone)]
struct Layer {
    length: usize,
    /// The exponent of the tile that the last move brought, or of the first tile of all.
    pub(super) newest: u8,
    /// For each number of tiles, the position of the newest tile among the empty cells.
    places: [usize; MAX_LENGTH + 1],
    /// How many tiles arrived as fours.
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
    /// Returns the layer that holds only the start, whose single tile arrived on an empty strip.
    pub(super) fn first(start: &Start) -> Self {
        let length = start.cells.len();
        let cell = start.cells.iter().position(|&exponent| exponent > 0).unwrap_or(0);
        let exponent = start.cells[cell];
        let nothing = Self { length, newest: 0, places: [0; MAX_LENGTH + 1], fours: 0, strips: Vec::new() };
        let layer = nothing.after(NewTile::at(cell, exponent));
        // A tile on the last cell lies against the right side.
        let pushed = if cell + 1 == length { PUSHED_RIGHT } else { 0 };
        Self { strips: vec![Strip::from(exponent) | pushed], ..layer }
    }

    /// Returns the next layer, with no strips yet.
    fn after(&self, new_tile: NewTile) -> Self {
        let place =
            |count| if (1..=self.length).contains(&count) { new_tile.place_among(self.length + 1 - count) } else { 0 };
        Self {
            length: self.length,
            newest: new_tile.exponent,
            places: std::array::from_fn(place),
            fours: self.fours + u32::from(new_tile.exponent == 2),
            strips: Vec::with_capacity(2 * self.strips.len()),
        }
    }

    /// Returns the next layer.
    pub(super) fn next(&self, new_tile: NewTile, seen: &mut Seen) -> Self {
        let mut next = self.after(new_tile);
        // Each strip has at most two followers.
        seen.forget(2 * self.strips.len());
        for &strip in &self.strips {
            for follower in self.moves(strip, new_tile.exponent).into_iter().flatten() {
                if seen.insert(follower) {
                    next.strips.push(follower);
                }
            }
        }
        next
    }

    /// Returns the strips after a move to the left and after a move to the right; `None` where nothing changes.
    // A game makes half a million of these calls. Without inlining, the whole search takes a fifth longer.
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

    /// Returns whether there are empty cells between the newest tile and the others, or beside it if there are no
    /// others.
    #[inline]
    fn gap(&self, strip: Strip, count: usize) -> bool {
        let touching = if strip & PUSHED_RIGHT == 0 { 0 } else { self.length - count };
        self.places[count] != touching
    }

    /// Returns whether no move changes this strip, because it is full and nothing can merge.
    fn is_end(&self, strip: Strip) -> bool {
        let tiles = strip & !PUSHED_RIGHT;
        count(tiles) == self.length && equal_neighbours(tiles) == 0
    }

    /// Returns the points scored on the way to this strip.
    pub(super) fn points(&self, strip: Strip) -> u32 {
        let brought = |exponent: u8| u32::from(exponent - 1) << exponent;
        exponents(strip).map(brought).sum::<u32>() - 4 * self.fours
    }

    /// Returns the move that led to this strip.
    fn describe(&self, strip: Strip) -> Move {
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
    (((tiles & LOWER_BITS) + LOWER_BITS) | tiles) & TOP_BITS
}

/// Merges equal neighbours, those nearer to `side` first.
#[inline]
fn merge(mut tiles: Strip, mut equal: u64, side: Side) -> Strip {
    while equal != 0 {
        let highest_bit = if side == Side::Left { equal.trailing_zeros() } else { equal.ilog2() };
        let shift = highest_bit & !0b11;
        let before = (1 << shift) - 1;
        // The left tile of the pair is removed. The right one takes its place and grows.
        tiles = (tiles & before | tiles >> TILE_BITS & !before) + (1 << shift);
        // A merged tile cannot merge again, so pairs with it are dropped.
        equal = match side {
            Side::Left => equal >> TILE_BITS & !(before << TILE_BITS | TILE),
            Side::Right => equal & before >> TILE_BITS,
        };
    }
    tiles
}

/// The strips of one layer: a hash table that is cleared by increasing a number. A game makes a hundred thousand
/// queries.
#[derive(Debug, Default)]
struct Seen {
    /// Strips with the number of their layer between [`Seen::STAMP`] and the highest bit. Slots with another number
    /// count as empty.
    slots: Vec<u64>,
    layer: u64,
}

impl Seen {
    /// The position of the layer's number, above all tiles. There are fewer than 2^13 layers, because a move adds 2 or
    /// 4 to tiles of at most 1,024.
    const STAMP: usize = TILE_BITS * (MAX_LENGTH + 1);

    /// The bits of the layer's number.
    const STAMP_BITS: u64 = !PUSHED_RIGHT >> Self::STAMP << Self::STAMP;

    /// Clears the table and makes room for this many strips.
    fn forget(&mut self, strips: usize) {
        self.layer += 1 << Self::STAMP;
        // At most a quarter full, so there are few collisions.
        let slots = (4 * strips).next_power_of_two();
        if self.slots.len() < slots {
            self.slots = vec![0; slots];
        }
    }

    /// Adds a strip and returns whether it is new.
    #[inline]
    fn insert(&mut self, strip: Strip) -> bool {
        /// 2^64 divided by the golden ratio.
        const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
        let stamped = strip | self.layer;
        let last = self.slots.len() - 1;
        // The highest bits of the product depend on all bits of the strip. A slot's number takes as many bits as it
        // needs.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the shift leaves as many bits as the number of a slot has"
        )]
        let mut slot = (strip.wrapping_mul(SCATTER) >> (last as u64).leading_zeros()) as usize;
        while self.slots[slot] & Self::STAMP_BITS == self.layer {
            if self.slots[slot] == stamped {
                return false;
            }
            slot = (slot + 1) & last;
        }
        self.slots[slot] = stamped;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::input::tile;
    use super::super::rules::{LONG_LAG, model::Model};
    use super::*;
    use proptest::prelude::*;

    fn starts() -> impl Strategy<Value = Start> {
        let seed = prop::collection::vec(prop_oneof![any::<u32>(), 0..10u32], LONG_LAG);
        (2..=MAX_LENGTH, any::<prop::sample::Index>(), 1..=2u8, seed).prop_map(|(length, cell, exponent, seed)| {
            let mut cells = vec![0; length];
            cells[cell.index(length)] = exponent;
            Start { cells, seed: std::array::from_fn(|i| seed[i]) }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn the_best_game_can_be_played_and_brings_the_best_score(start in starts()) {
            let strip: Vec<u128> = start.cells.iter().map(|&exponent| tile(exponent)).collect();
            let mut model = Model::new(&strip, &start.seed);
            for Move { side, cells, newest, points } in best_game(&start) {
                prop_assert!(model.attempt(side.letter()));
                prop_assert_eq!(cells.iter().map(|&exponent| tile(exponent)).collect::<Vec<_>>(), model.strip.clone());
                prop_assert_eq!(u128::from(points), model.score);
                prop_assert!(matches!(cells[newest], 1 | 2));
            }
            prop_assert!(!model.clone().attempt('l') && !model.clone().attempt('r'), "the game is over");
            prop_assert_eq!(model.score, u128::from(best_score(&start)));
        }
    }
}

#[cfg(test)]
mod layer_tests {
    use super::*;

    /// Merges a list as the statement describes it.
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
        for length in 1..=MAX_LENGTH {
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

#[cfg(test)]
mod seen_tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_layer_starts_empty_and_keeps_its_strips() {
        let mut seen = Seen::default();
        let mut random = 1u64;
        for layer in 0..300 {
            let strips = layer % 40 * 5 + 1;
            seen.forget(strips);
            let mut expected = HashSet::new();
            for _ in 0..strips {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Few different strips, spread over all bits that a strip can have.
                let strip = ((random >> 60) * 0x11_1111_1111) >> 4 | random & PUSHED_RIGHT;
                assert_eq!(seen.insert(strip), expected.insert(strip), "layer {layer}");
            }
        }
    }
}
