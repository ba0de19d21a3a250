//! What to run: a program, its surroundings and its limits.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visible {
    /// Absolute path.
    #[serde(with = "crate::os_data")]
    pub path: PathBuf,
    /// Whether it may be written to.
    pub writable: bool,
}

/// What a program may use. `None` is unlimited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

//# Files that go into a working folder before a run and come out of it afterwards: a compiler's source and its program.

/// A file of a working folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkFile {
    /// Where it stands: below the working folder if it is given, below [`Exchange::output_folder`] if it was made.
    #[serde(with = "crate::os_data")]
    pub path: PathBuf,
    /// What is in it.
    #[serde(with = "crate::os_data")]
    pub bytes: Vec<u8>,
    /// Whether it may be executed. Of a file that was made this says little: in some tiers a linker cannot set it.
    pub executable: bool,
}

/// What a program gets in its working folder, and what is taken out when it has ended well.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Exchange {
    /// Put there before the program starts, which may change them. The paths have plain names only; their folders are
    /// made, and the program may write in them.
    pub input_files: Vec<WorkFile>,
    /// Variables of the environment that hold the working folder's path.
    #[serde(with = "crate::os_data")]
    pub variables: Vec<OsString>,
    /// The name of a folder that is made for the program; all files that it has left there are taken.
    #[serde(with = "crate::os_data")]
    pub output_folder: OsString,
    /// The names of the files there that are taken; empty: all files.
    #[serde(with = "crate::os_data")]
    pub output_names: Vec<OsString>,
    /// Whether they are taken after any exit code, and not after 0 alone.
    pub take_after_any_exit: bool,
    /// More files and folders than these are refused.
    pub max_files: u64,
    /// More bytes than these, in all files together, are refused.
    pub max_bytes: u64,
}

/// The files that a program made, or why they cannot be taken. A program that was killed, broke a limit, or failed where
/// that counts, has made none.
pub type OutputFiles = Result<Vec<WorkFile>, OutputFilesError>;

/// Why the files that a program made cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{0}")]
pub struct OutputFilesError(pub(crate) String);

//# The result of a run: how it ended and what it used. Verdicts are the caller's.

/// A finished run.
#[derive(Debug, Clone)]
pub struct Execution {
    /// How the program ended.
    pub end: End,
    /// The limits that were passed, in the order of their weight; empty when all held.
    pub breaches: Vec<Breach>,
    /// What was used.
    pub usage: Usage,
    /// Standard output, at most [`Limits::stdout`](crate::Limits::stdout) bytes; empty if it went to a file.
    pub stdout: Vec<u8>,
    /// The first [`Limits::stderr`](crate::Limits::stderr) bytes of standard error; empty if it went to a file.
    pub stderr: Vec<u8>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// This signal ended it. If the sandbox sent it, a breach says why.
    Signalled(i32),
    /// It never started: `execve` failed with this error number.
    NotStarted(i32),
}

/// A limit that was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Breach {
    /// More on standard output than allowed.
    Output,
    /// More on disk than allowed in a working folder that the kernel does not limit: bytes, or more files, folders or
    /// levels of them than are counted.
    Disk,
    /// More CPU time than allowed.
    Cpu,
    /// More time on the clock than allowed.
    Wall,
    /// More memory than allowed, by evidence: the kernel's count of refused or killed processes, or the peak.
    Memory,
    /// More processes than allowed.
    Processes,
}

/// What a run used. What is unknown is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time of the whole tree, user and system.
    pub cpu: Duration,
    /// From just before the program started until it ended.
    pub wall: Duration,
    /// Peak memory in bytes.
    pub memory: Option<u64>,
    /// Bytes that arrived on standard output, counted to at most one more than the limit.
    pub stdout_bytes: u64,
    /// Bytes that arrived on standard error.
    pub stderr_bytes: u64,
    /// Bytes of standard output that went on to the caller's pipe, where they are relayed.
    pub relayed_bytes: u64,
    /// How long the program was ready to run but had to wait for a core, for runs of a millisecond or more.
    pub run_delay: Option<Duration>,
    /// How long a hypervisor gave the program's core to others, for runs long enough to tell. A program that may use
    /// any core is charged for all of them.
    pub stolen: Option<Duration>,
}

/// The sandbox itself failed: never the program's fault.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A system call of the sandbox failed.
    #[error("{action} failed")]
    System {
        /// What was being done: `"creating the working folder /tmp/x"`.
        action: String,
        /// The kernel's answer.
        #[source]
        source: io::Error,
    },
    /// The helper process ended without being asked to.
    #[error("the sandbox's helper process ended unexpectedly ({0})")]
    HelperGone(String),
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
}

//# Turns failed system calls of the sandbox into [`Fault`]s that say what was being done.

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
