//! `log`: the logarithm of the share of the best score.

use crate::model::Direction;
use checkers::Score;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

/// Returns the logarithm of the share of the best, at most 0, rounded once. `None` unless both are positive.
pub(super) fn log_ratio(direction: Direction, score: &Score, best: &Score) -> Option<BigRational> {
    let (smaller, larger) = match direction {
        Direction::Max => (score.to_rational(), best.to_rational()),
        Direction::Min => (best.to_rational(), score.to_rational()),
    };
    if !smaller.is_positive() {
        return None;
    }
    // As ln(1 + excess): near-equal scores of any length keep their digits.
    let excess = ((larger - &smaller) / smaller).to_f64()?;
    BigRational::from_float(-excess.ln_1p())
}
