//! The points of one case, rule by rule. The other properties of a rule are in [`Rule`](crate::Rule).

use super::points::{PointList, log_ratio};
use super::results::{Results, SolverScores};
use crate::case::Thresholds;
use crate::rule::{Direction, FailedCase, Rule};
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;

/// Returns the points of a solver on every case, before weights and test groups. `None` if the rule gives none or the
/// case was not run.
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
        Rule::Thresholds { .. } => {
            results.cases.at(case).thresholds.as_ref().map(|needed| grade(direction, needed, score))
        }
        Rule::Relative { scale } => Some(share_of_best(direction, score, results.best(case)?) * scale),
        Rule::Rank { scale } => Some(by_atcoder(results, case, score) * scale),
        Rule::RankTopCoder { scale } => Some(by_topcoder(results, case, score) * scale),
        Rule::Log => {
            let best = results.best(case)?;
            let (from, to) = if direction == Direction::Max { (best, score) } else { (score, best) };
            // Rounded once. It is at most 0, because no score is better than the best.
            BigRational::from_float(log_ratio(&from.to_rational(), &to.to_rational())?)
        }
    }
}

/// Returns the share of the best score, from 0 to 1. If small scores are good, the signs are reversed first.
fn share_of_best(direction: Direction, score: &Score, best: &Score) -> BigRational {
    let (score, best) = (score.to_rational(), best.to_rational());
    let best_is_positive = match direction {
        Direction::Max => best.is_positive(),
        Direction::Min => best.is_negative(),
    };
    if score == best {
        BigRational::one()
    } else if best.is_zero() {
        BigRational::zero()
    } else if best_is_positive {
        (score / best).max(BigRational::zero())
    } else {
        // The score is worse than a best score below 0, so it is not 0.
        best / score
    }
}

/// The rank of a score among all solvers that ran on the case.
struct RankCounts {
    better: BigInt,
    /// Without the solver itself.
    tied: BigInt,
    beaten: BigInt,
    /// With the solver itself.
    solvers: BigInt,
}

impl RankCounts {
    fn of(results: &Results<'_>, case: usize, score: &Score) -> Self {
        let played = results.solvers.iter().filter(|row| row.has_run(case));
        let orders = played.map(|row| match &row.scores[case] {
            Some(other) => results.direction.compare(score, other),
            None => Ordering::Greater,
        });
        let orders: Vec<Ordering> = orders.collect();
        let count = |wanted| BigInt::from(orders.iter().filter(|&&order| order == wanted).count());
        Self {
            better: count(Ordering::Less),
            // The solver itself is one of the equal ones.
            tied: count(Ordering::Equal) - 1,
            beaten: count(Ordering::Greater),
            solvers: orders.len().into(),
        }
    }
}

/// Returns the share of the scale under `rank`.
fn by_atcoder(results: &Results<'_>, case: usize, score: &Score) -> BigRational {
    let RankCounts { better, tied, solvers, .. } = RankCounts::of(results, case, score);
    BigRational::one() - BigRational::new(better * 2 + tied, solvers * 2)
}

/// Returns the share of the scale under `rank-topcoder`.
fn by_topcoder(results: &Results<'_>, case: usize, score: &Score) -> BigRational {
    let RankCounts { tied, beaten, solvers, .. } = RankCounts::of(results, case, score);
    if solvers.is_one() {
        return BigRational::one();
    }
    BigRational::new(beaten * 2 + tied, (solvers - 1) * 2)
}

/// Returns the points of a score by thresholds.
fn grade(direction: Direction, thresholds: &Thresholds, score: &Score) -> BigRational {
    let reached = thresholds.steps.iter().find(|(threshold, _)| direction.compare(score, threshold).is_ge());
    let is_worth_one = direction == Direction::Min || *score > Score::default();
    let least = || Score::from(u8::from(is_worth_one && thresholds.one_above_zero)).to_rational();
    reached.map_or_else(least, |(_, points)| points.to_rational())
}
