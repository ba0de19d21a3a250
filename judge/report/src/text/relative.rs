//! Scores as shares of the best score of their case.

use checkers::Score;
use judge_problem::plan::Plan;
use judge_problem::{Direction, OutcomeGrid};
use num_traits::ToPrimitive;

/// Returns the best score of a case, of the run or known from elsewhere.
#[must_use]
pub fn best_score(plan: &Plan, outcomes: &OutcomeGrid, case: usize) -> Option<Score> {
    let known = plan.cases.at(case).best.map(|best| best.score);
    let scores = outcomes.of_case(case).filter_map(|outcome| outcome?.score);
    known.into_iter().chain(scores).reduce(|left, right| plan.problem.direction.better(left, right))
}

/// Returns the share of the best score that a score is, from 0 to 1; `None` if there is no such share.
#[must_use]
pub fn share_of_best(direction: Direction, score: &Score, best: &Score) -> Option<f64> {
    let (low, high) = match direction {
        Direction::Max => (score, best),
        Direction::Min => (best, score),
    };
    if low == high {
        return Some(1.0);
    }
    let share = (low.to_rational().to_f64()? / high.to_rational().to_f64()?).clamp(0.0, 1.0);
    share.is_finite().then_some(share)
}
