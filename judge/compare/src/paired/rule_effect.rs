//! What the problem's rule says of two solvers, whatever their effects are measured in.

use super::ScoredOutcomes;
use judge_problem::scoring::ExactSum;
use judge_problem::{Direction, JobId};
use num_rational::BigRational;
use num_traits::Zero;
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

/// What the rule says of two solvers, case by case.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleSum {
    /// Of the differences of the weighted points.
    sum: BigRational,
    first_lacks: usize,
    second_lacks: usize,
}

impl RuleSum {
    /// Adds a case.
    pub(super) fn push(&mut self, scored: ScoredOutcomes<'_>, case: usize, solvers: [usize; 2]) {
        if let Some(difference) = self.count(scored, case, solvers) {
            self.sum += difference;
        }
    }

    /// Counts which solver lacks points on a case; returns the difference of the weighted points where neither does.
    fn count(&mut self, scored: ScoredOutcomes<'_>, case: usize, [first, second]: [usize; 2]) -> Option<BigRational> {
        let is_finished = |solver| scored.outcomes.has(JobId { case, solver });
        let weight = scored.board.weights.get(case);
        if weight.is_zero() || !is_finished(first) || !is_finished(second) {
            return None;
        }
        let points = |solver: usize| scored.board.standings[solver].points.get(case);
        match (points(first), points(second)) {
            (Some(a), Some(b)) => return Some((b - a) * weight),
            (Some(_), None) => self.second_lacks += 1,
            (None, Some(_)) => self.first_lacks += 1,
            (None, None) => {}
        }
        None
    }

    /// Returns which of the two is ahead, under totals of this direction.
    pub(super) fn effect(&self, direction: Direction) -> RuleEffect {
        let order = self.sum.cmp(&BigRational::zero());
        let order = if direction == Direction::Min { order.reverse() } else { order };
        RuleEffect { order, first_lacks: self.first_lacks, second_lacks: self.second_lacks }
    }
}

impl RuleEffect {
    pub(super) fn of(scored: ScoredOutcomes<'_>, first: usize, second: usize) -> Self {
        let mut sum = RuleSum::default();
        let differences = (0..scored.board.weights.len()).filter_map(|case| sum.count(scored, case, [first, second]));
        sum.sum = differences.collect::<ExactSum>().value();
        sum.effect(scored.board.direction)
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
