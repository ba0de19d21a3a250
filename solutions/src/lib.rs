//! Programs that play the games: an independent reading of the rules, and the default solver of each problem.
//!
//! Every solution reads a whole case, searches for as long as it may ([`SOLVER_TIME_LIMIT`](TIME_LIMIT_VARIABLE)) and
//! writes one answer. The plain ones are short and instant; the strong ones are what relative scores refer to.
#![forbid(unsafe_code)]

mod beating;
mod clock;
mod columns;
mod deletion_game;
mod error;
#[cfg(test)]
#[path = "../../tests/support/ground_truth.rs"]
mod ground_truth;
mod input;
mod program;
mod random;
mod registry;
mod same_game;
mod solution;
mod square_remover;

pub use clock::TIME_LIMIT_VARIABLE;
pub use error::SolveError;
pub use program::main_of;
pub use registry::{all, find};
pub use solution::{Solution, Strength};
