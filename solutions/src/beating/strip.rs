//! A strip of tiles and how it slides.

use super::generator::Generator;
use crate::SolveError;
use crate::input::Words;
use std::ops::Range;

/// A cell of the strip: the tile's exponent of two, 0 when the cell is empty.
pub(super) type Exponent = u8;

/// Reads what both parts share: the strip's length, its tiles and the generator's seed.
pub(super) fn read_case(words: &mut Words, longest: usize) -> Result<(Vec<Exponent>, Generator), SolveError> {
    let length: usize = words.number("the length of a strip", 2..=longest)?;
    let strip = (0..length).map(|_| read_tile(words)).collect::<Result<_, _>>()?;
    let mut seed = [0; 43];
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
        // The exponent of a 64-bit number fits in 8 bits.
        Some(tile) if tile.is_power_of_two() && (2..=1 << 62).contains(&tile) => Ok(tile.ilog2() as Exponent),
        _ => Err(words.unexpected(expected, word)),
    }
}

/// Slides all tiles to the left. Returns the cells that are empty then, or none when nothing moved.
pub(super) fn slide_left(strip: &mut [Exponent]) -> Option<Range<usize>> {
    let (filled, moved) = slide(strip, |i| i);
    moved.then_some(filled..strip.len())
}

/// Slides all tiles to the right. Returns the cells that are empty then, or none when nothing moved.
pub(super) fn slide_right(strip: &mut [Exponent]) -> Option<Range<usize>> {
    let last = strip.len() - 1;
    let (filled, moved) = slide(strip, |i| last - i);
    moved.then_some(0..strip.len() - filled)
}

/// Slides all tiles towards the first cell, where `cell(i)` is the i-th cell in that order. Returns how many cells are
/// filled then, and whether anything moved or merged.
#[inline(always)]
fn slide(strip: &mut [Exponent], cell: impl Fn(usize) -> usize) -> (usize, bool) {
    let mut filled = 0;
    let mut moved = false;
    // The last tile, unless it has just been merged: 0 then, which no tile equals.
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

#[cfg(test)]
mod tests {
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
