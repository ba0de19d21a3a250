//! Commands outside the sandbox. Each runs under a supervisor, so it ends when the judge ends, even if the judge is
//! killed.

use super::setter::{CommandError, CommandOutput, Place, StopSignal};
use judge_problem::verdict::{Call, CallFiles, Protocol};
use judge_problem::{CommandTemplate, tail};
use judge_sandbox::{Supervised, Supervisors};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The maximal number of bytes kept of each output stream.
const KEPT_BYTES: u64 = 64 << 20;

/// Idle supervisors, for the whole process.
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
            Err(source) => Err(CommandError::Start { program: name, source }),
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
        let ended = self.command.end().and_then(|status| Ok((status, contents(&mut self.stderr)?)));
        let (status, stderr) = ended.map_err(|source| not_stored(&self.name, source))?;
        Ok(CommandOutput { status, stdout: Vec::new(), stderr })
    }
}

/// Returns the content of a file that a command has written, up to the limit of kept bytes.
///
/// # Errors
/// When it cannot be read back.
pub(crate) fn contents(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(KEPT_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The maximal number of bytes read of a report. A report may be the input of another pass.
const REPORT_BYTES: u64 = 64 << 20;

/// The files for the result of one call. They are removed when this is dropped. If the judge is killed, the next
/// judge's sweep removes them.
#[derive(Debug)]
pub(crate) struct Reports {
    _folder: Option<TempDir>,
    files: Vec<PathBuf>,
}

impl Reports {
    /// Creates the folder for the files of a protocol, and empty files, if the protocol requires that.
    ///
    /// # Errors
    /// When they cannot be created.
    pub(crate) fn create(protocol: &dyn Protocol) -> io::Result<Self> {
        let names = protocol.reports();
        if names.is_empty() {
            return Ok(Self { _folder: None, files: Vec::new() });
        }
        let prefix = judge_sandbox::sweepable_name("report") + ".";
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
        let files: Vec<PathBuf> = names.iter().map(|name| folder.path().join(name)).collect();
        if protocol.finds_reports() {
            files.iter().try_for_each(|file| File::create_new(file).map(drop))?;
        }
        Ok(Self { _folder: Some(folder), files })
    }

    /// Returns the files of a call that writes these reports.
    pub(crate) fn with<'a>(
        &'a self,
        input: &'a Path,
        answer: Option<&'a Path>,
        expected: Option<&'a Path>,
    ) -> CallFiles<'a> {
        CallFiles { input, answer, expected, reports: &self.files }
    }

    /// Returns the contents of the files; `None` for a missing file.
    ///
    /// # Errors
    /// When one cannot be read, or is not a file.
    pub(crate) fn read(&self) -> io::Result<Vec<Option<Vec<u8>>>> {
        self.files.iter().map(|file| read(file)).collect()
    }

    /// Removes the file with this name, if it exists.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        let named = self.files.iter().find(|file| file.ends_with(name));
        match named.map(std::fs::remove_file) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Reads a file that another program wrote. It may be missing. A pipe or a link is an error.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(format!("{} is no file", path.display())));
    }
    let mut bytes = Vec::new();
    file.take(REPORT_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Returns the arguments of a call.
///
/// # Errors
/// When the command line is empty or its quotes do not match.
pub(crate) fn call_words(
    command: &CommandTemplate,
    place: &Place,
    call: &Call<'_>,
) -> Result<Vec<OsString>, CommandError> {
    let mut words = place.words(&command.line, &call.placeholders)?;
    words.extend(call.appended.iter().cloned());
    Ok(words)
}
