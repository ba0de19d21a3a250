//! What a path is worth: the subscores of the number it spells.

use super::board::{Board, CellIndex};
use super::input::Parameters;
use super::primality::{Primality, TooMuchWork};
use num_bigint::BigUint;

/// The number that a path spells, as ASCII digits; the first is not 0.
pub(super) fn spell(board: &Board, path: &[CellIndex], number: &mut Vec<u8>) {
    number.clear();
    let digits = path.iter().filter_map(|&cell| board.digit(cell));
    number.extend(digits.map(|digit| b'0' + digit));
}

/// The two subscores of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subscores {
    pub(super) prime: BigUint,
    pub(super) palindrome: BigUint,
}

impl Subscores {
    /// Returns the subscores of this number, as ASCII digits.
    ///
    /// # Errors
    /// When the score depends on whether the number is prime, and that takes too much work to tell.
    pub(super) fn of(number: &[u8], parameters: &Parameters, primality: &mut Primality) -> Result<Self, TooMuchWork> {
        let one = BigUint::from(1_u8);
        let length = BigUint::from(number.len());
        let mut prime = length.pow(parameters.prime_exponent);
        if prime != one && !primality.is_prime(number)? {
            prime = one.clone();
        }
        let palindrome = if is_palindrome(number) { length.pow(parameters.palindrome_exponent) } else { one };
        Ok(Self { prime, palindrome })
    }

    /// Returns what the move scores; 0 says that it is wasted.
    pub(super) fn score(&self) -> BigUint {
        let one = BigUint::from(1_u8);
        if self.prime == one && self.palindrome == one { BigUint::ZERO } else { &self.prime + &self.palindrome }
    }
}

/// Returns the final score: with F = 1, the points are halved for every digit that is left.
pub(super) fn final_score(points: &BigUint, parameters: &Parameters, digits_left: usize) -> BigUint {
    if parameters.halves_for_what_is_left { points >> digits_left } else { points.clone() }
}

fn is_palindrome(number: &[u8]) -> bool {
    let half = number.len() / 2;
    number[..half].iter().eq(number[number.len() - half..].iter().rev())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(prime_exponent: u32, palindrome_exponent: u32) -> Parameters {
        Parameters {
            moves: 1,
            shortest: 1,
            longest: 9,
            prime_exponent,
            palindrome_exponent,
            halves_for_what_is_left: true,
        }
    }

    #[test]
    fn a_move_scores_the_sum_unless_both_subscores_are_one() {
        for (number, c1, c2, score) in [
            ("47", 1, 1, 3_u32),
            ("22", 1, 1, 3),
            ("11", 1, 1, 4),
            ("12", 1, 1, 0),
            ("131", 2, 3, 36),
            ("131", 0, 3, 28),
            ("131", 2, 0, 10),
            ("131", 0, 0, 0),
            ("7", 5, 5, 0),
            ("121", 0, 1, 4),
            ("127", 0, 1, 0),
        ] {
            let subscores = Subscores::of(number.as_bytes(), &parameters(c1, c2), &mut Primality::default());
            assert_eq!(subscores.unwrap().score(), BigUint::from(score), "{number} with c1 = {c1}, c2 = {c2}");
        }
    }

    #[test]
    fn no_primality_is_asked_for_where_it_does_not_matter() {
        let hard = "3".repeat(200_000);
        let subscores = Subscores::of(hard.as_bytes(), &parameters(0, 2), &mut Primality::default()).unwrap();
        assert_eq!(subscores.score(), BigUint::from(40_000_000_001_u64));
    }

    #[test]
    fn points_are_halved_without_a_limit() {
        let points = BigUint::from(3_u8) << 200;
        assert_eq!(final_score(&points, &parameters(1, 1), 201), BigUint::from(1_u8));
        assert_eq!(final_score(&points, &parameters(1, 1), 1_000_000), BigUint::ZERO);
        let unhalved = Parameters { halves_for_what_is_left: false, ..parameters(1, 1) };
        assert_eq!(final_score(&points, &unhalved, 201), points);
    }
}
