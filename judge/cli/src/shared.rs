//! The grammar that several commands share: cases, limits, sandbox and jobs.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, Id, ValueEnum};
use judge_problem::{
    Bytes, Condition, GeneratorCall, InvalidText, LanguageChoice, RowKey, RowOrder, RunChoice, Seeds, Shard, Time,
    parse_limit,
};
use judge_report::Format;
use judge_sandbox::{Tier, TierChoice, UnknownTier};
use std::num::{IntErrorKind, NonZeroU16, NonZeroU32, NonZeroUsize, ParseIntError};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Which problem: a catalogue with one problem needs no id.
#[derive(Debug, Args)]
pub struct ProblemArgs {
    /// The problem's id, as in `judge list` [default: the only one of the catalogue]
    #[arg(short, long, value_name = "ID")]
    problem: Option<String>,
    /// The same as --problem
    #[arg(value_name = "ID", conflicts_with = "problem")]
    id: Option<String>,
}

impl ProblemArgs {
    /// Returns the id, if one is given.
    pub fn id(&self) -> Option<&str> {
        self.problem.as_deref().or(self.id.as_deref())
    }
}

/// Which cases.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cases")]
pub struct CaseArgs {
    /// Cases made from seeds: 1-50, or 3,7,10-12 [default: the problem's own cases]
    #[arg(long, value_name = "SEEDS", allow_hyphen_values = true)]
    pub seeds: Option<Seeds>,
    /// A case made with parameters of the generator: seed=7,n=100; repeatable
    #[arg(long = "case", value_name = "CASE")]
    pub calls: Vec<GeneratorCall>,
    /// Cases in files: a path or a quoted pattern; repeatable
    #[arg(long, value_name = "FILES")]
    pub inputs: Vec<String>,
    /// Only the cases for which this holds, such as 'N<10 && colors==4'
    #[arg(long = "where", value_name = "CONDITION", allow_hyphen_values = true)]
    pub condition: Option<Condition>,
}

/// The order of the rows of cases.
#[derive(Debug, Args, Default)]
pub struct SortArgs {
    /// Sort the cases, the worst first, by score, points, cpu, memory, or lost: the difference to the best known or to the other
    /// solver
    #[arg(long, value_name = "KEY", value_parser = row_key(), hide_possible_values = true)]
    sort: Option<RowKey>,
    /// With --sort: show only this many cases, in the reports too [default: 20 in the table]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>)]
    top: Option<NonZeroUsize>,
    /// With --sort: the best first
    #[arg(long, hide_short_help = true)]
    reverse: bool,
}

impl SortArgs {
    /// Returns the order, if one is given.
    pub fn order(&self) -> Option<RowOrder> {
        self.sort.map(|key| RowOrder { key, best_first: self.reverse, top: self.top })
    }
}

fn row_key() -> impl TypedValueParser<Value = RowKey> {
    PossibleValuesParser::new(RowKey::ALL.map(RowKey::name)).try_map(|name| name.parse())
}

/// What the solvers may use.
#[derive(Clone, Debug, Args, Default)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// CPU time, such as 4s or 500ms
    #[arg(long, value_name = "TIME", value_parser = parse_limit::<Time>)]
    pub cpu: Option<Time>,
    /// Elapsed time [default: three times the CPU time plus one second]
    #[arg(long, value_name = "TIME", value_parser = parse_limit::<Time>)]
    pub wall: Option<Time>,
    /// Memory, such as 1024MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_limit::<Bytes>)]
    pub memory: Option<Bytes>,
    /// Bytes on standard output, such as 1MB
    #[arg(long, value_name = "SIZE")]
    pub output_limit: Option<Bytes>,
    /// Processes and threads alive at once
    #[arg(long, value_name = "N", value_parser = count::<NonZeroU32>)]
    pub processes: Option<NonZeroU32>,
}

/// How the solvers are built.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Languages")]
pub struct BuildArgs {
    /// The language of all sources, or of the named solver, if the file extension is ambiguous: pypy; repeatable
    #[arg(long = "language", value_name = "[NAME=]LANGUAGE")]
    pub languages: Vec<LanguageChoice>,
    /// Compile again, and do not cache the compiled programs
    #[arg(long)]
    pub no_cache: bool,
}

/// How the solvers are isolated.
#[derive(Debug, Args, Default, Clone)]
#[command(next_help_heading = "Sandbox")]
pub struct SandboxArgs {
    /// Use this tier of the sandbox or fail [default: the strongest that works here]
    #[arg(long, value_name = "TIER", default_value = "auto", hide_default_value = true, value_parser = tier_choice)]
    pub tier: TierChoice,
    /// Fail unless the tier is at least this strong: root, delegated, userns or bare
    #[arg(long, value_name = "TIER")]
    pub require_tier: Option<Tier>,
    /// Run with only limits if no isolation mechanism is available
    #[arg(long = "unsafe")]
    pub allow_unsafe: bool,
    /// Let the program see this file or folder; D:rw lets it write there; repeatable
    #[arg(long = "dir", value_name = "D[:rw]")]
    pub visible: Vec<String>,
    /// Give the program an environment variable; repeatable
    #[arg(long = "env", value_name = "K=V", value_parser = key_value)]
    pub environment: Vec<(String, String)>,
}

/// How solvers are limited, built and isolated: what every case depends on.
#[derive(Clone, Debug, Args, Default)]
pub struct ConditionArgs {
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

/// Reads a tier of the sandbox, or `auto` for the strongest that works.
///
/// # Errors
/// There is no such tier.
fn tier_choice(text: &str) -> Result<TierChoice, UnknownTier> {
    if text == "auto" { Ok(TierChoice::Auto) } else { text.parse().map(TierChoice::Forced) }
}

/// How many solvers run at once, and where.
#[derive(Debug, Args, Clone, Default)]
pub struct JobArgs {
    /// The number of solvers that run at once; more than cores disturb each other's times [default: the number of physical cores]
    #[arg(short, long, value_name = "N", value_parser = count::<NonZeroU16>)]
    pub jobs: Option<NonZeroU16>,
    /// Do not pin each solver to its own core
    #[arg(long, hide_short_help = true)]
    pub no_pin: bool,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected K=V, such as THREADS=1".to_owned()),
    }
}

/// Where the results go: files, or - for standard output instead of the table.
#[derive(Debug, Args, Default, PartialEq, Eq)]
#[command(next_help_heading = "Reports (PATH may be -: standard output instead of the table)")]
pub struct ReportArgs {
    /// One JSON document
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// JSON lines: each case as soon as it is finished, then a summary
    #[arg(long, value_name = "PATH")]
    pub jsonl: Option<PathBuf>,
    /// A table for spreadsheets
    #[arg(long, value_name = "PATH")]
    pub csv: Option<PathBuf>,
    /// JUnit XML, as CI services show it
    #[arg(long, value_name = "PATH")]
    pub junit: Option<PathBuf>,
    /// Markdown that fits a pull request's comment
    #[arg(long, value_name = "PATH")]
    pub markdown: Option<PathBuf>,
    /// A web page in one file
    #[arg(long, value_name = "PATH")]
    pub html: Option<PathBuf>,
}

impl ReportArgs {
    /// Returns the requested formats, each with its file.
    pub fn targets(&self) -> Vec<(Format, &Path)> {
        let Self { json, jsonl, csv, junit, markdown, html } = self;
        let requested = [
            (Format::Json, json),
            (Format::Csv, csv),
            (Format::Junit, junit),
            (Format::Markdown, markdown),
            (Format::Html, html),
            (Format::JsonLines, jsonl),
        ];
        requested.into_iter().filter_map(|(format, path)| Some((format, path.as_deref()?))).collect()
    }

    /// Returns the names of the flags, without their dashes.
    pub fn flags() -> Vec<Id> {
        let grammar = Self::augment_args(Command::new("reports"));
        grammar.get_arguments().map(|flag| flag.get_id().clone()).collect()
    }

    /// Returns whether no file is named.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Reads a number that is at least 1.
pub(super) fn count<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, String> {
    whole_from(1, text)
}

/// Reads a number that may be 0.
pub(super) fn whole<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, String> {
    whole_from(0, text)
}

fn whole_from<N: FromStr<Err = ParseIntError>>(first: u8, text: &str) -> Result<N, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("{text} is too large"),
        _ => format!("expected a whole number from {first} on, found `{text}`"),
    })
}

/// Which shard of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardArg {
    /// This one.
    Fixed(Shard),
    /// The shard of this task, by the variables of its engine.
    Auto(TaskIds),
}

/// The ids of an array's tasks, as far as the command line gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskIds {
    /// Nothing.
    Unknown,
    /// Their number.
    Count(NonZeroU32),
    /// The first, the last, and the step.
    Range(u32, u32, NonZeroU32),
}

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ids = match text.strip_prefix("auto") {
            // Only a text that cannot be a shard may be a misspelt `auto`.
            None if text.contains('/') => {
                return text.parse().map(Self::Fixed).map_err(|error: InvalidText| error.to_string());
            }
            None => return Err(format!("expected K/N, such as 3/16, found `{text}`; or auto")),
            Some("") => return Ok(Self::Auto(TaskIds::Unknown)),
            Some(rest) => rest.strip_prefix('/').and_then(ids),
        };
        ids.map(Self::Auto).ok_or_else(|| format!("expected auto, auto/16 or auto/0-15, found `{text}`"))
    }
}

/// Reads `16`, `0-15` or `0-30:2`, as the array of a job is written.
fn ids(text: &str) -> Option<TaskIds> {
    let Some((first, rest)) = text.split_once('-') else { return text.parse().ok().map(TaskIds::Count) };
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let (first, last, step) = (first.parse().ok()?, last.parse().ok()?, step.parse().ok()?);
    (first <= last).then_some(TaskIds::Range(first, last, step))
}

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
    #[arg(long, value_name = "DIR")]
    pub workdir: Option<PathBuf>,
    /// Further options of sbatch, in quotes: '--partition=short --time=30'; repeatable
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// The required features of nodes, as for sbatch --constraint
    #[arg(long, value_name = "FEATURES")]
    pub constraint: Option<String>,
    /// How often the cases of a lost task run again [default: 2]
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub retries: Option<u32>,
}

/// A run that goes on without the judge that submitted it.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Many machines")]
pub struct DetachArgs {
    /// Submit the run and exit; --attach follows it later
    #[arg(long, conflicts_with = "no_journal")]
    pub detach: bool,
    /// Follow a submitted run that is still running: its number, or last
    #[arg(long, value_name = "RUN", conflicts_with_all = ["on", "solvers", "submissions", "resume", "reuse", "no_journal"])]
    pub attach: Option<RunChoice>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_given_or_read_from_the_engine() {
        let read = |text: &str| text.parse::<ShardArg>();
        let number = |number| NonZeroU32::new(number).unwrap();
        assert_eq!(read("3/16"), Ok(ShardArg::Fixed(Shard::new(3, 16).unwrap())));
        assert_eq!(read("auto"), Ok(ShardArg::Auto(TaskIds::Unknown)));
        assert_eq!(read("auto/16"), Ok(ShardArg::Auto(TaskIds::Count(number(16)))));
        assert_eq!(read("auto/0-15"), Ok(ShardArg::Auto(TaskIds::Range(0, 15, number(1)))));
        assert_eq!(read("auto/10-40:10"), Ok(ShardArg::Auto(TaskIds::Range(10, 40, number(10)))));
        for text in ["auto/", "auto/0", "auto/5-1", "auto/1-5:0", "auto16", "auto/a", "automatic"] {
            assert_eq!(read(text), Err(format!("expected auto, auto/16 or auto/0-15, found `{text}`")));
        }
        assert_eq!(read("3"), Err("expected K/N, such as 3/16, found `3`; or auto".to_owned()));
    }
}
