//! What the problem's rule says of two solvers, whatever their effects are measured in.

use super::ScoredOutcomes;
use crate::model::{Direction, JobId};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::cmp::Ordering;

/// Which of two solvers is ahead under the problem's rule, on the cases that were run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleEffect {
    /// The points of the second solver against those of the first, over the cases where both have some: greater is
    /// better.
    pub order: Ordering,
    /// The number of cases for which the rule gives only the second solver points. The first has no total then.
    pub first_lacks: usize,
    /// The number of cases for which the rule gives only the first solver points. The second has no total then.
    pub second_lacks: usize,
}

impl RuleEffect {
    pub(super) fn of(scored: ScoredOutcomes<'_>, first: usize, second: usize) -> Self {
        let mut sum = BigRational::zero();
        let (mut first_lacks, mut second_lacks) = (0, 0);
        let is_finished = |case, solver| scored.outcomes.get(JobId { case, solver }).is_some();
        for (case, weight) in scored.board.weights.iter().enumerate() {
            if weight.is_zero() || !is_finished(case, first) || !is_finished(case, second) {
                continue;
            }
            let points = |solver: usize| scored.board.standings[solver].points[case].as_ref();
            match (points(first), points(second)) {
                (Some(a), Some(b)) => sum += (b - a) * weight,
                (Some(_), None) => second_lacks += 1,
                (None, Some(_)) => first_lacks += 1,
                (None, None) => {}
            }
        }
        let order = if sum.is_positive() {
            Ordering::Greater
        } else if sum.is_negative() {
            Ordering::Less
        } else {
            Ordering::Equal
        };
        let order = if scored.board.direction == Direction::Min { order.reverse() } else { order };
        Self { order, first_lacks, second_lacks }
    }

    /// Returns whether the rule agrees, or does not object, that the second solver is better.
    pub(super) fn allows_better(self) -> bool {
        self.order.is_ge() && self.second_lacks == 0
    }

    /// Returns whether the rule agrees, or does not object, that the second solver is worse.
    pub(super) fn allows_worse(self) -> bool {
        self.order.is_le() && self.first_lacks == 0
    }
}
