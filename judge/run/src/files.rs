//! Reads files that a catalogue names: regular files only. A pipe would block, a device may have no end, and a file of the
//! kernel has other content each time, but these files are read more than once.

use judge_problem::Bytes;
use rustix::fs::{Mode, OFlags};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The most that is read of a file.
pub const MAX_FILE_BYTES: Bytes = Bytes(1 << 30);

/// Why a file cannot be a case or an answer.
const NOT_A_FILE: &str = "it is a pipe or a device: expected a file, because it is read more than once";
const OF_THE_KERNEL: &str =
    "it is a file of the kernel: expected a file that stays the same, because it is read more than once";

/// Reads a regular file.
///
/// # Errors
/// When it cannot be read, is no regular file, or is longer than [`MAX_FILE_BYTES`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (file, metadata) = open(path)?;
    let too_long = || Err(io::Error::other(format!("it is longer than {MAX_FILE_BYTES}: expected a shorter file")));
    if metadata.len() > MAX_FILE_BYTES.0 {
        return too_long();
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    // It may grow.
    file.take(MAX_FILE_BYTES.0 + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES.0 { too_long() } else { Ok(bytes) }
}

/// Opens a file, unless it is special. A folder is opened, too.
fn open(path: &Path) -> io::Result<(File, Metadata)> {
    // Opening a pipe would block until it has a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    refuse_special(path, &metadata)?;
    Ok((file, metadata))
}

/// Reads a regular file of text.
///
/// # Errors
/// As [`read`], or when it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Fails if [`read`] would refuse the file at this path, whatever its length.
///
/// # Errors
/// When it cannot be read, or is no regular file.
pub fn check(path: &Path) -> io::Result<()> {
    match open(path)?.1.is_dir() {
        true => Err(rustix::io::Errno::ISDIR.into()),
        false => Ok(()),
    }
}

/// Makes a file or folder readable for all users, and executable if its owner can execute it: in the sandbox a solver may be
/// another user.
///
/// # Errors
/// When its mode cannot be read or changed.
pub fn make_readable(path: &Path) -> io::Result<()> {
    let mode = path.metadata()?.permissions().mode();
    let for_all = if mode & 0o100 == 0 { 0o444 } else { 0o555 };
    std::fs::set_permissions(path, Permissions::from_mode(mode | for_all))
}

/// Fails if this is a pipe, a device, or a file of the kernel.
pub(crate) fn refuse_special(path: &Path, metadata: &Metadata) -> io::Result<()> {
    // Reading a folder fails with its own error.
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(io::Error::other(NOT_A_FILE));
    }
    // A file of the kernel uses no block of a disk.
    let is_of_the_kernel = |real: PathBuf| ["/proc", "/sys"].iter().any(|folder| real.starts_with(folder));
    match metadata.blocks() == 0 && path.canonicalize().is_ok_and(is_of_the_kernel) {
        true => Err(io::Error::other(OF_THE_KERNEL)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_are_read() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        std::fs::write(at("a"), "text").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), Mode::RWXU).unwrap();
        for (name, target) in [("link", "a"), ("zero", "/dev/zero"), ("status", "/proc/self/status"), ("gone", "b")] {
            symlink(target, at(name)).unwrap();
        }
        std::fs::create_dir(at("folder")).unwrap();
        File::create(at("long")).unwrap().set_len(MAX_FILE_BYTES.0 + 1).unwrap();
        assert_eq!((read(&at("a")).unwrap(), read_text(&at("link")).unwrap()), (b"text".to_vec(), "text".to_owned()));
        for (name, why, is_checked) in [
            ("pipe", "a pipe or a device", true),
            ("zero", "a pipe or a device", true),
            ("status", "a file of the kernel", true),
            ("folder", "Is a directory", true),
            ("gone", "No such file", true),
            ("long", "longer than", false),
        ] {
            let error = read(&at(name)).unwrap_err().to_string();
            assert!(error.contains(why), "{name}: {error}");
            assert_eq!(check(&at(name)).is_err(), is_checked, "{name}");
        }
    }
}
