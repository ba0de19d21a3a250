//! Runs a setter's command (a checker, an interactor, a generator) with a time limit. Commands end with the judge, even
//! if it is killed.

mod answers;
mod call;
mod error;
mod identity;
mod words;

use crate::model::tail;
use judge_sandbox::Supervised;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use answers::{answer_files, answer_of};
pub use call::{Reports, call_words};
pub use error::CommandError;
pub use identity::{checker_identity, game_of, is_recorded_as};
pub use words::words;

/// The most bytes of each output stream that are kept.
const KEPT_BYTES: u64 = 64 << 20;

/// How a command ended, and what it printed.
#[derive(Debug)]
pub struct CommandOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Stops commands from any thread: those that run, and those that start later.
#[derive(Debug, Clone)]
pub struct StopSignal(Arc<OwnedFd>);

impl StopSignal {
    /// Returns a signal that is not set.
    ///
    /// # Errors
    /// When no file descriptor is left.
    pub fn new() -> io::Result<Self> {
        let flags = rustix::event::EventfdFlags::CLOEXEC | rustix::event::EventfdFlags::NONBLOCK;
        Ok(Self(Arc::new(rustix::event::eventfd(0, flags)?)))
    }

    /// Ends them.
    pub fn stop(&self) {
        // The write fails only when the counter is full: then it is set already.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

/// Runs a command without an input, as [`run_on`] does.
///
/// # Errors
/// As [`run_on`].
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
pub fn run_on(
    stdin: Option<&Path>,
    words: &[OsString],
    folder: &Path,
    limit: Duration,
    stop: Option<&StopSignal>,
) -> Result<CommandOutput, CommandError> {
    let not_stored = |source| not_stored(&name(words), source);
    let stdin = File::open(stdin.unwrap_or(Path::new("/dev/null"))).map_err(not_stored)?;
    let mut stdout = tempfile::tempfile().map_err(not_stored)?;
    let mut running = Running::start(words, folder, stdin.as_fd(), stdout.as_fd())?;
    let began = Instant::now();
    if running.command.wait(limit, stop.map(|stop| stop.0.as_fd())).map_err(not_stored)?.is_none() {
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
    command: Supervised,
    name: String,
    stderr: File,
}

impl Running {
    /// Starts a command in `folder`, in a process group of its own. Its standard error is stored.
    ///
    /// # Errors
    /// When it cannot be started, or its standard error cannot be stored.
    pub fn start(
        words: &[OsString],
        folder: &Path,
        stdin: BorrowedFd<'_>,
        stdout: BorrowedFd<'_>,
    ) -> Result<Self, CommandError> {
        let name = name(words);
        let stderr = tempfile::tempfile().map_err(|source| not_stored(&name, source))?;
        match Supervised::start(words, folder, [stdin, stdout, stderr.as_fd()]) {
            Ok(command) => Ok(Self { command, name, stderr }),
            Err(source) => Err(CommandError::Start { program: name, source }),
        }
    }

    /// Returns the id of its process, which is that of its process group.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.command.id()
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

fn contents(file: &mut std::fs::File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(KEPT_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_after_splitting() {
        let filled = words("check '{input} x' {answer}", &[("input", Path::new("/a b")), ("answer", Path::new("/c"))]);
        assert_eq!(filled.unwrap(), ["check", "/a b x", "/c"]);
        assert!(words("", &[]).is_err());
        assert!(words("'open", &[]).is_err());
    }
}
