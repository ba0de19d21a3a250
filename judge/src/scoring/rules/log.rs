//! `log`: the logarithm of the share of the best score.

use crate::model::Direction;
use checkers::Score;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

/// Returns the logarithm of the share of the best, at most 0, rounded once. `None` unless both are positive.
pub(super) fn log_ratio(direction: Direction, score: &Score, best: &Score) -> Option<BigRational> {
    let (smaller, larger) = match direction {
        Direction::Max => (score.as_integer(), best.as_integer()),
        Direction::Min => (best.as_integer(), score.as_integer()),
    };
    if !smaller.is_positive() {
        return None;
    }
    // As ln(1 + excess): near-equal scores of any length keep their digits.
    let excess = BigRational::new(larger - smaller, smaller.clone()).to_f64()?;
    BigRational::from_float(-excess.ln_1p())
}
