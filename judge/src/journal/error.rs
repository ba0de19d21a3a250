//! What can go wrong with the journal. Never a reason for a run to fail.

use crate::model::RunId;
use std::io;
use std::path::PathBuf;

/// What can go wrong with the journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Its folder cannot be made or used.
    #[error("cannot use the journal's folder {}", path.display())]
    Folder {
        /// The folder, or the file in it.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Its file cannot be opened.
    #[error("cannot open the journal {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
    /// It was written by a judge that knows more.
    #[error("the journal {}: unsupported schema version {found} (newest supported: {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its form.
        found: u32,
        /// The newest form known here.
        known: u32,
    },
    /// It cannot be read or written: the disk is full, or another judge holds it.
    #[error("the journal cannot be read or written")]
    Database(#[from] rusqlite::Error),
    /// There is no such run.
    #[error("there is no run {0} in the journal")]
    NoRun(RunId),
    /// There is no run at all.
    #[error("there is no run in the journal yet")]
    NoRunYet,
    /// Another judge is working on the run.
    #[error("run {0} is still running in another judge")]
    StillRunning(RunId),
    /// Something in it cannot be what the judge has written.
    #[error("the journal is damaged: {0}")]
    Damaged(String),
}
