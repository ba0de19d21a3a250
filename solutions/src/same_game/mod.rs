//! SameGame: remove connected groups of one colour until none is left.

mod beam;
mod board;
mod field;
mod largest_first;
mod prescribed;
mod tabu;

pub(crate) use beam::solve as solve_open;
pub(crate) use largest_first::solve as solve_largest_first;
pub(crate) use prescribed::solve as solve_prescribed;
pub(crate) use tabu::solve as solve_tabu;
