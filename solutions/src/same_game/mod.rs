//! SameGame: remove connected groups of one colour until none is left.

mod board;
mod largest_first;
mod prescribed;

pub(crate) use largest_first::solve as solve_largest_first;
pub(crate) use prescribed::solve as solve_prescribed;
