//! A setter's program: its command, what it may use, and where it was found.

use super::error::CommandError;
use super::place::{FOLDER, names_folder};
use super::words::{filled, split};
use crate::program::{journals_in, setters_program};
use judge_problem::{CommandLimits, CommandTemplate, Program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A setter's program.
#[derive(Debug)]
pub struct SetterProgram {
    pub(super) command: CommandTemplate,
    pub(super) limits: CommandLimits,
    found: OnceLock<Found>,
}

/// Where a program is, and what it sees.
#[derive(Debug)]
pub(super) struct Found {
    /// Its arguments still have placeholders.
    pub(super) program: Program,
    /// The real path of the folder that it starts in; `None`: its working folder.
    pub(super) folder: Option<PathBuf>,
    /// The journals in what it sees.
    pub(super) hidden: Vec<PathBuf>,
}

impl SetterProgram {
    /// Returns the program of a command. It is looked for when it is first called.
    #[must_use]
    pub fn new(command: &CommandTemplate, limits: &CommandLimits) -> Self {
        Self { command: command.clone(), limits: limits.clone(), found: OnceLock::new() }
    }

    /// Returns its name, as messages show it.
    pub(super) fn name(&self) -> String {
        let words = shell_words::split(&self.command.line).unwrap_or_default();
        words.into_iter().next().unwrap_or_default()
    }

    /// Returns where it is.
    pub(super) fn found(&self) -> Result<&Found, CommandError> {
        if self.found.get().is_none() {
            let _ = self.found.set(self.find()?);
        }
        self.found.get().ok_or_else(|| CommandError::Unreadable(self.command.line.clone()))
    }

    fn find(&self) -> Result<Found, CommandError> {
        let CommandTemplate { line, folder, compiled, .. } = &self.command;
        // A catalogue that is named by its bare name is in the current folder.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let not_found = |why: String| CommandError::NotFound { program: self.name(), why };
        let folder = folder.canonicalize().map_err(|error| not_found(format!("{}: {error}", folder.display())))?;
        let words = split(line)?.iter().map(|word| filled(word, &[(FOLDER, &folder)])).collect();
        let mut program = setters_program(words, &folder).map_err(not_found)?;
        program.visible.extend(compiled.visible.iter().cloned());
        program.environment.extend(compiled.environment.iter().cloned());
        let mut hidden: Vec<PathBuf> = program.visible.iter().flat_map(|path| journals_in(path)).collect();
        hidden.dedup();
        Ok(Found { program, folder: (!names_folder(line)).then_some(folder), hidden })
    }
}

impl Found {
    /// Returns whether the program sees a file, by its real path.
    pub(super) fn sees(&self, path: &Path) -> bool {
        let is_visible = self.program.visible.iter().any(|visible| path.starts_with(visible));
        is_visible && !self.hidden.iter().any(|hidden| path.starts_with(hidden))
    }

    /// Returns the arguments of a call.
    pub(super) fn words(&self, values: &[(&str, &Path)]) -> Vec<OsString> {
        self.program.argv.iter().map(|word| filled(word, values)).collect()
    }
}
