//! The rules of the games, exactly: what a case is, what an answer may do, and what it is worth.
//!
//! Everything here is pure: bytes in, outcome out. No files, clocks, processes, threads or environment.
//!
//! ```text
//! seed  ── Checker::generate ─▶ input bytes
//! input ── Checker::read ─────▶ Case            or Malformed (the input is not of the game)
//! answer ─ Case::check ───────▶ Score           or Rejection (the answer breaks a rule) or Undecided
//! answer ─ Case::replay ──────▶ the same, with every step shown to an Observer
//! moves ── ByHand::outlook ───▶ Outlook         what can be played next, in games that people play
//! ```
#![forbid(unsafe_code)]

mod beating;
mod by_hand;
mod case;
mod check_error;
mod checker;
mod columns;
mod deletion_game;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod random;
mod registry;
mod rejection;
mod replay;
mod same_game;
mod score;
mod square_remover;
mod tokens;

pub use by_hand::{ByHand, Choice, HandReader, Move, Outlook};
pub use case::{Case, Feature};
pub use check_error::{CheckError, Undecided};
pub use checker::{Checker, Generator, UnusableSeed};
pub use registry::{all, find};
pub use rejection::{Malformed, Place, Rejection};
pub use replay::{Board, Cell, Frame, Observer, Unobserved};
pub use score::{Score, ScoreError};
