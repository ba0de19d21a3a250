//! Square Remover: swap neighbouring tiles so that 2x2 squares of one colour appear and are replaced.

mod beam;
mod best;
mod board;
mod completing;
mod game;
mod plain;
mod promise;
mod weights;

pub(crate) use beam::solve;
pub(crate) use plain::solve as solve_plain;
