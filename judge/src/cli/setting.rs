//! The grammar of the commands for authors of problems: `new` and `verify`.

use super::{BuildArgs, JobArgs, SandboxArgs};
use clap::Args;
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
  cd my-problem && judge verify
  judge run -p my-problem -s solutions/plain.py -s solutions/good.py";

/// Arguments of `judge new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The id of the problem, and the name of its folder
    #[arg(value_name = "ID", allow_hyphen_values = true)]
    pub id: String,
}
