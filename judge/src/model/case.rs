//! A case: its name, where its input comes from, and the points it is worth.

use super::Weight;
use checkers::Score;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A case's name: `seed-7`, or a file's stem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseName(pub Arc<str>);

impl CaseName {
    /// Returns the name of the case made from this seed.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        Self(format!("seed-{seed}").into())
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    pub best: Option<Score>,
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
}

/// The nine scores `a10 >= a9 >= … >= a2` that earn ten down to two points; any score above zero earns one.
/// Source: the grading section of NOI 2014, "Deletion Game".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thresholds([Score; 9]);

/// A list of numbers that are not thresholds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThresholdsError {
    /// There are not nine.
    #[error("expected nine thresholds, for ten down to two points, found {0}")]
    Count(usize),
    /// They rise somewhere.
    #[error("expected thresholds that never rise, found {0} before {1}")]
    Rising(Score, Score),
}

impl Thresholds {
    /// Checks the nine numbers.
    ///
    /// # Errors
    /// When there are not nine, or one is larger than the one before it.
    pub fn new(scores: Vec<Score>) -> Result<Self, ThresholdsError> {
        let count = scores.len();
        let scores: [Score; 9] = scores.try_into().map_err(|_| ThresholdsError::Count(count))?;
        match scores.windows(2).find(|pair| pair[0] < pair[1]) {
            Some(pair) => Err(ThresholdsError::Rising(pair[0].clone(), pair[1].clone())),
            None => Ok(Self(scores)),
        }
    }

    /// Returns the scores for ten, nine, …, two points.
    #[must_use]
    pub fn scores(&self) -> &[Score; 9] {
        &self.0
    }
}
