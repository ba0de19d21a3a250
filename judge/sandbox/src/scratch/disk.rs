//! Files on the host's disk: measures the files of a run, where the kernel does not limit their size, and removes them
//! after it.

use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::{fs, io};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::procfs::{self, text};

/// The maximal number of files and folders, and likewise of descriptors, as counting takes time. A program that makes
/// more has exceeded its limit.
const MAX_ENTRIES: usize = 4096;
/// The maximal number of folders, as some disks take a millisecond to remove one.
const MAX_FOLDERS: usize = 256;
/// The maximal depth of folders.
const MAX_LEVELS: usize = 32;

/// The files of a run on disk.
#[derive(Clone, Copy)]
pub(crate) struct DiskUsage<'a> {
    /// The parent of the working folder, and the name there.
    pub(crate) folder: (BorrowedFd<'a>, &'static str),
    /// The path, without links.
    pub(crate) path: &'a Path,
    /// The process whose descendants are the run.
    pub(crate) root: i32,
    /// The user of the run, if it is another one than this process's.
    pub(crate) user: Option<u32>,
    /// Free bytes on the disk when the run began.
    pub(crate) free_before: u64,
    /// The folder is on a file system in memory, together with other files.
    pub(crate) is_in_memory: bool,
}

/// While this value lives, this process can see everything about other processes that this user may see. In containers,
/// root may not see everything.
pub(crate) struct FileUser;

impl FileUser {
    pub(crate) fn act_as(id: u32) -> FileUser {
        // SAFETY: system calls without pointers, which change only this thread. Without permission nothing changes.
        unsafe {
            libc::setfsgid(id);
            libc::setfsuid(id);
        }
        FileUser
    }
}

impl Drop for FileUser {
    fn drop(&mut self) {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        // SAFETY: as above.
        unsafe {
            libc::setfsuid(uid);
            libc::setfsgid(gid);
        }
    }
}

impl DiskUsage<'_> {
    /// Bytes on disk of files in the folder, and of unnamed files that a process of the run holds. `None` if there is
    /// more than can be counted.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let mut count = Count::default();
        count.folder(self.folder.0, self.folder.1, 0)?;
        // Where a file may be hidden, the free space of the disk decides. Other processes change it as well, but hardly
        // any honest program holds files like that.
        let saw_all = {
            let _as_program = self.user.map(FileUser::act_as);
            count.add_unnamed(self)?
        };
        let gone = if saw_all { 0 } else { self.free_before.saturating_sub(free_bytes(self.folder.0)) };
        Some(count.bytes.max(gone))
    }

    /// Bytes on disk of files in the folder after the run.
    pub(crate) fn left(&self) -> Option<u64> {
        let mut count = Count::default();
        count.folder(self.folder.0, self.folder.1, 0)?;
        Some(count.bytes)
    }
}

/// Free bytes on the disk of `file`.
pub(crate) fn free_bytes(file: BorrowedFd<'_>) -> u64 {
    rustix::fs::fstatfs(file).map_or(0, |stat| stat.f_bfree.saturating_mul(stat.f_bsize.unsigned_abs()))
}

/// What was counted so far. Its functions return `None` if there is more than can be counted, or a file that cannot be
/// examined.
#[derive(Default)]
struct Count {
    bytes: u64,
    entries: usize,
    folders: usize,
    descriptors: usize,
    /// Files that may be found again.
    met: HashSet<u64>,
}

impl Count {
    fn folder<P: Arg + Copy>(&mut self, at: BorrowedFd<'_>, name: P, level: usize) -> Option<()> {
        let folder = match open_closed_folder(at, name) {
            Ok(folder) if level <= MAX_LEVELS => folder,
            // It was removed or replaced meanwhile.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Some(()),
            _ => return None,
        };
        self.add(&rustix::fs::fstat(&folder).ok()?)?;
        self.folders += 1;
        if self.folders > MAX_FOLDERS {
            return None;
        }
        let mut entries = Dir::new(folder).ok()?;
        while let Some(entry) = entries.read() {
            let entry = entry.ok()?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let folder = entries.fd().ok()?;
            match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if kind(&stat) == FileType::Directory => self.folder(folder, name, level + 1)?,
                Ok(stat) => self.add(&stat)?,
                Err(Errno::NOENT) => {}
                Err(_) => return None,
            }
        }
        Some(())
    }

    fn add(&mut self, stat: &Stat) -> Option<()> {
        self.entries += 1;
        let is_new = kind(stat) == FileType::Directory || stat.st_nlink == 1 || self.met.insert(stat.st_ino);
        if is_new {
            self.bytes = self.bytes.saturating_add(stat.st_blocks.unsigned_abs() * 512);
        }
        (self.entries <= MAX_ENTRIES).then_some(())
    }

    /// Adds the unnamed files of the folder that some process has open. Returns whether every place that can hold a file
    /// was examined.
    fn add_unnamed(&mut self, disk_usage: &DiskUsage<'_>) -> Option<bool> {
        let mut saw_all = true;
        for thread in procfs::descendants(disk_usage.root).into_iter().filter_map(procfs::living_thread) {
            saw_all &= self.add_open(&thread, disk_usage.path)? && !self.has_unknown_mappings(&thread, disk_usage.path);
        }
        Some(saw_all)
    }

    /// The same for one process, which has a thread at `thread`.
    fn add_open(&mut self, thread: &Path, working_folder: &Path) -> Option<bool> {
        let mut descriptors = match open_folder(CWD, thread.join("fd")).and_then(Dir::new) {
            Ok(descriptors) => descriptors,
            Err(Errno::NOENT | Errno::SRCH) => return Some(true),
            Err(_) => return Some(false),
        };
        let mut saw_all = true;
        while let Some(entry) = descriptors.read() {
            self.descriptors += 1;
            if self.descriptors > MAX_ENTRIES {
                return None;
            }
            let (Ok(entry), Ok(place)) = (entry, descriptors.fd()) else { return Some(false) };
            let stat = match rustix::fs::statat(place, entry.file_name(), AtFlags::empty()) {
                Ok(stat) => stat,
                // It was closed meanwhile.
                Err(Errno::NOENT) => continue,
                Err(_) => return Some(false),
            };
            match kind(&stat) {
                FileType::RegularFile if stat.st_nlink == 0 => {
                    let target = rustix::fs::readlinkat(place, entry.file_name(), Vec::new());
                    // The judge makes no path that is too long.
                    if target.is_err() || target.is_ok_and(|target| is_below(target.as_bytes(), working_folder)) {
                        self.add(&stat)?;
                    }
                }
                // A file in transit through a socket belongs to no process.
                FileType::Socket if has_files_in_flight(thread, entry.file_name()) => saw_all = false,
                _ => {}
            }
        }
        Some(saw_all)
    }

    /// Whether a process has mapped an unnamed file without having it open.
    fn has_unknown_mappings(&self, thread: &Path, working_folder: &Path) -> bool {
        let Ok(maps) = fs::read(thread.join("maps")) else { return true };
        maps.split(|&byte| byte == b'\n').any(|line| {
            let Some(at) = line.iter().position(|&byte| byte == b'/') else { return false };
            let inode = line[..at].trim_ascii_end().rsplit(|&byte| byte == b' ').next();
            let inode = inode.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
            line.ends_with(b" (deleted)")
                && is_below(&line[at..], working_folder)
                && inode.is_none_or(|inode: u64| !self.met.contains(&inode))
        })
    }
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

fn is_below(path: &[u8], folder: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    path.strip_prefix(folder.as_os_str().as_bytes()).is_some_and(|rest| rest.first() == Some(&b'/'))
}

fn has_files_in_flight(thread: &Path, descriptor: &CStr) -> bool {
    let info = text(thread.join("fdinfo").join(descriptor.to_string_lossy().as_ref()));
    let info = info.unwrap_or_default();
    info.lines().filter_map(|line| line.strip_prefix("scm_fds:")).any(|count| count.trim() != "0")
}

/// Removes the folder `path`, which another judge of this user left, with all its content.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let folder = open_folder(CWD, path)?;
    if !is_ours(folder.as_fd())? {
        return Err(Errno::PERM.into());
    }
    empty(folder.as_fd())?;
    Ok(rustix::fs::rmdir(path)?)
}

/// Removes the content of `top`, which a program could change. Follows no links, and changes no files of other users.
/// Folders that are not empty are first moved to the top, so that neither the depth of the tree nor the length of its
/// paths costs stack, descriptors or time.
pub(crate) fn empty(top: BorrowedFd<'_>) -> rustix::io::Result<()> {
    open_up(top)?;
    let mut moved = 0_u64;
    loop {
        let entries = names(top)?;
        if entries.is_empty() {
            return Ok(());
        }
        for name in entries {
            if !remove_entry(top, &name)? {
                move_contents_up(top, name.as_c_str(), &mut moved)?;
                rustix::fs::unlinkat(top, &name, AtFlags::REMOVEDIR)?;
            }
        }
    }
}

/// Opens a folder, but not through a link.
pub(crate) fn open_folder<P: Arg>(at: BorrowedFd<'_>, path: P) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, path, flags, Mode::empty())
}

/// The same for a folder that a program of this user may have closed. Gives its owner full access.
pub(crate) fn open_closed_folder<P: Arg + Copy>(at: BorrowedFd<'_>, name: P) -> rustix::io::Result<OwnedFd> {
    let opened = match open_folder(at, name) {
        Err(Errno::ACCESS) => {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let place = rustix::fs::openat(at, name, flags, Mode::empty())?;
            if !is_ours(place.as_fd())? {
                return Err(Errno::ACCESS);
            }
            // The kernel's link leads to what was opened, even if the name now belongs to something else.
            rustix::fs::chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU)?;
            open_folder(place.as_fd(), c".")
        }
        opened => opened,
    }?;
    open_up(opened.as_fd())?;
    Ok(opened)
}

/// Whether `file` belongs to this process's user.
pub(crate) fn is_ours(file: BorrowedFd<'_>) -> rustix::io::Result<bool> {
    Ok(rustix::fs::fstat(file)?.st_uid == rustix::process::geteuid().as_raw())
}

/// Gives the owner full access to `folder`, if this process is the owner.
fn open_up(folder: BorrowedFd<'_>) -> rustix::io::Result<()> {
    let stat = rustix::fs::fstat(folder)?;
    let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
    if is_own && stat.st_mode & 0o700 != 0o700 { rustix::fs::fchmod(folder, Mode::RWXU) } else { Ok(()) }
}

/// The names in `folder`.
pub(crate) fn names(folder: BorrowedFd<'_>) -> rustix::io::Result<Vec<CString>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if name.as_c_str() != c"." && name.as_c_str() != c".." {
            found.push(name);
        }
    }
    Ok(found)
}

/// Removes `name`, and returns whether that worked. If not, it is a folder that is not empty.
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

fn move_contents_up(top: BorrowedFd<'_>, name: &CStr, moved: &mut u64) -> rustix::io::Result<()> {
    let folder = open_closed_folder(top, name)?;
    for inner in names(folder.as_fd())? {
        if remove_entry(folder.as_fd(), &inner)? {
            continue;
        }
        let mut opened = false;
        loop {
            let target = format!(".lifted-{moved}");
            *moved += 1;
            match rustix::fs::renameat(&folder, &inner, top, &target) {
                Ok(()) => break,
                // The program has used such a name itself.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR | Errno::ISDIR) => {}
                // Only a process that may write to a folder can move it.
                Err(Errno::ACCESS) if !opened => {
                    open_closed_folder(folder.as_fd(), inner.as_c_str())?;
                    opened = true;
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_deep_closed_and_crowded_tree_is_removed() {
        let top = tempfile::tempdir().unwrap();
        let left = top.path().join("left");
        fs::create_dir(&left).unwrap();
        let mut place = open_folder(CWD, &left).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&place, "d", Mode::RWXU).unwrap();
            rustix::fs::symlinkat("/", &place, "link").unwrap();
            place = open_folder(place.as_fd(), "d").unwrap();
        }
        rustix::fs::mkdirat(&place, ".lifted-3", Mode::empty()).unwrap();
        for number in 0..2000 {
            fs::write(left.join(number.to_string()), "x").unwrap();
        }
        remove(&left).unwrap();
        assert!(!left.exists());
    }
}
