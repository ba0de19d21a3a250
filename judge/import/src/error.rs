//! Why a package cannot be imported.

use judge_problem::PackageKind;
use std::io;
use std::path::{Path, PathBuf};

/// What reading a part of a package gives.
pub(crate) type Result<T, E = ImportError> = std::result::Result<T, E>;

/// Why a package cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file or folder of the package cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The folder is not a package of a known kind.
    #[error("{} is no package that is known", .0.display())]
    Unknown(PathBuf),
    /// The folder is a package of several kinds.
    #[error("{} is a package of several kinds: {}", .0.display(), PackageKind::signs(.1))]
    Several(PathBuf, Vec<PackageKind>),
    /// The folder is not a package of the requested kind.
    #[error("{} is no package of the kind {}: it has no {}", .0.display(), .1.name(), .1.sign())]
    Other(PathBuf, PackageKind),
    /// Its programs cannot be built.
    #[error("cargo cannot build the programs of {}: {why}", package.display())]
    Build {
        /// The package.
        package: PathBuf,
        /// How Cargo ended, and its messages.
        why: String,
    },
    /// A file violates the format, or needs a feature that is not supported and would change verdicts.
    #[error("{}{}: {what}", file.display(), line.map_or(String::new(), |line| format!(":{line}")))]
    Bad {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong, and what the format requires.
        what: String,
    },
}

impl ImportError {
    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }

    pub(super) fn bad(file: &Path, what: impl Into<String>, expected: impl Into<String>) -> Self {
        let what = format!("{}: expected {}", what.into(), expected.into());
        Self::Bad { file: file.to_owned(), line: None, what }
    }

    /// Adds the line of an error, from 1.
    pub(super) fn at(mut self, found: usize) -> Self {
        if let Self::Bad { line, .. } = &mut self {
            *line = Some(found);
        }
        self
    }

    /// Returns the error with other paths.
    pub(super) fn with_paths(mut self, change: impl Fn(&Path) -> PathBuf) -> Self {
        let (Self::Unreadable { path, .. }
        | Self::Unknown(path)
        | Self::Several(path, _)
        | Self::Other(path, _)
        | Self::Build { package: path, .. }
        | Self::Bad { file: path, .. }) = &mut self;
        *path = change(path);
        self
    }

    pub(super) fn unsupported(file: &Path, what: impl Into<String>) -> Self {
        Self::Bad { file: file.to_owned(), line: None, what: format!("{}: this is not supported", what.into()) }
    }
}
