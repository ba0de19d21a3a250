//! The contest's own generator of cases, bit for bit. It draws from Java's `SHA1PRNG` of the provider SUN, as
//! `java.security.SecureRandom` serves it.

use super::ID;
use super::input::Game;
use crate::{Parametric, UnusableSeed};
use sha1::{Digest, Sha1};

/// Bytes in a SHA-1 digest: the size of the state and of one block of output.
const BLOCK: usize = 20;

/// Returns the case that the contest's tester makes from this seed, a Java `long` with the same 64 bits.
///
/// # Errors
/// Returns [`UnusableSeed`] for seed 0, for which the tester makes a new case each time.
pub(super) fn case(seed: u64) -> Result<Game, UnusableSeed> {
    let why = "its random generator takes 0 for \"not seeded\"; the seeds are 1, 2, 3, …";
    let mut random = Sha1Prng::new(seed).ok_or(UnusableSeed { game: ID, seed, why })?;
    let colors = random.below(3_u8) + 4;
    let size = random.below(9_u8);
    let size = usize::from(size) + 8;
    let start_seed = random.next_int(2_147_483_646).cast_unsigned() + 1;
    let board = (0..size * size).map(|_| random.below(colors)).collect();
    Ok(Game { colors, size, board, start_seed })
}

/// Cases with a number of colours and a size. The contest's generator draws the rest.
pub(super) const PARAMETRIC: Parametric = Parametric {
    parameters: &[("colors", "4..6"), ("N", "8..16")],
    generate: |seed, values| {
        let &[colors, size] = values else { return Vec::new() };
        let (colors, size) = (u8::try_from(colors).unwrap_or(4), usize::try_from(size).unwrap_or(8));
        // The contest's generator has no seed 0.
        let Some(mut random) = Sha1Prng::new(seed.max(1)) else { return Vec::new() };
        let start_seed = random.next_int(2_147_483_646).cast_unsigned() + 1;
        let board = (0..size * size).map(|_| random.below(colors)).collect();
        Game { colors, size, board, start_seed }.to_text()
    },
};

/// The generator, seeded once.
#[derive(Debug, Clone)]
struct Sha1Prng {
    state: [u8; BLOCK],
    output: [u8; BLOCK],
    /// How many bytes of `output` have been served. Unused ones are served by the next call.
    served: usize,
}

impl Sha1Prng {
    /// Starts the sequence of `setSeed(seed)`, where Java's `long` has the same 64 bits as `seed`.
    ///
    /// Returns `None` for seed 0. Java treats it as no seed, so there is no sequence to repeat.
    fn new(seed: u64) -> Option<Self> {
        let state = Sha1::digest(seed.to_le_bytes()).into();
        (seed != 0).then_some(Self { state, output: [0; BLOCK], served: BLOCK })
    }

    /// Returns a small number in `0..bound`, as `nextInt(bound)` does. `bound` is at least 1.
    fn below(&mut self, bound: u8) -> u8 {
        u8::try_from(self.next_int(bound.into())).expect("it is below the bound")
    }

    /// Returns a uniform number in `0..bound`, as `nextInt(bound)` does. `bound` is at least 1.
    fn next_int(&mut self, bound: i32) -> i32 {
        debug_assert!(bound > 0);
        let drawn = self.next(31).cast_signed();
        if bound & (bound - 1) == 0 {
            let product = i64::from(bound) * i64::from(drawn);
            return i32::try_from(product >> 31).expect("the bound and the drawn number are below 2^31");
        }
        let mut candidate = drawn;
        loop {
            let remainder = candidate % bound;
            // Java's test for the last, incomplete stretch of `bound` numbers, where a remainder would be biased.
            if (candidate - remainder).checked_add(bound - 1).is_some() {
                return remainder;
            }
            candidate = self.next(31).cast_signed();
        }
    }

    /// Returns `bits` random bits, 1 to 32 of them, as `next(bits)` does: whole bytes are drawn, big-endian, and the
    /// surplus low bits dropped.
    fn next(&mut self, bits: u32) -> u32 {
        let bytes = bits.div_ceil(8);
        let drawn = (0..bytes).fold(0u32, |value, _| value << 8 | u32::from(self.next_byte()));
        drawn >> (8 * bytes - bits)
    }

    fn next_byte(&mut self) -> u8 {
        if self.served == BLOCK {
            self.output = Sha1::digest(self.state).into();
            self.advance();
            self.served = 0;
        }
        self.served += 1;
        self.output[self.served - 1]
    }

    /// Adds the output and 1 to the state, byte by byte from the first. The carry is Java's: bytes are signed and the
    /// shift is arithmetic, so that it can be -1.
    fn advance(&mut self) {
        let before = self.state;
        let mut carry = 1;
        for (byte, added) in self.state.iter_mut().zip(self.output) {
            let sum = i32::from(byte.cast_signed()) + i32::from(added.cast_signed()) + carry;
            [*byte, ..] = sum.to_le_bytes();
            carry = sum >> 8;
        }
        if self.state == before {
            self.state[0] = self.state[0].wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_0_has_no_case() {
        assert_eq!(
            case(0).unwrap_err().to_string(),
            "square-remover has no case for seed 0: its random generator takes 0 for \"not seeded\"; the seeds are 1, \
             2, 3, …"
        );
    }

    #[test]
    fn every_case_is_an_input_of_the_game() {
        for seed in (1..2_000).chain([1 << 31, 1 << 32, 1 << 63, u64::MAX]) {
            let game = case(seed).unwrap();
            assert_eq!(Game::read(&game.to_text()), Ok(game), "seed {seed}");
        }
    }
}

#[cfg(test)]
mod sha1prng_tests {
    use super::*;
    use std::fmt::Write;

    /// Results of Java 17, one line for each kind of call and seed, with fields separated by tabs.
    const VECTORS: &str = include_str!("../../../tests/data/square-remover/sha1prng_vectors.txt");

    fn seeded(seed: &str) -> Sha1Prng {
        Sha1Prng::new(seed.parse::<i64>().unwrap().cast_unsigned()).unwrap()
    }

    fn hex(random: &mut Sha1Prng, bytes: usize) -> String {
        (0..bytes).fold(String::new(), |mut text, _| {
            write!(text, "{:02x}", random.next_byte()).unwrap();
            text
        })
    }

    fn next_int(random: &mut Sha1Prng) -> i32 {
        random.next(32).cast_signed()
    }

    fn next_long(random: &mut Sha1Prng) -> i64 {
        (i64::from(next_int(random)) << 32).wrapping_add(i64::from(next_int(random)))
    }

    fn next_double(random: &mut Sha1Prng) -> f64 {
        let bits = (u64::from(random.next(26)) << 27) + u64::from(random.next(27));
        bits as f64 / (1u64 << 53) as f64
    }

    /// The state of `setSeed(1)`, `nextInt()`, `setSeed(2)`: a second seed is hashed after the state.
    fn reseeded() -> Sha1Prng {
        let mut random = seeded("1");
        next_int(&mut random);
        let state = Sha1::new().chain_update(random.state).chain_update(2u64.to_le_bytes()).finalize().into();
        Sha1Prng { state, output: [0; BLOCK], served: BLOCK }
    }

    /// Repeats the calls behind one line of the file and returns the expected line.
    fn recompute(fields: &[&str]) -> String {
        let spaced =
            |count: usize, draw: &mut dyn FnMut() -> String| (0..count).map(|_| draw()).collect::<Vec<_>>().join(" ");
        let random = &mut if fields[0] == "reseed(1;nextInt;2)" { reseeded() } else { seeded(fields[1]) };
        let mut text = match fields[0] {
            "bytes100" => hex(random, 100),
            "nextInt12" => spaced(12, &mut || next_int(random).to_string()),
            "nextIntBound" => {
                let bound = fields[2].parse().unwrap();
                spaced(12, &mut || random.next_int(bound).to_string())
            }
            "nextLong" => spaced(fields[2].split(' ').count(), &mut || next_long(random).to_string()),
            "nextDoubleBits" => spaced(fields[2].split(' ').count(), &mut || next_double(random).to_bits().to_string()),
            "nextBoolean" => (0..24).map(|_| random.next(1).to_string()).collect(),
            "nextBytes7x8" => spaced(8, &mut || hex(random, 7)),
            "reseed(1;nextInt;2)" => spaced(6, &mut || next_int(random).to_string()),
            kind => panic!("unknown kind of line {kind}"),
        };
        if fields[fields.len() - 1].contains('|') {
            write!(text, " | next nextInt() = {}", next_int(random)).unwrap();
        }
        text
    }

    #[test]
    fn every_call_gives_what_java_gave() {
        let mut repeated = 0;
        for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').map(str::trim_end).collect();
            assert_eq!(recompute(&fields), fields[fields.len() - 1], "{line}");
            repeated += 1;
        }
        assert_eq!(repeated, 81, "lines of the file");
    }

    #[test]
    fn a_zero_seed_is_no_seed() {
        assert!(Sha1Prng::new(0).is_none());
    }

    #[test]
    fn a_state_that_would_repeat_itself_is_nudged() {
        // -1 and the first carry add up to 0 and give no carry.
        let mut random = Sha1Prng { state: [7; BLOCK], output: [0; BLOCK], served: 0 };
        random.output[0] = 0xff;
        random.advance();
        assert_eq!(random.state[0], 8);
        assert_eq!(random.state[1..], [7; BLOCK - 1]);
    }
}
