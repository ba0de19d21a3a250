//! Finds and compiles solvers, makes inputs, calls checkers and interactors, and plays a plan.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

pub mod cases;
pub mod command;
pub mod executor;
mod interaction;
pub mod matching;
pub mod program;
pub mod runner;
pub mod solver;
