//! The generator behind the project's own cases. It never changes, so a seed gives the same case in every version.

/// xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021),
/// its state filled by SplitMix64 as its authors advise.
#[derive(Debug, Clone)]
pub(crate) struct FrozenRandom {
    state: [u64; 4],
}

impl FrozenRandom {
    /// Starts the sequence of this game and seed. Games draw from different sequences even for equal seeds.
    pub(crate) fn new(game: &str, seed: u64) -> Self {
        let mut mixer = SplitMix64(fnv1a(game.as_bytes()) ^ seed);
        Self { state: [mixer.next(), mixer.next(), mixer.next(), mixer.next()] }
    }

    /// Returns the next 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        let state = &mut self.state;
        let result = state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        result
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

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// 64-bit FNV-1a, to turn a game's name into a number.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64's published first outputs for seed 1234567.
    #[test]
    fn the_mixer_gives_its_published_outputs() {
        let mut mixer = SplitMix64(1_234_567);
        let outputs = [mixer.next(), mixer.next(), mixer.next()];
        assert_eq!(outputs, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    /// The first outputs of xoshiro256** from the state 1, 2, 3, 4, as in its authors' C code.
    #[test]
    fn the_generator_gives_its_published_outputs() {
        let mut random = FrozenRandom { state: [1, 2, 3, 4] };
        let outputs = [random.bits(), random.bits(), random.bits(), random.bits()];
        assert_eq!(outputs, [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
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
