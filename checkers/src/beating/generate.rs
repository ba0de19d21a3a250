//! Generators of both games. The cases are the project's own, not the contest's.

use super::input::{EasyCase, MAX_EXPONENT, Side, Start, easy_text, hard_text};
use super::{EASY, HARD};
use crate::Parametric;
use crate::random::FrozenRandom;

/// Returns a file of 10 to 50 cases; each has 2 to 1,000 cells and 1 to 5,000 attempts.
///
/// The number of tiles ranges from none to a full strip in steps of an eighth. The size of the largest tile varies,
/// too: with few kinds of tiles many merge, and with many kinds the strip soon stops changing.
pub(super) fn easy(seed: u64) -> String {
    let random = &mut FrozenRandom::new(EASY, seed);
    let cases: Vec<EasyCase> = (0..random.between(10, 50)).map(|_| easy_case(random)).collect();
    easy_text(&cases)
}

fn easy_case(random: &mut FrozenRandom) -> EasyCase {
    let length = random.between(2, 1_000);
    let eighths = random.between(0, 8);
    let largest = *random.pick(&[1, 2, 5, 20, MAX_EXPONENT]);
    let attempts = random.between(1, 5_000);
    sized_case(random, length, eighths, largest, attempts)
}

fn sized_case(random: &mut FrozenRandom, length: u64, eighths: u64, largest: u8, attempts: u64) -> EasyCase {
    let cells = (0..length).map(|_| if random.below(8) < eighths { exponent(random, largest) } else { 0 }).collect();
    let start = Start { cells, seed: seed_of_strip(random) };
    let attempts = (0..attempts).map(|_| *random.pick(&[Side::Left, Side::Right])).collect();
    EasyCase { start, attempts }
}

/// Files of the easy game: the number of cases, and in each the number of cells and of attempts, the eighths of the cells
/// that have a tile, and the exponent of the largest.
pub(super) const EASY_PARAMETRIC: Parametric = Parametric {
    parameters: &[("t", "1..50"), ("n", "2..1000:log"), ("a", "1..5000:log"), ("full", "0..8"), ("largest", "1..62")],
    generate: |seed, values| {
        let &[count, length, attempts, eighths, largest] = values else { return Vec::new() };
        let random = &mut FrozenRandom::new("beating-the-game-easy with parameters", seed);
        let largest = u8::try_from(largest).unwrap_or(MAX_EXPONENT);
        let cases: Vec<EasyCase> = (0..count).map(|_| sized_case(random, length, eighths, largest, attempts)).collect();
        easy_text(&cases).into_bytes()
    },
};

/// Files of the hard game: the number of cases, and the cells of each.
pub(super) const HARD_PARAMETRIC: Parametric = Parametric {
    parameters: &[("t", "1..50"), ("n", "2..9")],
    generate: |seed, values| {
        let &[count, length] = values else { return Vec::new() };
        let random = &mut FrozenRandom::new("beating-the-game-hard with parameters", seed);
        let length = usize::try_from(length).unwrap_or(2);
        let cases: Vec<Start> = (0..count).map(|_| sized_start(random, length)).collect();
        hard_text(&cases).into_bytes()
    },
};

fn exponent(random: &mut FrozenRandom, largest: u8) -> u8 {
    u8::try_from(random.between(1, largest.into())).expect("it is at most the largest")
}

/// Returns a file of 10 to 50 cases; each has 2 to 9 cells and a 2 or a 4 on one of them.
pub(super) fn hard(seed: u64) -> String {
    let random = &mut FrozenRandom::new(HARD, seed);
    let cases: Vec<Start> = (0..random.between(10, 50)).map(|_| hard_case(random)).collect();
    hard_text(&cases)
}

fn hard_case(random: &mut FrozenRandom) -> Start {
    let length = random.length(2, 9);
    sized_start(random, length)
}

fn sized_start(random: &mut FrozenRandom, length: usize) -> Start {
    let mut cells = vec![0; length];
    let tile = random.index(cells.len());
    cells[tile] = *random.pick(&[1, 2]);
    Start { cells, seed: seed_of_strip(random) }
}

/// Returns 43 numbers of 32 bits.
fn seed_of_strip<const NUMBERS: usize>(random: &mut FrozenRandom) -> [u32; NUMBERS] {
    std::array::from_fn(|_| u32::try_from(random.bits() >> 32).expect("these are 32 bits"))
}

#[cfg(test)]
mod tests {
    use super::super::input::{read_easy, read_hard};
    use super::*;

    #[test]
    fn every_case_is_an_input_of_its_game() {
        for seed in (0..100).chain([u64::MAX]) {
            let (easy, hard) = (easy(seed), hard(seed));
            assert_eq!(easy_text(&read_easy(easy.as_bytes()).unwrap()), easy, "seed {seed}");
            assert_eq!(hard_text(&read_hard(hard.as_bytes()).unwrap()), hard, "seed {seed}");
        }
    }

    /// Generators never change: see [`crate::Checker::generators`].
    #[test]
    fn the_cases_are_frozen() {
        let digest =
            |text: &str| text.bytes().fold(0u64, |digest, byte| digest.wrapping_mul(1_000_003) + u64::from(byte));
        assert_eq!(
            [digest(&easy(1)), digest(&easy(2)), digest(&hard(1)), digest(&hard(2))],
            [
                14_619_551_480_919_264_148,
                11_258_804_008_462_132_235,
                5_505_567_347_805_469_953,
                12_183_566_914_399_987_815
            ]
        );
    }
}
