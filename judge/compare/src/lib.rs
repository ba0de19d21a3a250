//! Claims about solvers: paired comparisons, and the gate.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

pub mod gate;
pub mod paired;
