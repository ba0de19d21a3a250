//! A solver: what the user named, and how it is run.

use std::ffi::OsString;
use std::path::PathBuf;

/// A solver as the user named it: `NAME=S`, or just `S`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverSpec {
    /// The name in every report.
    pub name: String,
    /// What to run: a path, a command, a source file, or `bundled:ID`.
    pub text: String,
}

/// A solver, ready to be run or known not to be.
#[derive(Debug, Clone)]
pub struct Solver {
    /// What the user named.
    pub spec: SolverSpec,
    /// How it is run, or why it cannot be.
    pub invocation: Invocation,
    /// Variables of its own, beside those that every solver of the run gets.
    pub environment: Vec<(String, String)>,
}

/// How a solver is run, or why it cannot be.
#[derive(Debug, Clone)]
pub enum Invocation {
    /// This program, with these arguments (the program's own name first).
    Program {
        /// Absolute path of the executable.
        program: PathBuf,
        /// `argv`.
        argv: Vec<OsString>,
        /// Files and folders that it needs to see.
        visible: Vec<PathBuf>,
    },
    /// There is nothing to run: why.
    CannotStart(String),
    /// The compiler refused the source: what it said.
    CompileError(String),
}
