//! Deletion Game: walk over digits so that they spell a prime or a palindrome, and delete them.

mod big_prime;
mod board;
mod clear;
mod collect;
mod game;
mod long;
mod mirror;
mod palindrome;
mod plain;
mod prime;
mod strong;

pub(crate) use plain::solve as solve_plain;
pub(crate) use strong::solve;
