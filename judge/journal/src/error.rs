//! Errors of the journal. They are never a reason for a run to fail.

use judge_problem::{Labels, RunId, RunState, beginning};
use rusqlite::ErrorCode;
use std::io;
use std::path::PathBuf;

/// What an access to the journal gives.
pub(crate) type Result<T, E = JournalError> = std::result::Result<T, E>;

/// An error of the journal.
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
        /// What the file is.
        why: &'static str,
    },
    /// It has no run that can be merged.
    #[error("{} cannot be merged: {why}", path.display())]
    Unmergeable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// It was written by an older or newer version of the judge.
    #[error("the journal {}: unsupported schema version {found} (supported: {known})", path.display())]
    UnsupportedSchema {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The schema version of this judge.
        known: u32,
    },
    /// It cannot be read or written: the disk is full, or another judge holds it.
    #[error("the journal cannot be read or written")]
    Database(#[source] rusqlite::Error),
    /// There is no such run.
    #[error("there is no run {0} in the journal")]
    NoRun(RunId),
    /// There is no run at all.
    #[error("there is no run in the journal yet")]
    NoRunYet,
    /// The run would have too many tags.
    #[error("run {0} would have more than {most} tags", most = Labels::MAX_TAGS)]
    ManyTags(RunId),
    /// Another judge is working on the run.
    #[error("run {0} is still running in another judge")]
    StillRunning(RunId),
    /// The run to follow is over.
    #[error("run {0} is {1}: there is nothing to follow")]
    Over(RunId, RunState),
    /// Another judge records a run in the same file, which takes one writer. The run has a number unless it just starts.
    #[error("another judge records {} in the same journal, which takes one writer", numbered(*.0))]
    OtherWriter(Option<RunId>),
    /// The plan to continue is not the plan of the run.
    #[error("run {run} has another plan: {what}")]
    OtherPlan {
        /// The run.
        run: RunId,
        /// How it differs.
        what: String,
    },
    /// The judge cannot have written its content.
    #[error("the journal is damaged: {0}")]
    Damaged(String),
    /// Its file was removed, moved or replaced during writing, and cannot be rewritten.
    #[error("the journal {} was removed, moved or replaced", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
        /// Why it cannot be rewritten.
        #[source]
        source: Box<JournalError>,
    },
}

impl JournalError {
    /// Returns whether the cause is the content of the file, and not the disk or another judge.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Damaged(_) => true,
            Self::Open { source, .. } => damage(source).is_some(),
            _ => false,
        }
    }

    /// Returns whether another program holds the file.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Open { source, .. } | Self::Database(source) if is_busy(source))
    }
}

/// Returns whether another program holds the file.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

fn numbered(run: Option<RunId>) -> String {
    run.map_or_else(|| "a run".to_owned(), |run| format!("run {run}"))
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> Self {
        damage(&error).map_or(Self::Database(error), Self::Damaged)
    }
}

/// Returns what is damaged in a file, if its content caused the error.
fn damage(error: &rusqlite::Error) -> Option<String> {
    use rusqlite::Error;
    match error {
        Error::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(error.to_string()),
            ErrorCode::TooBig => Some("a value is longer than any that a judge writes".to_owned()),
            _ => None,
        },
        Error::QueryReturnedNoRows => Some("a row is missing that others refer to".to_owned()),
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..) => Some(shortened(&error.to_string())),
        _ => None,
    }
}

/// The maximal number of characters of a stored text in a message.
const MAX_SHOWN_CHARS: usize = 80;

/// Returns a stored text, shortened for a message. The text may have millions of characters.
pub(super) fn shortened(text: &str) -> String {
    beginning(text, MAX_SHOWN_CHARS)
}
