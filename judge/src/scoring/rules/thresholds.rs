//! `thresholds`: the points of the first threshold of the case that a score reaches.

use crate::model::{Direction, Thresholds};
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;

/// Returns the points of a score on a case with these thresholds.
pub(super) fn grade(direction: Direction, thresholds: &Thresholds, score: &Score) -> BigRational {
    let reached = thresholds.steps().iter().find(|(threshold, _)| direction.compare(score, threshold).is_ge());
    let is_worth_one = direction == Direction::Min || score.as_integer().is_positive();
    let least = || BigInt::from(u8::from(is_worth_one && thresholds.one_above_zero()));
    BigRational::from_integer(reached.map_or_else(least, |(_, points)| points.as_integer().clone()))
}
