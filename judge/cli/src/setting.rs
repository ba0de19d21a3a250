//! The grammar of the commands for authors of problems: `new` and `verify`.

use super::{BuildArgs, JobArgs, SandboxArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const VERIFY_EXAMPLES: &str = "Examples:
  judge verify                                   every problem of the catalogue here
  judge verify -p my-problem --json verify.json
  judge verify --problems builtin -p columns";

/// Arguments of `judge verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The problem's id, as in `judge list`; repeatable [default: all of the catalogue]
    #[arg(short = 'p', long = "problem", value_name = "ID")]
    pub ids: Vec<String>,
    /// Write the same as JSON to this file, or - for standard output instead of the table
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// Fail if a check needs a program that is not installed, such as a solver's compiler
    #[arg(long)]
    pub strict: bool,
    /// How many solvers run at once, and where
    #[command(flatten)]
    pub jobs: JobArgs,
    /// How the solvers are built
    #[command(flatten)]
    pub build: BuildArgs,
    /// How the solvers are isolated
    #[command(flatten)]
    pub sandbox: SandboxArgs,
}

pub(super) const NEW_EXAMPLES: &str = "Examples:
  judge new my-problem
  judge new my-problem --checker cpp
  judge new my-problem --interactive --checker rust
  cd my-problem && judge verify
  judge run -p my-problem -s solutions/plain.py -s solutions/good.py";

/// Arguments of `judge new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The id of the problem, and the name of its folder
    #[arg(value_name = "ID", allow_hyphen_values = true)]
    pub id: String,
    /// What the checker is written in, or the interactor; testlib is C++ with testlib.h, which you provide
    #[arg(long, value_name = "python|rust|cpp|testlib", value_enum, default_value_t = NewChecker::Python, hide_possible_values = true)]
    pub checker: NewChecker,
    /// A problem whose interactor converses with the solver
    #[arg(long)]
    pub interactive: bool,
}

/// What the checker of a new problem is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NewChecker {
    /// Python
    Python,
    /// Rust
    Rust,
    /// C++
    Cpp,
    /// C++ with testlib
    Testlib,
}
