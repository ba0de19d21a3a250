//! Outcomes with their points under the problem's rule.

use crate::model::{JobId, OutcomeGrid};
use crate::plan::Plan;
use crate::scoring::Scoreboard;
use num_traits::{Signed, Zero};

/// The outcomes of a plan with their points under the problem's rule.
#[derive(Debug, Clone, Copy)]
pub struct ScoredOutcomes<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The outcomes.
    pub outcomes: &'a OutcomeGrid,
    /// The points.
    pub board: &'a Scoreboard,
}

impl ScoredOutcomes<'_> {
    /// Returns whether differences can be a share of the first solver's total: it is not 0, and no two cases of any
    /// solver have points of different signs.
    #[must_use]
    pub fn has_shares(self) -> bool {
        let is_finished = |case, solver| self.outcomes.get(JobId { case, solver }).is_some();
        let of = |solver: usize| {
            let points = self.board.standings[solver].points.iter().zip(&self.board.weights).enumerate();
            let counted = points.filter(move |(case, (_, weight))| !weight.is_zero() && is_finished(*case, solver));
            counted.filter_map(|(_, (points, _))| points.as_ref())
        };
        let all = || (0..self.plan.solvers.len()).flat_map(of);
        let is_one_sided = !all().any(Signed::is_positive) || !all().any(Signed::is_negative);
        is_one_sided && of(0).any(|points| !points.is_zero())
    }
}
