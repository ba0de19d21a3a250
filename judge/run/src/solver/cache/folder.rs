//! A folder that one user alone can write to, held open: what happens to its path later changes nothing.

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// The beginning of the names of entries that are being written.
const UNFINISHED: &str = "new-";

/// What was not finished for so long is left over from a process that was killed.
const ABANDONED: Duration = Duration::from_secs(600);

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

/// A file of the folder.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) bytes: u64,
    /// When it was last written or touched.
    pub(super) used: SystemTime,
}

impl Folder {
    /// Opens a folder, and makes it and those above it if they are missing.
    ///
    /// # Errors
    /// When it cannot be made or opened, is a link, or others can read or write it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())?;
        let stat = rustix::fs::fstat(&folder)?;
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other(format!("{} belongs to another user", path.display())));
        }
        if stat.st_mode & 0o077 != 0 {
            let path = path.display();
            return Err(io::Error::other(format!("{path} is open to other users; run chmod 700 {path}")));
        }
        Ok(Self(folder))
    }

    /// Returns the content of a file of this user.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty()).ok()?);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Writes a file whole or not at all.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let unfinished = format!("{UNFINISHED}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let put = || -> io::Result<()> {
            let file = rustix::fs::openat(&self.0, &*unfinished, flags, Mode::from_raw_mode(0o600))?;
            File::from(file).write_all(bytes)?;
            Ok(rustix::fs::renameat(&self.0, &*unfinished, &self.0, name)?)
        };
        put().inspect_err(|_| self.remove(&unfinished))
    }

    /// Notes that a file was used.
    pub(super) fn touch(&self, name: &str) {
        let at = |nanoseconds| Timespec { tv_sec: 0, tv_nsec: nanoseconds };
        let times = Timestamps { last_access: at(UTIME_OMIT), last_modification: at(UTIME_NOW) };
        // It may have been removed meanwhile.
        let _ = rustix::fs::utimensat(&self.0, name, &times, AtFlags::SYMLINK_NOFOLLOW);
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, name: &str) {
        let _ = rustix::fs::unlinkat(&self.0, name, AtFlags::empty());
    }

    /// Returns every finished file, and removes what a killed process has left.
    pub(super) fn entries(&self) -> Vec<Found> {
        let Ok(listed) = Dir::read_from(self.0.as_fd()) else { return Vec::new() };
        let found = listed.flatten().filter_map(|entry| self.look(entry.file_name().to_str().ok()?));
        let (unfinished, finished): (Vec<_>, Vec<_>) = found.partition(|found| found.name.starts_with(UNFINISHED));
        let is_old = |found: &&Found| found.used.elapsed().is_ok_and(|age| age > ABANDONED);
        unfinished.iter().filter(is_old).for_each(|found| self.remove(&found.name));
        finished
    }

    fn look(&self, name: &str) -> Option<Found> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        let seconds = Duration::from_secs(u64::try_from(stat.st_mtime).ok()?);
        let used = SystemTime::UNIX_EPOCH + seconds + Duration::from_nanos(stat.st_mtime_nsec);
        is_file.then(|| Found { name: name.to_owned(), bytes: stat.st_size.unsigned_abs(), used })
    }
}
