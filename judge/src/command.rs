//! Runs a helper command of the user's side (a compiler, a checker, a generator) to its end, bounded in time.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// How much of each output stream is kept.
const KEPT_BYTES: u64 = 64 << 20;

/// What came of a command.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// A command that gave no result.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The command line is empty, or its quotes do not match.
    #[error("`{0}` is not a command line")]
    Unreadable(String),
    /// It could not be started.
    #[error("cannot start `{program}`")]
    Start {
        /// The program.
        program: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It ran too long and was ended.
    #[error("`{program}` ran longer than {} s and was ended", limit.as_secs())]
    Timeout {
        /// The program.
        program: String,
        /// How long it was allowed to run.
        limit: Duration,
    },
    /// Its output could not be stored.
    #[error("cannot store the output of `{program}`")]
    Output {
        /// The program.
        program: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// A command line of the user's as it is written, and the folder that it runs in.
#[derive(Debug, Clone)]
pub struct Template {
    /// The command line, with a `{name}` wherever a value is to go.
    pub line: String,
    /// Where it runs.
    pub folder: PathBuf,
}

/// Splits a command line as a shell would, and puts `values` in the place of their `{name}`s.
///
/// # Errors
/// When it is empty or its quotes do not match.
pub fn words(line: &str, values: &[(&str, &Path)]) -> Result<Vec<OsString>, CommandError> {
    let words = shell_words::split(line).ok().filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| CommandError::Unreadable(line.to_owned()))?;
    let fill = |word: String| {
        values.iter().fold(word, |word, (name, value)| word.replace(&format!("{{{name}}}"), &value.to_string_lossy()))
    };
    Ok(words.into_iter().map(|word| OsString::from(fill(word))).collect())
}

/// Runs a command in `folder` until it ends, for at most `limit`. Its outputs go through files, so that no pipe can
/// fill up; whatever it leaves running in its process group is ended with it.
///
/// # Errors
/// When it cannot be started, runs too long, or its output cannot be stored.
pub fn run(words: &[OsString], folder: &Path, limit: Duration) -> Result<Finished, CommandError> {
    let mut stdout = tempfile::tempfile().map_err(|source| not_stored(words, source))?;
    let copy = stdout.try_clone().map_err(|source| not_stored(words, source))?;
    let mut running = Running::start(words, folder, Stdio::null(), copy.into())?;
    if running.child.wait_timeout(limit).map_err(|source| not_stored(words, source))?.is_none() {
        return Err(CommandError::Timeout { program: running.name.clone(), limit });
    }
    let ended = running.end()?;
    Ok(Finished { stdout: contents(&mut stdout).map_err(|source| not_stored(words, source))?, ..ended })
}

fn not_stored(words: &[OsString], source: io::Error) -> CommandError {
    let program = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    CommandError::Output { program, source }
}

/// A command that runs. When this is dropped, it is ended with its process group.
#[derive(Debug)]
pub struct Running {
    child: Child,
    name: String,
    stderr: File,
}

impl Running {
    /// Starts a command in `folder`, in a process group of its own. Its standard error is stored.
    ///
    /// # Errors
    /// When it cannot be started, or its standard error has nowhere to go.
    pub fn start(words: &[OsString], folder: &Path, stdin: Stdio, stdout: Stdio) -> Result<Self, CommandError> {
        let (program, arguments) = words.split_first().ok_or_else(|| CommandError::Unreadable(String::new()))?;
        let name = program.to_string_lossy().into_owned();
        let stderr = tempfile::tempfile().map_err(|source| not_stored(words, source))?;
        let copy = stderr.try_clone().map_err(|source| not_stored(words, source))?;
        let child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .stdin(stdin)
            .stdout(stdout)
            .stderr(copy)
            .process_group(0)
            .spawn()
            .map_err(|source| CommandError::Start { program: name.clone(), source })?;
        Ok(Self { child, name, stderr })
    }

    /// Returns the id of its process, which is that of its process group.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends what still runs of it, and returns how it ended; its standard output went elsewhere.
    ///
    /// # Errors
    /// When its standard error cannot be read back.
    pub fn end(mut self) -> Result<Finished, CommandError> {
        let ended = self.reap().and_then(|status| Ok((status, contents(&mut self.stderr)?)));
        let (status, stderr) = ended.map_err(|source| CommandError::Output { program: self.name.clone(), source })?;
        Ok(Finished { status, stdout: Vec::new(), stderr })
    }

    fn reap(&mut self) -> io::Result<ExitStatus> {
        end_group(self.child.id());
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Again after `end`, it finds nothing.
        let _ = self.reap();
    }
}

/// Ends what is left of a process group; that nothing is left is the usual case.
fn end_group(leader: u32) {
    let group = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
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

    fn shell(script: &str, limit: Duration) -> Result<Finished, CommandError> {
        run(&["sh".into(), "-c".into(), script.into()], Path::new("/"), limit)
    }

    #[test]
    fn large_outputs_do_not_block() {
        let script = "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; exit 3";
        let finished = shell(script, Duration::from_secs(20)).unwrap();
        assert_eq!((finished.status.code(), finished.stdout.len(), finished.stderr.len()), (Some(3), 300_000, 300_000));
    }

    #[test]
    fn a_command_that_hangs_is_ended_with_its_children() {
        let started = std::time::Instant::now();
        let result = shell("sleep 60 & sleep 60", Duration::from_millis(100));
        assert!(matches!(result, Err(CommandError::Timeout { .. })));
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn placeholders_are_filled_after_splitting() {
        let filled = words("check '{input} x' {answer}", &[("input", Path::new("/a b")), ("answer", Path::new("/c"))]);
        assert_eq!(filled.unwrap(), ["check", "/a b x", "/c"]);
        assert!(words("", &[]).is_err());
        assert!(words("'open", &[]).is_err());
    }
}
