//! What in a folder of submissions is a submission.

use super::language::DATA_ENDINGS;
use crate::program::is_executable;
use std::path::Path;

/// Endings of what editors and compilers leave beside sources.
const LEFTOVERS: [&str; 10] = ["bak", "orig", "rej", "swp", "swo", "tmp", "pyc", "class", "o", "d"];

/// Folders that tools make beside sources.
const MADE_BY_TOOLS: [&str; 3] = ["__pycache__", "node_modules", "target"];

/// Beginnings of the names of files about the others, in small letters.
const ABOUT: [&str; 6] = ["readme", "license", "licence", "copying", "changelog", "authors"];

/// Returns whether what a pattern found is meant as a solver: a file or a folder that is neither hidden, nor left by an
/// editor, a compiler or an interpreter, nor a text about the others. It may be in an unknown language, or a broken link.
#[must_use]
pub fn is_submission(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_backup = name.starts_with(['.', '#']) || name.ends_with('~') || LEFTOVERS.contains(&ending);
    if is_backup || path.is_dir() {
        return !is_backup && !MADE_BY_TOOLS.contains(&name);
    }
    let is_special = path.exists() && !path.is_file();
    let is_text = DATA_ENDINGS.contains(&ending) || ABOUT.contains(&&*stem.to_lowercase());
    !is_special && (!is_text || is_executable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_beside_submissions_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["bot/", ".git/", "__pycache__/", "target/"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        let files = ["a.py", "b.xyz", "Readme", "README.md", "notes.txt", ".DS_Store", "a.py~", "#a.py#", "a.py.bak"];
        files.iter().for_each(|name| std::fs::write(path(name), "").unwrap());
        std::os::unix::fs::symlink("nowhere", path("broken.py")).unwrap();
        let names = files.into_iter().chain(["bot", ".git", "__pycache__", "target", "broken.py"]);
        let found: Vec<&str> = names.filter(|name| is_submission(&path(name))).collect();
        assert_eq!(found, ["a.py", "b.xyz", "bot", "broken.py"]);
    }
}
