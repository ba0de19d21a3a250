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

use crate::{Solution, Strength};

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution {
        id: "deletion-game",
        summary: "a way for every kind of case",
        strength: Strength::Strong { beats: "deletion-game-plain", seeds: &[1, 2, 3, 4, 9, 10] },
        solve: strong::solve,
    },
    Solution {
        id: "deletion-game-plain",
        summary: "the best of many random paths",
        strength: Strength::Plain,
        solve: plain::solve,
    },
];
