//! Reads problem packages of other judges. A package becomes a problem of a catalogue, and a list of the parts that the
//! catalogue cannot express.
//!
//! The main types:
//! - [`Source`]: a package in a folder or in a zip archive.
//! - [`PackageKind`](judge_problem::PackageKind): the kind of a package, detected from the files at its top level.
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
mod detect;
mod dmoj;
mod error;
mod files;
mod imported;
mod kattis;
mod pahcer;
mod polygon;
mod program;
mod source;
mod text;
mod yaml;

pub use detect::{broken_links, builds, read};
pub use error::ImportError;
pub use imported::{DerivedLimit, Imported, Sources, ToCompile, ToMake};
pub use program::{BUILD, RUN};
pub use source::Source;
