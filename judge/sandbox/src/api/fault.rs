//! Turns failed system calls of the sandbox into [`Fault`]s that say what was being done.

use std::io;

use crate::api::execution::Fault;

/// Names the action that failed.
pub(crate) trait Context<T> {
    /// `self`, with `action` ("creating the working folder") in the error.
    fn context(self, action: impl Into<String>) -> Result<T, Fault>;
}

impl Fault {
    /// Whether the machine, or what this process may use of it, had run out of something.
    pub(crate) fn is_shortage(&self) -> bool {
        matches!(self, Fault::System { source, .. } if source.raw_os_error().is_some_and(is_shortage))
    }
}

/// Whether an error number means that the machine has run out of something, and nothing else.
pub(crate) fn is_shortage(errno: i32) -> bool {
    matches!(errno, libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE)
}

impl<T, E: Into<io::Error>> Context<T> for Result<T, E> {
    fn context(self, action: impl Into<String>) -> Result<T, Fault> {
        self.map_err(|source| Fault::System { action: action.into(), source: source.into() })
    }
}
