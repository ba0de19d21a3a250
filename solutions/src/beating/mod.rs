//! Beating the Game: 2048 on a strip, with a generator whose seed is known.

mod easy;
mod generator;
mod hard;
mod strip;

pub(crate) use easy::solve as solve_easy;
pub(crate) use hard::solve as solve_hard;
