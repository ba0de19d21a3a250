//! The files of a package.

use crate::error::ImportError;
use judge_run::matching::real;
use std::path::{Component, Path, PathBuf};

/// Cargo's output folder.
pub(super) const BUILT: &str = "target";

/// Returns the entries of a folder, sorted by name, without hidden files and broken links. Empty if the folder does not
/// exist.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let mut paths = all_entries(folder)?;
    paths.retain(|path| path.exists());
    Ok(paths)
}

/// Returns the broken links below a folder with their targets, sorted. Unreadable folders are ignored.
pub(super) fn broken_links(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    for path in all_entries(folder).unwrap_or_default() {
        match path.read_link() {
            Ok(target) if !path.exists() => found.push((path, target)),
            Ok(_) => {}
            Err(_) if path.is_dir() && name(&path) != BUILT => found.extend(broken_links(&path)),
            Err(_) => {}
        }
    }
    found
}

fn all_entries(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let unreadable = |error| ImportError::unreadable(folder, error);
    let mut paths = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns all files below a folder of the package at `root`, sorted.
///
/// # Errors
/// Fails if a file cannot be read, or if a link leads out of the package or to a folder.
pub(super) fn tree(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        check_link(root, &path)?;
        if path.is_dir() {
            found.extend(tree(root, &path)?);
        } else if path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

/// Rejects files outside the package, and links to folders, because these can form a cycle.
pub(super) fn check_link(root: &Path, path: &Path) -> Result<(), ImportError> {
    let unreadable = |error| ImportError::unreadable(path, error);
    let (root, target) = (root.canonicalize().map_err(unreadable)?, path.canonicalize().map_err(unreadable)?);
    if target.starts_with(&root) && (target.is_file() || !path.is_symlink()) {
        return Ok(());
    }
    let what = format!("a link to {}", target.display());
    Err(ImportError::bad(path, what, "a file, or a link to a file of the package"))
}

/// Returns whether a relative path stays below its folder.
pub(super) fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Returns the file name as text.
pub(super) fn name(path: &Path) -> String {
    // `.` has its name only as an absolute path.
    let whole = path.file_name().is_none().then(|| path.canonicalize().unwrap_or_default());
    whole.as_deref().unwrap_or(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns whether the file has one of these extensions.
pub(super) fn has_extension(file: &Path, endings: &[&str]) -> bool {
    file.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending))
}

/// Returns the folder's name as a valid id.
pub(super) fn id_of(root: &Path) -> String {
    let folder = real(root);
    to_id(&name(&folder))
}

/// Returns a name as a valid id.
pub(super) fn to_id(name: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(valid).collect()
}

/// Returns the path of a file relative to the package.
pub(super) fn inside(root: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(root).unwrap_or(path).to_owned()
}
