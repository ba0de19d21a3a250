//! A solver: the user's text, and how it is run.

use super::Allowance;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// The environment of every program in the sandbox, without the user's variables.
pub const BASE_ENVIRONMENT: [(&str, &str); 2] =
    [("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), ("LANG", "C.UTF-8")];

/// The name of a journal's folder. Programs in the sandbox do not see it: it contains the answers of others.
pub const JOURNAL_FOLDER: &str = ".judge";

/// A solver as the user named it: `NAME=S`, or just `S`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverSpec {
    /// The name in every report.
    pub name: String,
    /// What to run: a path, a command, a source file, or `bundled:ID`.
    pub text: String,
}

impl SolverSpec {
    /// The name of the person who plays in `judge ui`.
    pub const BY_HAND: &str = "by hand";

    /// Returns the person who plays in `judge ui`.
    #[must_use]
    pub fn by_hand() -> Self {
        Self { name: Self::BY_HAND.to_owned(), text: Self::BY_HAND.to_owned() }
    }
}

/// A solver that comes with the judge: `bundled:ID` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundledSolver {
    /// Its id, which begins with that of its game.
    pub id: &'static str,
    /// What it does.
    pub summary: &'static str,
}

/// A solver, prepared to run, or with the reason why it cannot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Solver {
    /// The user's text.
    pub spec: SolverSpec,
    /// How it is run, or why it cannot be.
    pub invocation: Invocation,
    /// Its own variables, beside those of every solver of the run.
    pub environment: Vec<(String, String)>,
    /// What it may use beyond the limits of the run.
    pub allowance: Allowance,
}

impl Solver {
    /// Returns a solver without variables or allowances of its own.
    #[must_use]
    pub fn new(spec: SolverSpec, invocation: Invocation) -> Self {
        Self { spec, invocation, environment: Vec::new(), allowance: Allowance::default() }
    }
}

/// A program that can be run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    /// Absolute path of the executable.
    pub path: PathBuf,
    /// `argv`, the program's own name first.
    pub argv: Vec<OsString>,
    /// Files and folders that the command names, or that were compiled from them.
    pub visible: Vec<PathBuf>,
    /// What else it needs to run.
    pub runtime: Runtime,
    /// The variables of its language.
    pub environment: Vec<(String, String)>,
}

/// The installations of a program and its interpreters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runtime {
    /// Files and folders that it needs to see, beside the system's own.
    pub visible: Vec<PathBuf>,
    /// Folders that come first on its `PATH`.
    pub search: Vec<PathBuf>,
}

/// How a solver is run, or why it cannot be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Invocation {
    /// This program.
    Program(Program),
    /// It cannot be run: the reason.
    CannotStart(String),
    /// The compiler or interpreter of its source is not installed: the reason.
    NotInstalled(String),
    /// The compiler rejected the source: its message.
    CompileError(String),
}
