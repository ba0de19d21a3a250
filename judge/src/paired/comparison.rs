//! Two solvers paired by case: the effect of each case, and the cases that have none.

use crate::model::{Direction, JobId, Outcome, OutcomeGrid};
use crate::plan::Plan;
use crate::scoring::Scoreboard;
use crate::statistics::{ScoreMeasure, points_effect};

/// The source of effects.
#[derive(Debug, Clone, Copy)]
pub enum EffectSource<'a> {
    /// The raw scores.
    Scores(ScoreMeasure),
    /// The points of a scoring rule, of all solvers of the plan.
    Points(&'a Scoreboard),
}

/// Two solvers of a plan, paired by case.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedComparison {
    /// The reference solver, by its place in the plan.
    pub first: usize,
    /// The solver that is compared with it.
    pub second: usize,
    /// The cases that both solved, in the order of the plan.
    pub pairs: Vec<Pair>,
    /// The cases that at least one of them failed.
    pub failures: Failures,
    /// The number of cases that both solved whose effect is undefined, as the ratio to a score of 0 is.
    pub undefined: usize,
}

/// A case that both solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Its place in the plan.
    pub case: usize,
    /// How much better the second solver is on it; negative if it is worse.
    pub effect: f64,
}

/// The cases that were not accepted, by their places in the plan. Cases that were not run are not among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// Only the first solver failed.
    pub first: Vec<usize>,
    /// Only the second solver failed.
    pub second: Vec<usize>,
    /// Both failed.
    pub both: Vec<usize>,
}

impl PairedComparison {
    /// Pairs two solvers of a plan.
    #[must_use]
    pub fn of(plan: &Plan, outcomes: &OutcomeGrid, first: usize, second: usize, source: EffectSource<'_>) -> Self {
        let mut paired = Self { first, second, pairs: Vec::new(), failures: Failures::default(), undefined: 0 };
        let outcome = |case, solver| outcomes.get(JobId { case, solver });
        for case in 0..plan.cases.len() {
            let (Some(a), Some(b)) = (outcome(case, first), outcome(case, second)) else { continue };
            match (a.is_accepted(), b.is_accepted()) {
                (true, true) => match effect(plan.problem.direction, source, case, [(first, a), (second, b)]) {
                    Some(effect) => paired.pairs.push(Pair { case, effect }),
                    None => paired.undefined += 1,
                },
                (true, false) => paired.failures.second.push(case),
                (false, true) => paired.failures.first.push(case),
                (false, false) => paired.failures.both.push(case),
            }
        }
        paired
    }

    /// Returns the effects, in the order of the cases.
    #[must_use]
    pub fn effects(&self) -> Vec<f64> {
        self.pairs.iter().map(|pair| pair.effect).collect()
    }
}

/// Larger effects are better for every direction: if small scores are good, the sign is reversed here.
fn effect(direction: Direction, source: EffectSource<'_>, case: usize, solvers: [(usize, &Outcome); 2]) -> Option<f64> {
    let [(first, a), (second, b)] = solvers;
    let (effect, direction) = match source {
        EffectSource::Scores(measure) => (measure.effect(a.score.as_ref()?, b.score.as_ref()?)?, direction),
        EffectSource::Points(board) => {
            let points = |solver: usize| board.standings[solver].points[case].as_ref();
            (points_effect(points(first)?, points(second)?)?, board.direction)
        }
    };
    Some(match direction {
        Direction::Max => effect,
        Direction::Min => -effect,
    })
}
