//! The hard part: finds the best possible score by a search through all positions after each number of moves.
//!
//! Every move that changes the strip draws two numbers, so the number of moves determines the next numbers of the
//! generator. A position is its strip and its layer. The score need not be stored: a tile 2^e that was merged from twos
//! brought (e - 1) 2^e points. So the strip determines the score, except for the fours that the game itself placed, and
//! their number depends only on the layer.

use super::{Exponent, Generator, read_case};
use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// The length of the longest strip. Its largest tile is below 2^16, so a strip takes 36 bits of exponents.
const MAX_LENGTH: usize = 9;

/// The number of bits of a cell in a packed strip. Cell 0 has the lowest bits.
const CELL: usize = 4;

/// The lowest bit of every cell.
const LOW_BITS: Packed = 0x1111_1111_1111_1111;

/// A strip with four bits for each cell.
type Packed = u64;

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let cases: usize = words.number("a number of cases up to 50", 0..=50)?;
    for _ in 0..cases {
        let (strip, generator) = read_case(&mut words, MAX_LENGTH)?;
        if strip.iter().filter(|&&tile| tile > 0).count() != 1 || strip.iter().any(|&tile| tile > 2) {
            return Err(words.unexpected("a strip with one tile, 2 or 4, and a seed", b"another strip"));
        }
        writeln!(output, "{}", best_score(&strip, generator))?;
    }
    words.end()
}

/// The new tile of a move: the generator's number for its place, and its exponent.
#[derive(Clone, Copy)]
struct NewTile {
    place: u32,
    exponent: Packed,
}

/// The distinct strips of a layer. A strip has at least one tile, so 0 marks a free slot.
struct Layer {
    strips: Vec<Packed>,
    /// The slots by hash. Their number is a power of two, and at least half of them are free.
    slots: Vec<Packed>,
}

impl Layer {
    fn new() -> Self {
        Self { strips: Vec::new(), slots: vec![0; 64] }
    }

    fn insert(&mut self, strip: Packed) {
        if 2 * self.strips.len() >= self.slots.len() {
            self.slots = vec![0; 2 * self.slots.len()];
            for i in 0..self.strips.len() {
                let slot = self.slot(self.strips[i]);
                self.slots[slot] = self.strips[i];
            }
        }
        let slot = self.slot(strip);
        if self.slots[slot] == 0 {
            self.slots[slot] = strip;
            self.strips.push(strip);
        }
    }

    /// Returns the slot of a strip, or the one where it belongs.
    fn slot(&self, strip: Packed) -> usize {
        let mask = self.slots.len() - 1;
        // The product with the golden ratio spreads the bits. The upper ones are the most mixed.
        let mut slot = (strip.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[slot] != 0 && self.slots[slot] != strip {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Removes all strips and returns them.
    fn take_into(&mut self, strips: &mut Vec<Packed>) {
        std::mem::swap(&mut self.strips, strips);
        self.strips.clear();
        self.slots.fill(0);
    }
}

fn best_score(strip: &[Exponent], mut generator: Generator) -> u64 {
    let start = strip.iter().rev().fold(0, |packed, &tile| packed << CELL | Packed::from(tile));
    let mut layer = vec![start];
    let mut next = Layer::new();
    // The points that must be subtracted for tiles that were not merged from twos.
    let mut gifts = worth(start);
    let mut best = 0;
    while !layer.is_empty() {
        let place = generator.next();
        let exponent = if generator.next().is_multiple_of(10) { 2 } else { 1 };
        let tile = NewTile { place, exponent };
        for &strip_before in &layer {
            let successors = successors(strip_before, strip.len(), tile);
            if successors == [None, None] {
                best = best.max(worth(strip_before) - gifts);
            }
            successors.into_iter().flatten().for_each(|strip| next.insert(strip));
        }
        next.take_into(&mut layer);
        gifts += worth(exponent);
    }
    best
}

/// Returns the points for merging all tiles from twos.
fn worth(mut strip: Packed) -> u64 {
    let mut points = 0;
    while strip != 0 {
        let exponent = strip & 15;
        points += exponent.saturating_sub(1) << exponent;
        strip >>= CELL;
    }
    points
}

/// Returns the strips after a move to the left and to the right, if these change anything.
fn successors(strip: Packed, length: usize, tile: NewTile) -> [Option<Packed>; 2] {
    let (compact, count) = compacted(strip);
    let pairs = equal_neighbors(compact, count);
    let (left, filled) = merged(compact, count, first_pairs(pairs));
    let left = (left != strip).then(|| {
        let place = filled + tile.place as usize % (length - filled);
        left | tile.exponent << (CELL * place)
    });
    let (right, filled) = merged(compact, count, last_pairs(pairs));
    let right = right << (CELL * (length - filled));
    let right = (right != strip).then(|| {
        let place = tile.place as usize % (length - filled);
        right | tile.exponent << (CELL * place)
    });
    [left, right]
}

/// Returns the tiles from cell 0 on without empty cells between them, and their number.
fn compacted(mut strip: Packed) -> (Packed, usize) {
    loop {
        let empty = empty_cells(strip).trailing_zeros() as usize / CELL;
        let below = (1 << (CELL * empty)) - 1;
        let above = strip & !below;
        if above == 0 {
            return (strip, empty);
        }
        let gap = above.trailing_zeros() as usize / CELL - empty;
        strip = strip & below | above >> (CELL * gap);
    }
}

/// Returns the lowest bit of every empty cell.
fn empty_cells(strip: Packed) -> Packed {
    !(strip | strip >> 1 | strip >> 2 | strip >> 3) & LOW_BITS
}

/// Returns the lowest bit of every tile that equals the next one.
fn equal_neighbors(compact: Packed, count: usize) -> Packed {
    empty_cells(compact ^ compact >> CELL) & ((1 << (CELL * count.saturating_sub(1))) - 1)
}

/// Returns the pairs that merge in a move to the left: the lower one of overlapping pairs.
fn first_pairs(mut pairs: Packed) -> Packed {
    let mut merging = 0;
    while pairs != 0 {
        let pair = pairs & pairs.wrapping_neg();
        merging |= pair;
        pairs &= !(pair | pair << CELL);
    }
    merging
}

/// Returns the pairs that merge in a move to the right: the higher one of overlapping pairs.
fn last_pairs(mut pairs: Packed) -> Packed {
    let mut merging = 0;
    while pairs != 0 {
        let pair = 1 << pairs.ilog2();
        merging |= pair;
        pairs &= !(pair | pair >> CELL);
    }
    merging
}

/// Merges pairs of neighbours. Returns the tiles and their number.
fn merged(mut compact: Packed, mut count: usize, mut pairs: Packed) -> (Packed, usize) {
    while pairs != 0 {
        let pair = 1 << pairs.ilog2();
        let kept = (pair << CELL) - 1;
        compact = ((compact & kept) + pair) | (compact >> CELL & !kept);
        pairs ^= pair;
        count -= 1;
    }
    (compact, count)
}

#[cfg(test)]
mod tests {
    use super::super::{slide_left, slide_right};
    use super::*;
    use crate::ground_truth;
    use crate::search::Random;
    use std::path::PathBuf;

    fn answer(input: &str) -> String {
        let mut answer = Vec::new();
        solve(input.as_bytes(), &mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn packed_strips_move_as_plain_ones_do() {
        let mut random = Random::new(11);
        for _ in 0..20_000 {
            let length = 2 + random.below(8);
            let strip: Vec<Exponent> = (0..length).map(|_| [0, 1, 1, 2, 3][random.below(5)]).collect();
            let pack = |strip: &[Exponent]| strip.iter().rev().fold(0, |all, &tile| all << CELL | Packed::from(tile));
            let tile = NewTile { place: random.below(1000) as u32, exponent: 1 };
            let mut expected = Vec::new();
            for slide in [slide_left, slide_right] {
                let mut slid = strip.clone();
                if let Some(empty) = slide(&mut slid) {
                    slid[empty.start + tile.place as usize % empty.len()] = 1;
                    expected.push(pack(&slid));
                }
            }
            let found = successors(pack(&strip), length, tile);
            assert_eq!(found.into_iter().flatten().collect::<Vec<_>>(), expected, "{strip:?}");
        }
    }

    #[test]
    fn it_solves_the_statement_s_sample() {
        let up: String = (1..=43).map(|i| format!("{i} ")).collect();
        let down: String = (1..=43).rev().map(|i| format!("{i} ")).collect();
        assert_eq!(answer(&format!("2\n\n4\n0 0 4 0\n{up}\n\n3\n2 0 0\n{down}\n")), "136\n20\n");
    }

    #[test]
    fn a_strip_with_two_tiles_is_refused() {
        let input = format!("1\n\n3\n2 2 0\n{}\n", "1 ".repeat(43));
        assert!(solve(input.as_bytes(), &mut Vec::new()).is_err());
    }

    #[test]
    fn known_files_have_their_known_answers() {
        let Some(folder) = ground_truth::folder("beating-the-game") else { return };
        let of_this_part = |stem: &PathBuf| stem.file_name().is_some_and(|name| name.to_string_lossy().contains("b2"));
        let mut compared = 0;
        for stem in ground_truth::stems(&folder, "in").into_iter().filter(of_this_part) {
            // The contest's own files may be absent while our answers to them are present, but not the other way round.
            let read = |ending| ground_truth::read(&stem, ending).unwrap();
            assert_eq!(ground_truth::answer(solve, &read("in")), read("out"), "{}", stem.display());
            compared += 1;
        }
        assert!(compared > 0);
    }
}
