//! Working folders. This file has the working folders of tiers without namespaces. They are in memory if a file system
//! can be mounted, otherwise on the host's disk.

pub(crate) mod disk;
pub(crate) mod exchange;
pub(crate) mod ramdisk;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{CWD, Gid, Mode, Uid};
use rustix::thread::CapabilitySet;

use crate::confine::identity;
use crate::process::in_child;
use crate::request::{Context, Fault};
use crate::scratch::disk::{DiskUsage, empty, is_ours, names, open_folder};
use crate::scratch::ramdisk::{Mountpoint, Ramdisk};

/// The name of the working folder in the private folder.
pub(crate) const WORK_FOLDER: &str = "box";
/// The private folder's mode while a program runs. Programs can pass through it but cannot add files to it. This holds
/// even for a program that runs as its owner, because seccomp refuses to change the mode.
const CLOSED: Mode = Mode::from_raw_mode(0o511);
const OPEN: Mode = Mode::from_raw_mode(0o711);

/// The folder for temporary files. It is absolute, because the helpers have another working folder. An empty `TMPDIR` is
/// none.
pub(crate) fn temporary() -> PathBuf {
    std::path::absolute(std::env::temp_dir()).unwrap_or_else(|_| PathBuf::from("/tmp"))
}

/// Whether working folders can be in memory, for this user or for `another`. Tried in a child.
pub(crate) fn can_be_memory(another: bool) -> bool {
    // The user namespace of an ordinary user contains only that user.
    let knows_owner = !another || identity::has(CapabilitySet::SYS_ADMIN);
    let mounts = || ramdisk::enter().is_ok() && Ramdisk::mount("/proc", own_uid(), false, 4096).is_ok();
    // SAFETY: the closure allocates and makes system calls.
    knows_owner && unsafe { in_child(mounts) }
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The private folder of a helper, with the program's working folder in it.
pub(crate) struct Folder {
    path: PathBuf,
    private: OwnedFd,
    inner: Inner,
}

enum Inner {
    /// A file system of limited size, mounted over an empty folder.
    Memory(Ramdisk, Mountpoint),
    /// A part of the host's file system.
    Disk(Plain),
}

impl Folder {
    /// Makes `path`, which must not exist, and the working folder in it, for the user `owner` or this one. If possible,
    /// this process gets its own mounts. `executes`: files in it may be executed.
    pub(crate) fn create(path: PathBuf, owner: Option<u32>, executes: bool) -> Result<Folder, Fault> {
        let place = path.display().to_string();
        let what = || format!("creating the working folder {place}");
        rustix::fs::mkdir(&path, OPEN).context(what())?;
        let private = open_folder(CWD, &path).context(what())?;
        // As the kernel names its content.
        let path = std::fs::canonicalize(&path).context(what())?;
        if !is_ours(private.as_fd()).context(what())? {
            return Err(rustix::io::Errno::PERM).context(what());
        }
        let plain = Plain::make(private.as_fd(), owner).context(what())?;
        let inner = if can_be_memory(owner.is_some()) {
            // The current folder belongs to the new mounts, and `WORK_FOLDER` is relative to it. Open descriptors
            // belong to the old mounts.
            rustix::process::fchdir(&private).context(what())?;
            ramdisk::enter().context("making private mounts")?;
            let place = Mountpoint::new(open_folder(CWD, ".").context(what())?, WORK_FOLDER);
            Inner::Memory(Ramdisk::mount(WORK_FOLDER, owner.unwrap_or_else(own_uid), executes, 4096)?, place)
        } else {
            Inner::Disk(plain)
        };
        rustix::fs::fchmod(&private, CLOSED).context(what())?;
        Ok(Folder { path, private, inner })
    }

    /// The path of the private folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The private folder. A landlock rule names it, as the working folder is replaced.
    pub(crate) fn private(&self) -> BorrowedFd<'_> {
        self.private.as_fd()
    }

    /// The working folder.
    pub(crate) fn inner(&self) -> BorrowedFd<'_> {
        match &self.inner {
            Inner::Memory(ramdisk, _) => ramdisk.root(),
            Inner::Disk(plain) => plain.fd.as_fd(),
        }
    }

    /// Where the memory of the working folder can be measured, if it is a file system in memory of its own.
    pub(crate) fn memory(&self) -> Option<&Mountpoint> {
        match &self.inner {
            Inner::Memory(_, place) => Some(place),
            Inner::Disk(_) => None,
        }
    }

    /// What a run of this process holds on disk; `None` if the kernel limits the size of the working folder.
    pub(crate) fn disk_usage(&self, user: Option<u32>) -> Option<DiskUsage<'_>> {
        const TMPFS: libc::c_long = 0x0102_1994;
        const RAMFS: libc::c_long = 0x8584_58f6;
        let Inner::Disk(plain) = &self.inner else { return None };
        let is_in_memory = rustix::fs::fstatfs(&plain.fd).is_ok_and(|system| [TMPFS, RAMFS].contains(&system.f_type));
        let (folder, root) = ((self.private.as_fd(), WORK_FOLDER), std::process::id().cast_signed());
        let (path, free_before) = (&*self.path, plain.free_before);
        Some(DiskUsage { folder, path, root, user, free_before, is_in_memory })
    }

    /// To be called before a program can change it.
    pub(crate) fn mark_used(&mut self) {
        match &mut self.inner {
            Inner::Memory(ramdisk, _) => ramdisk.mark_used(),
            Inner::Disk(plain) => {
                (plain.is_new, plain.free_before) = (false, disk::free_bytes(self.private.as_fd()));
            }
        }
    }

    /// Makes sure that it is empty, as new, and of this size where the kernel limits it; `None` means the same size.
    /// `run`: how long the last program ran, if no task of it was killed and it had the filter.
    pub(crate) fn renew(&mut self, size: Option<u64>, run: Option<Duration>) -> Result<(), Fault> {
        match &mut self.inner {
            Inner::Memory(ramdisk, _) => {
                ramdisk.note_run(run);
                ramdisk.renew(size.unwrap_or(ramdisk.size))
            }
            Inner::Disk(plain) if plain.is_new => Ok(()),
            Inner::Disk(plain) => {
                plain.renew(&self.private).context(format!("emptying the working folder {}", self.path.display()))
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The next start removes everything that cannot be removed now.
        if let Inner::Memory(ramdisk, _) = &self.inner {
            let _ = ramdisk.unmount();
        }
        let _ = empty(self.private.as_fd());
        let _ = rustix::fs::rmdir(&self.path);
    }
}

struct Plain {
    fd: OwnedFd,
    owner: Option<u32>,
    is_new: bool,
    /// The state of the new folder.
    fresh: FolderState,
    /// Free bytes on the disk before the program started.
    free_before: u64,
}

impl Plain {
    fn make(private: BorrowedFd<'_>, owner: Option<u32>) -> rustix::io::Result<Plain> {
        rustix::fs::mkdirat(private, WORK_FOLDER, Mode::RWXU)?;
        let fd = open_folder(private, WORK_FOLDER)?;
        if let Some(id) = owner {
            rustix::fs::fchown(&fd, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)))?;
        }
        let fresh = state(fd.as_fd())?;
        Ok(Plain { fd, owner, is_new: true, fresh, free_before: 0 })
    }

    /// A folder in its initial state is kept, as making another takes milliseconds on some disks.
    fn renew(&mut self, private: &OwnedFd) -> rustix::io::Result<()> {
        if state(self.fd.as_fd()) == Ok(self.fresh) {
            self.is_new = true;
            return Ok(());
        }
        empty(private.as_fd())?;
        *self = Plain::make(private.as_fd(), self.owner)?;
        rustix::fs::fchmod(private, CLOSED)
    }
}

/// The state of a folder as the kernel shows it: when it was changed and modified, mode, size, and the number of
/// entries. Within one tick of the kernel's clock, the times do not show a new file.
type FolderState = ([(i64, i128); 2], u32, (i64, i64), usize);

fn state(folder: BorrowedFd<'_>) -> rustix::io::Result<FolderState> {
    let stat = rustix::fs::fstat(folder)?;
    // Nanoseconds have different types in different libcs.
    let times = [(stat.st_ctime, stat.st_ctime_nsec.into()), (stat.st_mtime, stat.st_mtime_nsec.into())];
    Ok((times, stat.st_mode, (stat.st_size, stat.st_blocks), names(folder)?.len()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::OFlags;

    use super::*;
    use crate::require::{Need, skip};

    fn plain(top: &std::path::Path) -> Folder {
        let path = top.join("private");
        rustix::fs::mkdir(&path, OPEN).unwrap();
        let private = open_folder(CWD, &path).unwrap();
        let inner = Inner::Disk(Plain::make(private.as_fd(), None).unwrap());
        Folder { path, private, inner }
    }

    #[test]
    fn an_untouched_folder_is_kept() {
        let top = tempfile::tempdir().unwrap();
        let mut folder = plain(top.path());
        let first = rustix::fs::fstat(folder.inner()).unwrap().st_ino;
        folder.mark_used();
        folder.renew(None, Some(Duration::ZERO)).unwrap();
        assert_eq!(rustix::fs::fstat(folder.inner()).unwrap().st_ino, first);
        fs::remove_dir(top.path().join("private/box")).unwrap();
        folder.mark_used();
        folder.renew(None, Some(Duration::ZERO)).unwrap();
        assert!(top.path().join("private/box").exists());
    }

    /// Whether the folder is empty after each of a hundred uses in quick succession.
    fn renews(folder: &mut Folder) -> bool {
        let leave = |at: BorrowedFd<'_>| {
            rustix::fs::openat(at, "left", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).is_ok()
                && rustix::fs::mkdirat(at, "folder", Mode::empty()).is_ok()
        };
        (0..100).all(|_| {
            folder.mark_used();
            let was_empty = names(folder.inner()).is_ok_and(|names| names.is_empty());
            was_empty && leave(folder.inner()) && folder.renew(None, Some(Duration::ZERO)).is_ok()
        })
    }

    #[test]
    fn a_used_folder_is_empty_for_the_next_run() {
        let top = tempfile::tempdir().unwrap();
        assert!(renews(&mut plain(top.path())));
    }

    #[test]
    fn a_used_folder_is_empty_where_clocks_are_coarse() {
        if !can_be_memory(false) {
            return skip(Need::Userns, "no file system can be mounted");
        }
        let top = tempfile::tempdir().unwrap();
        let on_ramfs = |top: &std::path::Path| {
            let is_mounted = ramdisk::enter().is_ok()
                && rustix::mount::mount("ramfs", top, "ramfs", rustix::mount::MountFlags::empty(), None).is_ok();
            is_mounted && renews(&mut plain(top))
        };
        // SAFETY: the closure allocates and makes system calls.
        assert!(unsafe { in_child(|| on_ramfs(top.path())) });
    }

    #[test]
    fn a_file_system_is_new_after_every_run_but_one_that_left_it_alone() {
        if !can_be_memory(false) {
            return skip(Need::Userns, "no file system can be mounted");
        }
        let top = tempfile::tempdir().unwrap();
        let is_same_after = |folder: &mut Folder, run| {
            let before = rustix::fs::fstat(folder.inner()).unwrap().st_dev;
            if !matches!(&folder.inner, Inner::Memory(ramdisk, _) if ramdisk.has_distinct_times) {
                // The clock is coarse.
                std::thread::sleep(Duration::from_millis(20));
            }
            folder.mark_used();
            // Its number is not reused before it is gone.
            let old = folder.inner().try_clone_to_owned().unwrap();
            folder.renew(None, run).unwrap();
            drop(old);
            rustix::fs::fstat(folder.inner()).unwrap().st_dev == before
        };
        let are_new = || {
            let mut folder = Folder::create(top.path().join("private"), None, false).unwrap();
            folder.memory().is_some()
                && renews(&mut folder)
                && is_same_after(&mut folder, Some(Duration::ZERO))
                && is_same_after(&mut folder, Some(Duration::ZERO))
                && is_same_after(&mut folder, Some(Duration::from_secs(1)))
                && !is_same_after(&mut folder, None)
        };
        // SAFETY: the closure allocates and makes system calls.
        assert!(unsafe { in_child(are_new) });
    }
}
