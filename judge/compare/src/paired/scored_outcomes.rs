//! Outcomes with their points under the problem's rule.

use super::EffectUnits;
use judge_problem::plan::Plan;
use judge_problem::scoring::Scoreboard;
use judge_problem::{JobId, OutcomeGrid};
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
    /// The cases that have one effect together.
    pub units: &'a EffectUnits,
}

/// The signs among the points of some cases that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PointSigns {
    has_positive: bool,
    has_negative: bool,
    /// Whether the first solver has points that are not 0.
    first_has_any: bool,
}

impl PointSigns {
    /// Returns the signs among the points of these cases and those.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            has_positive: self.has_positive || other.has_positive,
            has_negative: self.has_negative || other.has_negative,
            first_has_any: self.first_has_any || other.first_has_any,
        }
    }

    /// Returns whether the first solver's total is 0 because all of its points are.
    #[must_use]
    pub fn lack_a_total(self) -> bool {
        !self.first_has_any
    }

    /// Returns whether differences can be a share of the first solver's total: it is not 0, and no two cases of any
    /// solver have points of different signs.
    #[must_use]
    pub fn allow_shares(self) -> bool {
        self.first_has_any && !(self.has_positive && self.has_negative)
    }
}

impl ScoredOutcomes<'_> {
    /// Returns the signs among the points of all solvers.
    #[must_use]
    pub fn signs(self) -> PointSigns {
        let is_finished = |case, solver| self.outcomes.has(JobId { case, solver });
        let of = |solver: usize| {
            let points = self.board.standings[solver].points.iter().zip(self.board.weights.iter()).enumerate();
            let counted = points.filter(move |(case, (_, weight))| !weight.is_zero() && is_finished(*case, solver));
            counted.filter_map(|(_, (points, _))| points)
        };
        let all = || (0..self.plan.solvers.len()).flat_map(of);
        PointSigns {
            has_positive: all().any(|points| points.is_positive()),
            has_negative: all().any(|points| points.is_negative()),
            first_has_any: of(0).any(|points| !points.is_zero()),
        }
    }
}
