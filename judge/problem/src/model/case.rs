//! A case: its name, where its input comes from, and the points it is worth.

use super::{Direction, KnownBest, Weight};
use checkers::Score;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the name of a case begins with that is made from a seed.
pub(super) const SEED_PREFIX: &str = "seed-";

/// A case's name: `seed-7`, or a file's stem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseName(pub Arc<str>);

impl CaseName {
    /// Returns the name of the case made from this seed.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        Self(format!("{SEED_PREFIX}{seed}").into())
    }

    /// Returns the seed whose case has this name.
    pub(super) fn seed(&self) -> Option<u64> {
        let digits = self.0.strip_prefix(SEED_PREFIX)?;
        let is_written_so = digits == "0" || digits.starts_with(|first: char| matches!(first, '1'..='9'));
        digits.parse().ok().filter(|_| is_written_so)
    }

    /// Returns the name of the case in this file: its stem.
    #[must_use]
    pub fn of_file(path: &Path) -> Self {
        Self(path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into())
    }

    /// Returns the name of the case that this one repeats, as `NAME#2` repeats `NAME`; or its own.
    #[must_use]
    pub fn without_repetition(&self) -> &str {
        let is_count = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        self.0.rsplit_once('#').filter(|(_, count)| is_count(count)).map_or(&*self.0, |(name, _)| name)
    }
}

impl From<&str> for CaseName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for CaseName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// Where a case's input comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CaseSource {
    /// The problem's generator, with this seed.
    Seed(u64),
    /// This file.
    File(PathBuf),
}

/// A case as it is planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseSpec {
    /// Its name in every report.
    pub name: CaseName,
    /// Its input.
    pub source: CaseSource,
    /// The scores that earn points, where the problem is scored by thresholds.
    pub thresholds: Option<Thresholds>,
    /// The best raw score known before this run, where scores are relative to the best.
    pub best: Option<KnownBest>,
    /// Its weight in totals and means.
    pub weight: Weight,
}

impl CaseSpec {
    /// Returns the case of this name and input, with the defaults for scoring.
    #[must_use]
    pub fn new(name: CaseName, source: CaseSource) -> Self {
        Self { name, source, thresholds: None, best: None, weight: Weight::default() }
    }

    /// Returns the case made from this seed.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self::new(CaseName::of_seed(seed), CaseSource::Seed(seed))
    }

    /// Returns the file that it is read from.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match &self.source {
            CaseSource::File(path) => Some(path),
            CaseSource::Seed(_) => None,
        }
    }

    /// Returns the seed that it is made from.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        match self.source {
            CaseSource::Seed(seed) => Some(seed),
            CaseSource::File(_) => None,
        }
    }

    /// Returns the seed of a case that is no more than its seed.
    pub(super) fn plain_seed(&self) -> Option<u64> {
        self.seed().filter(|seed| self.has_no_terms() && self.name.seed() == Some(*seed))
    }

    /// Returns whether it has the defaults for scoring.
    pub(super) fn has_no_terms(&self) -> bool {
        self.thresholds.is_none() && self.best.is_none() && self.weight == Weight::default()
    }

    /// Returns the `time`-th of several cases of this input: `NAME#2`.
    pub(super) fn repetition(&self, time: usize) -> Self {
        Self { name: CaseName(format!("{}#{time}", self.name).into()), ..self.clone() }
    }
}

/// The scores that earn points on a case, the best first, each with its points.
///
/// Without points of their own there are nine, for ten down to two points, and any score above zero earns one. Source:
/// the grading section of NOI 2014, "Deletion Game".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thresholds {
    steps: Vec<(Score, Score)>,
    one_above_zero: bool,
}

/// A list of numbers that are not thresholds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThresholdsError {
    /// There are not nine, and they have no points of their own.
    #[error("expected nine thresholds, for ten down to two points, or `threshold-points`; found {0}")]
    Count(usize),
    /// There are not as many points as thresholds.
    #[error("expected as many `threshold-points` as thresholds, found {points} for {thresholds}")]
    Points {
        /// The number of thresholds.
        thresholds: usize,
        /// The number of points.
        points: usize,
    },
    /// A better one comes later.
    #[error("expected {0} with the best first, found {1} before {2}")]
    Order(&'static str, Score, Score),
}

impl Thresholds {
    /// Checks the thresholds and their points.
    ///
    /// # Errors
    /// When there are not as many of both, or one is better than the one before it.
    pub fn new(direction: Direction, scores: Vec<Score>, points: Option<Vec<Score>>) -> Result<Self, ThresholdsError> {
        let one_above_zero = points.is_none();
        let points = match points {
            Some(points) if points.len() == scores.len() && !points.is_empty() => points,
            Some(points) => return Err(ThresholdsError::Points { thresholds: scores.len(), points: points.len() }),
            None if scores.len() == 9 => (2..=10).rev().map(Score::from).collect(),
            None => return Err(ThresholdsError::Count(scores.len())),
        };
        for (what, direction, list) in
            [("thresholds", direction, &scores), ("threshold-points", Direction::Max, &points)]
        {
            if let Some(pair) = list.windows(2).find(|pair| direction.compare(&pair[0], &pair[1]).is_lt()) {
                return Err(ThresholdsError::Order(what, pair[0].clone(), pair[1].clone()));
            }
        }
        Ok(Self { steps: scores.into_iter().zip(points).collect(), one_above_zero })
    }

    /// Returns each threshold with its points, the most points first.
    #[must_use]
    pub fn steps(&self) -> &[(Score, Score)] {
        &self.steps
    }

    /// Returns whether a score above zero that reaches no threshold earns one point.
    #[must_use]
    pub fn one_above_zero(&self) -> bool {
        self.one_above_zero
    }
}
