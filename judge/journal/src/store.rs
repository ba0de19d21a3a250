//! The journal's file: opens it, makes its tables in a new one, and sets how durable a commit is.

use super::columns::query_all;
use super::error::{JournalError, Result, is_busy};
use super::file::{self, Files, Locks, Mode, RunLock};
use judge_problem::JOURNAL_FOLDER;
use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The journal's file in its folder.
const FILE: &str = "journal.db";

/// How long to wait for another judge's commit. A commit takes less than a millisecond, or longer on a slow disk.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The time between two attempts to open a journal that another judge is making.
const RETRY: Duration = Duration::from_millis(10);

/// How many pages of a journal are copied at a time.
const BACKUP_PAGES: i32 = 4096;

/// The maximal number of bytes of a row without an answer. Rows of the judge are much shorter.
const MAX_ROW_BYTES: i32 = 16 << 20;

/// The maximal number of bytes of an answer that is kept, compressed or not.
pub(super) const MAX_ANSWER_BYTES: usize = 64 << 20;

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    pub(super) connection: Connection,
    pub(super) locks: Locks,
    /// The files that are open.
    files: Files,
    /// The new file that it was rewritten to, after the original was removed, moved or replaced.
    pub rewritten_file: Option<PathBuf>,
}

impl Journal {
    /// Opens the journal in this folder for reading and writing, and makes both if they are missing.
    ///
    /// # Errors
    /// When the folder or the file cannot be made or written, is not a journal, or has another format.
    pub fn open(folder: &Path) -> Result<Self> {
        make_folder(folder)?;
        let path = folder.join(FILE);
        file::refuse_special(&path)?;
        if !is_of_one_writer(&path) {
            return Self::open_to_write(&path, Mode::Shared);
        }
        // A copied or merged file becomes a shared one while nobody writes to it.
        let idle = RunLock::of_idle(&path);
        Self::open_to_write(&path, if idle.is_some() { Mode::Shared } else { Mode::OneWriter })
    }

    /// Opens the journal in this file for reading and writing, and makes it if it is missing. A new file is safe on a
    /// network file system: it has one writer, no log and no shared memory. Others may read it at any time. The file of a
    /// journal's folder is shared, by whatever path it is named.
    ///
    /// # Errors
    /// When the file cannot be made or written, is not a journal, or has another format.
    pub fn open_file(path: &Path) -> Result<Self> {
        let mode = if path.exists() { file::mode(path)? } else { Mode::OneWriter };
        let absolute = std::path::absolute(path).unwrap_or_default();
        match absolute.parent() {
            Some(folder) if absolute.ends_with(Path::new(JOURNAL_FOLDER).join(FILE)) => Self::open(folder),
            _ => Self::open_to_write(path, mode),
        }
    }

    pub(super) fn open_to_write(path: &Path, mode: Mode) -> Result<Self> {
        let open = |mut connection: Connection| {
            configure(&connection)?;
            if Contents::of(&connection)? == Contents::Nothing {
                // It has an effect only before the first table.
                connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
            }
            let contents = Contents::of(&connection)?;
            if matches!(contents, Contents::Nothing | Contents::Journal(SCHEMA_VERSION)) {
                connection.execute_batch(mode.pragmas())?;
                make_tables(&mut connection)?;
            }
            Ok((connection, contents))
        };
        let started = Instant::now();
        let opened = loop {
            match Connection::open(path).and_then(open) {
                // SQLite does not wait for another judge that makes the same journal.
                Err(error) if is_busy(&error) && started.elapsed() < BUSY_TIMEOUT => sleep(RETRY),
                opened => break opened,
            }
        };
        Self::of(opened, path, mode)
    }

    /// Opens the journal in this folder to read it; `None` if there is none. A journal that cannot be written can still
    /// be read.
    ///
    /// # Errors
    /// When it cannot be opened, or has another format.
    pub fn open_to_read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        unless_read_only(Self::open(folder), || Self::read_only(&path, file::mode(&path)?)).map(Some)
    }

    /// Opens the journal in this file to read it; `None` if there is none. It is not changed, even if its writer was
    /// killed in the middle of a commit.
    ///
    /// # Errors
    /// When it cannot be opened, is not a journal, or has another format.
    pub fn open_file_to_read(path: &Path) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        match file::mode(path)? {
            mode @ Mode::Shared => unless_read_only(Self::open_to_write(path, mode), || Self::read_only(path, mode)),
            mode @ Mode::OneWriter => Self::read_only(path, mode),
        }
        .map(Some)
    }

    /// Opens the journal in this file to read it, and never writes to it; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be opened, is not a journal, or has another format.
    pub fn open_read_only(path: &Path) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let mode = file::mode(path)?;
        // Without `immutable`, later writes of other judges are visible. This needs a writable folder for shared
        // memory.
        unless_read_only(Self::open_with(path, mode, "mode=ro"), || Self::read_only(path, mode)).map(Some)
    }

    pub(super) fn read_only(path: &Path, mode: Mode) -> Result<Self> {
        if mode == Mode::OneWriter {
            return unless_read_only(Self::open_with(path, mode, "mode=ro"), || Self::recovered(path));
        }
        // A shared file without a log that cannot be written never changes, and needs no lock.
        let has_log = file::beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0);
        Self::open_with(path, mode, if has_log { "mode=ro" } else { "mode=ro&immutable=1" })
    }

    fn open_with(path: &Path, mode: Mode, how: &str) -> Result<Self> {
        let uri = format!("file:{}?{how}", uri_path(path));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(uri, flags).and_then(|connection| {
            configure(&connection)?;
            match Contents::of(&connection)? {
                contents @ Contents::Nothing => Ok((copied(&connection)?, contents)),
                contents => Ok((connection, contents)),
            }
        });
        Self::of(opened, path, mode)
    }

    /// If a writer was killed during a commit, it has left an incomplete commit and the pages to undo it. Undoing
    /// writes to the file, which may get a new writer at any moment, so it is done in a copy.
    fn recovered(path: &Path) -> Result<Self> {
        let copy = file::copy(path).map_err(|source| JournalError::File { path: path.to_owned(), source })?;
        let (_folder, copy) = copy;
        let opened = Connection::open(copy).and_then(|connection| {
            configure(&connection)?;
            // The copy is removed at the end of this function.
            let contents = Contents::of(&connection)?;
            Ok((copied(&connection)?, contents))
        });
        Self::of(opened, path, Mode::OneWriter)
    }

    fn of(opened: rusqlite::Result<(Connection, Contents)>, path: &Path, mode: Mode) -> Result<Self> {
        let path = file::resolved(path);
        let connection = match opened {
            Err(source) => return Err(JournalError::Open { path, source }),
            Ok((_, Contents::Journal(found))) if found != SCHEMA_VERSION => {
                return Err(JournalError::UnsupportedSchema { path, found, known: SCHEMA_VERSION });
            }
            Ok((_, Contents::Foreign)) => {
                return Err(JournalError::NoJournal { path, why: "it is the database of another program" });
            }
            Ok((_, Contents::Altered)) => {
                let why = "it has tables, views, indexes or triggers that no judge has made";
                return Err(JournalError::NoJournal { path, why });
            }
            Ok((connection, _)) => connection,
        };
        let files = Files::at(&path);
        Ok(Self { connection, locks: Locks { journal: path, mode }, files, rewritten_file: None })
    }

    /// Returns whether the open file is the one at its path: it was not removed, moved or replaced.
    pub fn is_in_place(&self) -> bool {
        self.files.0[0] == Files::at(self.path()).0[0]
    }

    /// Returns the same for the files next to it, which hold the last commits.
    pub(super) fn has_all_files(&self) -> bool {
        self.files == Files::at(self.path())
    }

    /// Returns the file of the journal in a folder.
    pub fn path_in(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// Returns the journal's file.
    pub fn path(&self) -> &Path {
        &self.locks.journal
    }
}

/// The contents of an SQLite file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    Nothing,
    /// A journal with this schema version.
    Journal(u32),
    /// A journal of this schema version with other tables.
    Altered,
    Foreign,
}

impl Contents {
    fn of(connection: &Connection) -> rusqlite::Result<Self> {
        // One state of the file: another judge may make its tables between two queries.
        let _snapshot = connection.unchecked_transaction()?;
        let count = |sql| connection.query_row(sql, [], |row| row.get::<_, u32>(0));
        Ok(match schema_version(connection)? {
            0 if count("SELECT count(*) FROM sqlite_master")? == 0 => Self::Nothing,
            SCHEMA_VERSION if !has_own_schema(connection)? => Self::Altered,
            found if found > 0 && count("SELECT count(*) FROM sqlite_master WHERE name = 'entrant'")? > 0 => {
                Self::Journal(found)
            }
            _ => Self::Foreign,
        })
    }
}

/// Returns whether a file is a journal with one writer. An empty one may just be made by another judge.
fn is_of_one_writer(path: &Path) -> bool {
    let is_empty = path.metadata().is_ok_and(|meta| meta.len() == 0);
    !is_empty && matches!(file::mode(path), Ok(Mode::OneWriter))
}

/// Makes the folder of a journal, which git ignores.
pub(super) fn make_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join(".gitignore"), "*\n"))
        .map_err(|source| JournalError::Folder { path: folder.to_owned(), source })
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Without this, SQLite plans a prepared statement again every time it is used with another value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // A journal may come from an untrusted person. Nothing in it may be executed, and nothing in it may exhaust the
    // memory.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES)?;
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON")
}

/// Reads or writes an answer, which may be longer than any other row.
pub(super) fn with_answer<T>(connection: &Connection, act: impl FnOnce() -> T) -> rusqlite::Result<T> {
    // The hash and the lengths are in the same row.
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(MAX_ANSWER_BYTES + 1024).unwrap_or(i32::MAX))?;
    let done = act();
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES)?;
    Ok(done)
}

/// Copies a journal that cannot be written to a temporary file of SQLite's, which ends with the connection. Writes to
/// the copy would be lost, so it is read-only, too.
fn copied(journal: &Connection) -> rusqlite::Result<Connection> {
    let mut copy = Connection::open("")?;
    Backup::new(journal, &mut copy)?.run_to_completion(BACKUP_PAGES, Duration::ZERO, None)?;
    configure(&copy)?;
    if Contents::of(&copy)? == Contents::Nothing {
        make_tables(&mut copy)?;
    }
    copy.execute_batch("PRAGMA query_only = ON")?;
    Ok(copy)
}

/// Returns the journal, or the result of `other` if the journal cannot be written.
fn unless_read_only(opened: Result<Journal>, other: impl FnOnce() -> Result<Journal>) -> Result<Journal> {
    let is_read_only = |code| matches!(code, ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied);
    match opened {
        Err(JournalError::Open { source, .. }) if source.sqlite_error_code().is_some_and(is_read_only) => other(),
        Err(JournalError::Folder { .. }) => other(),
        opened => opened,
    }
}

/// A path in the form of SQLite's URIs. It need not be valid UTF-8.
fn uri_path(path: &Path) -> String {
    let mut uri = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        uri += &chunk.valid().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        uri.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02x}")));
    }
    uri
}

/// The version of the schema that this judge reads and writes. A file of another version is refused.
pub(super) const SCHEMA_VERSION: u32 = 16;

const TABLES: &str = include_str!("schema.sql");

/// Makes the tables in a new file. Of two judges at once, the second waits, and then finds the tables of the first.
fn make_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    if schema_version(connection)? != 0 {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if schema_version(&transaction)? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    transaction.commit()
}

/// Returns the schema version of the file; 0 for a new one.
pub(super) fn schema_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// A table or an index: its kind, its name, its table, and the statement that makes it.
type Object = (String, String, String, Option<String>);

/// Returns whether a file has exactly the tables and indexes of this schema. A different table, a view or a trigger could
/// change the meaning of a query.
pub(super) fn has_own_schema(connection: &Connection) -> rusqlite::Result<bool> {
    static OWN: OnceLock<Vec<Object>> = OnceLock::new();
    let own = match OWN.get() {
        Some(own) => own,
        None => {
            let mut new = Connection::open_in_memory()?;
            make_tables(&mut new)?;
            let own = objects(&new, i64::MAX)?;
            OWN.get_or_init(|| own)
        }
    };
    Ok(objects(connection, i64::try_from(own.len() + 1).unwrap_or(i64::MAX))? == *own)
}

fn objects(connection: &Connection, most: i64) -> rusqlite::Result<Vec<Object>> {
    let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name LIMIT ?1";
    query_all(connection, sql, [most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
}

/// How much of a damaged journal can still be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadableRows {
    /// Runs.
    pub runs: u64,
    /// Results.
    pub results: u64,
}

/// The maximal number of rows that are read of a table, because the pages of a damaged table may form a circle.
const MAX_ROWS: u64 = 10_000_000;

impl Journal {
    /// Returns how much of a journal can still be read; `None` if nothing can. The journal is not written.
    pub fn readable_rows(path: &Path) -> Option<ReadableRows> {
        let journal = Self::open_read_only(path).ok().flatten()?;
        let count = |sql| {
            let (first, is_whole) = rows(&journal.connection, sql);
            // The rows after the last unreadable one, too.
            if is_whole { first } else { first + rows(&journal.connection, &format!("{sql} DESC")).0 }
        };
        let runs = count("SELECT id, started, command FROM run NOT INDEXED ORDER BY id");
        let results = count("SELECT place, verdict, score FROM result ORDER BY entrant");
        (runs + results > 0).then_some(ReadableRows { runs, results })
    }
}

/// Counts the rows before the first unreadable one, and returns whether they are all.
fn rows(connection: &Connection, sql: &str) -> (u64, bool) {
    let Ok(mut statement) = connection.prepare(sql) else { return (0, false) };
    let Ok(mut rows) = statement.query([]) else { return (0, false) };
    let mut count = 0;
    while count < MAX_ROWS {
        match rows.next() {
            Ok(Some(_)) => count += 1,
            Ok(None) => return (count, true),
            Err(_) => return (count, false),
        }
    }
    (count, true)
}
