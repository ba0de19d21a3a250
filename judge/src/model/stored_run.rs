//! A recorded run.

use super::{CaseSpec, CheckerIdentity, Digest, Limits, Outcome, RunId, RunState};
use judge_sandbox::Tier;
use std::time::Duration;

/// A recorded run.
#[derive(Debug, Clone)]
pub struct StoredRun {
    /// Its number.
    pub id: RunId,
    /// When it started, in UTC, as ISO 8601 writes it.
    pub started: String,
    /// Its state.
    pub state: RunState,
    /// How long it took.
    pub elapsed: Duration,
    /// The command line.
    pub command: String,
    /// The problem's id.
    pub problem: String,
    /// The identity of the checker.
    pub checker: CheckerIdentity,
    /// The limits of each solver.
    pub limits: Limits,
    /// The environment variables that the user gave.
    pub environment: String,
    /// The number of planned cases.
    pub case_count: usize,
    /// The number of solvers that ran at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The name of the machine.
    pub host: String,
    /// The release of the kernel.
    pub kernel: String,
    /// The processor.
    pub cpu_model: String,
    /// The commit that was checked out.
    pub git_commit: Option<String>,
    /// Whether tracked files differed from it.
    pub git_dirty: Option<bool>,
    /// The judge's version.
    pub judge: String,
    /// The user's message.
    pub message: Option<String>,
    /// The solvers, in the order of the run.
    pub entrants: Vec<StoredEntrant>,
    /// The cases that at least one solver finished, in the order of the run.
    pub cases: Vec<StoredCase>,
}

/// A solver of a recorded run.
#[derive(Debug, Clone)]
pub struct StoredEntrant {
    /// Its name.
    pub name: String,
    /// The command, as the user gave it.
    pub command: String,
    /// Hash of its content.
    pub hash: Digest,
}

/// A case of a recorded run.
#[derive(Debug, Clone)]
pub struct StoredCase {
    /// Its name, and where its input came from.
    pub spec: CaseSpec,
    /// Hash of its input; `None` if the input could not be read.
    pub input: Option<Digest>,
    /// The result of each solver; `None` if it was not finished.
    pub results: Vec<Option<StoredOutcome>>,
}

/// The outcome of a solver on a case.
#[derive(Debug, Clone)]
pub struct StoredOutcome {
    /// The outcome.
    pub outcome: Outcome,
    /// The row of the stored answer, if it is kept.
    pub answer: Option<i64>,
}
