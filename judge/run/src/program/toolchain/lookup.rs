//! Finds commands as a shell does.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Returns the file of a command on the judge's own `PATH`.
pub(in crate::program) fn on_path(name: &OsStr) -> Option<PathBuf> {
    in_path(name, &std::env::var_os("PATH").unwrap_or_default(), None)
}

/// Returns the first executable file of this name in the folders of `path`, `except` this one.
pub(super) fn in_path(name: &OsStr, path: &OsStr, except: Option<&Path>) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| Some(&**folder) != except);
    let mut files = folders.filter_map(|folder| std::path::absolute(folder.join(name)).ok());
    files.find(|file| is_executable(file))
}

/// Returns whether a path is a file with an execute permission for any user.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
