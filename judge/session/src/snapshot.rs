//! The files in folders, and what shows an edit of them.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The maximal number of files in a snapshot.
const MAX_FILES: usize = 10_000;

/// Folders that builds write to.
const BUILT: [&str; 3] = ["target", "__pycache__", "node_modules"];

/// What shows an edit of a file without reading it.
#[derive(Debug, PartialEq, Eq)]
pub struct FileState {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl FileState {
    /// Returns the state of a file; `None` if there is none.
    pub fn of(path: &Path) -> Option<Self> {
        path.metadata().ok().map(|found| Self::from(&found))
    }
}

impl From<&Metadata> for FileState {
    fn from(found: &Metadata) -> Self {
        Self { inode: found.ino(), size: found.size(), modified: (found.mtime(), found.mtime_nsec()) }
    }
}

/// Files, and the state of each. `None` for one that is missing.
pub type Snapshot = BTreeMap<PathBuf, Option<FileState>>;

/// Returns the state of these files and of the files in these folders. It has at most 10,000 files, and neither hidden
/// files nor the output of builds.
pub fn snapshot(paths: &[impl AsRef<Path>]) -> Snapshot {
    let mut seen = Snapshot::new();
    paths.iter().for_each(|path| add(path.as_ref(), &mut seen));
    seen
}

fn add(path: &Path, seen: &mut Snapshot) {
    if seen.len() >= MAX_FILES {
        return;
    }
    let found = path.metadata().ok();
    if !found.as_ref().is_some_and(Metadata::is_dir) {
        seen.insert(path.to_owned(), found.as_ref().map(FileState::from));
        return;
    }
    for entry in path.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        // Links to folders may lead in a circle.
        let is_link_to_folder = entry.file_type().is_ok_and(|kind| kind.is_symlink()) && entry.path().is_dir();
        if !name.as_encoded_bytes().starts_with(b".") && !BUILT.iter().any(|built| name == *built) && !is_link_to_folder
        {
            add(&entry.path(), seen);
        }
    }
}
