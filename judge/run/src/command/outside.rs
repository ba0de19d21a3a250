//! Commands outside the sandbox. Each runs under a supervisor, so it ends when the judge ends, even if the judge is
//! killed.

use super::sandboxed::{CallSpec, OUTPUT, STDERR_KEPT};
use super::setter::{CommandError, CommandOutput, Found, SetterProgram, StopSignal};
use crate::program::start_failure;
use judge_problem::tail;
use judge_sandbox::{Supervised, Supervisors, both_ends};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Idle supervisors, for the whole process.
pub(crate) static SUPERVISORS: Supervisors = Supervisors::new();

/// Sets the executable that becomes a supervisor, if it is not this process's own. Only the first call has an effect.
pub fn use_as_supervisor(executable: &Path) {
    SUPERVISORS.set_executable(executable);
}

/// Ends the supervisors that wait for a command. Call this when the process is about to end.
pub fn dismiss_supervisors() {
    SUPERVISORS.dismiss_idle();
}

/// Runs a command without an input in `folder` until it ends, for at most `limit`. Processes that it leaves running are
/// killed.
///
/// # Errors
/// When it cannot be started, runs too long, or its output cannot be stored.
pub fn run(words: &[OsString], folder: &Path, limit: Duration) -> Result<CommandOutput, CommandError> {
    run_on(&[], words, folder, limit, None)
}

/// The same with a standard input, and until it is stopped. Its streams are files, so that no pipe fills up.
fn run_on(
    input: &[u8],
    words: &[OsString],
    folder: &Path,
    limit: Duration,
    stop: Option<&StopSignal>,
) -> Result<CommandOutput, CommandError> {
    let not_stored = |source| not_stored(&name(words), source);
    let stdin = stored(input).map_err(not_stored)?;
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
    Ok(CommandOutput { stdout: printed(&mut stdout, &name(words))?, ..ended })
}

/// Returns a file with this standard input.
///
/// # Errors
/// When it cannot be stored.
pub(crate) fn stored(input: &[u8]) -> io::Result<File> {
    if input.is_empty() {
        return File::open("/dev/null");
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    file.rewind()?;
    Ok(file)
}

fn name(words: &[OsString]) -> String {
    words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
}

fn not_stored(program: &str, source: io::Error) -> CommandError {
    CommandError::Output { program: program.to_owned(), source }
}

/// A running command. When this is dropped, the command and all its processes are killed.
#[derive(Debug)]
pub(crate) struct Running {
    command: Supervised<'static>,
    name: String,
    stderr: File,
}

impl Running {
    /// Starts a command in `folder`, in a process group of its own. It stays on `core`, if one is given. Its standard
    /// error is stored.
    ///
    /// # Errors
    /// When it cannot be started, or its standard error cannot be stored.
    pub(crate) fn start(
        words: &[OsString],
        folder: &Path,
        [stdin, stdout]: [BorrowedFd<'_>; 2],
        core: Option<usize>,
    ) -> Result<Self, CommandError> {
        let name = name(words);
        let stderr = tempfile::tempfile().map_err(|source| not_stored(&name, source))?;
        match SUPERVISORS.start(words, folder, [stdin, stdout, stderr.as_fd()], core) {
            Ok(command) => Ok(Self { command, name, stderr }),
            Err(source) => {
                let file = folder.join(words.first().map_or(Path::new(""), Path::new));
                let why = Errno::from_io_error(&source).and_then(|errno| start_failure(&file, errno));
                Err(CommandError::Start { program: name, source: why.map_or(source, io::Error::other) })
            }
        }
    }

    /// Returns the ids of its processes.
    pub(crate) fn processes(&self) -> Vec<u32> {
        self.command.processes()
    }

    /// Becomes readable when its process has ended.
    pub(crate) fn ended(&self) -> BorrowedFd<'_> {
        self.command.ended()
    }

    /// Kills its remaining processes, and returns how it ended. Its standard output is not part of the result.
    ///
    /// # Errors
    /// When its standard error cannot be read back.
    pub(crate) fn end(mut self) -> Result<CommandOutput, CommandError> {
        let ended = self.command.end().and_then(|status| Ok((status, kept(&mut self.stderr)?)));
        let (status, stderr) = ended.map_err(|source| not_stored(&self.name, source))?;
        Ok(CommandOutput { status, stdout: Vec::new(), stderr, files: Vec::new() })
    }
}

/// Returns the standard output of a command from its file.
///
/// # Errors
/// When it is too large, or cannot be read back.
pub(crate) fn printed(file: &mut File, program: &str) -> Result<Vec<u8>, CommandError> {
    let bytes = file.rewind().and_then(|()| at_most(file, OUTPUT.0 + 1));
    let bytes = bytes.map_err(|source| not_stored(program, source))?;
    if bytes.len() as u64 > OUTPUT.0 {
        return Err(not_stored(program, io::Error::other(format!("it printed more than {OUTPUT}"))));
    }
    Ok(bytes)
}

/// Returns the standard error of a command from its file: both ends, if it is large.
fn kept(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let beginning = at_most(file, STDERR_KEPT / 2)?;
    file.seek(SeekFrom::Start(length.saturating_sub(STDERR_KEPT / 2).max(beginning.len() as u64)))?;
    Ok(both_ends(beginning, at_most(file, STDERR_KEPT / 2)?, length))
}

fn at_most(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A call of a trusted program, with the folder for its files. The folder is removed with this value. If the judge is
/// killed, the next judge's sweep removes it.
pub(crate) struct OutsideCall {
    program: String,
    spec: Box<CallSpec>,
    files: TempDir,
    /// The folder that the program starts in.
    folder: PathBuf,
}

impl OutsideCall {
    /// Makes the folder with the files that the program gets.
    ///
    /// # Errors
    /// When the program is not found, or its files cannot be stored.
    pub(super) fn prepare(
        program: &SetterProgram,
        call_spec: impl FnOnce(&Found, &Path) -> Result<CallSpec, CommandError>,
    ) -> Result<Self, CommandError> {
        let (found, name) = (program.found()?, program.name());
        let prefix = judge_sandbox::sweepable_name("report") + ".";
        let files = tempfile::Builder::new().prefix(&prefix).tempdir().map_err(|source| not_stored(&name, source))?;
        let spec = Box::new(call_spec(found, files.path())?);
        spec.exchange.as_ref().map_or(Ok(()), |exchange| exchange.put_outside(files.path()))?;
        let folder = found.folder.as_deref().unwrap_or(files.path()).to_owned();
        Ok(Self { program: name, spec, files, folder })
    }

    /// Starts the program.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(&self, stdio: [BorrowedFd<'_>; 2], core: Option<usize>) -> Result<Running, CommandError> {
        Running::start(&self.spec.words, &self.folder, stdio, core)
    }

    /// Runs the program until it ends.
    ///
    /// # Errors
    /// When it gives no result.
    pub(super) fn run(self, limit: Duration, stop: Option<&StopSignal>) -> Result<CommandOutput, CommandError> {
        let input = self.spec.stdin.as_deref().unwrap_or_default();
        self.with_files(run_on(input, &self.spec.words, &self.folder, limit, stop)?)
    }

    /// Returns the output with the files that the program made.
    ///
    /// # Errors
    /// When the files cannot be read.
    pub(crate) fn with_files(&self, output: CommandOutput) -> Result<CommandOutput, CommandError> {
        let exchange = self.spec.exchange.as_ref();
        let exchange = exchange.filter(|exchange| output.status.success() || exchange.take_after_any_exit);
        match exchange.map_or(Ok(Vec::new()), |exchange| exchange.take_outside(self.files.path())) {
            Ok(files) => Ok(CommandOutput { files, ..output }),
            Err(why) => Err(CommandError::Reports { program: self.program.clone(), why: why.to_string() }),
        }
    }
}
