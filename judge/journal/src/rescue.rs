//! A journal whose file was removed, moved or replaced while a run is recorded: the open file still has everything, and is written
//! anew.

use super::file::{Mode, beside};
use super::store::make_folder;
use super::{Journal, JournalError, Recording};
use judge_problem::RunId;
use rusqlite::Connection;
use rusqlite::backup::Backup;
use std::path::{Path, PathBuf};
use std::time::Duration;

impl Recording {
    /// Writes the journal anew where its files are no longer what was opened, and goes on in the new one.
    ///
    /// # Errors
    /// When it cannot be written anew.
    pub(super) fn rescue(&mut self) -> Result<(), JournalError> {
        if self.journal.has_all_files() {
            return Ok(());
        }
        let run = self.run();
        let path = self.journal.path().to_owned();
        let gone = |error| JournalError::Gone { path: path.clone(), source: Box::new(error) };
        self.journal.write_anew(run).map_err(gone)?;
        // The lock may have been removed with the journal. Two at once would be on one file.
        self.lock = None;
        self.lock = Some(self.journal.locks.take(run).map_err(gone)?);
        Ok(())
    }

    /// Returns the file that the journal was written anew to, if its own was removed, moved or replaced.
    #[must_use]
    pub fn written_anew(&self) -> Option<&Path> {
        self.journal.written_anew()
    }

    /// Returns the journal's file.
    #[must_use]
    pub fn file(&self) -> &Path {
        self.journal.path()
    }
}

impl Journal {
    /// Returns the file that it was written anew to, if its own was removed, moved or replaced.
    #[must_use]
    pub fn written_anew(&self) -> Option<&Path> {
        self.written_anew.as_deref()
    }

    /// Moves to a new file with all that this one has. What is in its place by now is left alone.
    fn write_anew(&mut self, run: RunId) -> Result<(), JournalError> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        let (path, mode) = match (self.is_in_place(), self.path().exists()) {
            (true, _) | (_, false) => (self.path().to_owned(), self.mode()),
            (false, true) => (free_path(self.path(), run), Mode::OneWriter),
        };
        if !self.is_in_place() {
            make_folder(path.parent().unwrap_or(Path::new("")))?;
            // A log of the removed file would be taken for one of the new file.
            for ending in ["-wal", "-shm", "-journal"] {
                let _ = std::fs::remove_file(beside(&path, ending));
            }
            let mut copy = Connection::open(&path)?;
            Backup::new(&self.connection, &mut copy)?.run_to_completion(i32::MAX, Duration::ZERO, None)?;
        }
        // Once it is closed, its log is in its file; and what it removes is not of the one that is opened then.
        self.connection = Connection::open_in_memory()?;
        *self = Self::open_to_write(&path, mode)?;
        self.written_anew = Some(path);
        Ok(())
    }
}

/// Returns a path beside this one where nothing is.
fn free_path(path: &Path, run: RunId) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let numbered = |number: u32| if number == 1 { String::new() } else { format!("-{number}") };
    let mut names = (1_u32..).map(|number| path.with_file_name(format!("{stem}-run-{run}{}.db", numbered(number))));
    names.find(|path| !path.exists()).unwrap_or_else(|| path.to_owned())
}
