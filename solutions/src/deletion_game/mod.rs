//! Deletion Game: walk over digits so that they spell a prime or a palindrome, and delete them.

mod board;
mod game;
mod plain;
mod prime;

pub(crate) use plain::solve as solve_plain;
