//! `thresholds`: the points of the first threshold of the case that a score reaches.

use crate::model::{Direction, Thresholds};
use checkers::Score;
use num_rational::BigRational;

/// Returns the points of a score on a case with these thresholds.
pub(super) fn grade(direction: Direction, thresholds: &Thresholds, score: &Score) -> BigRational {
    let reached = thresholds.steps().iter().find(|(threshold, _)| direction.compare(score, threshold).is_ge());
    let is_worth_one = direction == Direction::Min || *score > Score::default();
    let least = || Score::from(u8::from(is_worth_one && thresholds.one_above_zero())).to_rational();
    reached.map_or_else(least, |(_, points)| points.to_rational())
}
