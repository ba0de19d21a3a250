//! A setter's program: its command line, its folder, its input, and the reasons for a missing result.

use crate::program::{journals_in, setters_program};
use judge_problem::{CommandLimits, CommandTemplate, Program, Time, after_colon, fill_placeholders};
use judge_sandbox::{Fault, OpenError, WorkFile};
use rustix::event::{PollFd, PollFlags, Timespec};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A setter's program.
#[derive(Debug)]
pub struct SetterProgram {
    pub(crate) command: CommandTemplate,
    pub(super) limits: CommandLimits,
    found: OnceLock<Found>,
}

/// The path of a program, and the files that it sees. A trusted program has only arguments, and sees all files.
#[derive(Debug)]
pub(super) struct Found {
    /// Its arguments are in `words`.
    pub(super) program: Program,
    /// The words of its command line. `true`: as it is written, to be filled at each call; `false`: the path of a file.
    words: Vec<(OsString, bool)>,
    /// The real path of the folder of its problem.
    home: PathBuf,
    /// The real path of the folder that it starts in; `None`: its working folder.
    pub(super) folder: Option<PathBuf>,
    /// The journals in the folders that it sees.
    pub(super) hidden: Vec<PathBuf>,
}

impl SetterProgram {
    /// Returns the program of a command. The program is searched for at the first call.
    pub fn new(command: &CommandTemplate, limits: &CommandLimits) -> Self {
        Self { command: command.clone(), limits: limits.clone(), found: OnceLock::new() }
    }

    /// Returns its name, as messages show it.
    pub(super) fn name(&self) -> String {
        let words = shell_words::split(&self.command.line).unwrap_or_default();
        words.into_iter().next().unwrap_or_default()
    }

    /// Returns its path and its files.
    pub(super) fn found(&self) -> Result<&Found, CommandError> {
        if self.found.get().is_none() {
            let _ = self.found.set(self.find()?);
        }
        self.found.get().ok_or_else(|| CommandError::Unreadable(self.command.line.clone()))
    }

    fn find(&self) -> Result<Found, CommandError> {
        let CommandTemplate { line, folder, trusted, visible, environment, .. } = &self.command;
        // A catalogue that is named without a folder is in the current folder.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let not_found = |why: String| CommandError::NotFound { program: self.name(), why };
        let folder = folder.canonicalize().map_err(|error| not_found(format!("{}: {error}", folder.display())))?;
        let written = split(line)?;
        let argv: Vec<_> = written.iter().map(|word| filled(word, &[(FOLDER, &folder)])).collect();
        let mut hidden = Vec::new();
        let program = if *trusted {
            Program { argv: argv.clone(), visible: vec!["/".into()], ..Program::default() }
        } else {
            let found = setters_program(argv.clone(), &folder);
            let mut program = found.map_err(|error| not_found(error.to_string()))?;
            program.visible.extend(visible.iter().cloned());
            program.environment.extend(environment.iter().cloned());
            hidden.extend(program.visible.iter().flat_map(|path| journals_in(path)));
            hidden.dedup();
            program
        };
        let as_written = |word: &OsString| match argv.iter().position(|known| known == word) {
            Some(place) => (written[place].clone(), true),
            // The path of a file, in place of its name.
            None => (word.clone(), false),
        };
        let words = program.argv.iter().map(as_written).collect();
        let starts_in = (!line.contains(&format!("{{{FOLDER}}}"))).then(|| folder.clone());
        Ok(Found { program, words, home: folder, folder: starts_in, hidden })
    }
}

impl Found {
    /// Returns whether the program sees a file, by its real path.
    pub(super) fn sees(&self, path: &Path) -> bool {
        let is_visible = self.program.visible.iter().any(|visible| path.starts_with(visible));
        is_visible && !self.hidden.iter().any(|hidden| path.starts_with(hidden))
    }

    /// Returns the arguments of a call. Each word is filled once: the name of the folder may look like a placeholder.
    pub(super) fn words(&self, values: &[(&str, &Path)]) -> Vec<OsString> {
        let values = [&[(FOLDER, &*self.home)], values].concat();
        let fill = |(word, has_placeholders): &(OsString, bool)| match has_placeholders {
            true => filled(word, &values),
            false => word.clone(),
        };
        self.words.iter().map(fill).collect()
    }
}

/// The placeholder for the folder of the problem.
const FOLDER: &str = "folder";

/// Returns a file that a command names.
pub(super) fn named_file(command: &CommandTemplate, word: &str) -> PathBuf {
    let inside = word.strip_prefix(&format!("{{{FOLDER}}}/")).unwrap_or(word);
    command.folder.join(inside)
}

/// Splits a command line as a shell would, and replaces each `{name}` by its value.
///
/// # Errors
/// When it is empty or its quotes do not match.
pub fn words(line: &str, values: &[(&str, &Path)]) -> Result<Vec<OsString>, CommandError> {
    Ok(split(line)?.iter().map(|word| filled(word, values)).collect())
}

/// Splits a command line as a shell would.
pub(crate) fn split(line: &str) -> Result<Vec<OsString>, CommandError> {
    let words = shell_words::split(line).ok().filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| CommandError::Unreadable(line.to_owned()))?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Returns a word with each `{name}` replaced by its value.
pub(crate) fn filled<V: AsRef<OsStr>>(word: &OsStr, values: &[(&str, V)]) -> OsString {
    // A word that is not UTF-8 is a path, and has no placeholders.
    let Some(text) = word.to_str() else { return word.to_owned() };
    fill_placeholders(text, |name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| value))
}

/// How a command ended, and its output.
#[derive(Debug)]
pub struct CommandOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// The files of its result, if it makes any.
    pub files: Vec<WorkFile>,
}

/// Stops commands from any thread: running commands, and commands that start later.
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

    /// Becomes readable when it is set.
    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    pub(super) fn is_set(&self) -> bool {
        let mut fds = [PollFd::new(&*self.0, PollFlags::IN)];
        rustix::event::poll(&mut fds, Some(&Timespec::default())).is_ok_and(|count| count > 0)
    }

    /// Stops them.
    pub fn stop(&self) {
        // The write fails only when the counter is full, and then the signal is set already.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
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
    /// It exceeded its time limit and was killed.
    #[error("`{program}` ran longer than {} and was ended{}", Time(*limit), after_colon(stderr))]
    Timeout {
        /// The program.
        program: String,
        /// The end of its standard error.
        stderr: String,
        /// Its time limit.
        limit: Duration,
    },
    /// It exceeded another limit and was killed.
    #[error("`{program}` {what} and was ended{}", after_colon(stderr))]
    Limit {
        /// The program.
        program: String,
        /// The limit that it exceeded.
        what: String,
        /// The end of its standard error.
        stderr: String,
    },
    /// It does not exist, or cannot be started.
    #[error("cannot start `{program}`: {why}")]
    NotFound {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// The sandbox for it cannot be opened.
    #[error("no sandbox for the problem's own programs (`trusted = true` in the problem runs them without one)")]
    NoSandbox(#[source] OpenError),
    /// Something that the sandbox needs has run out.
    #[error(transparent)]
    Shortage(OpenError),
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] Fault),
    /// The files of its result cannot be read.
    #[error("cannot read the files that `{program}` wrote: {why}")]
    Reports {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// The answer file that it gets cannot be read.
    #[error("cannot read the answer file {}", .0.display())]
    AnswerFile(PathBuf, #[source] io::Error),
    /// Its run was stopped.
    #[error("`{0}` was stopped")]
    Stopped(String),
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

impl CommandError {
    /// Returns whether the machine or the judge failed, and not the program.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Shortage(_) | Self::Sandbox(_))
    }
}

impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Shortage { .. } => Self::Shortage(error),
            error => Self::NoSandbox(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn the_folder_is_filled_in_once() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().canonicalize().unwrap().join("{input}");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("c.sh"), "").unwrap();
        for trusted in [true, false] {
            let line = "sh '{folder}/c.sh' {input}".to_owned();
            let command = CommandTemplate { line, folder: folder.clone(), trusted, ..CommandTemplate::default() };
            let program = SetterProgram::new(&command, &CommandLimits::default());
            let words = program.found().unwrap().words(&[("input", Path::new("/{folder}"))]);
            assert_eq!(words[1..], [folder.join("c.sh").into_os_string(), "/{folder}".into()], "{trusted}");
        }
    }

    #[test]
    fn placeholders_are_filled_after_splitting() {
        let filled = words("check '{input} x' {answer}", &[("input", Path::new("/a b")), ("answer", Path::new("/c"))]);
        assert_eq!(filled.unwrap(), ["check", "/a b x", "/c"]);
        let other = Path::new(OsStr::from_bytes(b"/{answer}/\xff"));
        assert_eq!(words("{input}", &[("input", other), ("answer", Path::new("/c"))]).unwrap(), [other.as_os_str()]);
        assert!(words("", &[]).is_err());
        assert!(words("'open", &[]).is_err());
    }
}
