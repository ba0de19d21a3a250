//! Reads problem packages of other judges. A package becomes a problem of a catalogue, and a list of the parts that the
//! catalogue cannot express.
//!
//! The main types:
//! - [`Source`]: a package in a folder or in a zip archive.
//! - [`PackageKind`]: the kind of a package, detected from the files at its top level.
//! - [`Imported`]: the text of the `problems.toml`, the files to copy, and the programs to compile and run. The caller
//!   writes it.
//!
//! ```text
//! path ─ Source::open ─▶ Source ─ read ─▶ Imported: problems.toml, files, programs, omitted parts
//! ```
//!
//! Each kind has a module, with a function `read`.
//!
//! ```
//! use judge_import::{Source, read};
//! use judge_problem::PackageKind;
//! use std::fs;
//!
//! let folder = tempfile::tempdir()?;
//! fs::create_dir_all(folder.path().join("data/secret"))?;
//! fs::write(folder.path().join("problem.yaml"), "name: Sum\n")?;
//! fs::write(folder.path().join("data/secret/1.in"), "1 2\n")?;
//! fs::write(folder.path().join("data/secret/1.ans"), "3\n")?;
//! let source = Source::open(folder.path())?;
//! let imported = read(&source.root, Some(PackageKind::Kattis), Some("sum"))?;
//! assert!(imported.catalogue.contains("id = \"sum\""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod ahc;
mod dmoj;
mod error;
mod files;
mod imported;
mod kattis;
mod pahcer;
mod polygon;
mod program;
mod text;
mod yaml;

pub use error::ImportError;
pub(crate) use error::Result;
pub use files::Source;
pub use imported::{DerivedLimit, Imported, Sources, ToCompile, ToMake};
pub use program::{BUILD, RUN};

use judge_problem::PackageKind;
use std::path::Path;

/// Reads the package in a folder. `kind`: its kind; by default it is detected. `id`: the problem's id; by default it is
/// the package's own.
///
/// # Errors
/// Fails if no kind or several kinds fit, if a file is malformed, or if the package needs something that is not
/// supported and would change verdicts.
pub fn read(root: &Path, kind: Option<PackageKind>, id: Option<&str>) -> Result<Imported> {
    let kind = match kind {
        Some(kind) if fits(kind, root) => kind,
        Some(kind) => return Err(ImportError::Other(root.to_owned(), kind)),
        None => found(root)?,
    };
    let mut imported = match kind {
        PackageKind::Kattis => kattis::read(root, id),
        PackageKind::Polygon => polygon::read(root, id),
        PackageKind::Pahcer => pahcer::read(root, id),
        PackageKind::Dmoj => dmoj::read(root, id),
        PackageKind::Ahc => ahc::read(root, id),
    }?;
    if let Some(path) = imported.bad_place() {
        let why =
            if path.to_str().is_some() { "leads out of the problem's folder" } else { "has a name that is not UTF-8" };
        let what = format!("`{}` {why}", path.display());
        return Err(ImportError::bad(&root.join(kind.sign()), what, "paths of files in the package, in UTF-8"));
    }
    imported.left.extend(broken_links(root));
    Ok(imported)
}

/// Returns a line for each broken link of the package at `root`. Such links are ignored.
pub fn broken_links(root: &Path) -> Vec<String> {
    files::broken_links(root, root)
}

fn found(root: &Path) -> Result<PackageKind> {
    let fitting: Vec<_> = PackageKind::ALL.into_iter().filter(|kind| fits(*kind, root)).collect();
    match *fitting {
        [] => Err(ImportError::Unknown(root.to_owned())),
        [one] => Ok(one),
        _ => Err(ImportError::Several(root.to_owned(), fitting)),
    }
}

fn fits(kind: PackageKind, root: &Path) -> bool {
    if kind == PackageKind::Ahc { ahc::fits(root) } else { root.join(kind.sign()).is_file() }
}

/// Returns whether reading this package builds programs outside the sandbox.
pub fn builds(root: &Path, kind: Option<PackageKind>) -> bool {
    kind.is_none_or(|kind| kind == PackageKind::Ahc) && found(root).is_ok_and(|kind| kind == PackageKind::Ahc)
}
