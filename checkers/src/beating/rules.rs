//! The strip of `beating-the-game` and its only step: an attempted move, and the new tile if anything moved. New tiles
//! come from a subtract-with-carry generator (Marsaglia and Zaman, 1991) with lags 43 and 22 and modulus 2^32.

use super::input::{Side, Start};
use std::ops::Range;

/// The element that represents both ends. No tile has its exponent, 0.
const ENDS: u32 = 0;

/// The long lag: the number of values in the state.
pub(super) const LONG_LAG: usize = 43;

/// The short lag.
const SHORT_LAG: usize = 22;

/// A random tile. Two numbers are drawn for it: the first decides where it appears, the second its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NewTile {
    place: u32,
    /// The exponent of the tile: 1 or 2.
    pub(super) exponent: u8,
}

impl NewTile {
    /// Draws the next tile.
    #[inline]
    pub(super) fn draw(random: &mut SubtractWithCarry) -> Self {
        let place = random.next();
        let exponent = if random.next().is_multiple_of(10) { 2 } else { 1 };
        Self { place, exponent }
    }

    /// Returns a tile that appears on this cell of an empty strip.
    pub(super) fn at(cell: usize, exponent: u8) -> Self {
        Self { place: u32::try_from(cell).expect("a strip has at most 1,000 cells"), exponent }
    }

    /// Returns which of the `empty` cells the tile appears on, counted from the left.
    #[inline]
    pub(super) fn place_among(self, empty: usize) -> usize {
        self.place as usize % empty
    }
}

/// A tile and its neighbours, without the empty cells. The first element of the list represents both ends of the strip.
#[derive(Debug, Clone, Copy)]
struct Tile {
    exponent: u8,
    /// Indexed by [`Side`].
    neighbours: [u32; 2],
}

/// A strip on which the time of a move depends on the number of merges only, not on the length of the strip.
///
/// After a move all tiles lie against one side, and the new tile is the outermost on the other side. So the order of
/// the tiles determines almost everything. The pairs that can merge, equal neighbours, are known before the move.
#[derive(Debug, Clone)]
pub(super) struct Strip {
    given: Vec<u8>,
    /// Merged tiles stay in this list, but nothing refers to them.
    tiles: Vec<Tile>,
    count: usize,
    /// The left tiles of all pairs of equal neighbours, from left to right.
    pairs: Vec<u32>,
    /// The cells from the first to the last tile.
    occupied: Range<usize>,
    /// The direction of the last move that changed anything.
    pushed: Option<Side>,
    random: SubtractWithCarry,
}

impl Strip {
    /// Returns the strip before the first move.
    pub(super) fn new(start: &Start) -> Self {
        let given = start.cells.clone();
        let is_tile = |&exponent: &u8| exponent > 0;
        let first = given.iter().position(is_tile).unwrap_or(given.len());
        let end = given.iter().rposition(is_tile).map_or(0, |last| last + 1);
        let mut strip = Self {
            given,
            tiles: vec![Tile { exponent: 0, neighbours: [ENDS; 2] }],
            count: 0,
            pairs: Vec::new(),
            occupied: first..end,
            pushed: None,
            random: SubtractWithCarry::new(start.seed),
        };
        for &exponent in start.cells.iter().filter(|exponent| is_tile(exponent)) {
            strip.add(exponent, Side::Right);
        }
        strip
    }

    /// Returns the exponents of all cells, 0 for the empty ones, from left to right.
    pub(super) fn cells(&self) -> Vec<u8> {
        let (Some(side), Some(newest)) = (self.pushed, self.newest_cell()) else { return self.given.clone() };
        let length = self.given.len();
        let places: Vec<usize> = match side {
            Side::Left => (0..self.count - 1).chain([newest]).collect(),
            Side::Right => [newest].into_iter().chain(length + 1 - self.count..length).collect(),
        };
        let mut cells = vec![0; length];
        let mut current = ENDS;
        for place in places {
            current = self.neighbour(current, Side::Right);
            cells[place] = self.tiles[current as usize].exponent;
        }
        cells
    }

    /// Returns the cell of the tile that appeared last.
    pub(super) fn newest_cell(&self) -> Option<usize> {
        self.pushed.map(|side| match side {
            Side::Left => self.occupied.end - 1,
            Side::Right => self.occupied.start,
        })
    }

    /// Moves the tiles to this side, and adds a new one if that changed anything. Returns whether it did.
    pub(super) fn attempt(&mut self, side: Side) -> bool {
        if self.pairs.is_empty() && self.is_packed(side) {
            return false;
        }
        self.merge(side);
        self.arrive(side);
        true
    }

    /// Returns whether no tile has an empty cell before it on this side. True for an empty strip.
    fn is_packed(&self, side: Side) -> bool {
        match side {
            Side::Left => self.occupied.end == self.count,
            Side::Right => self.occupied.start == self.given.len() - self.count,
        }
    }

    /// Merges all equal neighbours, those nearer to `side` first. Leaves `pairs` in the order seen from `side`.
    fn merge(&mut self, side: Side) {
        let mut pairs = std::mem::take(&mut self.pairs);
        if side == Side::Right {
            pairs.reverse();
        }
        pairs.retain_mut(|pair| {
            let (left, right) = (*pair, self.neighbour(*pair, Side::Right));
            let equal = self.tiles[left as usize].exponent == self.tiles[right as usize].exponent;
            if equal {
                // The farther tile stays and grows. It then differs from the one behind it.
                let (gone, kept) = if side == Side::Left { (left, right) } else { (right, left) };
                self.link(self.neighbour(gone, side), kept, side.opposite());
                self.tiles[kept as usize].exponent += 1;
                *pair = kept;
            }
            equal
        });
        self.count -= pairs.len();
        for merged in pairs {
            self.note_pair(merged, side);
            self.note_pair(merged, side.opposite());
        }
    }

    /// Adds a random tile at the other end of a strip that was just pushed to `side`.
    fn arrive(&mut self, side: Side) {
        let new_tile = NewTile::draw(&mut self.random);
        let length = self.given.len();
        let place = new_tile.place_among(length - self.count);
        self.occupied = match side {
            Side::Left => 0..self.count + place + 1,
            Side::Right => place..length,
        };
        self.pushed = Some(side);
        self.add(new_tile.exponent, side.opposite());
        if side == Side::Right {
            self.pairs.reverse();
        }
    }

    /// Adds a tile at one end. If it equals its neighbour, the two become the last pair.
    fn add(&mut self, exponent: u8, end: Side) {
        let new = u32::try_from(self.tiles.len()).expect("a case has at most 6,000 tiles");
        self.tiles.push(Tile { exponent, neighbours: [ENDS; 2] });
        self.count += 1;
        self.link(self.neighbour(ENDS, end.opposite()), new, end);
        self.link(new, ENDS, end);
        self.note_pair(new, end.opposite());
    }

    /// Adds a tile and its neighbour on this side to the pairs, if they are equal and not yet the last pair.
    fn note_pair(&mut self, tile: u32, side: Side) {
        let neighbour = self.neighbour(tile, side);
        let left = if side == Side::Left { neighbour } else { tile };
        let equal = self.tiles[tile as usize].exponent == self.tiles[neighbour as usize].exponent;
        if equal && self.pairs.last() != Some(&left) {
            self.pairs.push(left);
        }
    }

    /// Returns the next tile on this side. From [`ENDS`], this is the outermost tile of the other side.
    fn neighbour(&self, tile: u32, side: Side) -> u32 {
        self.tiles[tile as usize].neighbours[side as usize]
    }

    /// Makes `other` the next tile of `tile` on this side.
    fn link(&mut self, tile: u32, other: u32, side: Side) {
        self.tiles[tile as usize].neighbours[side as usize] = other;
        self.tiles[other as usize].neighbours[side.opposite() as usize] = tile;
    }
}

/// The sequence `x[i] = x[i-22] - x[i-43] - carry`, where the carry is 1 after a difference below zero.
#[derive(Debug, Clone)]
pub(super) struct SubtractWithCarry {
    /// The last 43 numbers, as a ring.
    recent: [u32; LONG_LAG],
    /// The place of `x[i-43]`, which the next number replaces.
    oldest: usize,
    carry: bool,
}

impl SubtractWithCarry {
    /// Starts after `x[0]..x[42]`, with no carry.
    pub(super) fn new(seed: [u32; LONG_LAG]) -> Self {
        Self { recent: seed, oldest: 0, carry: false }
    }

    /// Returns the next number: `x[43]` first.
    #[inline]
    pub(super) fn next(&mut self) -> u32 {
        let short = self.recent[(self.oldest + LONG_LAG - SHORT_LAG) % LONG_LAG];
        let difference = i64::from(short) - i64::from(self.recent[self.oldest]) - i64::from(self.carry);
        self.carry = difference < 0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the low 32 bits are the remainder"
        )]
        let number = difference as u32;
        self.recent[self.oldest] = number;
        self.oldest = (self.oldest + 1) % LONG_LAG;
        number
    }
}

#[cfg(test)]
#[path = "../../tests/games/model/beating.rs"]
pub(super) mod model;

#[cfg(test)]
mod tests {
    use super::super::input::tile;
    use super::model::Model;
    use super::*;
    use proptest::prelude::*;

    fn start(cells: &[u8], seed: impl Fn(usize) -> u32) -> Start {
        Start { cells: cells.to_vec(), seed: std::array::from_fn(seed) }
    }

    fn numbers(cells: &[u8]) -> Vec<u128> {
        cells.iter().map(|&exponent| tile(exponent)).collect()
    }

    /// Strips with few kinds of tiles, so that there are long runs of equal ones, and attempts that often repeat.
    fn games() -> impl Strategy<Value = (Start, Vec<Side>)> {
        (1..=4u8, 0..=6u32, prop_oneof![2..=6usize, 2..=40usize]).prop_flat_map(|(kinds, emptiness, length)| {
            let cell = prop_oneof![emptiness => Just(0), 3 => 1..=kinds];
            let seed = prop_oneof![any::<u32>(), 0..10u32];
            (
                prop::collection::vec(cell, length),
                prop::collection::vec(seed, LONG_LAG),
                prop::collection::vec(prop::bool::weighted(0.4), 1..150),
            )
                .prop_map(|(cells, seed, right)| {
                    let start = Start { cells, seed: std::array::from_fn(|i| seed[i]) };
                    (start, right.into_iter().map(|right| if right { Side::Right } else { Side::Left }).collect())
                })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn every_attempt_does_what_the_model_does((start, attempts) in games()) {
            let mut strip = Strip::new(&start);
            let mut model = Model::new(&numbers(&start.cells), &start.seed);
            for side in attempts {
                let before = strip.cells();
                let changed = strip.attempt(side);
                prop_assert_eq!(changed, model.attempt(side.letter()), "{:?} to the {}", before, side.name());
                prop_assert_eq!(numbers(&strip.cells()), model.strip.clone(), "{:?} to the {}", before, side.name());
                let tiles = strip.cells().iter().filter(|&&exponent| exponent > 0).count();
                prop_assert_eq!(strip.count, tiles);
            }
        }
    }

    /// Returns the strip after one move, without the new tile.
    fn pushed(cells: &[u8], side: Side) -> Vec<u8> {
        let mut strip = Strip::new(&start(cells, |_| 1));
        let changed = strip.attempt(side);
        let mut cells = strip.cells();
        if let Some(newest) = strip.newest_cell().filter(|_| changed) {
            cells[newest] = 0;
        }
        cells
    }

    #[test]
    fn pairs_merge_from_the_side_that_the_tiles_go_to() {
        assert_eq!(pushed(&[1, 0, 1, 1, 1, 0, 0, 1], Side::Left), [2, 2, 1, 0, 0, 0, 0, 0]);
        assert_eq!(pushed(&[1, 0, 1, 1, 1, 0, 0, 1], Side::Right), [0, 0, 0, 0, 0, 1, 2, 2]);
        assert_eq!(pushed(&[0, 0, 0, 0, 1, 2, 2, 3], Side::Right), [0, 0, 0, 0, 0, 1, 3, 3]);
        assert_eq!(pushed(&[1, 1, 1, 1], Side::Left), [2, 2, 0, 0]);
        assert_eq!(pushed(&[1, 1, 1, 1], Side::Right), [0, 0, 2, 2]);
        assert_eq!(pushed(&[2, 1, 1], Side::Left), [2, 2, 0]);
        assert_eq!(pushed(&[1, 1, 1], Side::Right), [0, 1, 2]);
    }

    #[test]
    fn an_attempt_that_changes_nothing_draws_nothing() {
        let mut strip = Strip::new(&start(&[1, 2, 0], |i| i as u32));
        assert!(!strip.attempt(Side::Left));
        let mut untouched = SubtractWithCarry::new(std::array::from_fn(|i| i as u32));
        assert_eq!(strip.random.next(), untouched.next());
        assert_eq!(strip.cells(), [1, 2, 0]);
        let mut empty = Strip::new(&start(&[0, 0], |_| 0));
        assert!(!empty.attempt(Side::Left) && !empty.attempt(Side::Right));
    }

    /// A seed whose first outputs are these two numbers: they are the differences of `x21`, `x0` and of `x22`, `x1`.
    fn seed_of(first: u32, second: u32) -> impl Fn(usize) -> u32 {
        move |i| match i {
            21 => first,
            22 => second,
            _ => 0,
        }
    }

    #[test]
    fn the_place_is_drawn_before_the_value_and_counted_from_the_left() {
        for (side, first, second, expected) in [
            // Three cells are empty after the move.
            (Side::Left, 2, 10, [3, 0, 0, 2]),
            (Side::Left, 10, 2, [3, 0, 1, 0]),
            (Side::Left, 3, 20, [3, 2, 0, 0]),
            (Side::Right, 0, 10, [2, 0, 0, 3]),
            (Side::Right, 2, 11, [0, 0, 1, 3]),
            (Side::Right, 4, 0, [0, 2, 0, 3]),
        ] {
            let mut strip = Strip::new(&start(&[0, 2, 2, 0], seed_of(first, second)));
            assert!(strip.attempt(side));
            assert_eq!(strip.cells(), expected, "{side:?} {first} {second}");
        }
    }

    #[test]
    fn a_thousand_of_the_largest_tiles_merge_beyond_64_bits() {
        let mut strip = Strip::new(&start(&[62; 1_000], |i| i as u32));
        let mut model = Model::new(&[1 << 62; 1_000], &std::array::from_fn::<u32, 43, _>(|i| i as u32));
        for _ in 0..20 {
            assert_eq!(strip.attempt(Side::Left), model.attempt('l'));
        }
        assert_eq!(numbers(&strip.cells()), model.strip);
        assert_eq!(model.strip[0], 1 << 71);
    }
}

#[cfg(test)]
mod subtract_with_carry_tests {
    use super::*;

    /// Numbers that three independent programs agree on; a line is `SEED first100 NUMBERS` or
    /// `SEED sum of first 10000 mod 2^64 = SUM last NUMBER`.
    const VECTORS: &str = include_str!("../../../tests/data/beating-the-game/prng_vectors.txt");

    fn seed_named(name: &str) -> [u32; LONG_LAG] {
        std::array::from_fn(|i| match name {
            "1..43" => i as u32 + 1,
            "43..1" => 43 - i as u32,
            "999999999*i^3 mod 2^32" => 999_999_999_u32.wrapping_mul((i * i * i) as u32),
            "all 7" => 7,
            "x0=1 rest 0" => u32::from(i == 0),
            _ => panic!("unknown seed {name}"),
        })
    }

    #[test]
    fn every_vector_is_given() {
        let mut lines = 0;
        for line in VECTORS.lines() {
            if let Some((name, numbers)) = line.split_once(" first100 ") {
                let mut random = SubtractWithCarry::new(seed_named(name));
                let numbers: Vec<u32> = numbers.split_whitespace().map(|number| number.parse().unwrap()).collect();
                assert_eq!(numbers.len(), 100);
                assert!(numbers.into_iter().all(|number| random.next() == number), "{line}");
            } else {
                let (name, sums) = line.split_once(" sum of first 10000 mod 2^64 = ").unwrap();
                let mut random = SubtractWithCarry::new(seed_named(name));
                let numbers: Vec<u32> = (0..10_000).map(|_| random.next()).collect();
                let sum: u64 = numbers.iter().copied().map(u64::from).sum();
                assert_eq!(format!("{sum} last {}", numbers[9_999]), sums, "{line}");
            }
            lines += 1;
        }
        assert_eq!(lines, 10);
    }

    #[test]
    fn the_statements_check_values_are_given() {
        let mut random = SubtractWithCarry::new(seed_named("999999999*i^3 mod 2^32"));
        assert_eq!([random.next(), random.next(), random.next()], [1_050_500_563, 4_071_029_865, 4_242_540_160]);
    }

    /// The recursive formula of the statement, with the carry computed from the numbers themselves.
    #[test]
    fn the_ring_gives_what_the_recursive_formula_gives() {
        for seed in ["1..43", "43..1", "all 7", "x0=1 rest 0"] {
            let mut x: Vec<i128> = seed_named(seed).into_iter().map(i128::from).collect();
            let mut c = vec![0; 43];
            let mut random = SubtractWithCarry::new(seed_named(seed));
            for i in 43..5_000 {
                let difference = x[i - 22] - x[i - 43] - c[i - 1];
                c.push(i128::from(difference < 0));
                x.push(difference.rem_euclid(1 << 32));
                assert_eq!(i128::from(random.next()), x[i], "{seed}: x[{i}]");
            }
        }
    }
}
