//! What a baseline records, and what a run of today is turned into to be compared with it.

use super::conditions::Conditions;
use super::sample::Sample;
use judge_problem::Verdict;
use num_rational::BigRational;
use std::collections::BTreeMap;
use std::time::Duration;

/// How a case ended.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseResult {
    /// Accepted in every run, with these scores.
    Accepted(Sample),
    /// Not accepted in some run, with this verdict.
    Failed(Verdict),
}

/// A case of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCase {
    /// How it ended.
    pub result: CaseResult,
    /// The hash of its input, if known.
    pub input: Option<String>,
    /// Its CPU time, if measured, on average over the runs.
    pub cpu: Option<Duration>,
    /// The processor of the node that it was measured on; `None`: that of the judge's machine.
    pub processor: Option<String>,
    /// How far its score may fall, as a share of the recorded one, before the gate complains about it. Only that of the
    /// baseline counts.
    pub tolerance: Option<BigRational>,
}

/// A run: the recorded one, or one of today.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// The problem's id.
    pub problem: String,
    /// The direction and the limits of the problem.
    pub terms: String,
    /// The checker with its version.
    pub checker: String,
    /// The machine, and how disturbed the runs were, if known.
    pub conditions: Option<Conditions>,
    /// The cases by name.
    pub cases: BTreeMap<String, BaselineCase>,
}

impl Baseline {
    /// Returns whether the score of any case was not the same in every run.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.samples().any(|sample| sample.spread() > 0.0)
    }

    /// Returns the fewest and the most runs of an accepted case.
    #[must_use]
    pub fn runs(&self) -> Option<(u32, u32)> {
        let runs = || self.samples().map(Sample::runs);
        runs().min().zip(runs().max())
    }

    /// Returns the scores of the accepted cases.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.cases.values().filter_map(|entry| match &entry.result {
            CaseResult::Accepted(sample) => Some(sample),
            CaseResult::Failed(_) => None,
        })
    }

    /// Returns several runs of one solver on the same cases as one. A case that failed in any of them has failed.
    /// `None` without runs.
    #[must_use]
    pub fn of_runs(runs: &[Self]) -> Option<Self> {
        let mut all = runs.first()?.clone();
        for (case, entry) in &mut all.cases {
            let later = runs[1..].iter().filter_map(|run| run.cases.get(case));
            entry.result = later.fold(entry.result.clone(), |result, later| result.and(&later.result));
            let times: Option<Vec<Duration>> = runs.iter().map(|run| run.cases.get(case)?.cpu).collect();
            let is_on_one =
                runs.iter().filter_map(|run| run.cases.get(case)).all(|run| run.processor == entry.processor);
            let times = times.filter(|_| is_on_one);
            entry.cpu = times.map(|times| times.iter().sum::<Duration>() / u32::try_from(times.len()).unwrap_or(1));
        }
        Some(all)
    }
}

impl CaseResult {
    fn and(self, later: &Self) -> Self {
        match (self, later) {
            (Self::Accepted(first), Self::Accepted(second)) => Self::Accepted(first.merged(second)),
            (Self::Failed(verdict), _) | (_, &Self::Failed(verdict)) => Self::Failed(verdict),
        }
    }
}
