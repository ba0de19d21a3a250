//! Makes cases. Only seed 1 is Algotester's; the others are this project's own.

use crate::random::Frozen;
use std::io::Write;

/// The statement's sample, which it says is seed 1.
const SAMPLE: &[u8] = b"6 13\n11\naba\nbba\nbbb\naab\nbac\ncac\n***\nccb\ncda\naad\ndbc\n";

/// Returns the input of this seed. Any seed will do.
///
/// Drawn uniformly and in this order: w from 6..=12, h from 13..=19, the number of colours from 4..=8, k from five
/// lengths, the share of magic columns from 0..=50 per mille; then each column: magic with that chance, else three
/// independent letters.
pub(super) fn generate(seed: u64) -> Vec<u8> {
    if seed == 1 {
        return SAMPLE.to_vec();
    }
    let mut random = Frozen::new("columns", seed);
    let width = random.between(6, 12);
    let height = random.between(13, 19);
    let letters = &b"abcdefgh"[..random.between(4, 8) as usize];
    let count = *random.pick(&[100, 300, 1_000, 3_000, 10_000]);
    let magic_per_mille = random.between(0, 50);

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

    #[test]
    fn a_seed_is_the_same_case_for_ever() {
        let text = generate(2);
        assert!(text.starts_with(b"12 15\n100\nadc\nbdd\naca\nbac\nad"));
        let sum = text.iter().fold(0_u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        assert_eq!((text.len(), sum), (410, 5_808_213_075_770_209_503));
    }

    #[test]
    fn the_cases_are_valid_and_reach_every_parameter() {
        let inputs: Vec<_> = (0..200).map(|seed| Input::read(&generate(seed)).unwrap()).collect();
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
            assert!(Input::read(&generate(seed)).is_ok());
        }
    }
}
