//! Beating the Game: 2048 on a strip, with a generator whose seed is known.

mod easy;
mod generator;
mod hard;
mod strip;

use crate::{Solution, Strength};

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution { id: "beating-the-game-easy", summary: "simulation", strength: Strength::Exact, solve: easy::solve },
    Solution {
        id: "beating-the-game-hard",
        summary: "all positions, layer by layer",
        strength: Strength::Exact,
        solve: hard::solve,
    },
];
