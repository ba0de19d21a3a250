//! Turns scores into points, totals and ranks, exactly, by the rules of contests.
//!
//! All numbers are integers and rationals until they are displayed. Only the logarithm of
//! [`Rule::Log`](crate::Rule::Log) is rounded, once, to `f64`.
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
#[cfg(test)]
mod properties;
mod results;
mod rules;
mod scoreboard;

pub use groups::{
    FeatureGroup, GroupRow, Grouping, TestGroupResult, TestGroupRow, TestGroupStatus, group_by_feature, test_groups,
};
pub use leaderboard::{LeaderboardRow, RowKey, RowOrder, leaderboard};
pub use points::{CaseWeights, Exact, ExactSum, PointList, ScoreMeasure, decimals_of_digits, display, points_effect};
pub use results::{CaseSet, CaseTerms, InvalidResults, Results, SolverScores, Terms};
pub use scoreboard::{Scoreboard, Standing, score};
