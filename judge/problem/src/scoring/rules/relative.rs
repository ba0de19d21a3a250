//! `relative`: the share of the best score.

use crate::model::Direction;
use checkers::Score;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Returns the share of the best, from 0 to 1. Where small scores are good, scores are taken as their negatives.
pub(super) fn share_of_best(direction: Direction, score: &Score, best: &Score) -> BigRational {
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
        // Worse than a best on the wrong side of 0, so not 0.
        best / score
    }
}
