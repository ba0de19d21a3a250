//! The journal's file: opens it, brings its form up to date, and settles how durable a commit is.

use super::JournalError;
use super::schema::{NEWEST, form, migrate};
use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The journal's file in its folder.
const FILE: &str = "journal.db";

/// How long another judge's commit is waited for. Commits take less than a millisecond; a slow disk takes longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many pages of a journal are copied at a time.
const BACKUP_PAGES: i32 = 4096;

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    pub(super) connection: Connection,
    pub(super) folder: PathBuf,
}

impl Journal {
    /// Opens the journal in this folder for reading and writing, and makes both where there are none.
    ///
    /// # Errors
    /// When the folder or the file cannot be made or written, is no journal, or is a newer judge's.
    pub fn open(folder: &Path) -> Result<Self, JournalError> {
        make_folder(folder).map_err(|source| JournalError::Folder { path: folder.to_owned(), source })?;
        let path = folder.join(FILE);
        let opened = Connection::open(&path).and_then(|mut connection| {
            let found = form(&connection)?;
            if found == 0 {
                // Only before the first table does it count; later it would be one more write to the file.
                connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
            }
            if found > NEWEST {
                return Ok((connection, found));
            }
            // A commit is safe from a killed process as soon as it is in the log; only the power may take the last ones.
            connection.execute_batch("PRAGMA journal_mode = WAL")?;
            configure(&connection)?;
            let found = migrate(&mut connection)?;
            Ok((connection, found))
        });
        let (connection, found) = opened.map_err(|source| JournalError::Open { path: path.clone(), source })?;
        check_form(&path, found)?;
        Ok(Self { connection, folder: folder.to_owned() })
    }

    /// Opens the journal in this folder to look into it; `None` when there is none. A journal that cannot be written
    /// can still be read.
    ///
    /// # Errors
    /// When it cannot be opened, or is a newer judge's.
    pub fn look(folder: &Path) -> Result<Option<Self>, JournalError> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        match Self::open(folder) {
            Err(JournalError::Open { source, .. }) if is_read_only(&source) => Self::open_read_only(folder).map(Some),
            Err(JournalError::Folder { .. }) => Self::open_read_only(folder).map(Some),
            opened => opened.map(Some),
        }
    }

    /// Without its log, a file that cannot be written is all there is, and needs no lock.
    pub(super) fn open_read_only(folder: &Path) -> Result<Self, JournalError> {
        let path = folder.join(FILE);
        let has_log = path.with_extension("db-wal").metadata().is_ok_and(|log| log.len() > 0);
        let uri = format!("file:{}?mode=ro{}", uri_path(&path), if has_log { "" } else { "&immutable=1" });
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(uri, flags).and_then(|connection| {
            configure(&connection)?;
            let found = form(&connection)?;
            if found < NEWEST { Ok((migrated_copy(&connection)?, found)) } else { Ok((connection, found)) }
        });
        let (connection, found) = opened.map_err(|source| JournalError::Open { path: path.clone(), source })?;
        check_form(&path, found)?;
        Ok(Self { connection, folder: folder.to_owned() })
    }

    /// Returns the journal's file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }
}

fn make_folder(folder: &Path) -> std::io::Result<()> {
    if !folder.is_dir() {
        std::fs::create_dir_all(folder)?;
        // The folder is not meant for git.
        std::fs::write(folder.join(".gitignore"), "*\n")?;
    }
    Ok(())
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Writing the log back is what waits for the disk: not more often than every 16 MB.
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000;")
}

/// Copies a journal that cannot be written to a temporary file of SQLite's, which ends with the connection, and brings
/// the copy up to date. What is written to the copy would be lost: it is read-only, too.
fn migrated_copy(journal: &Connection) -> rusqlite::Result<Connection> {
    let mut copy = Connection::open("")?;
    Backup::new(journal, &mut copy)?.run_to_completion(BACKUP_PAGES, Duration::ZERO, None)?;
    configure(&copy)?;
    migrate(&mut copy)?;
    copy.execute_batch("PRAGMA query_only = ON")?;
    Ok(copy)
}

fn check_form(path: &Path, found: u32) -> Result<(), JournalError> {
    if found > NEWEST {
        return Err(JournalError::Newer { path: path.to_owned(), found, known: NEWEST });
    }
    Ok(())
}

fn is_read_only(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied))
}

/// A path as SQLite's URIs want it.
fn uri_path(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}
