//! The hard part: finds the best possible score by a search through all positions after each number of moves.
//!
//! Every move that changes the strip draws two numbers, so the number of moves determines the next numbers of the
//! generator. A position is its strip and its layer. The score need not be stored: a tile 2^e that was merged from twos
//! brought (e - 1) 2^e points. So the strip determines the score, except for the fours that the game itself placed, and
//! their number depends only on the layer.

use super::{Exponent, Generator, NewTile, read_case, slide_left, slide_right};
use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// The length of the longest strip.
const MAX_LENGTH: usize = 9;

/// The cells of a strip; those beyond its length are 0.
type Cells = [Exponent; MAX_LENGTH];

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

fn best_score(strip: &[Exponent], mut generator: Generator) -> u64 {
    let length = strip.len();
    let mut start: Cells = [0; MAX_LENGTH];
    start[..length].copy_from_slice(strip);
    let mut layer = vec![start];
    // The points that must be subtracted for tiles that were not merged from twos.
    let mut gifts = worth(strip);
    let mut best = 0;
    while !layer.is_empty() {
        let tile = NewTile::draw(&mut generator);
        let mut next = Vec::with_capacity(2 * layer.len());
        for before in &layer {
            let known = next.len();
            for slide in [slide_left, slide_right] {
                let mut after = *before;
                if let Some(empty) = slide(&mut after[..length]) {
                    tile.put(&mut after, empty);
                    next.push(after);
                }
            }
            if next.len() == known {
                best = best.max(worth(before) - gifts);
            }
        }
        next.sort_unstable();
        next.dedup();
        layer = next;
        gifts += worth(&[tile.exponent]);
    }
    best
}

/// Returns the points for merging all tiles from twos.
fn worth(strip: &[Exponent]) -> u64 {
    strip.iter().map(|&exponent| u64::from(exponent.saturating_sub(1)) << exponent).sum()
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
            // The contest's own files may be absent while our answers to them are present, but not the other way round.
            let read = |ending| ground_truth::read(&stem, ending).unwrap();
            assert_eq!(ground_truth::answer(solve, &read("in")), read("out"), "{}", stem.display());
            compared += 1;
        }
        assert!(compared > 0);
    }
}
