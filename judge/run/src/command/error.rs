//! Why a command gave no result.

use judge_problem::Time;
use judge_sandbox::{Fault, OpenError};
use std::io;
use std::time::Duration;

/// A command that gave no result.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The command line is empty, or its quotes do not match.
    #[error("`{0}` is not a command line")]
    Unreadable(String),
    /// It could not be started.
    #[error("cannot start `{program}`")]
    Start {
        /// The program.
        program: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It exceeded its time limit and was killed.
    #[error("`{program}` ran longer than {} and was ended{}", Time(*limit), after_colon(stderr))]
    Timeout {
        /// The program.
        program: String,
        /// The end of its standard error.
        stderr: String,
        /// How long it was allowed to run.
        limit: Duration,
    },
    /// It passed another limit and was killed.
    #[error("`{program}` {what} and was ended{}", after_colon(stderr))]
    Limit {
        /// The program.
        program: String,
        /// What it did.
        what: String,
        /// The end of its standard error.
        stderr: String,
    },
    /// It is not there, or cannot be started.
    #[error("cannot start `{program}`: {why}")]
    NotFound {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// The sandbox that it is to run in cannot be opened.
    #[error("no sandbox for the problem's own programs (`trusted = true` in the problem runs them without one)")]
    NoSandbox(#[from] OpenError),
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] Fault),
    /// The files of its result cannot be read.
    #[error("cannot read the files that `{program}` wrote: {why}")]
    Reports {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// Its run was stopped.
    #[error("`{0}` was stopped")]
    Stopped(String),
    /// Its output could not be stored.
    #[error("cannot store the output of `{program}`")]
    Output {
        /// The program.
        program: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
