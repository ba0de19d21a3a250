//! Empties a folder that a program could change: follows no link, and changes nothing that belongs to another user.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::path::Arg;

/// Removes the folder `path`, which another judge of this user left behind, and all that is in it.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let folder = open_folder(CWD, path)?;
    if !is_ours(folder.as_fd())? {
        return Err(Errno::PERM.into());
    }
    empty(folder.as_fd())?;
    Ok(rustix::fs::rmdir(path)?)
}

/// Removes all that is in `top`. Folders that are not empty are first lifted to the top, so that neither the depth of
/// the tree nor the length of its paths costs stack, descriptors or time.
pub(crate) fn empty(top: BorrowedFd<'_>) -> rustix::io::Result<()> {
    open_up(top)?;
    let mut lifted = 0_u64;
    loop {
        let entries = names(top)?;
        if entries.is_empty() {
            return Ok(());
        }
        for name in entries {
            if !remove_entry(top, &name)? {
                lift_contents(top, name.as_c_str(), &mut lifted)?;
                rustix::fs::unlinkat(top, &name, AtFlags::REMOVEDIR)?;
            }
        }
    }
}

/// Opens a folder, never through a link.
pub(crate) fn open_folder<P: Arg>(at: BorrowedFd<'_>, path: P) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, path, flags, Mode::empty())
}

/// Does the same with one that a program of this user's may have closed to itself, and so to this process, and opens it
/// to its owner.
pub(crate) fn open_closed_folder<P: Arg + Copy>(at: BorrowedFd<'_>, name: P) -> rustix::io::Result<OwnedFd> {
    let opened = match open_folder(at, name) {
        Err(Errno::ACCESS) => {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let place = rustix::fs::openat(at, name, flags, Mode::empty())?;
            if !is_ours(place.as_fd())? {
                return Err(Errno::ACCESS);
            }
            // The kernel's link leads to what was opened, whatever stands at that name by now.
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

/// Gives its owner every right on `folder`, if this process is its owner.
fn open_up(folder: BorrowedFd<'_>) -> rustix::io::Result<()> {
    let stat = rustix::fs::fstat(folder)?;
    let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
    if is_own && stat.st_mode & 0o700 != 0o700 { rustix::fs::fchmod(folder, Mode::RWXU) } else { Ok(()) }
}

/// What is in `folder`.
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
    let folder = open_closed_folder(top, name)?;
    for inner in names(folder.as_fd())? {
        if remove_entry(folder.as_fd(), &inner)? {
            continue;
        }
        let mut opened = false;
        loop {
            let target = format!(".lifted-{lifted}");
            *lifted += 1;
            match rustix::fs::renameat(&folder, &inner, top, &target) {
                Ok(()) => break,
                // The program had the same idea for a name.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR | Errno::ISDIR) => {}
                // A folder changes its parent only for one who may write to it.
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
    use super::*;
    use std::fs;

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
