//! The bundled solvers: programs that play the games, and the default solver of each problem. They read the rules
//! independently of the `checkers` crate.
//!
//! A [`Solution`] reads a whole case, searches within its time limit (`SOLVER_TIME_LIMIT`, see [`TIME_LIMIT_VARIABLE`])
//! and writes one answer. Plain solutions are short and instant. Relative scores refer to the strong ones.
//!
//! - [`Solution`]: a solver with its id, its summary and the function that solves a case.
//! - [`SolveError`]: why there is no answer.
//!
//! ```text
//! id    -- find ------------> Solution
//! input -- Solution::solve -> answer, or SolveError (the input does not belong to the game)
//! stdin -- main_of ---------> stdout, and the exit code of the process
//! ```
//!
//! ```
//! let solution = solutions::find("columns-quickstart").expect("it is bundled");
//! let mut answer = Vec::new();
//! (solution.solve)(b"6 13\n2\nabc\nabd\n", &mut answer)?;
//! assert_eq!(answer, b"2\n1 0\n2 0\n");
//! # Ok::<(), solutions::SolveError>(())
//! ```
#![forbid(unsafe_code)]
// Tests convert small constants freely.
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss))]

mod beating;
mod columns;
mod deletion_game;
#[cfg(test)]
#[path = "../../tests/support/ground_truth.rs"]
mod ground_truth;
mod input;
mod same_game;
mod search;
mod square_remover;

pub use search::TIME_LIMIT_VARIABLE;
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

/// A solver of one of the games.
#[derive(Debug, Clone, Copy)]
pub struct Solution {
    /// The id of the problem if the solution is its default, otherwise the problem's id with the name of the strategy.
    pub id: &'static str,
    /// The strategy, in one line.
    pub summary: &'static str,
    /// Reads a whole case and writes the answer.
    pub solve: fn(&[u8], &mut dyn Write) -> Result<(), SolveError>,
}

/// In the order of the problems, one line for each game.
#[rustfmt::skip]
static GAMES: &[&[Solution]] = &[
    crate::columns::SOLUTIONS,
    crate::square_remover::SOLUTIONS,
    crate::same_game::SOLUTIONS,
    crate::deletion_game::SOLUTIONS,
    crate::beating::SOLUTIONS,
];

/// Returns every solution, in the order of the problems; the default one of each problem first.
pub fn all() -> impl Iterator<Item = &'static Solution> {
    GAMES.iter().copied().flatten()
}

/// Returns the solution with this id.
pub fn find(id: &str) -> Option<&'static Solution> {
    all().find(|solution| solution.id == id)
}

/// The exit code for an input that is not of the game.
const MALFORMED: u8 = 2;

/// Runs a solution on standard input and output. Returns the exit code: 0 if it answered, or if the reader has closed
/// the output; 2 if the input is malformed; 1 if reading or writing failed.
pub fn main_of(solution: &Solution) -> ExitCode {
    match run(solution) {
        Ok(()) => ExitCode::SUCCESS,
        Err(SolveError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If even the message cannot be written, the exit code still reports the error.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(if matches!(error, SolveError::Write(_)) { 1 } else { MALFORMED })
        }
    }
}

fn run(solution: &Solution) -> Result<(), SolveError> {
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let mut output = BufWriter::new(io::stdout().lock());
    (solution.solve)(&input, &mut output)?;
    output.flush()?;
    Ok(())
}

/// Why a solution gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The input is not of the game: which word is wrong, and what was expected.
    #[error("{0}")]
    Malformed(String),
    /// The answer cannot be written.
    #[error("the answer cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_different_and_found() {
        for solution in all() {
            assert_eq!(all().filter(|other| other.id == solution.id).count(), 1, "{}", solution.id);
            assert_eq!(find(solution.id).map(|found| found.summary), Some(solution.summary));
        }
    }

    #[test]
    fn every_solution_refuses_input_of_other_games() {
        for solution in all() {
            let checkers = checkers::all().iter().filter(|checker| solution.id.starts_with(checker.id));
            let checker = checkers.max_by_key(|checker| checker.id.len()).unwrap();
            let inputs = [&b""[..], b"x", b"6", b"\xff\x00", b"99999999999999999999999999 1 1"];
            for input in inputs.into_iter().filter(|input| checker.read(input).is_err()) {
                let result = (solution.solve)(input, &mut Vec::new());
                let refused = matches!(result, Err(SolveError::Malformed(_)));
                assert!(refused, "{}: {}", solution.id, input.escape_ascii());
            }
        }
    }
}
