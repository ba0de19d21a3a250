//! The grammar of the commands about past runs.

use super::shared::{ProblemArgs, ReportArgs, SortArgs, count, whole};
use clap::{Args, Subcommand, ValueEnum};
use judge_problem::{Bytes, Condition, Rule, RunChoice, Tag, listed};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Arguments of `judge ui`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge ui                                   prints the address of the page
  judge ui --open                            and opens it in the browser
  judge ui --open --allow-run                with a form that starts runs
  judge ui --journal all.db --read-only      runs of another journal, which is not written")]
pub struct UiArgs {
    /// The port on this machine's loopback, 0 for any free one [default: 4870, or any if it is taken]
    #[arg(long, value_name = "N", value_parser = whole::<u16>)]
    pub port: Option<u16>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Only read the journal, even if it is one of an older judge
    #[arg(long)]
    pub read_only: bool,
    /// Let the page start, stop and resume runs: they run the programs that are typed there, and end with the server
    #[arg(long, conflicts_with = "read_only")]
    pub allow_run: bool,
}

/// Arguments of `judge site`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge site public                          the whole journal, for any web host or from the disk
  judge site public --run 12 --run 15        two runs
  judge site public --include commands       with the command lines
  judge site --badge badge.svg --history history.svg    pictures for a README")]
pub struct SiteArgs {
    /// The folder to write: a new or empty one, or a site that it replaces
    #[arg(value_name = "DIR", required_unless_present_any = ["badge", "history"])]
    pub folder: Option<PathBuf>,
    /// Show only this run; repeatable [default: all]
    #[arg(long = "run", value_name = "RUN")]
    pub runs: Vec<RunChoice>,
    /// Also publish these, separated by commas
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub include: Vec<SitePart>,
    /// The maximum size of all replays of games; the best of each case come first
    #[arg(long, value_name = "SIZE", default_value = "3MB")]
    pub games: Bytes,
    /// Write the best total of the newest run as a badge, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub badge: Option<PathBuf>,
    /// Write the totals of the runs as a picture, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub history: Option<PathBuf>,
}

/// What a site shows only on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SitePart {
    /// The command lines of runs and solvers
    Commands,
    /// The name, processor and kernel of the machine, and paths on it
    #[value(alias = "paths")]
    Machine,
    /// What solvers printed on standard error
    #[value(alias = "standard-error")]
    Stderr,
    /// All of these
    All,
}

/// Which cases of past runs.
#[derive(Debug, Args)]
pub struct CaseFilterArgs {
    /// Only the cases for which this holds, such as 'N<10 && colors==4'
    #[arg(long = "where", value_name = "CONDITION", allow_hyphen_values = true)]
    pub condition: Option<Condition>,
    /// Also show the results for each value of this feature
    #[arg(long, value_name = "NAME")]
    pub group_by: Option<String>,
}

/// Arguments of `judge history`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge history                              the newest runs
  judge history -p columns --solver mybot    one solver's progress on a problem
  judge history -p columns --where 'k<1000'   the same over small boards only
  judge history show 12 --group-by colors    run 12 in full
  judge history show last --sort score --top 5    its five worst cases
  judge history tag 12 baseline              give a run a tag; judge history --tag baseline
  judge history note 12 'wider beam'         give it a note
  judge history rm 12 13                     remove two runs")]
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
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<Tag>,
    /// Which of their cases
    #[command(flatten)]
    pub filter: CaseFilterArgs,
    /// The number of rows, the newest first
    #[arg(short = 'n', long, value_name = "N", value_parser = count::<NonZeroUsize>, default_value = "20")]
    pub limit: NonZeroUsize,
    /// Show every row, and every setting of a search by `judge tune`, not only the best
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// Write the rows as JSON to this file, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
}

impl HistoryArgs {
    /// Returns whether a flag selects the listed runs.
    pub fn choose_runs(&self) -> bool {
        let CaseFilterArgs { condition, group_by } = &self.filter;
        let is_filtered = condition.is_some() || group_by.is_some() || self.tag.is_some() || self.all;
        is_filtered || self.problem.is_some() || self.solver.is_some() || self.json.is_some()
    }
}

/// What to do with a past run.
#[derive(Debug, Subcommand)]
pub enum HistoryAction {
    /// Show a run in full
    Show(Box<ShowArgs>),
    /// Give a run tags: words that the list and the page of `judge ui` show, and can filter by
    Tag {
        /// The run's number, or last
        run: RunChoice,
        /// The tags
        #[arg(required = true, value_name = "TAG")]
        tags: Vec<Tag>,
    },
    /// Remove tags from a run
    Untag {
        /// The run's number, or last
        run: RunChoice,
        /// The tags
        #[arg(required = true, value_name = "TAG")]
        tags: Vec<Tag>,
    },
    /// Set the note of a run, replacing the previous one
    Note {
        /// The run's number, or last
        run: RunChoice,
        /// The note; '' removes it
        text: String,
    },
    /// Remove runs, with their answers
    Rm {
        /// The runs' numbers, or last
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<RunChoice>,
        /// Cancel their jobs on a cluster first
        #[arg(long)]
        cancel: bool,
    },
}

/// Arguments of `judge history show`.
#[derive(Debug, Args)]
#[command(mut_arg("reverse", |arg| arg.hide_short_help(false)))]
pub struct ShowArgs {
    /// The run's number, or last
    pub run: RunChoice,
    /// Which of its cases
    #[command(flatten)]
    pub filter: CaseFilterArgs,
    /// Show a row for every case
    #[arg(long)]
    pub all: bool,
    /// In which order
    #[command(flatten)]
    pub sort: SortArgs,
    /// Also show the solvers that no other one dominates in two of score, cpu, memory and the metrics: score,metric:moves
    #[arg(long, value_name = "A,B")]
    pub pareto: Option<String>,
    /// Where the results go
    #[command(flatten)]
    pub reports: ReportArgs,
}

/// Arguments of `judge best`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge best -p columns
  judge best -p columns --export best.json    to share with a team
  judge best -p columns --import best.json    keep the better scores")]
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

/// Arguments of `judge merge`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge merge shards/*.db                    into the journal beside the catalogue
  judge merge 'shards/*.db' --into all.db    into a journal of its own
  judge merge shards/3.db                    what it has by now, if it still runs
  judge merge shards/*.db --json -           what is missing, for a script
  judge history show last --journal all.db")]
pub struct MergeArgs {
    /// The journals of the shards, or quoted patterns of them
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// The journal that gets the run [default: the one of --journal, or else .judge/journal.db beside the catalogue]
    #[arg(long, value_name = "FILE")]
    pub into: Option<PathBuf>,
    /// Write what was merged, what is missing with the command that runs it, and what is refused as JSON to this file, or - for
    /// standard output
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
}

/// Arguments of `judge rescore`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge rescore 12 --score mean
  judge rescore last --score rank --scale 1000000000
  judge rescore last --where 'k<1000' --group-by colors
  judge rescore last --score relative --best ledger --json rescored.json")]
pub struct RescoreArgs {
    /// The run's number, as in `judge history`, or last
    pub run: RunChoice,
    /// The rule
    #[arg(long, value_name = "RULE", help = score_help())]
    pub score: Option<String>,
    /// The points of the best on a case
    #[arg(long, value_name = "N", value_parser = count::<NonZeroU64>, help = scale_help())]
    pub scale: Option<NonZeroU64>,
    /// What scores are relative to, in addition to this run's own: known (the best of the problem and the journal), problem (not the journal), ledger (the journal alone), run (nothing else), or a file of best scores [default: the catalogue's, or known]
    #[arg(long, value_name = "run|problem|FILE")]
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
