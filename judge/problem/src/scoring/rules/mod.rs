//! The points of one case, rule by rule. The other properties of a rule are in `model`.

mod log;
mod rank;
mod relative;
mod thresholds;

use super::points::PointList;
use super::results::{Results, SolverScores};
use crate::model::{FailedCase, Rule};
use checkers::Score;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// Returns the points of a solver on every case, before the weights and whatever its test group counts as. `None` if the
/// rule gives none, and for a case that was not run.
pub(super) fn points(rule: &Rule, results: &Results<'_>, row: &SolverScores) -> PointList {
    let of_case = |(case, score): (usize, &Option<Score>)| match score {
        Some(score) => accepted(rule, results, case, score),
        None if row.has_run(case) => failed(rule, results),
        None => None,
    };
    row.scores.iter().enumerate().map(of_case).collect()
}

/// Returns the points of a failed case.
pub(super) fn failed(rule: &Rule, results: &Results<'_>) -> Option<BigRational> {
    match rule.failed_case() {
        FailedCase::Failure => results.failure.map(Score::to_rational),
        FailedCase::Zero => Some(BigRational::zero()),
        FailedCase::Absent => None,
    }
}

fn accepted(rule: &Rule, results: &Results<'_>, case: usize, score: &Score) -> Option<BigRational> {
    let direction = results.direction;
    match rule {
        Rule::Sum | Rule::Mean => {
            Some(results.failure.map_or(score, |failure| direction.better(score, failure)).to_rational())
        }
        Rule::Exact => Some(BigRational::one()),
        Rule::Thresholds => {
            results.cases.at(case).thresholds.as_ref().map(|needed| thresholds::grade(direction, needed, score))
        }
        Rule::Relative { scale } => Some(relative::share_of_best(direction, score, results.best(case)?) * scale),
        Rule::Rank { scale } => Some(rank::by_atcoder(results, case, score) * scale),
        Rule::RankTopCoder { scale } => Some(rank::by_topcoder(results, case, score) * scale),
        Rule::Log => log::log_ratio(direction, score, results.best(case)?),
    }
}
