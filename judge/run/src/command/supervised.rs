//! Commands outside the sandbox, each under a supervisor: they end with the judge, even if it is killed.

use super::error::CommandError;
use super::output::CommandOutput;
use super::stop::StopSignal;
use judge_problem::tail;
use judge_sandbox::{Supervised, Supervisors};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// The most bytes of each output stream that are kept.
const KEPT_BYTES: u64 = 64 << 20;

/// Supervisors that wait for the next command, for the whole process.
pub(crate) static SUPERVISORS: Supervisors = Supervisors::new();

/// Sets the executable that becomes a supervisor, if it is not this process's own. Only the first call has an effect.
pub fn use_as_supervisor(executable: &Path) {
    SUPERVISORS.set_executable(executable);
}

/// Ends the supervisors that wait for a command. To be called when the process is about to end.
pub fn dismiss_supervisors() {
    SUPERVISORS.dismiss_idle();
}

/// Runs a command without an input in `folder` until it ends, for at most `limit`, or until it is stopped. Processes that it
/// leaves running are killed.
///
/// # Errors
/// When it cannot be started, runs too long, is stopped, or its output cannot be stored.
pub fn run(
    words: &[OsString],
    folder: &Path,
    limit: Duration,
    stop: Option<&StopSignal>,
) -> Result<CommandOutput, CommandError> {
    run_on(None, words, folder, limit, stop)
}

/// Runs a command in `folder` until it ends, for at most `limit`, or until it is stopped. Its standard input is this
/// file, or empty. Its outputs go through files, so that no pipe fills up. Processes that it leaves running are killed.
///
/// # Errors
/// When it cannot be started, runs too long, is stopped, or its output cannot be stored.
pub(super) fn run_on(
    stdin: Option<&Path>,
    words: &[OsString],
    folder: &Path,
    limit: Duration,
    stop: Option<&StopSignal>,
) -> Result<CommandOutput, CommandError> {
    let not_stored = |source| not_stored(&name(words), source);
    let stdin = File::open(stdin.unwrap_or(Path::new("/dev/null"))).map_err(not_stored)?;
    let mut stdout = tempfile::tempfile().map_err(not_stored)?;
    let mut running = Running::start(words, folder, [stdin.as_fd(), stdout.as_fd()], None)?;
    let began = Instant::now();
    if running.command.wait(limit, stop.map(StopSignal::as_fd)).map_err(not_stored)?.is_none() {
        let (program, in_time) = (running.name.clone(), began.elapsed() < limit);
        let stderr = running.end().map(|ended| tail(&ended.stderr)).unwrap_or_default();
        return Err(match in_time {
            true => CommandError::Stopped(program),
            false => CommandError::Timeout { program, stderr, limit },
        });
    }
    let ended = running.end()?;
    Ok(CommandOutput { stdout: contents(&mut stdout).map_err(not_stored)?, ..ended })
}

fn name(words: &[OsString]) -> String {
    words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
}

fn not_stored(program: &str, source: io::Error) -> CommandError {
    CommandError::Output { program: program.to_owned(), source }
}

/// A running command. When this is dropped, the command and all its processes are killed.
#[derive(Debug)]
pub struct Running {
    command: Supervised<'static>,
    name: String,
    stderr: File,
}

impl Running {
    /// Starts a command in `folder`, in a process group of its own, to stay on `core` if one is given. Its standard error
    /// is stored.
    ///
    /// # Errors
    /// When it cannot be started, or its standard error cannot be stored.
    pub fn start(
        words: &[OsString],
        folder: &Path,
        [stdin, stdout]: [BorrowedFd<'_>; 2],
        core: Option<usize>,
    ) -> Result<Self, CommandError> {
        let name = name(words);
        let stderr = tempfile::tempfile().map_err(|source| not_stored(&name, source))?;
        match SUPERVISORS.start(words, folder, [stdin, stdout, stderr.as_fd()], core) {
            Ok(command) => Ok(Self { command, name, stderr }),
            Err(source) => Err(CommandError::Start { program: name, source }),
        }
    }

    /// Returns the ids of its processes.
    #[must_use]
    pub fn processes(&self) -> Vec<u32> {
        self.command.processes()
    }

    /// Becomes readable when its process has ended.
    #[must_use]
    pub fn ended(&self) -> BorrowedFd<'_> {
        self.command.ended()
    }

    /// Kills its remaining processes, and returns how it ended. Its standard output is not part of the result.
    ///
    /// # Errors
    /// When its standard error cannot be read back.
    pub fn end(mut self) -> Result<CommandOutput, CommandError> {
        let ended = self.command.end().and_then(|status| Ok((status, contents(&mut self.stderr)?)));
        let (status, stderr) = ended.map_err(|source| not_stored(&self.name, source))?;
        Ok(CommandOutput { status, stdout: Vec::new(), stderr })
    }
}

/// Returns what a command has written to a file, from its start, up to as much as is kept.
///
/// # Errors
/// When it cannot be read back.
pub fn contents(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(KEPT_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
