//! The result of `judge merge`: merged runs and missing or refused parts, as JSON.

use crate::text::{Document, Versioned};
use judge_problem::Machine;
use schemars::JsonSchema;
use serde::Serialize;
use serde_with_macros::skip_serializing_none;

/// Merged runs, and missing or refused parts.
#[skip_serializing_none]
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct MergeReport {
    /// The run; absent if the merge was refused.
    pub run: Option<MergedRun>,
    /// The merged runs, in the order of their shards.
    pub origins: Vec<MergedOrigin>,
    /// The missing parts, each with the command that runs it.
    pub missing: Vec<MissingPart>,
    /// The names of the cases that lack a result of a solver; absent if the command of the run and
    /// the catalogue do not give its cases.
    pub missing_cases: Option<Vec<String>>,
    /// The files that do not belong to the run, or cannot be read: then nothing was merged.
    pub refused: Vec<RefusedFile>,
}

/// The run that others were merged into.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MergedRun {
    /// Its number in the journal.
    pub number: i64,
    /// The problem's id.
    pub problem: String,
    /// Whether every case has its results.
    pub complete: bool,
    /// The number of cases.
    pub cases: usize,
    /// The number of solvers.
    pub solvers: usize,
    /// The number of results, of all solvers.
    pub results: usize,
    /// The number of results that this merge has added or replaced.
    pub added: usize,
}

/// A run that was merged into another one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MergedOrigin {
    /// Its shard, such as `3/16`; absent if it ran the whole plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The file of its journal.
    pub file: String,
    /// Its state when it was last read.
    pub state: &'static str,
    /// When it started, in UTC.
    pub date: String,
    /// The number of results that it has.
    pub results: usize,
    /// The number of results that it will have.
    pub planned: usize,
    /// The machine.
    #[serde(flatten)]
    pub machine: Machine,
    /// The tier of the sandbox on it.
    pub tier: &'static str,
}

/// A part of the plan that lacks results.
#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissingPart {
    /// The shard; absent if it is the whole plan.
    pub shard: Option<String>,
    /// The state of its run; absent if no run of it was merged.
    pub state: Option<&'static str>,
    /// The command that runs it; absent while it is running.
    pub command: Option<String>,
}

/// A file that was not merged.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefusedFile {
    /// The file.
    pub file: String,
    /// Why.
    pub reason: String,
}

impl Document for MergeReport {
    fn record(&self) -> impl Serialize {
        Versioned::new(1, self)
    }
}
