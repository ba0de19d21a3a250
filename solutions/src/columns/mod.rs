//! Columns: drop jewels, three at a time, so that three equal ones line up, and let chains follow.

mod board;
mod game;
mod greedy;
mod quickstart;

pub(crate) use greedy::solve as solve_greedy;
pub(crate) use quickstart::solve as solve_quickstart;
