//! The grammar of runs on many machines.

use clap::{Args, ValueEnum};
use judge_problem::RunChoice;
use std::path::PathBuf;

pub(super) const WORK_EXAMPLES: &str = "Examples:
  judge work judge-run.x7Fq     what a task of --on slurm runs; it is of no use by hand";

/// What runs the solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// A cluster with Slurm: an array job
    Slurm,
}

/// Where the solvers run.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Many machines")]
pub struct EngineArgs {
    /// Run the solvers on a cluster instead of this machine: slurm
    #[arg(long, value_name = "ENGINE", hide_possible_values = true)]
    pub on: Option<Engine>,
    /// The folder for the files of the run, which this machine and all nodes share [default: the catalogue's [engine.slurm], else this folder]
    #[arg(long, value_name = "DIR", requires = "on")]
    pub workdir: Option<PathBuf>,
    /// Further options of sbatch, in quotes: '--partition=short --time=30'; repeatable
    #[arg(long, value_name = "OPTIONS", requires = "on", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// What the nodes must have, as sbatch --constraint takes it
    #[arg(long, value_name = "FEATURES", requires = "on")]
    pub constraint: Option<String>,
    /// How often the cases of a lost task run again [default: 2]
    #[arg(long, value_name = "N", requires = "on")]
    pub retries: Option<u32>,
}

/// A run that goes on without the judge that submitted it.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Many machines")]
pub struct DetachArgs {
    /// Submit the run, and leave: --attach follows it later
    #[arg(long, requires = "on", conflicts_with = "no_journal")]
    pub detach: bool,
    /// Follow a run that was submitted and goes on: its number, or last
    #[arg(long, value_name = "RUN", conflicts_with_all = ["on", "solvers", "submissions", "resume", "reuse", "no_journal"])]
    pub attach: Option<RunChoice>,
}
