//! The subtract-with-carry generator (Marsaglia and Zaman, 1991) of `beating-the-game`: lags 43 and 22, modulus 2^32.

/// The long lag: how many numbers the state holds.
pub(crate) const LONG_LAG: usize = 43;

/// The short lag.
const SHORT_LAG: usize = 22;

/// The sequence `x[i] = x[i-22] - x[i-43] - carry`, where the carry is 1 after a difference below zero.
#[derive(Debug, Clone)]
pub(crate) struct SubtractWithCarry {
    /// The last 43 numbers, as a ring.
    recent: [u32; LONG_LAG],
    /// Where `x[i-43]` stands, which the next number will replace.
    oldest: usize,
    carry: bool,
}

impl SubtractWithCarry {
    /// Starts after `x[0]..x[42]`, with no carry.
    pub(crate) fn new(seed: [u32; LONG_LAG]) -> Self {
        Self { recent: seed, oldest: 0, carry: false }
    }

    /// Returns the next number: `x[43]` first.
    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        let short = self.recent[(self.oldest + LONG_LAG - SHORT_LAG) % LONG_LAG];
        let difference = i64::from(short) - i64::from(self.recent[self.oldest]) - i64::from(self.carry);
        self.carry = difference < 0;
        // The low 32 bits: the remainder modulo 2^32, never negative.
        let number = difference as u32;
        self.recent[self.oldest] = number;
        self.oldest = (self.oldest + 1) % LONG_LAG;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that three independent programs agree on; a line is `SEED first100 NUMBERS` or
    /// `SEED sum of first 10000 mod 2^64 = SUM last NUMBER`.
    const VECTORS: &str = include_str!("../../../tests/data/beating-the-game/prng_vectors.txt");

    fn seed_named(name: &str) -> [u32; LONG_LAG] {
        std::array::from_fn(|i| match name {
            "1..43" => i as u32 + 1,
            "43..1" => 43 - i as u32,
            "999999999*i^3 mod 2^32" => 999_999_999_u32.wrapping_mul((i * i * i) as u32),
            "all 7" => 7,
            "x0=1 rest 0" => u32::from(i == 0),
            _ => panic!("unknown seed {name}"),
        })
    }

    #[test]
    fn every_vector_is_given() {
        let mut lines = 0;
        for line in VECTORS.lines() {
            if let Some((name, numbers)) = line.split_once(" first100 ") {
                let mut random = SubtractWithCarry::new(seed_named(name));
                let numbers: Vec<u32> = numbers.split_whitespace().map(|number| number.parse().unwrap()).collect();
                assert_eq!(numbers.len(), 100);
                assert!(numbers.into_iter().all(|number| random.next() == number), "{line}");
            } else {
                let (name, sums) = line.split_once(" sum of first 10000 mod 2^64 = ").unwrap();
                let mut random = SubtractWithCarry::new(seed_named(name));
                let numbers: Vec<u32> = (0..10_000).map(|_| random.next()).collect();
                let sum: u64 = numbers.iter().copied().map(u64::from).sum();
                assert_eq!(format!("{sum} last {}", numbers[9_999]), sums, "{line}");
            }
            lines += 1;
        }
        assert_eq!(lines, 10);
    }

    #[test]
    fn the_statements_check_values_are_given() {
        let mut random = SubtractWithCarry::new(seed_named("999999999*i^3 mod 2^32"));
        assert_eq!([random.next(), random.next(), random.next()], [1_050_500_563, 4_071_029_865, 4_242_540_160]);
    }

    /// The recursive formula as the statement has it, the carry computed from the numbers themselves.
    #[test]
    fn the_ring_gives_what_the_recursive_formula_gives() {
        for seed in ["1..43", "43..1", "all 7", "x0=1 rest 0"] {
            let mut x: Vec<i128> = seed_named(seed).into_iter().map(i128::from).collect();
            let mut c = vec![0; 43];
            let mut random = SubtractWithCarry::new(seed_named(seed));
            for i in 43..5_000 {
                let difference = x[i - 22] - x[i - 43] - c[i - 1];
                c.push(i128::from(difference < 0));
                x.push(difference.rem_euclid(1 << 32));
                assert_eq!(i128::from(random.next()), x[i], "{seed}: x[{i}]");
            }
        }
    }
}
