//! The generator behind the project's own cases. It never changes, so a seed gives the same case in every version.

use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021),
/// its state filled by SplitMix64 as its authors advise.
#[derive(Debug, Clone)]
pub(crate) struct FrozenRandom(Xoshiro256StarStar);

impl FrozenRandom {
    /// Starts the sequence of this game and seed. Games draw from different sequences even for equal seeds.
    pub(crate) fn new(game: &str, seed: u64) -> Self {
        Self(Xoshiro256StarStar::seed_from_u64(fnv1a(game.as_bytes()) ^ seed))
    }

    /// Returns the next 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform number below `bound`, which is at least 1. Draws again where a plain remainder would be
    /// biased.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        debug_assert!(bound > 0);
        let biased = u64::MAX - u64::MAX % bound;
        loop {
            let bits = self.bits();
            if bits < biased {
                return bits % bound;
            }
        }
    }

    /// Returns a uniform index below `length`, which is at least 1.
    #[expect(clippy::cast_possible_truncation, reason = "a length fits in 64 bits, and an index below it in a usize")]
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Returns a uniform length in `low..=high`.
    pub(crate) fn length(&mut self, low: usize, high: usize) -> usize {
        low + self.index(high - low + 1)
    }

    /// Returns a uniform number in `low..=high`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        debug_assert!(low <= high && high - low < u64::MAX);
        low + self.below(high - low + 1)
    }

    /// Returns a uniformly chosen element. `choices` is not empty.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    /// Puts the items in a uniformly random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

/// 64-bit FNV-1a, to turn a game's name into a number.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outputs of the authors' C code: SplitMix64 from 1234567 fills the state.
    #[test]
    fn the_generator_gives_its_published_outputs() {
        let mut random = FrozenRandom(Xoshiro256StarStar::seed_from_u64(1_234_567));
        let mut state = [
            6_457_827_717_110_365_317_u64,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
        ];
        for _ in 0..100 {
            assert_eq!(random.bits(), state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9));
            let shifted = state[1] << 17;
            state[2] ^= state[0];
            state[3] ^= state[1];
            state[1] ^= state[2];
            state[0] ^= state[3];
            state[2] ^= shifted;
            state[3] = state[3].rotate_left(45);
        }
    }

    #[test]
    fn the_sequence_of_a_game_and_seed_is_frozen() {
        let mut random = FrozenRandom::new("columns", 2);
        let drawn = [random.below(1_000_000), random.below(1_000_000), random.between(5, 9)];
        assert_eq!(drawn, [952_244, 495_214, 5], "changing this changes every generated case");
    }

    #[test]
    fn draws_stay_in_their_range_and_reach_its_ends() {
        let mut random = FrozenRandom::new("test", 1);
        let mut seen = [0; 5];
        for _ in 0..10_000 {
            seen[random.between(3, 7) as usize - 3] += 1;
        }
        assert!(seen.iter().all(|&count| (1_800..2_200).contains(&count)), "{seen:?}");
    }
}
