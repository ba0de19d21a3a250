//! Deletion game: the player removes paths of digits that spell primes or palindromes from a board, and the remaining
//! digits drop.

mod answer;
mod board;
mod generate;
mod input;
mod primality;

use crate::checker::counted;
use crate::{Case, Cell, CheckError, Checker, Counted, Feature, Frame, Metric, Observer, Score};
use answer::Answer;
use board::{Board, CellIndex};
use input::{Input, Parameters};
use num_bigint::{BigInt, BigUint};
use primality::{Primality, TooMuchWork};
use std::collections::HashSet;

/// The maximum number of digits in a caption.
const SHOWN_DIGITS: usize = 30;

/// The numbers counted for an answer.
static METRICS: [Metric; 3] = [
    Metric { name: "moves", meaning: "moves of the answer", is_more_better: false },
    Metric { name: "wasted", meaning: "moves that scored nothing", is_more_better: false },
    Metric { name: "left", meaning: "digits left at the end", is_more_better: false },
];

/// The checker of `deletion-game`.
pub(crate) static DELETION_GAME: Checker = Checker {
    id: "deletion-game",
    rules: include_str!("rules.md"),
    version: 2,
    generators: &[|seed| Ok(generate::generate(seed))],
    parametric: Some(&generate::PARAMETRIC),
    metrics: &METRICS,
    reader: |input| Ok(Box::new(Input::read(input)?)),
    manual_reader: None,
};

impl Case for Input {
    fn play(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Counted, CheckError> {
        let parameters = &self.parameters;
        let mut board = self.board.clone();
        let mut primality = Primality::default();
        let mut progress = Progress { observer, step: 0, total: BigUint::ZERO };
        let (mut path, mut number, mut wasted) = (Vec::new(), Vec::new(), 0);
        progress.show(&BigUint::ZERO, &board, &[], || "the board is full".to_owned());
        let mut answer = Answer::open(answer, parameters, &self.board)?;
        while answer.next_path(&board, &mut path)? {
            spell(&board, &path, &mut number);
            let subscores = Subscores::of(&number, parameters, &mut primality)
                .map_err(|TooMuchWork| answer.undecided_last_move(too_much_work(number.len())))?;
            let score = subscores.score();
            progress.step = answer.step();
            progress.show(&score, &board, &path, || caption(&number, &subscores));
            if score == BigUint::ZERO {
                wasted += 1;
            } else {
                board.take(&mut path);
                progress.show(&BigUint::ZERO, &board, &[], || format!("the rest drops: {} left", board.filled));
            }
        }
        let score = final_score(&progress.total, parameters, board.filled);
        if parameters.halves_for_what_is_left {
            let points = std::mem::replace(&mut progress.total, score);
            let caption = || format!("{points} halved for each of the {} left", board.filled);
            progress.show(&BigUint::ZERO, &board, &[], caption);
        }
        Ok(counted(BigInt::from(progress.total), &METRICS, [progress.step, wasted, board.filled]))
    }

    fn features(&self) -> Vec<Feature> {
        let parameters = &self.parameters;
        vec![
            Feature::count("n", self.board.height),
            Feature::count("m", self.board.width),
            Feature { name: "K", value: parameters.moves },
            Feature { name: "lmin", value: parameters.shortest },
            Feature { name: "lmax", value: parameters.longest },
            Feature { name: "c1", value: parameters.prime_exponent.into() },
            Feature { name: "c2", value: parameters.palindrome_exponent.into() },
            Feature { name: "F", value: parameters.halves_for_what_is_left.into() },
        ]
    }
}

fn too_much_work(digits: usize) -> String {
    format!("whether N, of {digits} digits, is prime takes more work than the checker spends on an answer")
}

/// Writes the number that a path spells into `number`, as ASCII digits. The first one is not 0.
fn spell(board: &Board, path: &[CellIndex], number: &mut Vec<u8>) {
    number.clear();
    let digits = path.iter().filter_map(|&cell| board.digit(cell));
    number.extend(digits.map(|digit| b'0' + digit));
}

/// The two subscores of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Subscores {
    prime: BigUint,
    palindrome: BigUint,
}

impl Subscores {
    /// Returns the subscores of this number, given as ASCII digits.
    ///
    /// # Errors
    /// Returns [`TooMuchWork`] if the score depends on a primality test that takes too much work.
    fn of(number: &[u8], parameters: &Parameters, primality: &mut Primality) -> Result<Self, TooMuchWork> {
        let one = BigUint::from(1_u8);
        let length = BigUint::from(number.len());
        let mut prime = length.pow(parameters.prime_exponent);
        if prime != one && !primality.is_prime(number)? {
            prime = one.clone();
        }
        let palindrome = if is_palindrome(number) { length.pow(parameters.palindrome_exponent) } else { one };
        Ok(Self { prime, palindrome })
    }

    /// Returns the score of the move. A wasted move scores 0.
    fn score(&self) -> BigUint {
        let one = BigUint::from(1_u8);
        if self.prime == one && self.palindrome == one { BigUint::ZERO } else { &self.prime + &self.palindrome }
    }
}

/// Returns the final score. With F = 1, every remaining digit halves the points.
fn final_score(points: &BigUint, parameters: &Parameters, digits_left: usize) -> BigUint {
    if parameters.halves_for_what_is_left { points >> digits_left } else { points.clone() }
}

fn is_palindrome(number: &[u8]) -> bool {
    let half = number.len() / 2;
    number[..half].iter().eq(number[number.len() - half..].iter().rev())
}

/// The points so far, and the observer that sees every step.
struct Progress<'a> {
    observer: &'a mut dyn Observer,
    step: usize,
    total: BigUint,
}

impl Progress<'_> {
    fn show(&mut self, gained: &BigUint, board: &Board, marked: &[CellIndex], caption: impl Fn() -> String) {
        self.total += gained;
        let (step, total) = (self.step, &self.total);
        let exact = |points: &BigUint| Score::from(BigInt::from(points.clone()));
        self.observer.step(step, &mut || Frame {
            step,
            caption: caption(),
            gained: exact(gained),
            total: exact(total),
            board: picture(board, marked),
            ahead: crate::Board::default(),
        });
    }
}

fn caption(number: &[u8], subscores: &Subscores) -> String {
    let number = shortened(number);
    let Subscores { prime, palindrome } = subscores;
    if subscores.score() == BigUint::ZERO {
        format!("{number} scores nothing: the move is wasted")
    } else {
        format!("{number} scores {prime} as a prime + {palindrome} as a palindrome")
    }
}

/// Returns the number, or its first digits and its length.
fn shortened(number: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&number[..number.len().min(SHOWN_DIGITS)]);
    if number.len() > SHOWN_DIGITS { format!("{shown}… ({} digits)", number.len()) } else { shown.into_owned() }
}

/// Draws the board from its top left.
fn picture(board: &Board, marked: &[CellIndex]) -> crate::Board {
    let marked: HashSet<_> = marked.iter().copied().collect();
    let draw = |cell| match board.digit(cell) {
        Some(digit) => Cell::of_character(b'0' + digit, u32::from(digit), marked.contains(&cell)),
        None => Cell::EMPTY,
    };
    let row = |row| (0..board.width).map(move |column| board.cell(row, column));
    crate::Board { width: board.width, cells: (0..board.height).flat_map(row).map(draw).collect() }
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
