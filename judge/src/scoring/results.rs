//! What scoring starts from: the scores of a run and the terms of its cases.

use crate::model::{Direction, Rule};
use checkers::Score;
use num_rational::BigRational;
use num_traits::{One, Signed};
use std::collections::HashSet;

/// What a case is worth and measured by.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// Its weight in totals and means, not negative.
    pub weight: BigRational,
    /// Its group. A group is all or nothing: a failure on one of its cases makes all of them count as failed.
    pub group: Option<usize>,
    /// The best score known from elsewhere (the ledger, a file of reference scores).
    pub best_known: Option<Score>,
    /// What is needed for ten, nine, ..., two points.
    pub thresholds: Option<[Score; 9]>,
}

impl Default for Terms {
    fn default() -> Self {
        Self { weight: BigRational::one(), group: None, best_known: None, thresholds: None }
    }
}

/// One solver's row.
#[derive(Debug, Clone, PartialEq)]
pub struct SolverScores {
    /// The name it is known by.
    pub name: String,
    /// Its score on every case, in the order of the terms. `None` where no answer was accepted.
    pub scores: Vec<Option<Score>>,
}

/// The results of a run.
#[derive(Debug, Clone, Copy)]
pub struct Results<'a> {
    /// Which scores are good.
    pub direction: Direction,
    /// What a failed case counts as in sums and means. An accepted answer never counts less than this, so that failing
    /// never pays. `None`: a solver with failures has no sum and no mean.
    pub failure: Option<&'a Score>,
    /// The cases.
    pub cases: &'a [Terms],
    /// The solvers.
    pub solvers: &'a [SolverScores],
}

/// Results that do not fit together or do not fit the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidResults {
    /// A row has too few or too many scores.
    #[error("solver {solver} has {found} results for {expected} cases")]
    Length {
        /// The solver's name.
        solver: String,
        /// The number of cases.
        expected: usize,
        /// The number of its scores.
        found: usize,
    },
    /// The rule needs thresholds that the case has not got.
    #[error("case {case} has no thresholds, which this scoring rule needs")]
    NoThresholds {
        /// The case's index.
        case: usize,
    },
    /// A weight below 0 would reward failing.
    #[error("case {case} has a negative weight")]
    NegativeWeight {
        /// The case's index.
        case: usize,
    },
}

impl Results<'_> {
    /// Checks that the rule can be applied.
    pub(super) fn check(&self, rule: &Rule) -> Result<(), InvalidResults> {
        let expected = self.cases.len();
        if let Some(row) = self.solvers.iter().find(|row| row.scores.len() != expected) {
            return Err(InvalidResults::Length { solver: row.name.clone(), expected, found: row.scores.len() });
        }
        if let Some(case) = self.cases.iter().position(|terms| terms.weight.is_negative()) {
            return Err(InvalidResults::NegativeWeight { case });
        }
        match self.cases.iter().position(|terms| terms.thresholds.is_none()) {
            Some(case) if *rule == Rule::Thresholds => Err(InvalidResults::NoThresholds { case }),
            _ => Ok(()),
        }
    }

    /// Returns the best score of a case, over this run's solvers and what is known from elsewhere.
    pub(super) fn best(&self, case: usize) -> Option<&Score> {
        let here = self.solvers.iter().filter_map(|row| row.scores[case].as_ref());
        here.chain(&self.cases[case].best_known).max_by(|left, right| self.direction.compare(left, right))
    }

    /// Returns the groups in which the solver failed a case.
    pub(super) fn broken_groups(&self, row: &SolverScores) -> HashSet<usize> {
        let failed = self.cases.iter().zip(&row.scores).filter(|(_, score)| score.is_none());
        failed.filter_map(|(terms, _)| terms.group).collect()
    }
}
