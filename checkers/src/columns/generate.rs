//! The generators. Only seed 1 is Algotester's case. The others are this project's own.

use crate::Parametric;
use crate::random::FrozenRandom;
use std::io::Write;

/// The statement's sample. The statement says that it is seed 1.
const SAMPLE: &[u8] = b"6 13\n11\naba\nbba\nbbb\naab\nbac\ncac\n***\nccb\ncda\naad\ndbc\n";

/// Returns the input of a seed by the generator's first version. Every seed is valid.
///
/// The numbers are uniform and drawn in this order: w from 6..=12, h from 13..=19, the number of colours from 4..=8, k
/// from five lengths, the share of magic columns from 0..=50 per mille. Then come the columns, each magic with that
/// probability, else three independent letters.
pub(super) fn first(seed: u64) -> Vec<u8> {
    if seed == 1 {
        return SAMPLE.to_vec();
    }
    let mut random = FrozenRandom::new("columns", seed);
    let (width, height) = (random.between(6, 12), random.between(13, 19));
    let letters = &b"abcdefgh"[..random.length(4, 8)];
    let count = *random.pick(&[100, 300, 1_000, 3_000, 10_000]);
    let magic_per_mille = random.between(0, 50);
    text(&mut random, (width, height), letters, count, magic_per_mille)
}

/// Returns the input of a seed by the generator's second version, which can give every case that the statement allows.
/// Every seed is valid.
///
/// The numbers are uniform and drawn in this order: w from 6..=12; h from 13..=19; the number of colours from 1..=26;
/// the alphabet in a random order, whose first letters are the colours; a bound on k from five powers of ten, and k
/// from 1 to this bound; a bound on the share of magic columns, 50 per mille in three of four cases, else 1000, and the
/// share from 0 to this bound. Then come the columns, as in the first version.
pub(super) fn second(seed: u64) -> Vec<u8> {
    if seed == 1 {
        return SAMPLE.to_vec();
    }
    let mut random = FrozenRandom::new("columns 2", seed);
    let (width, height) = (random.between(6, 12), random.between(13, 19));
    let colors = random.length(1, 26);
    let mut alphabet: Vec<u8> = (b'a'..=b'z').collect();
    random.shuffle(&mut alphabet);
    let longest = *random.pick(&[1, 10, 100, 1_000, 10_000]);
    let count = random.between(1, longest);
    let most_magic = *random.pick(&[50, 50, 50, 1_000]);
    let magic_per_mille = random.between(0, most_magic);
    text(&mut random, (width, height), &alphabet[..colors], count, magic_per_mille)
}

/// Cases with a size, a number of colours, a number of pieces, and a share of magic pieces, per mille.
pub(super) const PARAMETRIC: Parametric = Parametric {
    parameters: &[("w", "6..12"), ("h", "13..19"), ("colors", "1..26"), ("k", "1..10000:log"), ("magic", "0..1000")],
    generate: |seed, values| {
        let &[width, height, colors, count, magic_per_mille] = values else { return Vec::new() };
        let mut random = FrozenRandom::new("columns with parameters", seed);
        let letters: Vec<u8> = (b'a'..=b'z').take(usize::try_from(colors).unwrap_or(1)).collect();
        text(&mut random, (width, height), &letters, count, magic_per_mille)
    },
};

fn text(
    random: &mut FrozenRandom,
    (width, height): (u64, u64),
    letters: &[u8],
    count: u64,
    magic_per_mille: u64,
) -> Vec<u8> {
    let mut text = Vec::new();
    writeln!(text, "{width} {height}\n{count}").expect("writing to memory does not fail");
    for _ in 0..count {
        let piece = match random.below(1_000) < magic_per_mille {
            true => *b"***",
            false => [(); 3].map(|()| *random.pick(letters)),
        };
        text.extend_from_slice(&piece);
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::input::Input;
    use super::*;
    use std::collections::BTreeSet;

    fn hash(text: &[u8]) -> u64 {
        text.iter().fold(0, |sum, &byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
    }

    #[test]
    fn a_seed_always_gives_the_same_case() {
        let text = first(2);
        assert!(text.starts_with(b"12 15\n100\nadc\nbdd\naca\nbac\nad"));
        assert_eq!((text.len(), hash(&text)), (410, 5_808_213_075_770_209_503));
        assert_eq!((second(1), &*second(2)), (first(1), &b"11 19\n1\ndup\n"[..]));
        let many = (2..30).flat_map(second).collect::<Vec<_>>();
        assert_eq!((many.len(), hash(&many)), (155_827, 17_879_476_912_219_679_666));
    }

    #[test]
    fn the_second_version_reaches_what_the_first_does_not() {
        let inputs: Vec<_> = (0..600).map(|seed| Input::read(&second(seed)).unwrap()).collect();
        let values = |of: fn(&Input) -> usize| inputs.iter().map(of).collect::<BTreeSet<_>>();
        assert!(values(|input| input.width).into_iter().eq(6..=12));
        assert!(values(|input| input.height).into_iter().eq(13..=19));
        assert!(values(Input::colors).into_iter().eq(0..=26), "0 where all is magic");
        let lengths = values(|input| input.pieces.len());
        assert!(lengths.contains(&1) && lengths.last() > Some(&9_000) && lengths.len() > 200, "{lengths:?}");
        let long = inputs.iter().filter(|input| input.pieces.len() > 1_000);
        assert!(long.clone().any(|input| 2 * input.magic() > input.pieces.len()));
        assert!(long.clone().any(|input| input.magic() == 0));
    }

    #[test]
    fn the_cases_are_valid_and_reach_every_parameter() {
        let inputs: Vec<_> = (0..200).map(|seed| Input::read(&first(seed)).unwrap()).collect();
        let values = |of: fn(&Input) -> usize| inputs.iter().skip(2).map(of).collect::<BTreeSet<_>>();
        assert!(values(|input| input.width).into_iter().eq(6..=12));
        assert!(values(|input| input.height).into_iter().eq(13..=19));
        assert!(values(Input::colors).into_iter().eq(4..=8));
        assert!(values(|input| input.pieces.len()).into_iter().eq([100, 300, 1_000, 3_000, 10_000]));
        let long = inputs.iter().filter(|input| input.pieces.len() == 10_000);
        let per_mille: BTreeSet<_> = long.map(|input| input.magic() / 10).collect();
        assert!(per_mille.first() < Some(&3) && per_mille.last() > Some(&42), "{per_mille:?}");
        assert!(per_mille.last() < Some(&60), "{per_mille:?}");
    }

    #[test]
    fn every_seed_makes_a_case() {
        for seed in [0, u64::MAX] {
            assert!(Input::read(&first(seed)).is_ok() && Input::read(&second(seed)).is_ok());
        }
    }
}
