//! Points, totals and counts of every solver.

use super::results::{InvalidResults, Results, SolverScores};
use super::rules::points;
use crate::model::{Aggregate, Direction, Rule};
use checkers::Score;
use num_rational::BigRational;
use num_traits::Zero;
use std::collections::HashSet;

/// The result of a solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The points of every case, before its weight, in the order of the cases. `None` if the rule gives none, and for a
    /// case that was not run.
    pub points: Vec<Option<BigRational>>,
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
    pub skipped: HashSet<usize>,
}

/// The results of all solvers.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoreboard {
    /// The number that the rule ranks by.
    pub aggregate: Aggregate,
    /// Whether large or small totals are good: as for the scores in sum and mean, large ones in every other rule.
    pub direction: Direction,
    /// The weight of each case in totals and means: its own, or its share of the test group's.
    pub weights: Vec<BigRational>,
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
        cases.iter().map(|&case| &self.weights[case]).sum()
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
        cases.filter(|case| !self.skipped.contains(case)).collect()
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
    let standings = results.solvers.iter().map(|row| standing(rule, results, &weights, row)).collect();
    let decimals = if rule.counts_raw_scores() { decimals(results, &weights) } else { 0 };
    Ok(Scoreboard { aggregate: rule.aggregate(), direction, weights, decimals, standings })
}

fn decimals(results: &Results<'_>, weights: &[BigRational]) -> u32 {
    let scores = results.solvers.iter().flat_map(|row| &row.scores).flatten().chain(results.failure);
    match scores.map(Score::decimals).max().unwrap_or(0) {
        0 => 0,
        of_scores => {
            let of_weights = weights.iter().filter_map(|weight| Some(Score::from_rational(weight)?.decimals()));
            of_scores + of_weights.max().unwrap_or(0)
        }
    }
}

fn standing(rule: &Rule, results: &Results<'_>, weights: &[BigRational], row: &SolverScores) -> Standing {
    let points = points(rule, results, row);
    let played: Vec<usize> = (0..points.len()).filter(|&case| row.has_run(case)).collect();
    let total = total(weights, &points, &played);
    let mean = mean(total.clone(), &played.iter().map(|&case| &weights[case]).sum());
    let accepted = row.scores.iter().flatten().count();
    Standing { points, total, mean, accepted, failed: played.len() - accepted, skipped: row.skipped.clone() }
}

fn total(weights: &[BigRational], points: &[Option<BigRational>], played: &[usize]) -> Option<BigRational> {
    if played.is_empty() {
        return None;
    }
    let counted = played.iter().copied().filter(|&case| !weights[case].is_zero());
    counted.map(|case| points[case].as_ref().map(|points| points * &weights[case])).sum()
}

fn mean(total: Option<BigRational>, weight: &BigRational) -> Option<BigRational> {
    total.filter(|_| !weight.is_zero()).map(|total| total / weight)
}

#[cfg(test)]
mod tests;
