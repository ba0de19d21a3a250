//! Cases of both games, of the project's own making: they are not the contest's.

use super::input::{EasyCase, MAX_EXPONENT, Side, Start, easy_text, hard_text};
use super::{EASY, HARD};
use crate::random::FrozenRandom;

/// Returns a file of 10 to 50 cases; each has 2 to 1,000 cells and 1 to 5,000 attempts.
///
/// Strips differ in how full they are, from empty to full in steps of an eighth, and in how large their tiles can be:
/// with few kinds of tiles much merges, with many the strip soon stands still.
pub(super) fn easy(seed: u64) -> String {
    let random = &mut FrozenRandom::new(EASY, seed);
    let cases: Vec<EasyCase> = (0..random.between(10, 50)).map(|_| easy_case(random)).collect();
    easy_text(&cases)
}

fn easy_case(random: &mut FrozenRandom) -> EasyCase {
    let length = random.between(2, 1_000);
    let eighths = random.between(0, 8);
    let largest = *random.pick(&[1, 2, 5, 20, u64::from(MAX_EXPONENT)]);
    let attempts = random.between(1, 5_000);
    let cells =
        (0..length).map(|_| if random.below(8) < eighths { random.between(1, largest) as u8 } else { 0 }).collect();
    let start = Start { cells, seed: seed_of_strip(random) };
    let attempts = (0..attempts).map(|_| *random.pick(&[Side::Left, Side::Right])).collect();
    EasyCase { start, attempts }
}

/// Returns a file of 10 to 50 cases; each has 2 to 9 cells and a 2 or a 4 on one of them.
pub(super) fn hard(seed: u64) -> String {
    let random = &mut FrozenRandom::new(HARD, seed);
    let cases: Vec<Start> = (0..random.between(10, 50)).map(|_| hard_case(random)).collect();
    hard_text(&cases)
}

fn hard_case(random: &mut FrozenRandom) -> Start {
    let mut cells = vec![0; random.between(2, 9) as usize];
    // A strip's length always fits in 64 bits, and a cell of it in a usize.
    let tile = random.below(cells.len() as u64) as usize;
    cells[tile] = *random.pick(&[1, 2]);
    Start { cells, seed: seed_of_strip(random) }
}

/// Returns 43 numbers of 32 bits.
fn seed_of_strip<const NUMBERS: usize>(random: &mut FrozenRandom) -> [u32; NUMBERS] {
    // The upper half of 64 random bits.
    std::array::from_fn(|_| (random.bits() >> 32) as u32)
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

    /// What a seed gives is promised to stay: see [`crate::Checker::generate`].
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
