//! Columns: drop jewels, three at a time, so that three equal ones line up, and let chains follow.

mod beam;
mod board;
mod game;
mod greedy;
mod promise;
mod quickstart;

pub(crate) use beam::solve;
pub(crate) use greedy::solve as solve_greedy;
pub(crate) use quickstart::solve as solve_quickstart;
