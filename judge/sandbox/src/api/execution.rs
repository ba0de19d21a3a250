//! The result of a run: how it ended and what it used. Verdicts are the caller's.

use std::io;
use std::time::Duration;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// This signal ended it. If the sandbox sent it, a breach says why.
    Signalled(i32),
    /// It never started: `execve` failed with this error number.
    NotStarted(i32),
}

/// A limit that was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
