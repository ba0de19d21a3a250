//! The grammar of the commands about past runs.

use super::shared::ProblemArgs;
use super::shared::ReportArgs;
use crate::condition::Condition;
use crate::model::{Rule, RunChoice, listed};
use clap::{Args, Subcommand};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

pub(super) const HISTORY_EXAMPLES: &str = "Examples:
  judge history                              the newest runs
  judge history -p columns --solver mybot    one solver's progress on a problem
  judge history -p columns --where 'k<1000'   the same over small boards only
  judge history show 12 --group-by colors    run 12 in full
  judge history rm 12 13                     remove two runs";

pub(super) const BEST_EXAMPLES: &str = "Examples:
  judge best -p columns
  judge best -p columns --export best.json    to share with a team
  judge best -p columns --import best.json    keep what is better";

pub(super) const RESCORE_EXAMPLES: &str = "Examples:
  judge rescore 12 --score mean
  judge rescore last --score rank --scale 1000000000
  judge rescore last --where 'k<1000' --group-by colors
  judge rescore last --score relative --best ledger --json rescored.json";

/// Which cases of past runs.
#[derive(Debug, Args)]
pub struct CaseFilterArgs {
    /// Only the cases for which this holds, such as 'N<10 && colors==4'
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<Condition>,
    /// Also show the results for each value of this feature
    #[arg(long, value_name = "NAME")]
    pub group_by: Option<String>,
}

/// Arguments of `judge history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// What to do with a run [default: list them]
    #[command(subcommand)]
    pub action: Option<HistoryAction>,
    /// Only runs of this problem
    #[arg(short, long, value_name = "ID")]
    pub problem: Option<String>,
    /// Only solvers of this name
    #[arg(short, long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Which of their cases
    #[command(flatten)]
    pub filter: CaseFilterArgs,
    /// The number of rows, the newest first
    #[arg(short = 'n', long, value_name = "N", default_value = "20")]
    pub limit: NonZeroUsize,
    /// Show every row
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// Write the rows as JSON to this file, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
}

/// What to do with a past run.
#[derive(Debug, Subcommand)]
pub enum HistoryAction {
    /// Show a run in full
    Show(Box<ShowArgs>),
    /// Remove runs, with their answers
    Rm {
        /// The runs' numbers, or last
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<RunChoice>,
    },
}

/// Arguments of `judge history show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The run's number, or last
    pub run: RunChoice,
    /// Which of its cases
    #[command(flatten)]
    pub filter: CaseFilterArgs,
    /// Show a row for every case
    #[arg(long)]
    pub all: bool,
    /// Where the results go
    #[command(flatten)]
    pub reports: ReportArgs,
}

/// Arguments of `judge best`.
#[derive(Debug, Args)]
pub struct BestArgs {
    /// Which problem
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Import the better scores from this file first; - for standard input
    #[arg(long, value_name = "FILE")]
    pub import: Option<PathBuf>,
    /// Write the best scores to this file, for others to import; - for standard output
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// Write the best scores as JSON to this file, or - for standard output: the same as --export
    #[arg(long, value_name = "PATH", conflicts_with = "export")]
    pub json: Option<PathBuf>,
    /// Show a row for every case
    #[arg(long)]
    pub all: bool,
}

fn score_help() -> String {
    format!("The rule: {} [default: the problem's own]", listed(&Rule::names(), "or"))
}

fn scale_help() -> String {
    let rules = listed(&Rule::names_of(Rule::has_scale), "and");
    format!("The points of the best on a case, for {rules} [default: the problem's own, or {}]", Rule::DEFAULT_SCALE)
}

/// Arguments of `judge rescore`.
#[derive(Debug, Args)]
pub struct RescoreArgs {
    /// The run's number, as in `judge history`, or last
    pub run: RunChoice,
    /// The rule
    #[arg(long, value_name = "RULE", help = score_help())]
    pub score: Option<String>,
    /// The points of the best on a case
    #[arg(long, value_name = "N", help = scale_help())]
    pub scale: Option<NonZeroU64>,
    /// What the best scores are, beside those of this run: run (nothing else), the ledger of `judge best`, or a file of best scores [default: the catalogue's]
    #[arg(long, value_name = "run|ledger|FILE")]
    pub best: Option<PathBuf>,
    /// Which of its cases
    #[command(flatten)]
    pub filter: CaseFilterArgs,
    /// Show a row for every case
    #[arg(long)]
    pub all: bool,
    /// Where the results go
    #[command(flatten)]
    pub reports: ReportArgs,
}
