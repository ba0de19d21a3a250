//! What became of one case.

use super::{BrokenRule, Verdict};
use checkers::Score;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The cases whose standard error is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum KeptStderr {
    /// All cases.
    All,
    /// The cases that are not accepted.
    #[default]
    Failed,
    /// No case.
    None,
}

impl KeptStderr {
    /// Returns whether it is kept for a case that was accepted or was not.
    #[must_use]
    pub fn keeps(self, accepted: bool) -> bool {
        match self {
            Self::All => true,
            Self::Failed => !accepted,
            Self::None => false,
        }
    }
}

/// The outcome of a solver's run on a case. Unknown values are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The raw score: there is one exactly when the verdict is `Accepted`.
    #[serde(with = "super::as_text::optional")]
    pub score: Option<Score>,
    /// The reason of a verdict other than `Accepted`; empty for `Accepted`.
    pub note: String,
    /// Which rule a rejected answer breaks, and where; what is unknown of it, or not rejected, is absent.
    pub broken: BrokenRule,
    /// The end of the solver's standard error; empty if it is not kept for this case.
    pub stderr: String,
    /// CPU time of the whole process tree.
    pub cpu: Option<Duration>,
    /// Time on the clock.
    pub wall: Option<Duration>,
    /// Peak memory in bytes.
    pub memory: Option<u64>,
    /// Whether other programs disturbed the timing.
    pub noisy: bool,
    /// How long it was ready to run and had no core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<Duration>,
    /// The name of the node that it was run on; absent where the run has no nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

impl Outcome {
    /// Returns an outcome of a case in which no program ran.
    #[must_use]
    pub fn without_run(verdict: Verdict, note: String) -> Self {
        Self {
            verdict,
            score: None,
            note,
            broken: BrokenRule::default(),
            stderr: String::new(),
            cpu: None,
            wall: None,
            memory: None,
            noisy: false,
            waited: None,
            node: None,
        }
    }

    /// Returns whether the case was accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.verdict == Verdict::Accepted
    }
}
