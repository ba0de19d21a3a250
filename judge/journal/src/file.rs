//! What a journal's file is, told by its first bytes, before SQLite opens it.

use super::JournalError;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// How every file of SQLite begins.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// How many bytes of a file say what it is.
const HEADER: usize = 100;

/// Where a file says how it is written, and what it says where it has a log.
const WRITE_VERSION: usize = 18;
const WITH_LOG: u8 = 2;

/// How often a copy is tried while the file changes.
const TRIES: usize = 50;

/// Which files a journal is in: the device and the number of its own, of its log, and of the memory that judges share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Files([Option<(u64, u64)>; 3]);

impl Files {
    /// Returns those at a path.
    pub(super) fn at(path: &Path) -> Self {
        let identity = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        Self(["", "-wal", "-shm"].map(|ending| identity(&beside(path, ending))))
    }

    /// Returns whether both are of the same journal, whatever is beside it.
    pub(super) fn is_same_journal(self, other: Self) -> bool {
        self.0[0] == other.0[0]
    }
}

/// How a journal's file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// By several judges of one machine at once: with a log, and with memory that they share.
    Shared,
    /// By one judge, on any machine that sees the file.
    OneWriter,
}

impl Mode {
    /// Returns how SQLite is to write the file.
    pub(super) fn pragmas(self) -> &'static str {
        match self {
            // A commit is safe from a killed process as soon as it is in the log; only the power may take the last ones.
            // Writing the log back is what waits for the disk: not more often than every 16 MB.
            Self::Shared => "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;",
            // Also safe from a machine that fails: its disk may be another one's.
            Self::OneWriter => "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;",
        }
    }
}

/// Returns how the journal in this file is written. An empty file becomes a journal with its first writer.
///
/// # Errors
/// When it cannot be read, is a folder, or is no journal.
pub(super) fn mode(path: &Path) -> Result<Mode, JournalError> {
    let unreadable = |source| JournalError::File { path: path.to_owned(), source };
    let no_journal = |why| JournalError::NoJournal { path: path.to_owned(), why };
    match path.metadata().map_err(unreadable)? {
        meta if meta.is_dir() => return Err(no_journal("it is a folder")),
        meta if !meta.is_file() => return Err(no_journal("it is a pipe or a device")),
        _ => {}
    }
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(HEADER as u64).read_to_end(&mut start)).map_err(unreadable)?;
    match start.get(WRITE_VERSION) {
        None if start.is_empty() => Ok(Mode::OneWriter),
        _ if start.starts_with(MAGIC) && start.len() < HEADER => Err(no_journal("it is cut off")),
        Some(version) if start.starts_with(MAGIC) => {
            Ok(if *version == WITH_LOG { Mode::Shared } else { Mode::OneWriter })
        }
        _ => Err(no_journal("it is no SQLite file")),
    }
}

/// Returns whether a file is shorter than it says, as far as that can be told without a lock.
pub(super) fn is_cut_off(path: &Path) -> bool {
    let mut start = [0; HEADER];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    let (size, pages) = (u16::from_be_bytes([start[16], start[17]]), &start[28..32]);
    let pages = pages.iter().fold(0_u64, |pages, byte| pages << 8 | u64::from(*byte));
    // The largest size of a page does not fit, and is written as 1.
    let size = if size == 1 { 65_536 } else { u64::from(size) };
    read.is_ok() && path.metadata().is_ok_and(|meta| meta.len() < pages * size)
}

/// A copy of a journal, with the pages that take a half commit back. It is removed with this value.
pub(super) struct Copy {
    folder: TempDir,
}

impl Copy {
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("journal.db")
    }
}

/// Copies a journal that no judge is writing. If one begins to write meanwhile, the copy is made again.
pub(super) fn copy(path: &Path) -> io::Result<Copy> {
    let prefix = judge_sandbox::sweepable_name("journal") + ".";
    let copy = Copy { folder: tempfile::Builder::new().prefix(&prefix).tempdir()? };
    let stamp = |path: &Path| path.metadata().ok().map(|meta| (meta.len(), meta.modified().ok()));
    let stamps = || [stamp(path), stamp(&rollback(path))];
    for _ in 0..TRIES {
        let before = stamps();
        std::fs::copy(path, copy.path())?;
        match std::fs::copy(rollback(path), rollback(&copy.path())) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if stamps() == before {
            return Ok(copy);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(io::Error::other("it changes all the time"))
}

/// The file beside a journal with the pages as they were before a commit.
fn rollback(path: &Path) -> PathBuf {
    beside(path, "-journal")
}

/// Returns the file whose name is that of a journal with an ending.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}
