//! An installed program: where it is, and what it needs to see.

use super::{lookup, prefix, shim, venv};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// An installed program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::program) struct Installation {
    /// The absolute path to run it under. Links are kept: a virtual environment is known by its own link.
    pub(in crate::program) program: PathBuf,
    /// Where its links lead.
    pub(in crate::program) real: PathBuf,
    /// Whether it was found through a version manager's shim.
    pub(in crate::program) was_shim: bool,
    /// The folders of its installation, to be read and not written.
    folders: Vec<PathBuf>,
}

impl Installation {
    /// Returns whether the program is a single file, which belongs neither to an installation nor to the system.
    pub(in crate::program) fn is_alone(&self) -> bool {
        self.folders.is_empty() && !prefix::is_systems(&self.real)
    }

    /// Returns what it needs to see outside the system's own folders.
    pub(in crate::program) fn visible(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.program, &self.real].into_iter().chain(&self.folders).filter(|path| !prefix::is_systems(path))
    }

    /// Returns the folder to search first for the program and its companions, unless `path` leads to it anyway.
    pub(in crate::program) fn search(&self, path: &OsStr) -> Option<PathBuf> {
        let found = lookup::in_path(self.program.file_name()?, path, None).and_then(|found| found.canonicalize().ok());
        // A virtual environment's link may lead to the very program that `path` leads to.
        let is_other = found.as_ref() != Some(&self.real) || self.visible().next().is_some();
        is_other.then(|| self.program.parent().map(Path::to_owned)).flatten()
    }
}

/// Finds out what a program needs to see.
///
/// # Errors
/// When it does not exist, or is a shim for a program that cannot be found.
pub(in crate::program) fn installation(program: &Path) -> Result<Installation, String> {
    let named = own_path(program)?;
    let behind = shim::behind(&named)?;
    let was_shim = behind.is_some();
    let program = behind.unwrap_or(named);
    let real = program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
    // Both the given path and the one without links count: links alone make nothing visible.
    let venv = venv::of(&program).into_iter().flat_map(|part| [part.canonicalize().ok(), Some(part)]).flatten();
    let folders = prefix::of(&real).into_iter().chain(venv).collect();
    Ok(Installation { program, real, was_shim, folders })
}

/// Returns the absolute path of a file, with its links as they are.
fn own_path(file: &Path) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let path = std::path::absolute(file).map_err(failed)?;
    if !path.components().any(|part| part == Component::ParentDir) {
        return Ok(path);
    }
    // What `..` leads to depends on the links before it.
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize().map_err(failed)?.join(name)),
        _ => path.canonicalize().map_err(failed),
    }
}
