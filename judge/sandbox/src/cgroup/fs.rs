//! The files and folders of control groups: read, written and removed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Opens a file to read and to write.
pub(crate) fn writable(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Writes to a file that exists.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes())
}

/// The whole of a small kernel file, read anew.
fn contents<'a>(file: &File, buffer: &'a mut [u8; 1024]) -> &'a str {
    let length = file.read_at(buffer, 0).unwrap_or(0);
    std::str::from_utf8(&buffer[..length]).unwrap_or_default()
}

/// The number that is all of a file; 0 for anything else.
pub(crate) fn number(file: &File) -> u64 {
    contents(file, &mut [0; 1024]).trim().parse().unwrap_or(0)
}

/// The number behind `name` in a file of lines `NAME NUMBER`.
pub(crate) fn field(file: &File, name: &str) -> u64 {
    let mut buffer = [0; 1024];
    let line = contents(file, &mut buffer).lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// Removes groups whose last process is dying or dead.
pub(crate) fn remove_all(folders: &[PathBuf]) {
    for folder in folders {
        for _ in 0..50 {
            match std::fs::remove_dir(folder) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                _ => break,
            }
        }
    }
}

/// Removes a group that another judge left, and what may still live in it.
pub(crate) fn kill_and_remove(folder: &Path) {
    // Version 1 has no such file: there the death of a jail's init, which follows its helper's, does the same.
    let _ = write(&folder.join("cgroup.kill"), "1");
    remove_all(&[folder.to_owned()]);
}
