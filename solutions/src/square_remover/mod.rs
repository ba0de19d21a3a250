//! Square Remover: swap neighbouring tiles so that 2x2 squares of one colour appear and are replaced.

mod beam;
mod best;
mod board;
mod completing;
mod game;
mod plain;
mod promise;
mod weights;

use crate::{Solution, Strength};

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution {
        id: "square-remover",
        summary: "beam search over swaps",
        strength: Strength::Strong { beats: "square-remover-plain", seeds: &[3, 4] },
        solve: beam::solve,
    },
    Solution {
        id: "square-remover-plain",
        summary: "one move of foresight: most squares, then most promise",
        strength: Strength::Plain,
        solve: plain::solve,
    },
];
