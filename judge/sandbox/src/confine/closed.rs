//! What modes close to other users, in folders that a program sees: for one that comes past modes, the ruleset has to.

use std::fs::DirEntry;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders that others may not enter and files that they may not read, below `roots` and not these themselves, by their
/// real paths.
pub(crate) fn below(roots: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = roots.collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match state(&entry) {
                State::Closed => found.push(entry.path()),
                State::OpenFolder => folders.push(entry.path()),
                State::Open => {}
            }
        }
    }
    found
}

enum State {
    Closed,
    OpenFolder,
    Open,
}

fn state(entry: &DirEntry) -> State {
    // Gone, if it cannot be looked at; what a link leads to has a mode and a place of its own.
    let Ok(meta) = entry.metadata() else { return State::Open };
    let (is_folder, is_link) = (meta.is_dir(), meta.is_symlink());
    let needed = if is_folder { 0o001 } else { 0o004 };
    match meta.mode() & needed != 0 {
        _ if is_link => State::Open,
        false => State::Closed,
        true if is_folder => State::OpenFolder,
        true => State::Open,
    }
}

/// Whether a folder on the way to `path`, or this folder itself, may not be passed by every user.
pub(crate) fn keeps_others_out(path: &Path) -> bool {
    let closed = |path: &Path| {
        path.ancestors()
            .filter_map(|folder| folder.metadata().ok())
            .any(|meta| meta.is_dir() && meta.mode() & 0o001 == 0)
    };
    closed(path) || path.canonicalize().is_ok_and(|real| closed(&real))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn closed_files_and_folders_are_found_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::set_permissions(&root, Permissions::from_mode(0o700)).unwrap();
        fs::create_dir_all(root.join("open/closed/deep")).unwrap();
        for (name, mode) in [("private", 0o600), ("open/public", 0o644), ("open/group", 0o640)] {
            fs::write(root.join(name), "x").unwrap();
            fs::set_permissions(root.join(name), Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(root.join("open"), Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(root.join("open/closed"), Permissions::from_mode(0o750)).unwrap();
        symlink("private", root.join("link")).unwrap();
        let mut found = below([root.clone()].into_iter());
        found.sort();
        assert_eq!(found, ["open/closed", "open/group", "private"].map(|name| root.join(name)));
        assert!(keeps_others_out(&root.join("open/public")) && !keeps_others_out(Path::new("/usr/bin")));
    }
}
