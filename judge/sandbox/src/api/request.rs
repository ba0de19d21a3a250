//! What to run: a program, its surroundings and its limits.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// One program to be run once.
#[derive(Debug, Clone)]
pub struct Request {
    /// The executable's absolute path, as the host sees it.
    pub program: PathBuf,
    /// The arguments, the program's own name (`argv[0]`) first.
    pub argv: Vec<OsString>,
    /// The whole environment; nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// Standard input.
    pub stdin: Stdin,
    /// What the program may use.
    pub limits: Limits,
    /// Host paths the program may see beside the system's own folders. Links are shown as they are, and followed only
    /// to what is visible by itself: one may have been put there by an earlier run.
    pub visible: Vec<Visible>,
    /// Folders within visible ones that the program may not see: it finds them empty, or closed.
    pub hidden: Vec<PathBuf>,
    /// The folder that the program starts in, by its real path; `None`: its working folder. With one, modes close nothing
    /// of what is visible: the program is trusted to read what its caller can read there.
    pub folder: Option<PathBuf>,
    /// Where the output goes: captured, unless the caller has files of its own.
    pub stdout: Sink,
    /// The same for standard error.
    pub stderr: Sink,
}

/// Where standard input comes from. The sandbox makes no pipe for it: a program that does not read cannot make the
/// judge wait.
#[derive(Debug, Clone)]
pub enum Stdin {
    /// `/dev/null`.
    Empty,
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// This file, read from its start; a pipe as it is.
    File(Arc<File>),
}

/// Where an output stream goes.
#[derive(Debug, Clone)]
pub enum Sink {
    /// Into [`Execution`](crate::Execution), capped.
    Capture,
    /// Into this file, capped. While a pipe is full, the program waits, on its own time.
    File(Arc<File>),
    /// Into [`Execution`](crate::Execution), capped, and on to this non-blocking pipe as fast as it is read there. The program
    /// never waits for its reader: [`Usage::relayed_bytes`](crate::Usage::relayed_bytes) went on.
    Relay(Arc<File>),
    /// The program gets this file itself: nothing is counted or capped, and who holds the other end of a pipe sees the
    /// program close it.
    Lent(Arc<File>),
}

/// A host folder or file that the program may see, at the same path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    /// Absolute path.
    pub path: PathBuf,
    /// Whether it may be written to.
    pub writable: bool,
}

/// What a program may use. `None` is unlimited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// CPU time of the whole process tree.
    pub cpu: Option<Duration>,
    /// Time on the clock, by `CLOCK_MONOTONIC`.
    pub wall: Option<Duration>,
    /// Memory of the whole process tree, in bytes.
    pub memory: Option<u64>,
    /// Bytes on standard output; one more ends the run.
    pub stdout: u64,
    /// Bytes of standard error that are kept; what is beyond is dropped and ends nothing.
    pub stderr: u64,
    /// Processes and threads alive at once.
    pub processes: Option<u32>,
    /// Bytes that may be written to files, the working folder included.
    pub disk: u64,
}

impl Limits {
    /// Returns whether a program may have processes or threads beside its first.
    pub(crate) fn allow_others(&self) -> bool {
        self.processes != Some(1)
    }

    /// The shorter limit on time; [`Duration::MAX`] where there is none.
    pub(crate) fn shortest_time(&self) -> Duration {
        self.cpu.into_iter().chain(self.wall).min().unwrap_or(Duration::MAX)
    }
}
