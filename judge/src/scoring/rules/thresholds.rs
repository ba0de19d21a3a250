//! `thresholds`: ten to two points by the nine thresholds of the case.

use crate::model::Direction;
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;

/// Returns the points of a score on a case that needs these scores for ten, nine, ..., two points.
pub(super) fn grade(direction: Direction, needed: &[Score; 9], score: &Score) -> BigRational {
    let reached = needed.iter().position(|threshold| direction.compare(score, threshold).is_ge());
    let is_worth_one = direction == Direction::Min || score.as_integer().is_positive();
    BigRational::from_integer(BigInt::from(reached.map_or(usize::from(is_worth_one), |place| 10 - place)))
}
