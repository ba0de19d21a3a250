//! The inputs of both games, read from text and written as text: strips, seeds and attempted moves.

use super::rules::LONG_LAG;
use crate::tokens::{Parsed, Token, Tokens, parse_integer};
use crate::{Feature, Malformed, Rejection};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// The number of cases in a file.
const CASES: RangeInclusive<i64> = 1..=50;

/// The length of a strip of the easy game.
const EASY_LENGTHS: RangeInclusive<i64> = 2..=1_000;

/// The length of a strip of the hard game.
const HARD_LENGTHS: RangeInclusive<usize> = 2..=9;

/// The name of a strip's length in messages.
const LENGTH: &str = "the strip's length n";

/// The number of attempted moves in a case of the easy game.
const ATTEMPTS: RangeInclusive<usize> = 1..=5_000;

/// The exponent of the largest tile in an input, a power of two.
pub(super) const MAX_EXPONENT: u8 = 62;

/// One case of the easy game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EasyCase {
    /// The start.
    pub(super) start: Start,
    /// The attempted moves, in order.
    pub(super) attempts: Vec<Side>,
}

/// Returns the number of cases and the length of the longest strip.
pub(super) fn features(lengths: impl ExactSizeIterator<Item = usize>) -> Vec<Feature> {
    vec![Feature::count("t", lengths.len()), Feature::count("n", lengths.max().unwrap_or(0))]
}

/// Reads a file of the easy game.
///
/// # Errors
/// Returns the first place where the text breaks the format.
pub(super) fn read_easy(text: &[u8]) -> Result<Vec<EasyCase>, Malformed> {
    read_cases(text, |tokens| {
        let start = Start { cells: read_strip(tokens)?, seed: read_seed(tokens)? };
        let attempts = read_attempts(tokens)?;
        Ok(EasyCase { start, attempts })
    })
}

/// Reads a file of the hard game.
///
/// # Errors
/// Returns the first place where the text breaks the format.
pub(super) fn read_hard(text: &[u8]) -> Result<Vec<Start>, Malformed> {
    read_cases(text, |tokens| Ok(Start { cells: read_first_tile(tokens)?, seed: read_seed(tokens)? }))
}

fn read_cases<Case>(
    text: &[u8],
    read_case: impl Fn(&mut Tokens<'_>) -> Result<Case, Rejection>,
) -> Result<Vec<Case>, Malformed> {
    let mut tokens = Tokens::new(text);
    let count = tokens.integer("the number of cases", CASES)?;
    let cases = (0..count).map(|_| read_case(&mut tokens)).collect::<Result<_, _>>()?;
    tokens.end()?;
    Ok(cases)
}

fn read_strip(tokens: &mut Tokens<'_>) -> Result<Vec<u8>, Rejection> {
    let length = tokens.integer(LENGTH, EASY_LENGTHS)?;
    (0..length).map(|_| read_tile(tokens).map(|(_, exponent)| exponent)).collect()
}

/// Reads a strip of the hard game.
fn read_first_tile(tokens: &mut Tokens<'_>) -> Result<Vec<u8>, Rejection> {
    let length = tokens.integer(LENGTH, HARD_LENGTHS)?;
    let mut cells = Vec::with_capacity(length);
    for _ in 0..length {
        let (token, exponent) = read_tile(tokens)?;
        cells.push(exponent);
        let tiles = cells.iter().filter(|&&exponent| exponent > 0).count();
        if exponent > 2 || tiles > 1 || tiles == 0 && cells.len() == length {
            return Err(tokens.wrong(token, "the strip does not begin a new game", "one tile, a 2 or a 4"));
        }
    }
    Ok(cells)
}

fn read_seed(tokens: &mut Tokens<'_>) -> Result<[u32; LONG_LAG], Rejection> {
    let mut seed = [0; LONG_LAG];
    for number in &mut seed {
        *number = tokens.integer("a number of the seed", 0..=u32::MAX)?;
    }
    Ok(seed)
}

/// Reads a tile and returns its exponent.
fn read_tile<'a>(tokens: &mut Tokens<'a>) -> Result<(Token<'a>, u8), Rejection> {
    let token = tokens.token("a tile")?;
    match parse_integer(token.bytes) {
        Parsed::Value(0) => Ok((token, 0)),
        Parsed::Value(tile) if tile >= 2 && tile.count_ones() == 1 => Ok((token, exponent_of(tile))),
        _ => {
            let expected = format!("0 or a power of two from 2 to 2^{MAX_EXPONENT}");
            Err(tokens.wrong(token, "a cell holds no tile of the game", &expected))
        }
    }
}

/// Returns the exponent of a power of two.
#[expect(clippy::cast_possible_truncation, reason = "an exponent of a 64-bit number is below 64")]
fn exponent_of(power: i64) -> u8 {
    power.trailing_zeros() as u8
}

fn read_attempts(tokens: &mut Tokens<'_>) -> Result<Vec<Side>, Rejection> {
    let count = tokens.integer("the number of attempted moves", ATTEMPTS)?;
    let token = tokens.token("the attempted moves")?;
    let sides: Option<Vec<Side>> = token.bytes.iter().map(|&letter| Side::of(letter)).collect();
    match sides {
        Some(sides) if sides.len() == count => Ok(sides),
        _ => Err(tokens.wrong(token, "the attempted moves are not as announced", &format!("{count} letters l and r"))),
    }
}

/// Writes a file of the easy game.
pub(super) fn easy_text(cases: &[EasyCase]) -> String {
    let mut text = format!("{}\n", cases.len());
    for case in cases {
        text += &start_text(&case.start);
        let letters: String = case.attempts.iter().map(|side| side.letter()).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}\n{letters}", letters.len());
    }
    text
}

/// Writes a file of the hard game.
pub(super) fn hard_text(cases: &[Start]) -> String {
    format!("{}\n", cases.len()) + &cases.iter().map(start_text).collect::<String>()
}

fn start_text(start: &Start) -> String {
    let tiles = start.cells.iter().map(|&exponent| tile(exponent).to_string());
    let seed = start.seed.iter().map(u32::to_string);
    let (tiles, seed) = (tiles.collect::<Vec<_>>().join(" "), seed.collect::<Vec<_>>().join(" "));
    format!("\n{}\n{tiles}\n{seed}\n", start.cells.len())
}

/// A strip at the start, and the seed of its random tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    /// The cells from left to right: the exponent of each tile's power of two, 0 for an empty cell.
    pub(super) cells: Vec<u8>,
    /// The statement's `x0` to `x42`.
    pub(super) seed: [u32; LONG_LAG],
}

/// The direction of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Towards the first cell.
    Left,
    /// Towards the last cell.
    Right,
}

impl Side {
    /// Returns the side for a letter of the input.
    pub(super) fn of(letter: u8) -> Option<Self> {
        match letter {
            b'l' => Some(Self::Left),
            b'r' => Some(Self::Right),
            _ => None,
        }
    }

    /// Returns the letter of this side in the input.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Left => 'l',
            Self::Right => 'r',
        }
    }

    /// Returns the side in words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// Returns the other side.
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// Returns the number on a tile, or 0 for an empty cell.
///
/// No exponent passes 71: a strip of 1,000 cells with 2^62 each and 5,000 additional fours adds up to less than 2^72.
pub(super) fn tile(exponent: u8) -> u128 {
    if exponent == 0 { 0 } else { 1 << exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One case: the given lines, with the numbers 1 to 43 as the seed in place of `SEED`.
    fn file(lines: &str) -> Vec<u8> {
        let seed: Vec<String> = (1..=43).map(|number| number.to_string()).collect();
        format!("1\n\n{}\n", lines.replace("SEED", &seed.join(" "))).into_bytes()
    }

    #[test]
    fn the_easy_statement_is_read_and_written_back() {
        let text = include_str!("../../../tests/data/beating-the-game/sample_b1.in");
        let cases = read_easy(text.as_bytes()).unwrap();
        assert_eq!(cases.len(), 3);
        assert_eq!(cases[1].start.cells, [1, 1, 2, 3, 0]);
        assert_eq!(cases[2].start.seed[..3], [43, 42, 41]);
        assert_eq!(cases[0].attempts, [Side::Right, Side::Left]);
        assert_eq!(easy_text(&cases), text);
    }

    #[test]
    fn the_hard_statement_is_read_and_written_back() {
        let text = include_str!("../../../tests/data/beating-the-game/sample_b2.in");
        let cases = read_hard(text.as_bytes()).unwrap();
        assert_eq!(
            cases.iter().map(|start| start.cells.clone()).collect::<Vec<_>>(),
            [vec![0, 0, 2, 0], vec![1, 0, 0]]
        );
        assert_eq!(hard_text(&cases), text);
    }

    #[test]
    fn the_largest_tile_is_2_to_62() {
        let read = |tile: &str| read_easy(&file(&format!("2\n{tile} 0\nSEED\n1\nl")));
        assert_eq!(read("4611686018427387904").unwrap()[0].start.cells, [62, 0]);
        for tile in ["9223372036854775808", "1", "3", "-2", "-9223372036854775808", "x", "36893488147419103232"] {
            let message = format!(
                "line 4, column 1: a cell holds no tile of the game: expected 0 or a power of two from 2 to 2^62, \
                 found `{tile}`"
            );
            assert_eq!(read(tile).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn text_that_is_not_an_easy_case_is_rejected_at_its_place() {
        for (lines, message) in [
            (
                "1\n2\nSEED\n1\nl",
                "line 3, column 1: the strip's length n is out of range: expected an integer from 2 to \
                                    1000, found `1`",
            ),
            (
                "2\n2 2\nSEED\n2\nl",
                "line 7, column 1: the attempted moves are not as announced: expected 2 letters l and \
                                      r, found `l`",
            ),
            (
                "2\n2 2\nSEED\n2\nlR",
                "line 7, column 1: the attempted moves are not as announced: expected 2 letters l and \
                                       r, found `lR`",
            ),
            (
                "2\n2 2\nSEED\n0\n",
                "line 6, column 1: the number of attempted moves is out of range: expected an integer \
                                     from 1 to 5000, found `0`",
            ),
            (
                "2\n2 2\n4294967296 SEED\n1\nl",
                "line 5, column 1: a number of the seed is out of range: expected an integer \
                                                from 0 to 4294967295, found `4294967296`",
            ),
            ("2\n2 2\nSEED\n1\nl\n1", "line 8, column 1: the text goes on too long: expected the end, found `1`"),
        ] {
            assert_eq!(read_easy(&file(lines)).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn a_hard_case_has_one_tile() {
        assert_eq!(read_hard(&file("9\n0 0 0 0 0 0 0 0 4\nSEED")).unwrap()[0].cells, [0, 0, 0, 0, 0, 0, 0, 0, 2]);
        for (strip, column, found) in [("0 8 0", 3, "8"), ("2 2 0", 3, "2"), ("2 0 4", 5, "4"), ("0 0 0", 5, "0")] {
            let message = format!(
                "line 4, column {column}: the strip does not begin a new game: expected one tile, a 2 or a 4, found \
                 `{found}`"
            );
            assert_eq!(read_hard(&file(&format!("3\n{strip}\nSEED"))).unwrap_err().to_string(), message);
        }
        let message =
            "line 3, column 1: the strip's length n is out of range: expected an integer from 2 to 9, found `10`";
        assert_eq!(read_hard(&file("10\n2 0 0 0 0 0 0 0 0 0\nSEED")).unwrap_err().to_string(), message);
    }

    #[test]
    fn a_file_has_1_to_50_cases() {
        for count in ["0", "51", "-1"] {
            assert_eq!(read_hard(count.as_bytes()).unwrap_err().0.rule, "the number of cases is out of range");
        }
    }
}
