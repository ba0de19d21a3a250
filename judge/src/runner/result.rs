//! What comes of a run.

use crate::model::{Outcome, Stop};
use judge_sandbox::Fault;
use std::io;

/// What came of a run.
#[derive(Debug)]
pub struct RunResult {
    /// By place in the plan; `None` for jobs that were not run or not finished.
    pub outcomes: Vec<Option<Outcome>>,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
}

/// A run that could not be started or continued: a fault of the judge or of the machine.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No event loop or signal handler to be had.
    #[error("cannot start the run")]
    Start(#[source] io::Error),
    /// A sandbox worker could not be started.
    #[error("cannot start a sandbox worker")]
    Sandbox(#[source] Fault),
    /// No thread for a worker to be had.
    #[error("cannot start a thread for a worker")]
    Thread(#[source] io::Error),
    /// The sandbox failed to run a program that was to be run alone.
    #[error(transparent)]
    Run(Fault),
    /// A worker's thread ended on a panic.
    #[error("a worker of the judge ended on a panic; the cases it had not finished are missing")]
    WorkerPanicked,
}
