//! What can go wrong with the journal. Never a reason for a run to fail.

use crate::model::{Labels, RunId};
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
    /// Its file cannot be read.
    #[error("cannot read the journal {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is no journal: {why}", path.display())]
    NoJournal {
        /// The file.
        path: PathBuf,
        /// What it is.
        why: &'static str,
    },
    /// It was written by an older or newer version of the judge.
    #[error("the journal {}: unsupported schema version {found} (supported: {known})", path.display())]
    OtherForm {
        /// The file.
        path: PathBuf,
        /// Its form.
        found: u32,
        /// The form of this judge.
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
    /// The run would have too many tags.
    #[error("run {0} would have more than {most} tags", most = Labels::MOST_TAGS)]
    ManyTags(RunId),
    /// Another judge is working on the run.
    #[error("run {0} is still running in another judge")]
    StillRunning(RunId),
    /// Another judge records a run in the same file, which takes one writer.
    #[error("another judge records run {0} in the same journal, which takes one writer")]
    OtherWriter(RunId),
    /// What is followed is not what the run was started with.
    #[error("what goes on is not run {run}: {what}")]
    OtherPlan {
        /// The run.
        run: RunId,
        /// How it differs.
        what: String,
    },
    /// Something in it cannot be what the judge has written.
    #[error("the journal is damaged: {0}")]
    Damaged(String),
}
