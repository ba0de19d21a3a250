//! A past run: its name, its state, and its row in the history.

use super::{DetachedJob, Digest, Direction, Labels, Stop};
use num_rational::BigRational;
use std::fmt;
use std::str::FromStr;

/// The number of a run in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A past run, as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunChoice {
    /// By its number.
    Number(RunId),
    /// `last`: the newest one.
    Last,
}

impl FromStr for RunChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "last" => Ok(Self::Last),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().map(|number| Self::Number(RunId(number))).map_err(|_| RUN_EXPECTED)
            }
            _ => Err(RUN_EXPECTED),
        }
    }
}

/// A text that is not the name of a state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no state of a run")]
pub struct UnknownState(String);

const RUN_EXPECTED: &str = "expected the number of a run, as in `judge history`, or `last`";

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// A judge is running it.
    Running,
    /// It goes on on a cluster, or has ended there, and no judge follows it.
    Detached,
    /// The judge was killed, or lost its journal.
    Killed,
    /// Ctrl-C.
    Interrupted,
    /// `--fail-fast` stopped it at a failed case.
    Stopped,
    /// It was merged of shards, and some cases are missing.
    Partial,
    /// It was completed.
    Complete,
}

impl RunState {
    /// Every state.
    pub const ALL: [Self; 7] =
        [Self::Running, Self::Detached, Self::Killed, Self::Interrupted, Self::Stopped, Self::Partial, Self::Complete];

    /// Returns the state of a run with this end.
    #[must_use]
    pub fn ended(stop: Option<Stop>) -> Self {
        match stop {
            None => Self::Complete,
            Some(Stop::Interrupted | Stop::Detached) => Self::Interrupted,
            Some(Stop::FailFast) => Self::Stopped,
        }
    }

    /// Returns the name in every report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Detached => "detached",
            Self::Killed => "killed",
            Self::Interrupted => "interrupted",
            Self::Stopped => "stopped",
            Self::Partial => "partial",
            Self::Complete => "complete",
        }
    }
}

impl FromStr for RunState {
    type Err = UnknownState;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|state| state.name() == text).ok_or_else(|| UnknownState(text.to_owned()))
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A solver of a past run.
#[derive(Debug, Clone)]
pub struct HistoryRow {
    /// The run.
    pub run: RunId,
    /// When it started, in UTC, as ISO 8601 writes it.
    pub started: String,
    /// The same in local time, to the minute.
    pub started_here: String,
    /// Its state.
    pub state: RunState,
    /// Its job, if it is detached.
    pub detached: Option<DetachedJob>,
    /// The problem's id.
    pub problem: String,
    /// The solver's name.
    pub solver: String,
    /// The solver, as it was given: its path or command.
    pub command: String,
    /// Hash of the solver's content.
    pub solver_hash: Digest,
    /// Its place in the run.
    pub place: usize,
    /// Of a search that is shown as its best setting: how many settings it tried.
    pub settings: Option<usize>,
    /// The group of cases of the figures, such as `colors=4`; `None` for all cases.
    pub group: Option<String>,
    /// The number of planned cases.
    pub planned: usize,
    /// The number of finished cases.
    pub done: usize,
    /// The number of accepted cases.
    pub accepted: usize,
    /// The name of the scoring rule of the total.
    pub rule: String,
    /// Its total; `None` if the rule gives none, or the run was killed.
    pub total: Option<BigRational>,
    /// Hash of the cases of the total: totals over other cases cannot be compared with it.
    pub case_set: Option<[u8; 32]>,
    /// The difference to the previous total of the solver of this name, on the same cases by the same rule.
    pub change: Option<BigRational>,
    /// Which scores are good.
    pub direction: Direction,
    /// The commit that was checked out.
    pub git_commit: Option<String>,
    /// Whether tracked files differed from it.
    pub git_dirty: Option<bool>,
    /// The user's message.
    pub message: Option<String>,
    /// The tags and the note that the user gave it later.
    pub labels: Labels,
}
