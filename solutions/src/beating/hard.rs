//! The hard part: the best possible score, by going through all positions that can occur after each number of moves.
//!
//! Every move that changes the strip draws two numbers, so the number of moves says what the generator gives next: a
//! position is its strip and its layer. The score needs no memory either. A tile of 2^e that was merged from twos has
//! brought (e - 1) 2^e points, so the strip tells the score but for the fours that the game put down itself, and those
//! depend on the layer alone.

use super::generator::Generator;
use super::strip::{Exponent, read_case};
use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// The longest strip. Its largest tile is below 2^16, so a strip is 36 bits of exponents.
const LONGEST: usize = 9;

/// Bits of a cell in a packed strip; cell 0 has the lowest.
const CELL: usize = 4;

/// A strip with four bits for each cell.
type Packed = u64;

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let cases: usize = words.number("a number of cases up to 50", 0..=50)?;
    for _ in 0..cases {
        let (strip, generator) = read_case(&mut words, LONGEST)?;
        if strip.iter().filter(|&&tile| tile > 0).count() != 1 || strip.iter().any(|&tile| tile > 2) {
            return Err(words.unexpected("a strip with one tile, 2 or 4, and a seed", b"another strip"));
        }
        writeln!(output, "{}", best_score(&strip, generator))?;
    }
    words.end()
}

/// The new tile of one move: what the generator gave for its place, and its exponent.
#[derive(Clone, Copy)]
struct NewTile {
    place: u32,
    exponent: Packed,
}

fn best_score(strip: &[Exponent], mut generator: Generator) -> u64 {
    let start = strip.iter().rev().fold(0, |packed, &tile| packed << CELL | Packed::from(tile));
    let mut layer = vec![start];
    let mut next = Vec::new();
    // What the tiles that were not merged from twos would count too much.
    let mut gifts = worth(start);
    let mut best = 0;
    while !layer.is_empty() {
        let place = generator.next();
        let exponent = if generator.next().is_multiple_of(10) { 2 } else { 1 };
        let tile = NewTile { place, exponent };
        for &strip_before in &layer {
            let before = next.len();
            next.extend(moved_left(strip_before, strip.len(), tile));
            next.extend(moved_right(strip_before, strip.len(), tile));
            if next.len() == before {
                best = best.max(worth(strip_before) - gifts);
            }
        }
        next.sort_unstable();
        next.dedup();
        std::mem::swap(&mut layer, &mut next);
        next.clear();
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

/// Returns the strip after a move to the left, if that changes it.
fn moved_left(strip: Packed, length: usize, tile: NewTile) -> Option<Packed> {
    let mut slid = 0;
    let mut filled = 0;
    let mut open = 0;
    for cell in 0..length {
        let exponent = strip >> (CELL * cell) & 15;
        if exponent == 0 {
            continue;
        }
        if exponent == open {
            slid += 1 << (CELL * (filled - 1));
            open = 0;
        } else {
            slid |= exponent << (CELL * filled);
            filled += 1;
            open = exponent;
        }
    }
    let place = filled + tile.place as usize % (length - filled).max(1);
    (slid != strip).then_some(slid | tile.exponent << (CELL * place))
}

/// Returns the strip after a move to the right, if that changes it.
fn moved_right(strip: Packed, length: usize, tile: NewTile) -> Option<Packed> {
    let mut slid = 0;
    let mut empty = length;
    let mut open = 0;
    for cell in (0..length).rev() {
        let exponent = strip >> (CELL * cell) & 15;
        if exponent == 0 {
            continue;
        }
        if exponent == open {
            slid += 1 << (CELL * empty);
            open = 0;
        } else {
            empty -= 1;
            slid |= exponent << (CELL * empty);
            open = exponent;
        }
    }
    let place = tile.place as usize % empty.max(1);
    (slid != strip).then_some(slid | tile.exponent << (CELL * place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_truth;
    use std::path::PathBuf;

    fn answer(input: &str) -> String {
        let mut answer = Vec::new();
        solve(input.as_bytes(), &mut answer).unwrap();
        String::from_utf8(answer).unwrap()
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
            // The contest's own files may be absent while our answers to them are there, not the other way round.
            let read = |ending| ground_truth::read(&stem, ending).unwrap();
            assert_eq!(ground_truth::answer("beating-the-game-hard", &read("in")), read("out"), "{}", stem.display());
            compared += 1;
        }
        assert!(compared > 0);
    }
}
