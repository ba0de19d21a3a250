//! The points of one case, rule by rule.

use super::results::{Results, SolverScores};
use crate::model::{Direction, RankForm, Rule};
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// Returns the points of a solver on every case, before the weights. `None` if the rule gives none.
pub(super) fn points(rule: &Rule, results: &Results<'_>, row: &SolverScores) -> Vec<Option<BigRational>> {
    let broken = results.broken_groups(row);
    let is_broken = |case: usize| results.cases[case].group.is_some_and(|group| broken.contains(&group));
    let of_case = |(case, score): (usize, &Option<Score>)| match score {
        Some(score) if !is_broken(case) => accepted(rule, results, case, score),
        _ => failed(rule, results),
    };
    row.scores.iter().enumerate().map(of_case).collect()
}

fn failed(rule: &Rule, results: &Results<'_>) -> Option<BigRational> {
    match rule {
        Rule::Sum | Rule::Mean => results.failure.map(whole),
        Rule::Exact | Rule::Thresholds | Rule::Relative { .. } | Rule::Rank { .. } => Some(BigRational::zero()),
        Rule::Log => None,
    }
}

fn accepted(rule: &Rule, results: &Results<'_>, case: usize, score: &Score) -> Option<BigRational> {
    let direction = results.direction;
    match rule {
        Rule::Sum | Rule::Mean => {
            Some(whole(results.failure.map_or(score, |failure| direction.better(score, failure))))
        }
        Rule::Exact => Some(BigRational::one()),
        Rule::Thresholds => results.cases[case].thresholds.as_ref().map(|needed| grade(direction, needed, score)),
        Rule::Relative { scale } => Some(relative(direction, score, results.best(case)?) * scale),
        Rule::Rank { form, scale } => Some(rank(*form, results, case, score) * scale),
        Rule::Log => log_ratio(direction, score, results.best(case)?),
    }
}

fn whole(score: &Score) -> BigRational {
    BigRational::from_integer(score.as_integer().clone())
}

fn grade(direction: Direction, needed: &[Score; 9], score: &Score) -> BigRational {
    let reached = needed.iter().position(|threshold| direction.compare(score, threshold).is_ge());
    let is_worth_one = direction == Direction::Min || score.as_integer().is_positive();
    BigRational::from_integer(BigInt::from(reached.map_or(usize::from(is_worth_one), |place| 10 - place)))
}

/// Returns the share of the best, from 0 to 1. Where small scores are good, scores are taken as their negatives.
fn relative(direction: Direction, score: &Score, best: &Score) -> BigRational {
    let (score, best) = (score.as_integer(), best.as_integer());
    let best_is_positive = match direction {
        Direction::Max => best.is_positive(),
        Direction::Min => best.is_negative(),
    };
    if score == best {
        BigRational::one()
    } else if best.is_zero() {
        BigRational::zero()
    } else if best_is_positive {
        BigRational::new(score.clone(), best.clone()).max(BigRational::zero())
    } else {
        // Worse than a best on the wrong side of 0, so not 0.
        BigRational::new(best.clone(), score.clone())
    }
}

fn rank(form: RankForm, results: &Results<'_>, case: usize, score: &Score) -> BigRational {
    let orders = results.solvers.iter().map(|row| match &row.scores[case] {
        Some(other) => results.direction.compare(score, other),
        None => Ordering::Greater,
    });
    let orders: Vec<Ordering> = orders.collect();
    let count = |wanted| BigInt::from(orders.iter().filter(|&&order| order == wanted).count());
    let all = BigInt::from(orders.len());
    // The solver itself is among the equal ones.
    let tied = count(Ordering::Equal) - 1;
    match form {
        RankForm::AtCoder => BigRational::one() - BigRational::new(count(Ordering::Less) * 2 + tied, all * 2),
        RankForm::TopCoder if all.is_one() => BigRational::one(),
        RankForm::TopCoder => BigRational::new(count(Ordering::Greater) * 2 + tied, (all - 1) * 2),
    }
}

/// Returns the logarithm of the share of the best, at most 0, rounded once. `None` unless both are positive.
fn log_ratio(direction: Direction, score: &Score, best: &Score) -> Option<BigRational> {
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
