//! What a solution is.

use crate::SolveError;
use std::io::Write;

/// One program that plays one of the games.
#[derive(Debug, Clone, Copy)]
pub struct Solution {
    /// The problem's id for the solution that plays it by default; else the problem's id with the strategy's name.
    pub id: &'static str,
    /// The strategy, in one line.
    pub summary: &'static str,
    /// How good its answers are.
    pub strength: Strength,
    /// Reads a whole case and writes the answer.
    pub solve: fn(&[u8], &mut dyn Write) -> Result<(), SolveError>,
}

/// How good the answers of a solution are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// A short strategy, without a search that takes its time.
    Plain,
    /// The only right answer, or the best possible one.
    Exact,
    /// A search that takes its time. Its program is `solve-ID`.
    Strong {
        /// The id of a plain solution of the same problem, which it beats.
        beats: &'static str,
        /// The cases on which it does so in a fraction of its time.
        seeds: &'static [u64],
    },
    /// A search that is kept beside a stronger one.
    Alternative,
}
