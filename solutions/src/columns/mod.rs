//! Columns: drop jewels, three at a time, so that three equal ones line up, and let chains follow.

mod beam;
mod board;
mod game;
mod greedy;
mod promise;
mod quickstart;

use crate::{Solution, Strength};

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution {
        id: "columns",
        summary: "beam",
        strength: Strength::Strong { beats: "columns-greedy", seeds: &[2, 3, 14, 25] },
        solve: beam::solve,
    },
    Solution {
        id: "columns-quickstart",
        summary: "the statement's strategy: always the lowest place",
        strength: Strength::Plain,
        solve: quickstart::solve,
    },
    Solution {
        id: "columns-greedy",
        summary: "one move of foresight: most points, then lowest place",
        strength: Strength::Plain,
        solve: greedy::solve,
    },
];
