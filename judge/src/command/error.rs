//! Why a command gave no result.

use crate::model::Time;
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
