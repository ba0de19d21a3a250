//! Where a package is: in a folder, or in an archive.

use super::archive::{self, Unpacked};
use super::error::ImportError;
use super::files;
use std::path::{Path, PathBuf};

/// What macOS puts into an archive beside the files.
const BESIDE: &str = "__MACOSX";

/// A package that can be read. What is unpacked of an archive is removed with it.
#[derive(Debug)]
pub struct Source {
    root: PathBuf,
    shown: PathBuf,
    _unpacked: Option<Unpacked>,
}

impl Source {
    /// Opens a folder, or unpacks a zip archive. Where all of an archive is in one folder, that folder is the package.
    ///
    /// # Errors
    /// When it is neither, or the archive is damaged, too large, or holds what no package has.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let kind = path.metadata().map_err(|error| ImportError::unreadable(path, error))?;
        if kind.is_dir() {
            return Ok(Self { root: path.to_owned(), shown: path.to_owned(), _unpacked: None });
        }
        let unpacked = archive::unpack(path)?;
        let (mut root, mut shown) = (unpacked.root.clone(), path.to_owned());
        let mut entries = files::entries(&root)?;
        entries.retain(|entry| files::name(entry) != BESIDE);
        if let [only] = &*entries
            && only.is_dir()
        {
            shown.push(files::name(only));
            root.clone_from(only);
        }
        Ok(Self { root, shown, _unpacked: Some(unpacked) })
    }

    /// Returns the folder of the package.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the error with paths as the user knows them: `package.zip/problem.yaml`.
    #[must_use]
    pub fn explain(&self, error: ImportError) -> ImportError {
        let shown = |path: &Path| match path.strip_prefix(&self.root) {
            Ok(inside) if inside.as_os_str().is_empty() => self.shown.clone(),
            Ok(inside) => self.shown.join(inside),
            Err(_) => path.to_owned(),
        };
        error.with_paths(shown)
    }
}
