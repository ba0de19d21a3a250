//! A journal's file before SQLite opens it: its first bytes, and the locks that distinguish a running run from a killed
//! one.

use super::error::{JournalError, Result};
use judge_problem::{RunId, RunState};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The length of the header.
const HEADER: usize = 100;

/// The byte that says how a file is written, and its value for a file with a write-ahead log.
const WRITE_VERSION: usize = 18;
const WITH_LOG: u8 = 2;

/// How often a copy is tried while the file changes.
const TRIES: usize = 50;

/// The identities (device and inode) of a journal's files: the database, its log, and its shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Files(pub(super) [Option<(u64, u64)>; 3]);

impl Files {
    /// Returns those at a path.
    pub(super) fn at(path: &Path) -> Self {
        let identity = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        Self(["", "-wal", "-shm"].map(|ending| identity(&beside(path, ending))))
    }
}

/// How a journal's file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// By several judges of one machine at once, with a log and shared memory.
    Shared,
    /// By one judge at a time, from any machine.
    OneWriter,
}

impl Mode {
    /// Returns how SQLite is to write the file.
    pub(super) fn pragmas(self) -> &'static str {
        match self {
            // A commit survives a killed process as soon as it is in the log. A power failure may lose the last commits.
            // Writing the log back waits for the disk, so it is done only every 16 MB.
            Self::Shared => "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;",
            // A commit also survives a power failure, because the disk may belong to another machine.
            Self::OneWriter => "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;",
        }
    }
}

/// Returns how the journal in this file is written. An empty file becomes a journal with its first writer.
///
/// # Errors
/// When it cannot be read, is a folder, or is not a journal.
pub(super) fn mode(path: &Path) -> Result<Mode> {
    let unreadable = |source| JournalError::File { path: path.to_owned(), source };
    let no_journal = |why| JournalError::NoJournal { path: path.to_owned(), why };
    path.metadata().map_err(unreadable)?;
    refuse_special(path)?;
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

/// Fails if a path names something else than a file. Opening the file reports other errors.
///
/// # Errors
/// When it is a folder, a pipe or a device.
pub(super) fn refuse_special(path: &Path) -> Result<()> {
    let why = match path.metadata() {
        Ok(meta) if meta.is_dir() => "it is a folder",
        Ok(meta) if !meta.is_file() => "it is a pipe or a device",
        _ => return Ok(()),
    };
    Err(JournalError::NoJournal { path: path.to_owned(), why })
}

/// Returns whether a file is shorter than the size in its header. Without a lock, this may be wrong.
pub(super) fn is_cut_off(path: &Path) -> bool {
    let mut start = [0; HEADER];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    let (size, pages) = (u16::from_be_bytes([start[16], start[17]]), &start[28..32]);
    let pages = pages.iter().fold(0_u64, |pages, byte| pages << 8 | u64::from(*byte));
    // The largest size of a page does not fit, and is written as 1.
    let size = if size == 1 { 65_536 } else { u64::from(size) };
    read.is_ok() && path.metadata().is_ok_and(|meta| meta.len() < pages * size)
}

/// Copies a journal that no judge is writing, with the pages that undo an incomplete commit. If a judge begins to
/// write, the copy is made again. The copy is removed with its folder.
pub(super) fn copy(path: &Path) -> io::Result<(TempDir, PathBuf)> {
    let prefix = judge_sandbox::sweepable_name("journal") + ".";
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
    let copy = folder.path().join("journal.db");
    let stamp = |path: &Path| path.metadata().ok().map(|meta| (meta.len(), meta.modified().ok()));
    let stamps = || [stamp(path), stamp(&rollback(path))];
    for _ in 0..TRIES {
        let before = stamps();
        std::fs::copy(path, &copy)?;
        match std::fs::copy(rollback(path), rollback(&copy)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if stamps() == before {
            return Ok((folder, copy));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(io::Error::other("it changes all the time"))
}

/// Returns the file that a journal's link leads to. All judges find the locks and the log beside this one.
pub(super) fn resolved(path: &Path) -> PathBuf {
    if path.is_symlink() { path.canonicalize().unwrap_or_else(|_| path.to_owned()) } else { path.to_owned() }
}

/// The file beside a journal with the pages as they were before a commit.
fn rollback(path: &Path) -> PathBuf {
    beside(path, "-journal")
}

/// Returns the file beside a journal with this suffix.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(resolved(path));
    name.push(ending);
    name.into()
}

/// A killed judge's helper processes may hold on for a moment longer than the judge itself.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The locks of a journal's runs, beside it. Each run of a shared journal has a file of its own. A journal with one writer
/// has one file, which says which run is recorded.
#[derive(Debug)]
pub(super) struct Locks {
    pub(super) journal: PathBuf,
    pub(super) mode: Mode,
}

/// Held while a run is running.
#[derive(Debug)]
pub(super) struct RunLock {
    path: PathBuf,
    file: File,
}

impl Locks {
    /// Takes the lock of a run.
    ///
    /// # Errors
    /// When another judge is working on the run, or on another run of a journal with one writer, or when the lock
    /// cannot be made.
    pub(super) fn take(&self, run: RunId) -> Result<RunLock> {
        let path = self.path(run);
        let lock = RunLock::wait_for(&path)?.ok_or_else(|| match (self.mode, written_run(&path)) {
            (Mode::OneWriter, Some(other)) if other != run => JournalError::OtherWriter(Some(other)),
            _ => JournalError::StillRunning(run),
        })?;
        lock.write(run)?;
        Ok(lock)
    }

    /// Takes the lock of a journal with one writer before the run has a number; `None` if each run has its own lock.
    ///
    /// # Errors
    /// When another judge is recording a run, or when the lock cannot be made.
    pub(super) fn take_only(&self) -> Result<Option<RunLock>> {
        if self.mode == Mode::Shared {
            return Ok(None);
        }
        let path = beside(&self.journal, "-lock");
        let lock = RunLock::wait_for(&path)?;
        lock.map(Some).ok_or_else(|| JournalError::OtherWriter(written_run(&path)))
    }

    /// Returns whether a judge is working on a run.
    pub(super) fn is_held(&self, run: RunId) -> bool {
        let path = self.path(run);
        let is_locked =
            File::open(&path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
        is_locked && (self.mode == Mode::Shared || written_run(&path) == Some(run))
    }

    /// Removes the lock file of a killed run. A lock that a judge holds is kept: the runs of a file with one writer share
    /// one lock.
    pub(super) fn forget(&self, run: RunId) {
        let path = self.path(run);
        if path.exists() {
            drop(RunLock::try_take(&path));
        }
    }

    fn path(&self, run: RunId) -> PathBuf {
        match self.mode {
            Mode::Shared => self.journal.with_file_name(format!("run-{run}.lock")),
            Mode::OneWriter => beside(&self.journal, "-lock"),
        }
    }
}

impl RunLock {
    /// Takes the only lock of a journal with one writer; `None` while a run is recorded in it.
    pub(super) fn of_idle(journal: &Path) -> Option<Self> {
        let path = beside(journal, "-lock");
        let started = Instant::now();
        loop {
            match Self::try_take(&path) {
                // The lock has no run while a run starts, and while another judge opens the file.
                Ok(None) if written_run(&path).is_none() && started.elapsed() < LOCK_TIMEOUT => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                taken => return taken.ok().flatten(),
            }
        }
    }

    /// Takes a lock; `None` if another process holds it for too long.
    fn wait_for(path: &Path) -> Result<Option<Self>> {
        let started = Instant::now();
        loop {
            let lock = Self::try_take(path).map_err(|source| unusable(path, source))?;
            if lock.is_some() || started.elapsed() >= LOCK_TIMEOUT {
                return Ok(lock);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Takes a lock; `None` if another process holds it.
    fn try_take(path: &Path) -> io::Result<Option<Self>> {
        let file = File::options().create(true).truncate(false).read(true).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The last holder may have removed the file meanwhile. Then other judges do not see this lock.
        if !is_at(&file, path)? {
            return Ok(None);
        }
        let lock = Self { path: path.to_owned(), file };
        // Truncating a file makes the file system write it to the disk, so it is done only if needed.
        if lock.file.metadata()?.len() > 0 {
            lock.file.set_len(0)?;
        }
        Ok(Some(lock))
    }

    /// Writes which run holds the lock.
    ///
    /// # Errors
    /// When the disk is full.
    pub(super) fn write(&self, run: RunId) -> Result<()> {
        write!(&self.file, "{run}").map_err(|source| unusable(&self.path, source))
    }
}

fn unusable(path: &Path, source: io::Error) -> JournalError {
    JournalError::Folder { path: path.to_owned(), source }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // A remaining lock file is harmless. If another judge's file has replaced it, that file is kept.
        if is_at(&self.file, &self.path).unwrap_or(true) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns whether an open file is the one at a path.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    Ok(path.metadata().is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())))
}

/// Returns the run that a lock's holder has written into it.
fn written_run(path: &Path) -> Option<RunId> {
    let mut text = String::new();
    File::open(path).ok()?.read_to_string(&mut text).ok()?;
    text.parse().ok().map(RunId)
}

/// Returns the state of a run from its stored state and its lock.
pub(super) fn run_state(stored: &str, locks: &Locks, run: RunId) -> RunState {
    let unended = || if locks.is_held(run) { RunState::Running } else { RunState::Killed };
    stored.parse().unwrap_or_else(|_| unended())
}

/// Calls `read`, and calls it again if a run looks killed. The run may have ended after its row was read and before its
/// lock was checked. In this case its row now has the final state.
pub(super) fn settled<T>(
    mut read: impl FnMut() -> rusqlite::Result<T>,
    is_killed: impl Fn(&T) -> bool,
) -> rusqlite::Result<T> {
    let first = read()?;
    if is_killed(&first) { read() } else { Ok(first) }
}
