//! SameGame: remove connected groups of one colour until none is left.

mod beam;
mod board;
mod field;
mod largest_first;
mod prescribed;
mod tabu;

use crate::{Solution, Strength};

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution {
        id: "same-game",
        summary: "the prescribed strategy, exactly",
        strength: Strength::Exact,
        solve: prescribed::solve,
    },
    Solution {
        id: "same-game-free",
        summary: "beam search",
        strength: Strength::Strong { beats: "same-game-free-plain", seeds: &[1, 2, 3] },
        solve: beam::solve,
    },
    Solution {
        id: "same-game-free-plain",
        summary: "the largest group first",
        strength: Strength::Plain,
        solve: largest_first::solve,
    },
    Solution {
        id: "same-game-free-tabu",
        summary: "the best of many random games that spare one colour",
        strength: Strength::Alternative,
        solve: tabu::solve,
    },
];
