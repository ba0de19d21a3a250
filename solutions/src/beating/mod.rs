//! Beating the Game: 2048 on a strip, with random numbers from a subtract-with-carry generator with a known seed. This
//! file has the strip, the generator and the easy part, which follows the attempted moves and writes the resulting
//! strip.

mod hard;

use crate::input::Words;
use crate::{Solution, SolveError};
use std::io::Write;
use std::ops::Range;

/// The length of the longest strip.
const MAX_LENGTH: usize = 1000;

/// The maximum number of attempts.
const MAX_ATTEMPTS: usize = 5000;

/// A cell of the strip: the exponent of its power of two, or 0 if the cell is empty.
type Exponent = u8;

/// The distance of the older of the two values.
const LONG_LAG: usize = 43;

/// The distance of the newer one.
const SHORT_LAG: usize = 22;

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution { id: "beating-the-game-easy", summary: "simulation", solve: solve_easy },
    Solution { id: "beating-the-game-hard", summary: "all positions, layer by layer", solve: hard::solve },
];

pub(crate) fn solve_easy(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let cases: usize = words.number("a number of cases up to 50", 0..=50)?;
    for _ in 0..cases {
        let (mut strip, generator) = read_case(&mut words, MAX_LENGTH)?;
        let attempts = words.number("a number of attempts up to 5000", 1..=MAX_ATTEMPTS)?;
        let attempts = words.text("the attempts, each l or r", attempts, |byte| matches!(byte, b'l' | b'r'))?;
        play(&mut strip, generator, attempts);
        write_strip(&strip, output)?;
    }
    words.end()
}

/// Plays the attempts. An attempt that changes nothing draws no random number.
fn play(strip: &mut [Exponent], mut generator: Generator, attempts: &[u8]) {
    for &attempt in attempts {
        let slid = if attempt == b'l' { slide_left(strip) } else { slide_right(strip) };
        if let Some(empty) = slid {
            NewTile::draw(&mut generator).put(strip, empty);
        }
    }
}

fn write_strip(strip: &[Exponent], output: &mut dyn Write) -> Result<(), SolveError> {
    let tiles: Vec<String> = strip.iter().map(|&exponent| (1_u128 << exponent & !1).to_string()).collect();
    writeln!(output, "{}", tiles.join(" "))?;
    Ok(())
}

/// Reads the start of a case in both parts: the strip's length, its tiles and the generator's seed.
fn read_case(words: &mut Words, longest: usize) -> Result<(Vec<Exponent>, Generator), SolveError> {
    let length: usize = words.number("the length of a strip", 2..=longest)?;
    let strip = (0..length).map(|_| read_tile(words)).collect::<Result<_, _>>()?;
    let mut seed = [0; LONG_LAG];
    for value in &mut seed {
        *value = words.number("a value of the generator, below 2^32", 0..=u32::MAX)?;
    }
    Ok((strip, Generator::new(seed)))
}

fn read_tile(words: &mut Words) -> Result<Exponent, SolveError> {
    let expected = "0 or a power of two from 2 to 2^62";
    let word = words.word(expected)?;
    let tile = std::str::from_utf8(word).ok().and_then(|text| text.parse::<u64>().ok());
    match tile {
        Some(0) => Ok(0),
        Some(tile) if tile.is_power_of_two() && (2..=1 << 62).contains(&tile) => {
            Ok(Exponent::try_from(tile.ilog2()).expect("the exponent of a 64-bit number fits in 8 bits"))
        }
        _ => Err(words.unexpected(expected, word)),
    }
}

/// Slides all tiles to the left. Returns the cells that are then empty, or `None` if nothing moved.
fn slide_left(strip: &mut [Exponent]) -> Option<Range<usize>> {
    let (filled, moved) = slide(strip, |i| i);
    moved.then_some(filled..strip.len())
}

/// Slides all tiles to the right. Returns the cells that are then empty, or `None` if nothing moved.
fn slide_right(strip: &mut [Exponent]) -> Option<Range<usize>> {
    let last = strip.len() - 1;
    let (filled, moved) = slide(strip, |i| last - i);
    moved.then_some(0..strip.len() - filled)
}

/// Slides all tiles towards the first cell, where `cell(i)` is the i-th cell in this order. Returns the number of
/// filled cells, and whether anything moved or merged.
#[inline(always)]
fn slide(strip: &mut [Exponent], cell: impl Fn(usize) -> usize) -> (usize, bool) {
    let mut filled = 0;
    let mut moved = false;
    // The last tile if it can still merge, else 0, which equals no tile.
    let mut open = 0;
    for i in 0..strip.len() {
        let tile = strip[cell(i)];
        if tile == 0 {
            continue;
        }
        if tile == open {
            strip[cell(filled - 1)] = tile + 1;
            open = 0;
        } else {
            strip[cell(filled)] = tile;
            filled += 1;
            open = tile;
        }
        if i >= filled {
            strip[cell(i)] = 0;
            moved = true;
        }
    }
    (filled, moved)
}

/// The new tile of a move: the generator's number for its place, and its exponent.
#[derive(Clone, Copy)]
struct NewTile {
    place: u32,
    exponent: Exponent,
}

impl NewTile {
    fn draw(generator: &mut Generator) -> Self {
        let place = generator.next();
        let exponent = if generator.next().is_multiple_of(10) { 2 } else { 1 };
        Self { place, exponent }
    }

    /// Puts the tile on one of these empty cells.
    fn put(self, strip: &mut [Exponent], empty: Range<usize>) {
        strip[empty.start + self.place as usize % empty.len()] = self.exponent;
    }
}

/// The generator: its last 43 values in a ring, and the carry.
#[derive(Debug, Clone)]
struct Generator {
    /// The values. The oldest is at `oldest`.
    ring: [u32; LONG_LAG],
    oldest: usize,
    carry: bool,
}

impl Generator {
    fn new(seed: [u32; LONG_LAG]) -> Self {
        Self { ring: seed, oldest: 0, carry: false }
    }

    /// Returns the next value.
    fn next(&mut self) -> u32 {
        let newer = self.ring[(self.oldest + LONG_LAG - SHORT_LAG) % LONG_LAG];
        let older = self.ring[self.oldest];
        let value = newer.wrapping_sub(older).wrapping_sub(self.carry.into());
        self.carry = u64::from(newer) < u64::from(older) + u64::from(self.carry);
        self.ring[self.oldest] = value;
        self.oldest = (self.oldest + 1) % LONG_LAG;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_truth;
    use std::path::PathBuf;

    #[test]
    fn it_solves_the_statement_s_sample() {
        let up: String = (1..=43).map(|i| format!("{i} ")).collect();
        let down: String = (1..=43).rev().map(|i| format!("{i} ")).collect();
        let input = format!("3\n\n2\n2 4\n{up}\n2\nrl\n\n5\n2 2 4 8 0\n{up}\n3\nlrl\n\n5\n2 2 4 8 0\n{down}\n3\nlrl\n");
        let mut answer = Vec::new();
        solve_easy(input.as_bytes(), &mut answer).unwrap();
        assert_eq!(String::from_utf8(answer).unwrap(), "2 4\n2 16 2 0 2\n2 16 2 2 0\n");
    }

    #[test]
    fn tiles_pass_two_to_the_sixty_fourth() {
        let tile = 1_u64 << 62;
        let zeros = "0 ".repeat(43);
        let input = format!("1\n\n8\n{tile} {tile} {tile} {tile} {tile} {tile} {tile} {tile}\n{zeros}\n3\nlll\n");
        let mut answer = Vec::new();
        solve_easy(input.as_bytes(), &mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with(&format!("{} ", 1_u128 << 65)), "{answer}");
    }

    #[test]
    fn an_attempt_that_is_neither_left_nor_right_is_refused() {
        let input = format!("1\n\n2\n2 4\n{}\n2\nlx\n", "0 ".repeat(43));
        assert!(solve_easy(input.as_bytes(), &mut Vec::new()).is_err());
    }

    #[test]
    fn known_files_have_their_known_answers() {
        let Some(folder) = ground_truth::folder("beating-the-game") else { return };
        let of_this_part = |stem: &PathBuf| stem.file_name().is_some_and(|name| name.to_string_lossy().contains("b1"));
        let mut compared = 0;
        for stem in ground_truth::stems(&folder, "in").into_iter().filter(of_this_part) {
            // The contest's own files may be absent while our answers to them are present, but not the other way round.
            let read = |ending| ground_truth::read(&stem, ending).unwrap();
            assert_eq!(ground_truth::answer(solve_easy, &read("in")), read("out"), "{}", stem.display());
            compared += 1;
        }
        assert!(compared > 0);
    }
}

#[cfg(test)]
mod strip_tests {
    use super::*;

    fn slid(strip: &[Exponent], slide: fn(&mut [Exponent]) -> Option<Range<usize>>) -> Option<Vec<Exponent>> {
        let mut strip = strip.to_vec();
        slide(&mut strip).map(|_| strip)
    }

    #[test]
    fn the_statement_s_slides() {
        assert_eq!(slid(&[1, 0, 1, 1, 1, 0, 0, 1], slide_left).unwrap(), [2, 2, 1, 0, 0, 0, 0, 0]);
        assert_eq!(slid(&[1, 0, 1, 1, 1, 0, 0, 1], slide_right).unwrap(), [0, 0, 0, 0, 0, 1, 2, 2]);
        assert_eq!(slid(&[0, 0, 0, 0, 1, 2, 2, 3], slide_right).unwrap(), [0, 0, 0, 0, 0, 1, 3, 3]);
    }

    #[test]
    fn the_empty_cells_are_those_behind_the_tiles() {
        assert_eq!(slide_left(&mut [0, 1, 1, 2]), Some(2..4));
        assert_eq!(slide_right(&mut [1, 1, 2, 0]), Some(0..2));
    }

    #[test]
    fn a_strip_without_room_or_pairs_does_not_move() {
        assert_eq!(slide_left(&mut [1, 2, 1]), None);
        assert_eq!(slide_left(&mut [1, 2, 0]), None);
        assert_eq!(slide_right(&mut [0, 0, 0]), None);
    }
}

#[cfg(test)]
mod generator_tests {
    use super::*;

    #[test]
    fn it_gives_the_statement_s_check_values() {
        let seed = std::array::from_fn(|i| (999_999_999 * (i as u128).pow(3)) as u32);
        let mut generator = Generator::new(seed);
        let values = [generator.next(), generator.next(), generator.next()];
        assert_eq!(values, [1_050_500_563, 4_071_029_865, 4_242_540_160]);
    }
}
