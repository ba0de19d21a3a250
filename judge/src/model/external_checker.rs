//! A setter's checker or interactor: its command and its protocol.

use std::path::PathBuf;

/// A command line of the catalogue, with a `{name}` for each value, and the folder that it runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTemplate {
    /// The command line.
    pub line: String,
    /// The folder that it runs in.
    pub folder: PathBuf,
}

/// A setter's checker or interactor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalChecker {
    /// The command that starts it.
    pub command: CommandTemplate,
    /// How it is called, and how it reports its result.
    pub protocol: CheckerProtocol,
}

/// How an external checker is called, and how it reports its result. Each protocol has a file in `verdict/protocol`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckerProtocol {
    /// The judge's own: exit code 0 accepts, 1 rejects, and one line has the score or the reason.
    Judge,
}
