//! Tells a run that is going on from one that was killed: the first holds a lock, and the kernel frees it with the process.

use super::{JournalError, file};
use judge_problem::RunId;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A killed judge's helper processes may hold on for a moment longer than the judge itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where the locks of a journal's runs are.
#[derive(Debug, Clone)]
pub(super) enum Locks {
    /// A file for each run, in this folder: several judges record at once.
    EachRun(PathBuf),
    /// One file: one judge records at a time. It says which run.
    OneWriter(PathBuf),
}

/// Held as long as a run goes on.
#[derive(Debug)]
pub(super) struct RunLock {
    path: PathBuf,
    file: File,
}

impl Locks {
    /// Returns the only lock of the journal in this file.
    pub(super) fn one_writer(journal: &Path) -> Self {
        Self::OneWriter(file::beside(journal, "-lock"))
    }

    /// Takes the lock of a run.
    ///
    /// # Errors
    /// When another judge is working on the run, or on another of a journal with one writer, or when the lock cannot be made.
    pub(super) fn take(&self, run: RunId) -> Result<RunLock, JournalError> {
        let path = self.path(run);
        let unusable = |source| JournalError::Folder { path: path.clone(), source };
        let started = Instant::now();
        loop {
            match try_take(&path).map_err(unusable)? {
                Some(mut file) => {
                    write!(file, "{run}").map_err(unusable)?;
                    return Ok(RunLock { path, file });
                }
                None if started.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(20)),
                None => {
                    return Err(match (self, written_run(&path)) {
                        (Self::OneWriter(_), Some(other)) if other != run => JournalError::OtherWriter(other),
                        _ => JournalError::StillRunning(run),
                    });
                }
            }
        }
    }

    /// Returns whether a judge is working on a run.
    pub(super) fn is_held(&self, run: RunId) -> bool {
        let path = self.path(run);
        let is_locked =
            File::open(&path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
        is_locked && (matches!(self, Self::EachRun(_)) || written_run(&path) == Some(run))
    }

    /// Removes what a killed run left behind.
    pub(super) fn forget(&self, run: RunId) {
        if !self.is_held(run) {
            let _ = std::fs::remove_file(self.path(run));
        }
    }

    fn path(&self, run: RunId) -> PathBuf {
        match self {
            Self::EachRun(folder) => folder.join(format!("run-{run}.lock")),
            Self::OneWriter(path) => path.clone(),
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // A lock file that stays behind is harmless; another's in its place is left alone.
        if is_at(&self.file, &self.path).unwrap_or(true) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns the locked file; `None` if another process holds it.
fn try_take(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().create(true).truncate(false).read(true).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // Its last holder may have removed the file meanwhile: then the lock is on nothing that others see.
    if is_at(&file, path)? {
        // One that was cut off, if only in name, is written to the disk when it is closed, removed or not.
        if file.metadata()?.len() > 0 {
            file.set_len(0)?;
        }
        return Ok(Some(file));
    }
    Ok(None)
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
