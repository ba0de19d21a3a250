//! The exact rules of score-based programming games: which inputs are cases, which answers are legal, and which score
//! each answer gets.
//!
//! All functions are pure: they turn bytes into results. They read no files, clocks or environment variables, and start
//! no threads or processes. The same input and answer give the same score on every machine.
//!
//! The three main types:
//!
//! - [`Checker`]: the rules of one game. [`all`] lists the checkers and [`find`] returns one by its id.
//! - [`Case`]: one input, read and found valid. It checks answers.
//! - [`Score`]: an exact decimal number.
//!
//! The path of a value:
//!
//! ```text
//! seed   -- Checker::generate ---> input bytes, or UnusableSeed
//! input  -- Checker::read -------> Case, or Malformed (the bytes are not an input of this game)
//! answer -- Case::check ---------> Score, or CheckError: Rejection (the answer breaks a rule)
//!                                                     or Undecided (the check would take too long)
//! answer -- Case::measure -------> the same, and the numbers that the game counts in addition
//! answer -- Case::replay --------> the same, and an Observer sees a Frame after each step
//! moves  -- ManualGame::next_moves -> NextMoves: the possible next moves
//! ```
//!
//! ```
//! let checker = checkers::find("same-game-free").expect("the game is registered");
//! let case = checker.read(b"1\nAAB\n")?;
//! assert_eq!(case.check(b"1\n0 0\n")?, 1.into());
//!
//! // The answer removes a single block, which is not a group.
//! let rejection = case.check(b"1\n0 2\n").unwrap_err();
//! assert_eq!(
//!     rejection.to_string(),
//!     "line 2, column 1, move 1: the block is alone: expected a block of a group of two or more, found row 0, column 2"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
// Tests convert small constants freely.
#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss))]

mod beating;
mod checker;
mod columns;
mod deletion_game;
mod manual;
mod random;
mod rejection;
mod replay;
mod same_game;
mod score;
mod square_remover;
mod tokens;

pub use checker::{Case, CaseReader, Checker, Counted, Feature, Generator, Parametric, UnusableSeed, all, find};
pub use manual::{Choice, ManualGame, ManualReader, Move, NextMoves};
pub use rejection::{CheckError, Malformed, Place, Rejection, Undecided};
pub use replay::{Board, Cell, Frame, Metric, Observer, Unobserved};
pub use score::{Score, ScoreError};
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use tokens::fuzzing;
