//! The game from the first move to the last: one fold, watched or not.

use super::answer::Answer;
use super::input::Input;
use super::primality::{Primality, TooMuchWork};
use super::replay::Narrator;
use super::rules::{Subscores, final_score, spell};
use crate::{CheckError, Observer, Score};
use num_bigint::{BigInt, BigUint};

/// Plays the answer's moves and returns the final score.
pub(super) fn play(input: &Input, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
    let parameters = &input.parameters;
    let mut answer = Answer::open(answer, parameters, &input.board)?;
    let mut board = input.board.clone();
    let mut primality = Primality::default();
    let mut narrator = Narrator::new(observer);
    let (mut path, mut number) = (Vec::new(), Vec::new());
    narrator.start(&board);
    while answer.next_path(&board, &mut path)? {
        spell(&board, &path, &mut number);
        let subscores = Subscores::of(&number, parameters, &mut primality)
            .map_err(|TooMuchWork| answer.undecided_last_move(too_much_work(number.len())))?;
        narrator.chosen(answer.step(), &board, &path, &number, &subscores);
        if subscores.score() != BigUint::ZERO {
            board.take(&mut path);
            narrator.dropped(&board);
        }
    }
    let score = final_score(narrator.total(), parameters, board.filled());
    narrator.end(&board, parameters, &score);
    Ok(BigInt::from(score).into())
}

fn too_much_work(digits: usize) -> String {
    format!("whether N, of {digits} digits, is prime takes more work than the checker spends on an answer")
}
