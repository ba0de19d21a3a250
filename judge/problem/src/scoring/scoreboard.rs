//! Points, totals and counts of every solver.

use super::case_set::CaseSet;
use super::counted::counted;
use super::points::{CaseWeights, ExactSum, PointList};
use super::results::{InvalidResults, Results, SolverScores};
use super::rules::points;
use crate::model::{Aggregate, Direction, Rule};
use checkers::Score;
use num_rational::BigRational;
use num_traits::Zero;
use std::sync::Arc;

/// The result of a solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The points that every case counts as, before its weight, in the order of the cases. `None` if the rule gives none,
    /// and for a case that was not run.
    pub points: Arc<PointList>,
    /// The same of every case by itself, whatever its test group counts as.
    pub own_points: Arc<PointList>,
    /// Sum of weight * points over the cases that were run. `None` if one of weight above 0 has no points, or none was
    /// run.
    pub total: Option<BigRational>,
    /// The total over the sum of the weights of *all* cases that were run: a failed case lowers it. `None` also without
    /// any weight.
    pub mean: Option<BigRational>,
    /// The number of cases with an accepted answer.
    pub accepted: usize,
    /// The number of cases that were run and have none.
    pub failed: usize,
    /// The cases that were not run.
    pub skipped: CaseSet,
}

/// The results of all solvers.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoreboard {
    /// The number that the rule ranks by.
    pub aggregate: Aggregate,
    /// Whether large or small totals are good: as for the scores in sum and mean, large ones in every other rule.
    pub direction: Direction,
    /// The weight of each case in totals and means: its own, or its share of the test group's.
    pub weights: CaseWeights,
    /// The decimals that show sums of scores exactly; 0 where all scores are integers, or the rule adds up points.
    pub decimals: u32,
    /// In the order of the solvers.
    pub standings: Vec<Standing>,
}

impl Scoreboard {
    /// Returns the sum of weight * points of a standing over those of these cases that were run. `None` if one of weight
    /// above 0 has no points, or none was run.
    #[must_use]
    pub fn total_over(&self, standing: &Standing, cases: &[usize]) -> Option<BigRational> {
        total(&self.weights, &standing.points, &standing.played(cases.iter().copied()))
    }

    /// Returns the same over the weight of those cases. `None` also without any weight.
    #[must_use]
    pub fn mean_over(&self, standing: &Standing, cases: &[usize]) -> Option<BigRational> {
        mean(self.total_over(standing, cases), &self.weight_of(&standing.played(cases.iter().copied())))
    }

    /// Returns the total weight of some of the cases.
    #[must_use]
    pub fn weight_of(&self, cases: &[usize]) -> BigRational {
        weight_of(&self.weights, cases)
    }

    /// Returns the number that the rule ranks this standing by.
    #[must_use]
    pub fn headline<'a>(&self, standing: &'a Standing) -> Option<&'a BigRational> {
        match self.aggregate {
            Aggregate::Total => standing.total.as_ref(),
            Aggregate::Mean => standing.mean.as_ref(),
        }
    }
}

impl Standing {
    /// Returns those of these cases that were run.
    fn played(&self, cases: impl Iterator<Item = usize>) -> Vec<usize> {
        cases.filter(|case| !self.skipped.contains(*case)).collect()
    }
}

/// Applies a rule to the results of a run.
///
/// # Errors
/// Rows of wrong length, or missing thresholds.
pub fn score(rule: &Rule, results: &Results<'_>) -> Result<Scoreboard, InvalidResults> {
    results.check(rule)?;
    let direction = if rule.counts_raw_scores() { results.direction } else { Direction::Max };
    let weights = results.weights();
    let members = results.members();
    let standings = results.solvers.iter().map(|row| {
        let own_points = Arc::new(points(rule, results, row));
        let points = match &*members {
            [] => Arc::clone(&own_points),
            members => Arc::new(counted(rule, results, row, direction, &own_points, members)),
        };
        standing(row, &weights, points, own_points)
    });
    let standings = standings.collect();
    let decimals = if rule.counts_raw_scores() { decimals(results, &weights) } else { 0 };
    Ok(Scoreboard { aggregate: rule.aggregate(), direction, weights, decimals, standings })
}

fn decimals(results: &Results<'_>, weights: &CaseWeights) -> u32 {
    let scores = results.solvers.iter().flat_map(|row| &row.scores).flatten().chain(results.failure);
    match scores.map(Score::decimals).max().unwrap_or(0) {
        0 => 0,
        of_scores if weights.are_one() => of_scores,
        of_scores => {
            let of_weights = weights.iter().filter_map(|weight| Some(Score::from_rational(&weight)?.decimals()));
            of_scores + of_weights.max().unwrap_or(0)
        }
    }
}

fn standing(row: &SolverScores, weights: &CaseWeights, points: Arc<PointList>, own_points: Arc<PointList>) -> Standing {
    let played: Vec<usize> = (0..weights.len()).filter(|&case| row.has_run(case)).collect();
    let total = total(weights, &points, &played);
    let mean = mean(total.clone(), &weight_of(weights, &played));
    let accepted = row.scores.iter().flatten().count();
    let (failed, skipped) = (played.len() - accepted, row.skipped.clone());
    Standing { points, own_points, total, mean, accepted, failed, skipped }
}

fn weight_of(weights: &CaseWeights, cases: &[usize]) -> BigRational {
    if weights.are_one() {
        return BigRational::from_integer(cases.len().into());
    }
    cases.iter().map(|&case| weights.get(case)).collect::<ExactSum>().value()
}

fn total(weights: &CaseWeights, points: &PointList, played: &[usize]) -> Option<BigRational> {
    if played.is_empty() {
        return None;
    }
    let mut total = ExactSum::default();
    for &case in played {
        if weights.are_one() {
            total.add(&points.get(case)?);
            continue;
        }
        let weight = weights.get(case);
        if !weight.is_zero() {
            total.add(&(points.get(case)? * weight));
        }
    }
    Some(total.value())
}

fn mean(total: Option<BigRational>, weight: &BigRational) -> Option<BigRational> {
    total.filter(|_| !weight.is_zero()).map(|total| total / weight)
}

#[cfg(test)]
mod tests;
