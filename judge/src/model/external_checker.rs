//! A checker or interactor of the problem's author: its command, and how it is called and understood.

use std::path::PathBuf;

/// A command line as it is written in the catalogue, with a `{name}` where a value goes, and the folder that it runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTemplate {
    /// The command line.
    pub line: String,
    /// The folder that it runs in.
    pub folder: PathBuf,
}

/// A checker or interactor of the problem's author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalChecker {
    /// The command that starts it.
    pub command: CommandTemplate,
    /// How it is called, and how it says its result.
    pub protocol: CheckerProtocol,
}

/// How an external checker is called, and how it says its result. Each protocol has a file in `verdict/protocol`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckerProtocol {
    /// The judge's own: exit code 0 accepts, 1 rejects, and one line has the score or the reason.
    Judge,
}
