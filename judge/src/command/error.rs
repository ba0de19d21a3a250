//! Why a command gave no result.

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
    /// It ran too long and was ended.
    #[error("`{program}` ran longer than {} s and was ended", limit.as_secs())]
    Timeout {
        /// The program.
        program: String,
        /// How long it was allowed to run.
        limit: Duration,
    },
    /// The run that it belongs to was stopped.
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
