//! The Lehmer generator (multiplicative congruential) behind the buffer of `square-remover`.

/// A prime: the sequence of any start from 1 to `MODULUS - 1` passes through all of them before it repeats.
const MODULUS: u64 = 2_147_483_647;

/// The multiplier of C++'s `minstd_rand`.
const MULTIPLIER: u64 = 48_271;

/// The sequence `A[0] = start`, `A[i] = A[i-1] * 48271 mod 2147483647`.
#[derive(Debug, Clone)]
pub(crate) struct Lehmer {
    upcoming: u32,
}

impl Lehmer {
    /// Starts at `start`, which the sequence gives first.
    pub(crate) fn new(start: u32) -> Self {
        Self { upcoming: start }
    }

    /// Returns the next number of the sequence.
    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        let current = self.upcoming;
        // A remainder modulo MODULUS fits in 31 bits.
        self.upcoming = (u64::from(current) * MULTIPLIER % MODULUS) as u32;
        current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_comes_first_and_the_rest_follows_by_the_formula() {
        let mut random = Lehmer::new(857_377_961);
        let mut expected: u128 = 857_377_961;
        for _ in 0..10_000 {
            assert_eq!(u128::from(random.next()), expected);
            expected = expected * 48_271 % 2_147_483_647;
        }
    }

    /// The C++ standard (`rand.predef`): the 10000th number after the default seed 1.
    #[test]
    fn the_ten_thousandth_number_is_the_published_one() {
        let mut random = Lehmer::new(1);
        assert_eq!((0..=10_000).map(|_| random.next()).last(), Some(399_268_537));
    }
}
