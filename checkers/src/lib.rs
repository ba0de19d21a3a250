//! The rules of the games, exactly: what a case is, what an answer may do, and what it is worth.
//!
//! Everything here is pure: bytes in, outcome out. No files, clocks, processes, threads or environment.
//!
//! ```text
//! seed  ── Checker::generate ─▶ input bytes
//! input ── Checker::read ─────▶ Case            or Malformed (the input is not of the game)
//! answer ─ Case::check ───────▶ Score           or Rejection (the answer breaks a rule) or Undecided
//! answer ─ Case::replay ──────▶ the same, with every step shown to an Observer
//! moves ── ManualGame::outlook ───▶ Outlook         what can be played next, in games that people play
//! ```
#![forbid(unsafe_code)]

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

pub use checker::{Case, Checker, Feature, Generator, UnusableSeed, all, find};
pub use manual::{Choice, ManualGame, ManualReader, Move, Outlook};
pub use rejection::{CheckError, Malformed, Place, Rejection, Undecided};
pub use replay::{Board, Cell, Frame, Observer, Unobserved};
pub use score::{Score, ScoreError};
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use tokens::fuzzing;
