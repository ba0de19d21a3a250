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

mod case_set;
mod counted;
mod display;
mod effect;
mod groups;
mod leaderboard;
mod points;
#[cfg(test)]
mod properties;
mod results;
mod rules;
mod scoreboard;
mod test_groups;

pub use case_set::CaseSet;
pub use display::{decimals_of_digits, display};
pub use effect::{ScoreMeasure, points_effect};
pub use groups::{FeatureGroup, GroupRow, Grouping, group_by_feature};
pub use leaderboard::{LeaderboardRow, leaderboard};
pub use points::{CaseWeights, Exact, ExactSum, PointList};
pub use results::{CaseTerms, InvalidResults, Results, SolverScores, Terms};
pub use scoreboard::{Scoreboard, Standing, score};
pub use test_groups::{TestGroupResult, TestGroupRow, TestGroupStatus, test_groups};
