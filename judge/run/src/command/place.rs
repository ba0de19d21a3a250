//! Where a setter's command runs.

use super::error::CommandError;
use super::words::words;
use judge_problem::CommandTemplate;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The placeholder for the folder of the problem.
pub(super) const FOLDER: &str = "folder";

/// Where a command runs: in the folder of its problem, or, if it names that folder, in an empty one of its own. That one is
/// removed with this value; if the judge is killed, the next judge's sweep removes it.
#[derive(Debug)]
pub struct Place {
    own: Option<TempDir>,
    problem: PathBuf,
}

impl Place {
    /// Returns the place of a command.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn of(command: &CommandTemplate) -> io::Result<Self> {
        let prefix = || judge_sandbox::sweepable_name("work") + ".";
        let folder = || tempfile::Builder::new().prefix(&prefix()).tempdir();
        let own = names_folder(&command.line).then(folder).transpose()?;
        // An empty name is that of the current folder.
        let problem = if own.is_some() { command.folder.join(".").canonicalize()? } else { command.folder.clone() };
        Ok(Self { own, problem })
    }

    /// Returns the folder that the command runs in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.own.as_ref().map_or(&self.problem, TempDir::path)
    }

    /// Returns the words of the command.
    ///
    /// # Errors
    /// When it is empty or its quotes do not match.
    pub fn words(&self, line: &str, values: &[(&str, &Path)]) -> Result<Vec<OsString>, CommandError> {
        words(line, &[&[(FOLDER, &*self.problem)], values].concat())
    }
}

/// Returns whether a command names the folder of its problem.
pub(super) fn names_folder(line: &str) -> bool {
    line.contains(&format!("{{{FOLDER}}}"))
}

/// Returns a file that a command names.
pub(super) fn named_file(command: &CommandTemplate, word: &str) -> PathBuf {
    let inside = word.strip_prefix(&format!("{{{FOLDER}}}/")).unwrap_or(word);
    command.folder.join(inside)
}
