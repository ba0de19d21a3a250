//! What was read from a package.

use std::path::PathBuf;

/// A problem that was read from a package, and not written yet.
#[derive(Debug)]
pub struct Imported {
    /// Its id in the catalogue.
    pub id: String,
    /// The text of the `problems.toml`.
    pub catalogue: String,
    /// The files that belong to it: where each is, and where it goes, relative to the `problems.toml`.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// A program to compile, if its checker is one.
    pub program: Option<ToCompile>,
    /// What was taken, a line each.
    pub taken: Vec<String>,
    /// What was left out, and why, a line each.
    pub left: Vec<String>,
}

/// The sources of a checker that is compiled.
#[derive(Debug)]
pub struct ToCompile {
    /// The source file, or the folder with the sources, in the package.
    pub source: PathBuf,
    /// Where the program goes, relative to the `problems.toml`.
    pub program: PathBuf,
}
