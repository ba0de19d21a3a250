//! Turns scores into points, totals and ranks, exactly, by the rules of contests.
//!
//! All numbers are integers and rationals until they are displayed. Only the logarithm of
//! [`Rule::Log`] is rounded, once, to `f64`.
//!
//! ```text
//! Results (scores by solver and case, terms of the cases) ─ score(rule) ─▶ Scoreboard ─ leaderboard ─▶ rows by rank
//! ```
//!
//! In every rule **a failure never improves a total**: if a failure replaces an accepted score, the total stays the
//! same, gets worse, or becomes absent. An absent total ranks below all others.

mod groups;
mod leaderboard;
mod points;
mod results;
mod rule;
mod scoreboard;
#[cfg(test)]
mod tests;

pub use groups::{
    FeatureGroup, GroupRow, Grouping, TestGroupResult, TestGroupRow, TestGroupStatus, group_by_feature, test_groups,
};
pub use leaderboard::{LeaderboardRow, RowKey, RowOrder, leaderboard};
pub use points::{
    CaseWeights, Exact, ExactSum, PointList, ScoreMeasure, decimals_of_digits, display, points_effect, relative,
};
pub use results::{CaseScore, CaseTerms, InvalidResults, Results, SolverScores, Terms};
pub use rule::{Aggregate, Direction, Rule};
pub use scoreboard::{Scoreboard, Standing, needed_by, score};

use num_rational::BigRational;

/// The points of a run, and the rule that they follow from.
#[derive(Debug)]
pub struct ScoredRun {
    /// The rule that scores.
    pub rule: Rule,
    /// The points of every solver on every case.
    pub board: Scoreboard,
    /// The solvers by their totals.
    pub leaderboard: Vec<LeaderboardRow>,
    /// The result of each test group.
    pub test_groups: Vec<TestGroupResult>,
    /// Totals by feature, if they are requested.
    pub grouping: Option<Grouping>,
}

impl ScoredRun {
    /// Returns the value that each solver is ranked by, if it has one.
    pub fn totals(&self) -> Vec<Option<&BigRational>> {
        self.board.standings.iter().map(|standing| self.board.headline(standing)).collect()
    }
}
