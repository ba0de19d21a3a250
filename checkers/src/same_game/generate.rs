//! The generators. The cases are this project's own, because the contest's tests are not available.

use crate::Parametric;
use crate::random::FrozenRandom;

/// Returns the input of `same-game` for a seed by the generator's first version. Every seed is valid.
///
/// The values are drawn in this order: the rows and the columns, uniform in 1..=50; the number of colours, uniform up
/// to a bound that is itself uniform in 2..=26, so few colours are more likely; the alphabet in a random order, whose
/// first letters are the colours; the length of the order, uniform from the number of colours to 26; that many first
/// letters in a random order; the blocks, each of a uniform colour. There are at least two colours.
pub(super) fn prescribed(seed: u64) -> Vec<u8> {
    prescribed_with(&mut FrozenRandom::new("same-game", seed), 2)
}

/// Returns the input of `same-game` for a seed by the generator's second version. Every seed is valid.
///
/// The values are drawn as in the first version, but there may be a single colour, and an order of a single letter.
pub(super) fn second_prescribed(seed: u64) -> Vec<u8> {
    prescribed_with(&mut FrozenRandom::new("same-game 2", seed), 1)
}

fn prescribed_with(random: &mut FrozenRandom, fewest_colors: usize) -> Vec<u8> {
    let rows = random.length(1, 50);
    let columns = random.length(1, 50);
    let most_colors = random.length(fewest_colors, 26);
    let colors = random.length(fewest_colors, most_colors);
    let mut alphabet: Vec<u8> = (b'A'..=b'Z').collect();
    random.shuffle(&mut alphabet);
    let mut order = alphabet[..random.length(colors, 26)].to_vec();
    random.shuffle(&mut order);
    let mut text = grid(random, rows, columns, &alphabet[..colors]);
    text.append(&mut order);
    text.push(b'\n');
    text
}

/// Returns the input of `same-game-free` for a seed. Every seed is valid.
///
/// This is the size of most programs and records of SameGame: 15 rows of 15 blocks in five colours, independent and
/// uniform.
pub(super) fn free(seed: u64) -> Vec<u8> {
    grid(&mut FrozenRandom::new("same-game-free", seed), 15, 15, b"ABCDE")
}

/// The parameters of both games: rows, columns, colours.
const PARAMETERS: &[(&str, &str)] = &[("R", "1..50"), ("C", "1..50"), ("colors", "1..26")];

/// Cases of `same-game` with a size and a number of colours. The order is drawn.
pub(super) const PRESCRIBED: Parametric = Parametric {
    parameters: PARAMETERS,
    generate: |seed, values| {
        let mut random = FrozenRandom::new("same-game with parameters", seed);
        let (mut text, mut order) = sized(&mut random, values);
        random.shuffle(&mut order);
        text.append(&mut order);
        text.push(b'\n');
        text
    },
};

/// Cases of `same-game-free` with a size and a number of colours.
pub(super) const FREE: Parametric = Parametric {
    parameters: PARAMETERS,
    generate: |seed, values| sized(&mut FrozenRandom::new("same-game-free with parameters", seed), values).0,
};

/// Returns a grid of these rows, columns and colours, and the colours.
fn sized(random: &mut FrozenRandom, values: &[u64]) -> (Vec<u8>, Vec<u8>) {
    let value = |place: usize| values.get(place).and_then(|&value| usize::try_from(value).ok()).unwrap_or(1);
    let colors: Vec<u8> = (b'A'..=b'Z').take(value(2)).collect();
    (grid(random, value(0), value(1), &colors), colors)
}

fn grid(random: &mut FrozenRandom, rows: usize, columns: usize, colors: &[u8]) -> Vec<u8> {
    let mut text = format!("{rows}\n").into_bytes();
    for _ in 0..rows {
        text.extend((0..columns).map(|_| *random.pick(colors)));
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::input::{Free, Prescribed};
    use super::*;
    use std::collections::BTreeSet;

    fn hash(text: &[u8]) -> u64 {
        text.iter().fold(0, |sum, &byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
    }

    #[test]
    fn a_seed_always_gives_the_same_case() {
        assert_eq!(
            (hash(&prescribed(1)), hash(&prescribed(2)), hash(&free(1))),
            (14_820_232_051_650_943_474, 17_061_900_620_662_870_616, 17_211_710_759_409_761_166)
        );
        let second = [1, 2].map(|seed| hash(&second_prescribed(seed)));
        assert_eq!(second, [17_770_031_885_610_493_393, 6_454_818_650_615_469_800]);
    }

    #[test]
    fn the_second_version_reaches_every_length_of_the_order() {
        let (mut lengths, mut colors) = (BTreeSet::new(), BTreeSet::new());
        for seed in (0..3_000).chain([u64::MAX]) {
            let Prescribed { grid, order } = Prescribed::read(&second_prescribed(seed)).unwrap();
            lengths.insert(order.len());
            colors.insert(grid.blocks.iter().collect::<BTreeSet<_>>().len());
        }
        assert!(lengths.into_iter().eq(1..=26), "every length of the order");
        assert!(colors.first() == Some(&1) && colors.last() > Some(&20), "{colors:?}");
    }

    #[test]
    fn the_prescribed_cases_are_valid_and_reach_every_size() {
        let (mut rows, mut columns, mut colors, mut spare) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), 0);
        for seed in (0..1_000).chain([u64::MAX]) {
            let Prescribed { grid, order } = Prescribed::read(&prescribed(seed)).unwrap();
            let used = grid.blocks.iter().collect::<BTreeSet<_>>().len();
            spare += usize::from(used < order.len());
            rows.insert(grid.rows);
            columns.insert(grid.columns);
            colors.insert(used);
        }
        assert!(rows.into_iter().eq(1..=50) && columns.into_iter().eq(1..=50));
        assert!(colors.into_iter().eq(1..=26), "1 where the grid is tiny");
        assert!(spare > 500, "{spare} orders name a colour that is not there");
    }

    #[test]
    fn the_free_cases_are_of_the_usual_size() {
        for seed in (0..100).chain([u64::MAX]) {
            let grid = Free::read(&free(seed)).unwrap().grid;
            assert_eq!((grid.rows, grid.columns), (15, 15));
            assert_eq!(grid.blocks.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from(*b"ABCDE"));
        }
    }
}
