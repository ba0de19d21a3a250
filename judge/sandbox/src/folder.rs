//! A working folder on the host's file system, empty for every run, and removed whatever was done in it.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

use crate::execution::Fault;
use crate::fault::Doing;

/// The program's own folder inside of the private one.
const BOX: &str = "box";
/// The private folder's mode while a program runs: it may be passed through, but nothing be put next to the working
/// folder, not even by a program that runs as its owner, whom seccomp keeps from changing it.
const CLOSED: Mode = Mode::from_raw_mode(0o511);
/// As in the working folders of jails.
const MOST_ENTRIES: usize = 16384;
const OPEN: Mode = Mode::from_raw_mode(0o711);

/// A private folder of one helper with the program's working folder in it.
pub(crate) struct Folder {
    path: PathBuf,
    private: OwnedFd,
    inner: OwnedFd,
    owner: Option<u32>,
    /// The inner folder as it was made: when the kernel's time stamps are the same, nothing was ever put in.
    fresh: Stamp,
}

/// A folder's time stamps and mode.
#[derive(PartialEq, Eq)]
pub(crate) struct Stamp {
    changed: (i64, u64),
    modified: (i64, u64),
    mode: u32,
}

impl Stamp {
    pub(crate) fn of(folder: BorrowedFd<'_>) -> rustix::io::Result<Stamp> {
        let stat = rustix::fs::fstat(folder)?;
        Ok(Stamp {
            changed: (stat.st_ctime, stat.st_ctime_nsec),
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            mode: stat.st_mode,
        })
    }
}

impl Folder {
    /// Makes `path`, which must not exist yet, and the working folder in it, for the user `owner` (or this one).
    pub(crate) fn create(path: PathBuf, owner: Option<u32>) -> Result<Folder, Fault> {
        let what = || format!("creating the working folder {}", path.display());
        rustix::fs::mkdir(&path, OPEN).doing(what())?;
        let private = open_folder(rustix::fs::CWD, &path).doing(what())?;
        let (inner, fresh) = make_inner(private.as_fd(), owner).doing(what())?;
        rustix::fs::fchmod(&private, CLOSED).doing(what())?;
        Ok(Folder { path, private, inner, owner, fresh })
    }

    /// The private folder's path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The working folder's path.
    pub(crate) fn inner_path(&self) -> PathBuf {
        self.path.join(BOX)
    }

    /// The working folder, certainly empty.
    pub(crate) fn inner(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }

    /// The private folder: what a landlock rule names, since the inner one is replaced.
    pub(crate) fn private(&self) -> BorrowedFd<'_> {
        self.private.as_fd()
    }

    /// Bytes on disk of the files in the working folder, counted until `enough` is passed, in the first few thousand. As
    /// many entries as no honest program makes are as bad as too many bytes.
    pub(crate) fn bytes(&self, enough: u64) -> u64 {
        let mut waiting: Vec<io::Result<OwnedFd>> = vec![self.inner.try_clone()];
        let (mut total, mut visited) = (0, 0);
        while let Some(folder) = waiting.pop() {
            let Ok(folder) = folder else { continue };
            let names = names(folder.as_fd()).unwrap_or_default();
            if names.len() > MOST_ENTRIES {
                return u64::MAX;
            }
            for name in names {
                let Ok(stat) = rustix::fs::statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
                visited += 1;
                total += stat.st_blocks.unsigned_abs() * 512;
                if total > enough || waiting.len() > 64 || visited > 4096 {
                    return total;
                }
                if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                    waiting.push(open_folder(folder.as_fd(), name.as_c_str()).map_err(io::Error::from));
                }
            }
        }
        total
    }

    /// Makes the working folder empty again, as new.
    pub(crate) fn renew(&mut self) -> Result<(), Fault> {
        if Stamp::of(self.inner.as_fd()).is_ok_and(|stamp| stamp == self.fresh) {
            return Ok(());
        }
        let what = || format!("emptying the working folder {}", self.path.display());
        empty(self.private.as_fd()).doing(what())?;
        (self.inner, self.fresh) = make_inner(self.private.as_fd(), self.owner).doing(what())?;
        rustix::fs::fchmod(&self.private, CLOSED).doing(what())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed now is found by the next start's sweep.
        let _ = empty(self.private.as_fd());
        let _ = rustix::fs::rmdir(&self.path);
    }
}

/// Removes `path`, which another judge left behind, and all that is in it.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    empty(open_folder(rustix::fs::CWD, path)?.as_fd())?;
    Ok(rustix::fs::rmdir(path)?)
}

fn make_inner(private: BorrowedFd<'_>, owner: Option<u32>) -> rustix::io::Result<(OwnedFd, Stamp)> {
    rustix::fs::mkdirat(private, BOX, Mode::RWXU)?;
    if let Some(id) = owner {
        rustix::fs::chownat(private, BOX, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)), AtFlags::empty())?;
    }
    let inner = open_folder(private, BOX)?;
    let fresh = Stamp::of(inner.as_fd())?;
    Ok((inner, fresh))
}

fn open_folder<P: rustix::path::Arg>(at: BorrowedFd<'_>, path: P) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, path, flags, Mode::empty())
}

fn names(folder: BorrowedFd<'_>) -> rustix::io::Result<Vec<CString>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if name.as_c_str() != c"." && name.as_c_str() != c".." {
            found.push(name);
        }
    }
    Ok(found)
}

/// Removes all that is in `top`. Folders that are not empty are first lifted to the top, so that neither the depth of
/// the tree nor the length of its paths costs stack, descriptors or patience.
fn empty(top: BorrowedFd<'_>) -> rustix::io::Result<()> {
    rustix::fs::fchmod(top, OPEN)?;
    let mut lifted = 0_u64;
    loop {
        let entries = names(top)?;
        if entries.is_empty() {
            return Ok(());
        }
        for name in entries {
            if !remove_entry(top, &name)? {
                lift_contents(top, &name, &mut lifted)?;
                rustix::fs::unlinkat(top, &name, AtFlags::REMOVEDIR)?;
            }
        }
    }
}

/// Whether `name` could be removed at once; if not, it is a folder with something in it.
fn remove_entry(folder: BorrowedFd<'_>, name: &CStr) -> rustix::io::Result<bool> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) => return Ok(true),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    match rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR) {
        Ok(()) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        Err(error) => Err(error),
    }
}

fn lift_contents(top: BorrowedFd<'_>, name: &CStr, lifted: &mut u64) -> rustix::io::Result<()> {
    // A program may have closed its folders to itself, and so to us.
    rustix::fs::chmodat(top, name, Mode::RWXU, AtFlags::empty())?;
    let folder = open_folder(top, name)?;
    for inner in names(folder.as_fd())? {
        match rustix::fs::unlinkat(&folder, &inner, AtFlags::empty()) {
            Ok(()) => continue,
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error),
        }
        rustix::fs::chmodat(&folder, &inner, Mode::RWXU, AtFlags::empty())?;
        loop {
            let target = format!(".lifted-{lifted}");
            *lifted += 1;
            match rustix::fs::renameat(&folder, &inner, top, &target) {
                Ok(()) => break,
                // The program had the same idea for a name.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR | Errno::ISDIR) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_deep_closed_and_crowded_tree_is_removed() {
        let top = tempfile::tempdir().unwrap();
        let folder = Folder::create(top.path().join("private"), None).unwrap();
        let mut place = folder.inner().try_clone_to_owned().unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&place, "d", Mode::RWXU).unwrap();
            rustix::fs::symlinkat("/", &place, "link").unwrap();
            place = open_folder(place.as_fd(), "d").unwrap();
        }
        rustix::fs::mkdirat(&place, ".lifted-3", Mode::empty()).unwrap();
        for number in 0..2000 {
            fs::write(top.path().join(format!("private/box/{number}")), "x").unwrap();
        }
        assert!(folder.bytes(u64::MAX) > 2000);
        drop(folder);
        assert!(!top.path().join("private").exists());
    }

    #[test]
    fn a_used_folder_is_empty_for_the_next_run() {
        let top = tempfile::tempdir().unwrap();
        let mut folder = Folder::create(top.path().join("private"), None).unwrap();
        let inner = top.path().join("private/box");
        let first = rustix::fs::fstat(folder.inner()).unwrap().st_ino;
        folder.renew().unwrap();
        assert_eq!(rustix::fs::fstat(folder.inner()).unwrap().st_ino, first, "untouched: kept");
        fs::write(inner.join("left"), "x").unwrap();
        fs::remove_file(inner.join("left")).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(10));
        folder.renew().unwrap();
        assert!(fs::read_dir(&inner).unwrap().next().is_none());
        fs::remove_dir(&inner).unwrap();
        folder.renew().unwrap();
        assert!(inner.exists());
    }
}
