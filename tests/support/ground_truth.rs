//! Finds the games' ground truth for the tests: cases with their known answers.

#[path = "require.rs"]
mod require;

use crate::SolveError;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Returns the folder with a game's ground truth. If there is none, prints a message, and the test checks nothing.
pub(crate) fn folder(game: &str) -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(game);
    if own.is_dir() { Some(own) } else { require::contest_files(game) }
}

/// Returns the files of a folder with this ending, without it, in order.
pub(crate) fn stems(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut stems: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .map(|path| path.with_extension(""))
        .collect();
    stems.sort();
    assert!(!stems.is_empty(), "{} has no .{ending}", folder.display());
    stems
}

/// Returns the contents of the file with this stem and ending, if it exists.
pub(crate) fn read(stem: &Path, ending: &str) -> Option<String> {
    fs::read_to_string(stem.with_extension(ending)).ok()
}

/// Returns the answer of a solution.
pub(crate) fn answer(solve: impl Fn(&[u8], &mut dyn Write) -> Result<(), SolveError>, input: &str) -> String {
    let mut answer = Vec::new();
    solve(input.as_bytes(), &mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}
