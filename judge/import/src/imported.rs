//! What was read from a package.

use super::derived_limit::DerivedLimit;
use std::path::PathBuf;
use tempfile::TempDir;

/// A problem that was read from a package, and not written yet.
#[derive(Debug, Default)]
pub struct Imported {
    /// Its id in the catalogue.
    pub id: String,
    /// The text of the `problems.toml`.
    pub catalogue: String,
    /// The files that belong to it: where each is, and where it goes, relative to the `problems.toml`.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// The empty files that belong to it, relative to the `problems.toml`.
    pub empty: Vec<PathBuf>,
    /// The programs to compile.
    pub programs: Vec<ToCompile>,
    /// The files that programs of the package make, in this order.
    pub made: Vec<ToMake>,
    /// What was taken, a line each.
    pub taken: Vec<String>,
    /// What was left out, and why, a line each.
    pub left: Vec<String>,
    /// How its time limit follows from its submissions, if the package does not say it.
    pub time_limit: Option<DerivedLimit>,
    /// A folder with files that were unpacked or built. It is removed with this.
    pub temporary: Option<TempDir>,
}

/// The sources of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sources {
    /// What it is, in messages: `the output validator`.
    pub what: String,
    /// Its sources: where each is, and its name among them.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// The name of the one that it is made of, where that includes the others; `None`: of all that are in its language.
    pub main: Option<PathBuf>,
}

/// A program that is compiled, and kept.
#[derive(Debug)]
pub struct ToCompile {
    /// What it is compiled from.
    pub sources: Sources,
    /// Where the program goes, relative to the `problems.toml`.
    pub program: PathBuf,
}

/// A file that a program of the package makes: its standard output; and one of its standard error, if it makes two.
#[derive(Debug)]
pub struct ToMake {
    /// The program.
    pub by: Sources,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The file on its standard input: an absolute path, or relative to the `problems.toml`; `None`: nothing.
    pub input: Option<PathBuf>,
    /// Where its output goes, relative to the `problems.toml`.
    pub file: PathBuf,
    /// Where its standard error goes, relative to the `problems.toml`; `None`: nowhere.
    pub second: Option<PathBuf>,
}
