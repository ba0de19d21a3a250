//! What a baseline records, and what a run of today is turned into to be compared with it.

use crate::model::Verdict;
use checkers::Score;
use num_rational::BigRational;
use std::collections::BTreeMap;
use std::time::Duration;

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseResult {
    /// Accepted with this score.
    Accepted(Score),
    /// Not accepted, with this verdict.
    Failed(Verdict),
}

/// A case of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCase {
    /// How it ended.
    pub result: CaseResult,
    /// The hash of its input, if known.
    pub input: Option<String>,
    /// Its CPU time, if measured.
    pub cpu: Option<Duration>,
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
    /// The cases by name.
    pub cases: BTreeMap<String, BaselineCase>,
}
