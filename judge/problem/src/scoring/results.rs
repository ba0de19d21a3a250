//! The input of scoring: the scores of a run and the scoring terms of its cases.

use super::points::{CaseWeights, ExactSum};
use crate::{Direction, Rule, TestGroup, Thresholds, Weight};
use checkers::Score;
use num_rational::BigRational;
use num_traits::Zero;
use std::sync::LazyLock;

/// The scoring terms of a case. The defaults are weight 1 and nothing else.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms {
    /// Its own weight.
    pub weight: Weight,
    /// The index of its test group.
    pub group: Option<usize>,
    /// The best score known before the run.
    pub best_known: Option<Score>,
    /// Its thresholds.
    pub thresholds: Option<Thresholds>,
}

/// The terms of the cases of a run.
#[derive(Debug, Clone, Copy)]
pub enum CaseTerms<'a> {
    /// This number of cases with default terms.
    Plain(usize),
    /// The terms of each case.
    Each(&'a [Terms]),
}

impl<'a> CaseTerms<'a> {
    /// Returns the number of cases.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Plain(count) => count,
            Self::Each(terms) => terms.len(),
        }
    }

    /// Returns the terms of a case.
    pub(super) fn at(self, case: usize) -> &'a Terms {
        static PLAIN: LazyLock<Terms> = LazyLock::new(Terms::default);
        match self {
            Self::Plain(_) => &PLAIN,
            Self::Each(terms) => &terms[case],
        }
    }

    /// Returns the terms of every case, in order.
    pub(super) fn iter(self) -> impl Iterator<Item = &'a Terms> {
        (0..self.len()).map(move |case| self.at(case))
    }
}

/// The scores of a solver.
#[derive(Debug, Clone, PartialEq)]
pub struct SolverScores {
    /// Its name.
    pub name: String,
    /// Its result on every case, in the order of the terms.
    pub scores: Vec<CaseScore>,
}

/// The result of a solver on a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseScore {
    /// An answer was accepted with this score.
    Accepted(Score),
    /// The case was run, and no answer was accepted.
    Failed,
    /// The case was not run. It is neither accepted nor failed.
    Skipped,
}

impl CaseScore {
    /// Returns the score of an accepted answer.
    pub(super) fn score(&self) -> Option<&Score> {
        match self {
            Self::Accepted(score) => Some(score),
            Self::Failed | Self::Skipped => None,
        }
    }
}

impl From<Option<Score>> for CaseScore {
    /// Returns the result of a case that was run.
    fn from(score: Option<Score>) -> Self {
        score.map_or(Self::Failed, Self::Accepted)
    }
}

/// The results of a run.
#[derive(Debug, Clone, Copy)]
pub struct Results<'a> {
    /// Which scores are good.
    pub direction: Direction,
    /// The score of a failed case in sums and means. An accepted answer never counts as worse, so that a failure is
    /// never an advantage. `None`: a solver with failures has no sum and no mean.
    pub failure: Option<&'a Score>,
    /// The cases.
    pub cases: CaseTerms<'a>,
    /// The test groups.
    pub groups: &'a [TestGroup],
    /// The solvers.
    pub solvers: &'a [SolverScores],
}

/// Why results are inconsistent or do not fit the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidResults(String);

impl SolverScores {
    /// Returns whether the solver ran on a case.
    pub fn has_run(&self, case: usize) -> bool {
        self.scores.get(case) != Some(&CaseScore::Skipped)
    }

    /// Returns the given cases that the solver ran on.
    pub(super) fn played(&self, cases: impl IntoIterator<Item = usize>) -> Vec<usize> {
        cases.into_iter().filter(|&case| self.has_run(case)).collect()
    }
}

impl Results<'_> {
    /// Checks that the rule can be applied.
    pub(super) fn check(&self, rule: &Rule) -> Result<(), InvalidResults> {
        let expected = self.cases.len();
        if let Some(row) = self.solvers.iter().find(|row| row.scores.len() != expected) {
            let (name, found) = (&row.name, row.scores.len());
            return Err(InvalidResults(format!("solver {name} has {found} results for {expected} cases")));
        }
        match self.cases.iter().position(|terms| terms.thresholds.is_none()) {
            Some(case) if rule.needs_thresholds() => {
                Err(InvalidResults(format!("case {case} has no thresholds, which this scoring rule needs")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the best score of a case: of the solvers of this run and of the known best score.
    pub(super) fn best(&self, case: usize) -> Option<&Score> {
        let here = self.solvers.iter().filter_map(|row| row.scores[case].score());
        here.chain(&self.cases.at(case).best_known).max_by(|left, right| self.direction.compare(left, right))
    }

    /// Returns the cases of each group.
    pub(super) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.groups.len()];
        for (case, terms) in self.cases.iter().enumerate() {
            terms.group.into_iter().for_each(|group| members[group].push(case));
        }
        members
    }

    /// Returns the weight of each case in totals and means: its own weight, or its share of its group's weight.
    pub(super) fn weights(&self) -> CaseWeights {
        if let CaseTerms::Plain(count) = self.cases {
            return CaseWeights::one(count);
        }
        let own = |terms: &Terms| terms.weight.value().clone();
        let mut sums: Vec<ExactSum> = self.groups.iter().map(|_| ExactSum::default()).collect();
        for terms in self.cases.iter() {
            terms.group.into_iter().for_each(|group| sums[group].add(terms.weight.value()));
        }
        let sums: Vec<BigRational> = sums.iter().map(ExactSum::value).collect();
        let weight = |terms: &Terms| match terms
            .group
            .and_then(|group| Some((&sums[group], self.groups[group].shared_weight()?)))
        {
            Some((sum, weight)) if !sum.is_zero() => own(terms) * weight.value() / sum,
            _ => own(terms),
        };
        self.cases.iter().map(weight).collect()
    }
}
