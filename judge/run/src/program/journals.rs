//! Journals in folders that a solver sees: they contain the answers and scores of other solvers.

use judge_problem::JOURNAL_FOLDER;
use std::path::{Path, PathBuf};

/// The kernel's own file systems: they are unbounded, and different for each process.
const MADE_UP: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Returns whether a path is in one of the kernel's own folders.
pub(super) fn is_made_up(path: &Path) -> bool {
    MADE_UP.iter().any(|made_up| path.starts_with(made_up))
}

/// Returns whether a path is a journal's folder or in one.
#[must_use]
pub fn is_in_journal(path: &Path) -> bool {
    path.iter().any(|part| part == JOURNAL_FOLDER)
}

/// Returns the folders of all journals in a folder, however deep.
#[must_use]
pub fn journals_in(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop() {
        // A folder that the judge cannot list has no journal of the judge.
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_name() == JOURNAL_FOLDER {
                // It may be a link to the journal's folder.
                found.extend(path.canonicalize());
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_made_up(&path) {
                waiting.push(path);
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journals_are_found_however_deep_also_behind_their_links() {
        let top = tempfile::tempdir().unwrap();
        let place = |path: &str| top.path().join(path);
        for folder in [".judge/.judge", "a/b/c/.judge", "a/x.judge", "kept"] {
            std::fs::create_dir_all(place(folder)).unwrap();
        }
        std::os::unix::fs::symlink("..", place("a/up")).unwrap();
        std::os::unix::fs::symlink("../kept", place("a/.judge")).unwrap();
        assert_eq!(journals_in(top.path()), [place(".judge"), place("a/b/c/.judge"), place("kept")]);
        assert!(is_in_journal(&place(".judge/journal.db")) && !is_in_journal(&place("a/x.judge")));
    }
}
