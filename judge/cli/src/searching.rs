//! The grammar of the commands that search for cases: `find` and `reduce`.

use crate::{BuildArgs, JobArgs, LimitArgs, ProblemArgs, RunningArgs, SandboxArgs};
use clap::Args;
use judge_problem::condition::Condition;
use judge_problem::parse_seed;
use std::path::PathBuf;

pub(super) const REDUCE_EXAMPLES: &str = "Examples:
  judge reduce -p columns -s ./mybot --seed 7 --output small.in    a small case with the same failure
  judge reduce -p columns -s ./mybot --input big.in > small.in
  judge reduce -p columns -s ./new --against ./old --seed 7        a small case on which ./new loses to ./old
  judge reduce -p columns -s ./mybot --seed 7 --keep 'score<100 && k>=10'
  judge run -p columns -s ./mybot --inputs small.in                plays what was found";

/// Arguments of `judge reduce`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("case").required(true).args(["input", "seed"]))]
pub struct ReduceArgs {
    /// Which problem
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// The solver that fails [default: the problem's own]
    #[arg(short, long, value_name = "S")]
    pub solver: Option<String>,
    /// The input on which it fails, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// The case made from this seed
    #[arg(long, value_name = "N", value_parser = parse_seed, allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// Keep this true instead of the same failure: a condition on the case, score, cpu_ms, wall_ms, memory_bytes, accepted
    #[arg(long, value_name = "CONDITION")]
    pub keep: Option<Condition>,
    /// Keep the solver worse than this one
    #[arg(long, value_name = "S")]
    pub against: Option<String>,
    /// Write the small input to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How many solvers run at once
    #[command(flatten)]
    pub jobs: JobArgs,
    /// What the solvers may use
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How the solvers are built
    #[command(flatten)]
    pub build: BuildArgs,
    /// How the solvers are isolated
    #[command(flatten)]
    pub sandbox: SandboxArgs,
}

impl ReduceArgs {
    /// Returns how the solvers are run: nothing is recorded.
    pub fn running(&self) -> RunningArgs {
        let Self { limits, jobs, build, sandbox, .. } = self;
        RunningArgs::unrecorded(limits.clone(), jobs.clone(), build.clone(), sandbox.clone())
    }
}
