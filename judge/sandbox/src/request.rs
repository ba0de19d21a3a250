//! The input and the result of a run: [`Request`] and [`Execution`], and the files that a run exchanges.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One program that is to run once.
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
    /// Host paths that the program may see beside the system's own folders. Symbolic links stay links. A link's target
    /// is visible only if it is listed itself, because an earlier run may have made the link.
    pub visible: Vec<Visible>,
    /// Folders and files inside visible folders that the program must not see. It finds them empty, or inaccessible.
    pub hidden: Vec<PathBuf>,
    /// The real path of the folder that the program starts in; `None` means its working folder. In such a folder, file
    /// modes hide nothing that is visible: the program has its caller's read access there.
    pub folder: Option<PathBuf>,
    /// Where standard output goes.
    pub stdout: Sink,
    /// Where standard error goes.
    pub stderr: Sink,
}

/// Where standard input comes from. The sandbox makes no pipe for it, so a program that does not read cannot block the
/// judge.
#[derive(Debug, Clone)]
pub enum Stdin {
    /// `/dev/null`.
    Empty,
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// This file, read from its start, or this pipe.
    File(Arc<File>),
}

/// Where an output stream goes.
#[derive(Debug, Clone)]
pub enum Sink {
    /// Into [`Execution`](crate::Execution), up to the limit.
    Capture,
    /// Into this file, up to the limit. While a pipe is full, the program waits, and its time runs.
    File(Arc<File>),
    /// Into [`Execution`](crate::Execution), up to the limit, and on to this pipe as fast as its reader
    /// reads. The program never waits for that reader. [`Usage::relayed_bytes`](crate::Usage::relayed_bytes) is the
    /// number of bytes that were forwarded.
    Relay(Arc<File>),
    /// The program gets this file itself. Nothing is counted or limited. The other end of a pipe sees the program close
    /// it.
    Lent(Arc<File>),
}

/// A host folder or file that the program may see, under the same path.
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
    /// Elapsed time, by `CLOCK_MONOTONIC`.
    pub wall: Option<Duration>,
    /// Memory of the whole process tree, in bytes.
    pub memory: Option<u64>,
    /// Bytes on standard output. One more byte ends the run.
    pub stdout: u64,
    /// Bytes of standard error that are kept. More do not end the run. If it is captured, half of them are the last
    /// ones, after a line that says how many bytes are left out; else the first ones are kept.
    pub stderr: u64,
    /// Processes and threads alive at once.
    pub processes: Option<u32>,
    /// Bytes that may be written to files, including the working folder.
    pub disk: u64,
}

impl Request {
    /// A run of `program` without arguments, environment or input, whose output is captured.
    pub fn new(program: impl Into<PathBuf>, limits: Limits) -> Request {
        let program = program.into();
        Request {
            argv: vec![program.clone().into_os_string()],
            program,
            environment: Vec::new(),
            stdin: Stdin::Empty,
            limits,
            visible: Vec::new(),
            hidden: Vec::new(),
            folder: None,
            stdout: Sink::Capture,
            stderr: Sink::Capture,
        }
    }
}

impl Limits {
    /// Whether the program may have processes or threads beside its first.
    pub(crate) fn allow_others(&self) -> bool {
        self.processes != Some(1)
    }

    /// The smaller of the two limits on time; [`Duration::MAX`] if there is none.
    pub(crate) fn shortest_time(&self) -> Duration {
        self.cpu.into_iter().chain(self.wall).min().unwrap_or(Duration::MAX)
    }
}

/// A file of a working folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkFile {
    /// The path: below the working folder for an input file, below [`Exchange::output_folder`] for an output file.
    #[serde(with = "crate::os_data")]
    pub path: PathBuf,
    /// The content.
    #[serde(with = "crate::os_data")]
    pub bytes: Vec<u8>,
    /// Whether it is executable. For output files this means little: in some tiers a linker cannot set the mode.
    pub executable: bool,
}

/// Files that are put into the working folder before a run, and taken out of it after a run that succeeded: a
/// compiler's source and its program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Exchange {
    /// Files that are there when the program starts. It may change them. Their paths consist of plain names. Folders
    /// are made as needed, and the program may write to them.
    pub input_files: Vec<WorkFile>,
    /// Environment variables that are set to the path of the working folder.
    pub variables: Vec<OsString>,
    /// The name of a folder that is made for the program. The files that it leaves there are the output.
    pub output_folder: OsString,
    /// The names of files in that folder that are taken; all if this is empty.
    pub output_names: Vec<OsString>,
    /// Whether output is taken after any exit code, and not only after 0.
    pub take_after_any_exit: bool,
    /// The maximal number of files and folders in the output.
    pub max_files: u64,
    /// The maximal size of all output files together, in bytes.
    pub max_bytes: u64,
}

/// The output files of a program. They are empty if the program was killed, exceeded a limit, or failed (see
/// [`Exchange::take_after_any_exit`]).
pub type OutputFiles = Result<Vec<WorkFile>, OutputFilesError>;

/// Why the output files of a program cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{0}")]
pub struct OutputFilesError(pub String);

/// The result of a run: how the program ended and what it used. The caller decides what that means.
#[derive(Debug, Clone)]
pub struct Execution {
    /// How the program ended.
    pub end: End,
    /// The limits that were exceeded, the most important first.
    pub breaches: Vec<Breach>,
    /// What the run used.
    pub usage: Usage,
    /// Standard output, at most [`Limits::stdout`](crate::Limits::stdout) bytes. Empty if it went to a file.
    pub stdout: Vec<u8>,
    /// What [`Limits::stderr`](crate::Limits::stderr) keeps of standard error. Empty if it went to a file.
    pub stderr: Vec<u8>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// This signal ended it. If the sandbox sent the signal, [`Execution::breaches`] says why.
    Signalled(i32),
    /// It never started: `execve` failed with this error number.
    NotStarted(i32),
}

/// A limit that was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Breach {
    /// Standard output.
    Output,
    /// Disk space, in a working folder whose size the kernel does not limit. Also more files, folders or levels of
    /// folders than the sandbox counts.
    Disk,
    /// CPU time.
    Cpu,
    /// Elapsed time.
    Wall,
    /// Memory. The evidence is the kernel's count of killed processes, or the peak.
    Memory,
    /// Processes and threads.
    Processes,
}

/// What a run used. `None` means unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time of the whole process tree, user and system.
    pub cpu: Duration,
    /// Time from just before the program started until it ended.
    pub wall: Duration,
    /// Peak memory in bytes.
    pub memory: Option<u64>,
    /// Bytes that arrived on standard output, at most one more than the limit.
    pub stdout_bytes: u64,
    /// Bytes that arrived on standard error.
    pub stderr_bytes: u64,
    /// Bytes of standard output that were forwarded to the pipe of [`Sink::Relay`].
    pub relayed_bytes: u64,
    /// How long the program was ready to run but waited for a core, at most its elapsed time. Only for runs of at least a
    /// millisecond.
    pub run_delay: Option<Duration>,
    /// How long a hypervisor gave the program's core to others. Only for runs that are long enough to measure it. For a
    /// program that may use any core, all cores are included.
    pub stolen: Option<Duration>,
}

/// The sandbox itself failed. This is never the program's fault.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Fault {
    /// A system call of the sandbox failed.
    #[error("{action} failed")]
    System {
        /// What the sandbox was doing: `"creating the working folder /tmp/x"`.
        action: String,
        /// The kernel's error.
        #[source]
        #[serde(with = "errno")]
        source: io::Error,
    },
    /// A limit of this process, which programs inherit, is lower than the limit of the program.
    #[error("{0}")]
    OwnLimit(String),
    /// The helper process ended unexpectedly.
    #[error("the sandbox's helper process ended unexpectedly ({0})")]
    HelperGone(String),
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
}

/// A process reports an error to another as its number.
mod errno {
    use std::io;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(error: &io::Error, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i32(error.raw_os_error().unwrap_or(libc::EIO))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<io::Error, D::Error> {
        i32::deserialize(deserializer).map(io::Error::from_raw_os_error)
    }
}

/// Adds the action that failed to an error of a system call.
pub(crate) trait Context<T> {
    /// `self`, with `action` (`"creating the working folder"`) in the error.
    fn context(self, action: impl Into<String>) -> Result<T, Fault>;
}

impl Fault {
    /// The kernel ended a process for lack of memory, although the program's limit allows more than its `bytes`.
    pub(crate) fn out_of_memory(bytes: u64) -> Fault {
        Fault::OwnLimit(format!(
            "the kernel killed a process at {bytes} bytes of memory, within the program's limit: a control group \
             around the judge, or the machine, has no more"
        ))
    }

    /// Whether the machine, or this process's share of it, ran out of something.
    pub(crate) fn is_shortage(&self) -> bool {
        match self {
            Fault::System { source, .. } => source.raw_os_error().is_some_and(is_shortage),
            Fault::OwnLimit(_) => true,
            Fault::HelperGone(_) | Fault::Cancelled => false,
        }
    }
}

/// Whether this error number always means that a resource ran out.
pub(crate) fn is_shortage(errno: i32) -> bool {
    matches!(errno, libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE | libc::EFBIG | libc::EDQUOT)
}

impl<T, E: Into<io::Error>> Context<T> for Result<T, E> {
    fn context(self, action: impl Into<String>) -> Result<T, Fault> {
        self.map_err(|source| Fault::System { action: action.into(), source: source.into() })
    }
}
