//! Notes that are shown once per folder.

use super::state;
use judge_problem::Digest;
use std::fs::{OpenOptions, create_dir_all, read_to_string, remove_file};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The file of the folders that were noted; a longer one starts anew.
const FILE: &str = "noted-folders";
const MOST_BYTES: usize = 64 << 10;

/// The number of digits of a folder's hash.
const DIGITS: usize = 32;

/// Returns whether this folder was not noted before, and notes it. Where nothing can be written, every time is the first.
pub(crate) fn is_first_time_in(folder: &Path) -> bool {
    state::file(FILE).is_none_or(|file| is_first_in(&file, folder))
}

fn is_first_in(file: &Path, folder: &Path) -> bool {
    let digest = Digest::of(folder.as_os_str().as_bytes()).to_string();
    let line = digest.get(..DIGITS).unwrap_or(&digest);
    let noted = read_to_string(file).unwrap_or_default();
    if noted.lines().any(|known| known == line) {
        return false;
    }
    if noted.len() > MOST_BYTES {
        let _ = remove_file(file);
    }
    let parent = file.parent().is_some_and(|parent| create_dir_all(parent).is_ok());
    if let (true, Ok(mut open)) = (parent, OpenOptions::new().create(true).append(true).open(file)) {
        // One short write: those of several judges do not mix.
        let _ = open.write_all(format!("{line}\n").as_bytes());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_new_once() {
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("deep/er/file");
        assert!(is_first_in(&file, Path::new("/a")) && is_first_in(&file, Path::new("/b")));
        assert!(!is_first_in(&file, Path::new("/a")) && !is_first_in(&file, Path::new("/b")));
        std::fs::write(&file, "x".repeat(MOST_BYTES + 1)).unwrap();
        assert!(is_first_in(&file, Path::new("/a")) && !is_first_in(&file, Path::new("/a")));
        assert!(std::fs::metadata(&file).unwrap().len() < 100);
    }

    #[test]
    fn without_a_place_every_time_is_the_first() {
        let file = Path::new("/proc/judge/file");
        assert!(is_first_in(file, Path::new("/a")) && is_first_in(file, Path::new("/a")));
    }
}
