//! What comes of a run.

use judge_problem::{Exit, OutcomeGrid, Stop};
use judge_sandbox::Fault;
use std::io;

/// What came of a run.
#[derive(Debug)]
pub struct RunResult {
    /// By case and solver of the plan; jobs that were not run have none.
    pub outcomes: OutcomeGrid,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
}

/// A run that could not be started or continued: a fault of the judge or of the machine.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The event loop or the signal handler could not be created.
    #[error("cannot start the run")]
    Start(#[source] io::Error),
    /// A sandbox worker could not be started.
    #[error("cannot start a sandbox worker")]
    Sandbox(#[source] Fault),
    /// A thread for a worker could not be created.
    #[error("cannot start a thread for a worker")]
    Thread(#[source] io::Error),
    /// The sandbox failed to run a program that was to be run alone.
    #[error(transparent)]
    Run(Fault),
    /// A worker's thread ended on a panic.
    #[error("a worker of the judge ended on a panic; the cases it had not finished are missing")]
    WorkerPanicked,
    /// A cluster did not run it.
    #[error(transparent)]
    Cluster(ClusterError),
}

/// Why a cluster did not run a plan.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct ClusterError {
    /// What happened, with the cluster's own words.
    pub error: String,
    /// What to do.
    pub hint: Option<String>,
    /// Whether the arguments are at fault, or else the machines.
    pub exit: Exit,
}
