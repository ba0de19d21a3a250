//! Turns failed system calls of ours into [`Fault`]s that say what was being done.

use std::io;

use crate::execution::Fault;

/// Names the action that failed.
pub(crate) trait Doing<T> {
    /// `self`, with `action` ("creating the working folder") told in the error.
    fn doing(self, action: impl Into<String>) -> Result<T, Fault>;
}

impl<T, E: Into<io::Error>> Doing<T> for Result<T, E> {
    fn doing(self, action: impl Into<String>) -> Result<T, Fault> {
        self.map_err(|source| Fault::System { action: action.into(), source: source.into() })
    }
}
