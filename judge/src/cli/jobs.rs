//! The grammar of running several solvers at once, for every command that runs solvers.

use clap::Args;
use std::num::NonZeroUsize;

/// How many solvers run at once, and where.
#[derive(Debug, Args)]
pub struct JobArgs {
    /// How many solvers run at once; more than cores take time from each other [default: the number of physical cores]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Do not tie each solver to a core of its own
    #[arg(long)]
    pub no_pin: bool,
}
