//! Tells a run that is going on from one that was killed: the first holds a lock, and the kernel frees it with the process.

use super::JournalError;
use crate::model::RunId;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A killed judge's helper processes may hold on for a moment longer than the judge itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// Held as long as a run goes on.
#[derive(Debug)]
pub(super) struct RunLock {
    path: PathBuf,
    _file: File,
}

impl RunLock {
    /// Takes the lock of a run.
    ///
    /// # Errors
    /// When another judge is working on the run, or the folder cannot be written.
    pub(super) fn take(folder: &Path, run: RunId) -> Result<Self, JournalError> {
        let path = path(folder, run);
        let unusable = |source| JournalError::Folder { path: path.clone(), source };
        let file = File::options().create(true).append(true).open(&path).map_err(unusable)?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { path, _file: file }),
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => return Err(JournalError::StillRunning(run)),
                Err(TryLockError::Error(source)) => return Err(unusable(source)),
            }
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // A lock file that stays behind is empty and harmless.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Returns whether a judge is working on a run.
pub(super) fn is_held(folder: &Path, run: RunId) -> bool {
    let file = File::open(path(folder, run));
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Removes what a killed run left behind.
pub(super) fn forget(folder: &Path, run: RunId) {
    let _ = std::fs::remove_file(path(folder, run));
}

fn path(folder: &Path, run: RunId) -> PathBuf {
    folder.join(format!("run-{run}.lock"))
}
