//! From scores to points, exactly, by the rules of contests.
//!
//! Integers and rationals until a number is displayed; only the logarithm of
//! [`Rule::Log`](crate::model::Rule::Log) is rounded, once, to `f64`.
//!
//! ```text
//! Results (scores by solver and case, terms of the cases) ─ score(rule) ─▶ Scoreboard ─ leaderboard ─▶ rows by rank
//! ```
//!
//! In every rule **a failure never raises a total**: replacing an accepted score by a failure leaves the total
//! unchanged, makes it worse, or makes it absent. An absent total ranks below every present one.

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
