//! The contest's own generator of cases, bit for bit.

use super::constants::ID;
use super::input::Game;
use crate::UnusableSeed;
use crate::random::Sha1Prng;

/// Returns the case that the contest's tester makes from this seed, a Java `long` with the same 64 bits.
///
/// # Errors
/// For seed 0, from which the tester makes another case each time.
pub(super) fn case(seed: u64) -> Result<Game, UnusableSeed> {
    let why = "its random generator takes 0 for \"not seeded\"; the seeds are 1, 2, 3, …";
    let mut random = Sha1Prng::new(seed).ok_or(UnusableSeed { game: ID, seed, why })?;
    // The bounds keep all conversions exact.
    let colors = random.next_int(3) as u8 + 4;
    let size = random.next_int(9) as usize + 8;
    let start_seed = random.next_int(2_147_483_646) as u32 + 1;
    let board = (0..size * size).map(|_| random.next_int(i32::from(colors)) as u8).collect();
    Ok(Game { colors, size, board, start_seed })
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
