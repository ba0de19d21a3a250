//! The effect of each case, and the cases that have none.

use crate::model::{Direction, JobId, Outcome};
use crate::plan::Plan;
use crate::scoring::Scoreboard;
use crate::statistics::{ScoreMeasure, points_effect};

/// What effects are made from.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// The raw scores.
    Scores(ScoreMeasure),
    /// The points of a scoring rule, of all solvers of the plan.
    Points(&'a Scoreboard),
}

/// Two solvers of a plan, paired by case.
#[derive(Debug, Clone, PartialEq)]
pub struct Duel {
    /// The solver that is compared with, by its place in the plan.
    pub first: usize,
    /// The solver that is compared.
    pub second: usize,
    /// The cases that both solved, in the order of the plan.
    pub pairs: Vec<Pair>,
    /// The cases that at least one failed.
    pub failures: Failures,
    /// How many cases both solved whose effect is not defined, as a ratio is not for a score of 0.
    pub undefined: usize,
}

/// A case that both solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Its place in the plan.
    pub case: usize,
    /// How much better the second solver is on it; negative where it is worse.
    pub effect: f64,
}

/// The cases that were not accepted, by their places in the plan. What was not run is not among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// Only the first solver failed.
    pub first: Vec<usize>,
    /// Only the second solver failed.
    pub second: Vec<usize>,
    /// Both failed.
    pub both: Vec<usize>,
}

impl Duel {
    /// Pairs two solvers of a plan. `outcomes` are by place in the plan.
    #[must_use]
    pub fn of(plan: &Plan, outcomes: &[Option<Outcome>], first: usize, second: usize, values: Values<'_>) -> Self {
        let mut duel = Self { first, second, pairs: Vec::new(), failures: Failures::default(), undefined: 0 };
        let outcome = |case, solver| outcomes[plan.place(JobId { case, solver })].as_ref();
        for case in 0..plan.cases.len() {
            let (Some(a), Some(b)) = (outcome(case, first), outcome(case, second)) else { continue };
            match (a.is_accepted(), b.is_accepted()) {
                (true, true) => match effect(plan.problem.direction, values, case, [(first, a), (second, b)]) {
                    Some(effect) => duel.pairs.push(Pair { case, effect }),
                    None => duel.undefined += 1,
                },
                (true, false) => duel.failures.second.push(case),
                (false, true) => duel.failures.first.push(case),
                (false, false) => duel.failures.both.push(case),
            }
        }
        duel
    }

    /// Returns the effects, in the order of the cases.
    #[must_use]
    pub fn effects(&self) -> Vec<f64> {
        self.pairs.iter().map(|pair| pair.effect).collect()
    }
}

/// The statistics know no direction: where little is good, the sign is turned here.
fn effect(direction: Direction, values: Values<'_>, case: usize, sides: [(usize, &Outcome); 2]) -> Option<f64> {
    let [(first, a), (second, b)] = sides;
    let (effect, direction) = match values {
        Values::Scores(measure) => (measure.effect(a.score.as_ref()?, b.score.as_ref()?)?, direction),
        Values::Points(board) => {
            let points = |solver: usize| board.standings[solver].points[case].as_ref();
            (points_effect(points(first)?, points(second)?)?, board.direction)
        }
    };
    Some(match direction {
        Direction::Max => effect,
        Direction::Min => -effect,
    })
}
