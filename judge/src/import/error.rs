//! Why a package cannot be imported.

use std::io;
use std::path::{Path, PathBuf};

/// Why a package cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file or folder of the package cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The folder is no package of a known kind.
    #[error("{} is not a problem package that is known", .0.display())]
    Unknown(PathBuf),
    /// Something in a file is not as the format has it.
    #[error("{}: {what}: expected {expected}", file.display())]
    Bad {
        /// Which file.
        file: PathBuf,
        /// What is wrong in it.
        what: String,
        /// What the format has there.
        expected: String,
    },
    /// The package is well-formed, and without what it asks for its verdicts would be wrong.
    #[error("{}: {what}: this is not supported", file.display())]
    Unsupported {
        /// Which file asks for it.
        file: PathBuf,
        /// What it asks for.
        what: String,
    },
}

impl ImportError {
    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }

    pub(super) fn bad(file: &Path, what: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Bad { file: file.to_owned(), what: what.into(), expected: expected.into() }
    }

    pub(super) fn unsupported(file: &Path, what: impl Into<String>) -> Self {
        Self::Unsupported { file: file.to_owned(), what: what.into() }
    }
}
