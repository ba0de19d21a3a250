//! The game's pseudorandom generator: subtraction with carry, with values (43, 22, 2^32).

/// How far back the older of the two subtracted values lies.
const LONG: usize = 43;
/// How far back the newer one lies.
const SHORT: usize = 22;

/// The generator: its last 43 values in a ring, and the carry.
#[derive(Debug, Clone)]
pub(super) struct Generator {
    /// The values; the oldest stands at `oldest`.
    ring: [u32; LONG],
    oldest: usize,
    carry: bool,
}

impl Generator {
    pub(super) fn new(seed: [u32; LONG]) -> Self {
        Self { ring: seed, oldest: 0, carry: false }
    }

    /// Returns the next value.
    pub(super) fn next(&mut self) -> u32 {
        let newer = self.ring[(self.oldest + LONG - SHORT) % LONG];
        let older = self.ring[self.oldest];
        let difference = i64::from(newer) - i64::from(older) - i64::from(self.carry);
        self.carry = difference < 0;
        // The remainder modulo 2^32 is what the lower 32 bits say.
        self.ring[self.oldest] = difference as u32;
        self.oldest = (self.oldest + 1) % LONG;
        difference as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_the_statement_s_check_values() {
        let seed = std::array::from_fn(|i| (999_999_999 * (i as u128).pow(3)) as u32);
        let mut generator = Generator::new(seed);
        let values = [generator.next(), generator.next(), generator.next()];
        assert_eq!(values, [1_050_500_563, 4_071_029_865, 4_242_540_160]);
    }
}
