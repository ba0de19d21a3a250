//! The command line's grammar. What it means is the business of `commands`.

mod comparing;
mod jobs;
mod past;

pub use comparing::{BaselineArgs, CompareArgs, GateArgs, PowerArgs, RunningArgs, TuneArgs};
pub use jobs::JobArgs;
pub use past::{BestArgs, HistoryAction, HistoryArgs, KindArgs, RescoreArgs, ShowArgs};

use crate::condition::Condition;
use crate::journal::RunChoice;
use crate::model::{Bytes, Seeds, Time};
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use judge_sandbox::{Tier, TierChoice, UnknownTier};
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

const STYLES: Styles =
    Styles::styled().header(AnsiColor::Green.on_default().bold()).literal(AnsiColor::Cyan.on_default().bold());

/// Judge and score solvers of score-based programming games
#[derive(Debug, Parser)]
#[command(name = "judge", version, styles = STYLES, max_term_width = 100, subcommand_required = true)]
#[command(after_help = "Start with `judge list`, then `judge run -p columns`. `judge help COMMAND` has examples.")]
pub struct Cli {
    /// The catalogue of problems [default: problems.toml here or in a parent folder, else the built-in one]
    #[arg(long, global = true, value_name = "FILE")]
    pub problems: Option<PathBuf>,

    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run solvers on a problem's cases, check every answer, and score them
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArgs>),
    /// Check an answer that is already there, without running anything
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Write the input of a case
    #[command(after_help = GEN_EXAMPLES)]
    Gen(GenArgs),
    /// Run one program in the sandbox: no problem, no checker
    #[command(after_help = EXEC_EXAMPLES)]
    Exec(Box<ExecArgs>),
    /// Tell what the sandbox can do on this machine, what is missing, and how to get it
    #[command(after_help = "Examples:\n  judge doctor\n  sudo judge doctor\n  judge doctor --json -")]
    Doctor {
        /// Write the same as JSON to this file, or - for standard output
        #[arg(long, value_name = "PATH")]
        json: Option<PathBuf>,
    },
    /// Look at past runs
    #[command(after_help = HISTORY_EXAMPLES, args_conflicts_with_subcommands = true)]
    History(HistoryArgs),
    /// Show the best score on each case of a problem, and where it comes from
    #[command(after_help = BEST_EXAMPLES)]
    Best(BestArgs),
    /// Score a past run by another rule, without running anything
    #[command(after_help = RESCORE_EXAMPLES)]
    Rescore(RescoreArgs),
    /// Tell whether a solver is better than another, and how certain that is
    #[command(after_help = comparing::COMPARE_EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Record what a solver achieves, for `judge gate`
    #[command(after_help = comparing::BASELINE_EXAMPLES)]
    Baseline(Box<BaselineArgs>),
    /// Fail if a solver is worse than its baseline: for continuous integration
    #[command(after_help = comparing::GATE_EXAMPLES)]
    Gate(Box<GateArgs>),
    /// Tell how many cases a difference needs to show, and which difference so many cases show
    #[command(after_help = comparing::POWER_EXAMPLES)]
    Power(Box<PowerArgs>),
    /// Search for good parameters of a solver
    #[command(after_help = comparing::TUNE_EXAMPLES)]
    Tune(Box<TuneArgs>),
    /// List the problems
    #[command(after_help = "Examples:\n  judge list\n  judge list --problems contest/problems.toml")]
    List,
    /// Show a problem: its limits, cases, formats and scoring
    #[command(after_help = "Examples:\n  judge show columns\n  judge show deletion-game")]
    Show {
        /// The problem's id, as in `judge list`
        problem: String,
    },
    /// Run a bundled solver: the case on standard input, the answer on standard output
    #[command(after_help = SOLVE_EXAMPLES)]
    Solve {
        /// The bundled solver's id; a problem's own has the problem's id
        solver: String,
    },
    /// Show a game move by move, as one web page
    #[command(after_help = VIEW_EXAMPLES)]
    View(ViewArgs),
    /// Print the JSON schema of a report or of problems.toml
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema {
        /// What it describes
        #[arg(value_enum, default_value_t = SchemaOf::Run)]
        of: SchemaOf,
    },
    /// Print a shell's completion script
    #[command(
        after_help = "Examples:\n  judge completions bash > ~/.local/share/bash-completion/completions/judge\n  judge completions fish > ~/.config/fish/completions/judge.fish"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Examples:\n  judge man > judge.1\n  judge man | man -l -")]
    Man,
}

const RUN_EXAMPLES: &str = "Examples:
  judge run -p columns                                  the bundled solver on the problem's own cases
  judge run -p columns -s ./mybot --seeds 1-100         a program, on a hundred cases
  judge run -p same-game -s 'python3 bot.py' --inputs 'data/*.in' --json result.json
  judge run -p square-remover -s old=./v1 -s new=./v2   two versions, scored relative to the better
  judge run -p same-game-free -s ./mybot --best ledger  relative to the best that any past run reached
  judge run -p columns -s ./mybot --seeds 1-100 --resume    go on with the run that was interrupted";

const EXEC_EXAMPLES: &str = "Examples:
  judge exec --cpu 1s --memory 256MiB -- ./mybot
  judge exec --stdin case.in --stdout answer.out --json usage.json -- python3 bot.py
  judge exec --require-tier root --dir /opt/data -- ./untrusted";

const CHECK_EXAMPLES: &str = "Examples:
  judge check -p columns --seed 1 --output answer.txt
  judge check -p deletion-game --input game1.in --output -     the answer from standard input
  judge check -p columns --dir results                         every NAME.in with its NAME.out
  judge check --run 12                                         the stored answers of a past run, once more";

const HISTORY_EXAMPLES: &str = "Examples:
  judge history                              the newest runs
  judge history -p columns --solver mybot    one solver's progress on a problem
  judge history -p columns --where 'k<1000'   the same over the small boards alone
  judge history show 12 --group-by colors    all that is known of run 12
  judge history rm 12 13                     forget two runs";

const BEST_EXAMPLES: &str = "Examples:
  judge best -p columns
  judge best -p columns --export best.json    to share with a team
  judge best -p columns --import best.json    take what is better";

const RESCORE_EXAMPLES: &str = "Examples:
  judge rescore 12 --score mean
  judge rescore last --score rank --scale 1000000000
  judge rescore last --where 'k<1000' --group-by colors
  judge rescore last --score relative --best ledger --json rescored.json";

const GEN_EXAMPLES: &str = "Examples:
  judge gen -p columns --seed 7 > seed-7.in
  judge gen -p square-remover --seeds 1-100 --dir cases";

const SOLVE_EXAMPLES: &str = "Examples:
  judge gen -p columns --seed 1 | judge solve columns
  judge solve same-game < board.in > answer.out";

const VIEW_EXAMPLES: &str = "Examples:
  judge view -p columns --seed 1 -s ./mybot --html game.html
  judge view -p same-game-free --input board.in --output board.out --html game.html
  judge view -p square-remover --seed 1 --html game.html --from 1 --to 500";

const SCHEMA_EXAMPLES: &str = "Examples:
  judge schema                                    of judge run --json
  judge schema jsonl                              of a line of judge run --jsonl
  judge schema problems > problems.schema.json    of problems.toml, for editors";

/// What has a JSON schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// The document of `judge run --json`
    Run,
    /// A line of `judge run --jsonl`
    Jsonl,
    /// The document of `judge history --json`
    History,
    /// The document of `judge best --json` and `--export`
    Best,
    /// The document of `judge compare --json`
    Compare,
    /// The document of `judge power --json`
    Power,
    /// The document of `judge gate --json`
    Gate,
    /// A line of `judge tune --jsonl`
    Tune,
    /// The document of `judge exec --json`
    Exec,
    /// The document of `judge doctor --json`
    Doctor,
    /// The catalogue `problems.toml`
    Problems,
}

/// Arguments of `judge run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The problem's id, as in `judge list`
    #[arg(short, long, value_name = "ID")]
    pub problem: String,
    /// A program, a quoted command, a source file, or bundled:ID; NAME=S names it; repeatable [default: the problem's bundled one]
    #[arg(short, long = "solver", value_name = "S")]
    pub solvers: Vec<String>,
    /// How many solvers run at once, and where
    #[command(flatten)]
    pub jobs: JobArgs,
    /// Run every case so many times
    #[arg(long, value_name = "N")]
    pub repeat: Option<NonZeroU32>,
    /// Stop at the first case that is not accepted
    #[arg(long)]
    pub fail_fast: bool,
    /// Go on with the last interrupted run of this command; what has changed since is run again
    #[arg(long, conflicts_with = "no_journal")]
    pub resume: bool,
    /// Take the results that the same solver had on the same input under the same limits in earlier runs
    #[arg(long, conflicts_with = "no_journal")]
    pub reuse: bool,
    /// Do not record the run in the journal
    #[arg(long)]
    pub no_journal: bool,
    /// The best beside this run's own scores: run (nothing), the ledger of `judge best`, or a file of best scores [default: the catalogue's]
    #[arg(long, value_name = "run|ledger|FILE")]
    pub best: Option<PathBuf>,
    /// A row for every case, however many there are
    #[arg(long)]
    pub all: bool,
    /// Which cases
    #[command(flatten)]
    pub cases: CaseArgs,
    /// Also tell how the solvers fared on the cases of each value of this feature
    #[arg(long, value_name = "NAME", help_heading = "Cases")]
    pub group_by: Option<String>,
    /// What the solvers may use
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How the solvers are walled in
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Where the results go, beside the table
    #[command(flatten)]
    pub reports: ReportArgs,
}

/// Which cases.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cases")]
pub struct CaseArgs {
    /// Cases made from seeds: 1-50, or 3,7,10-12 [default: the problem's own cases]
    #[arg(long, value_name = "SEEDS")]
    pub seeds: Option<Seeds>,
    /// Cases in files: a path or a quoted pattern; repeatable
    #[arg(long, value_name = "FILES")]
    pub inputs: Vec<String>,
    /// Only the cases for which this holds, such as 'N<10 && colors==4'
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<Condition>,
}

/// Where the results go: files, or - for standard output instead of the table.
#[derive(Debug, Args)]
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

/// What the solvers may use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// CPU time, such as 4s or 500ms
    #[arg(long, value_name = "TIME")]
    pub cpu: Option<Time>,
    /// Time on the clock [default: three times the CPU time and a second]
    #[arg(long, value_name = "TIME")]
    pub wall: Option<Time>,
    /// Memory, such as 1024MiB
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// Bytes on standard output, such as 1MB
    #[arg(long, value_name = "SIZE")]
    pub output_limit: Option<Bytes>,
    /// Processes and threads alive at once
    #[arg(long, value_name = "N")]
    pub processes: Option<NonZeroU32>,
}

/// How the solvers are walled in.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sandbox")]
pub struct SandboxArgs {
    /// Use this tier of the sandbox or fail [default: the strongest that works here]
    #[arg(long, value_name = "TIER", default_value = "auto", hide_default_value = true)]
    pub tier: TierArg,
    /// Fail unless the tier is at least this strong: root, delegated, userns or bare
    #[arg(long, value_name = "TIER")]
    pub require_tier: Option<Tier>,
    /// Go on with limits alone where the machine gives nothing to wall a program in with
    #[arg(long = "unsafe")]
    pub allow_unsafe: bool,
    /// Let the program see this file or folder; D:rw lets it write there; repeatable
    #[arg(long = "dir", value_name = "D[:rw]")]
    pub visible: Vec<String>,
    /// Give the program an environment variable; repeatable
    #[arg(long = "env", value_name = "K=V", value_parser = key_value)]
    pub environment: Vec<(String, String)>,
}

/// A tier of the sandbox, or the strongest that works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TierArg(pub TierChoice);

impl FromStr for TierArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self(TierChoice::Auto)),
            name => {
                name.parse().map(|tier| Self(TierChoice::Forced(tier))).map_err(|error: UnknownTier| error.to_string())
            }
        }
    }
}

/// Arguments of `judge exec`.
#[derive(Debug, Args)]
pub struct ExecArgs {
    /// What the program may use
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How it is walled in
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Its standard input: a file, or - for the judge's own [default: empty]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Where its standard output goes [default: the judge's own]
    #[arg(long, value_name = "FILE")]
    pub stdout: Option<PathBuf>,
    /// Where its standard error goes [default: the judge's own]
    #[arg(long, value_name = "FILE")]
    pub stderr: Option<PathBuf>,
    /// Write how it ended and what it used as JSON to this file, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Arguments of `judge check`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("case").required(true).args(["input", "seed", "dir", "run"]))]
pub struct CheckArgs {
    /// The problem's id, as in `judge list`
    #[arg(short, long, value_name = "ID", required_unless_present = "run")]
    pub problem: Option<String>,
    /// The stored answers of this past run, with today's checker
    #[arg(long, value_name = "RUN", conflicts_with_all = ["problem", "output"])]
    pub run: Option<RunChoice>,
    /// The case's input, or - for standard input
    #[arg(long, value_name = "FILE", requires = "output")]
    pub input: Option<PathBuf>,
    /// The case made from this seed
    #[arg(long, value_name = "N", requires = "output")]
    pub seed: Option<u64>,
    /// The answer, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "dir")]
    pub output: Option<PathBuf>,
    /// A folder: every NAME.in with its NAME.out
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Arguments of `judge view`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("case").required(true).args(["input", "seed"]))]
pub struct ViewArgs {
    /// The problem's id, as in `judge list`
    #[arg(short, long, value_name = "ID")]
    pub problem: String,
    /// The case's input, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// The case made from this seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The answer, or - for standard input [default: what the solver answers]
    #[arg(long, value_name = "FILE", conflicts_with = "solver")]
    pub output: Option<PathBuf>,
    /// The solver that is to answer [default: the problem's bundled one]
    #[arg(short, long, value_name = "S")]
    pub solver: Option<String>,
    /// The page that is written, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub html: PathBuf,
    /// Start with this move
    #[arg(long, value_name = "MOVE")]
    pub from: Option<usize>,
    /// End with this move
    #[arg(long, value_name = "MOVE")]
    pub to: Option<usize>,
    /// What the solver may use
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How the solver is walled in
    #[command(flatten)]
    pub sandbox: SandboxArgs,
}

/// Arguments of `judge gen`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["seed", "seeds"]))]
pub struct GenArgs {
    /// The problem's id, as in `judge list`
    #[arg(short, long, value_name = "ID")]
    pub problem: String,
    /// The case with this seed, to standard output (or into --dir)
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The cases with these seeds, into the folder --dir
    #[arg(long, value_name = "SEEDS", requires = "dir")]
    pub seeds: Option<Seeds>,
    /// The folder for the files seed-N.in; it is made when it is not there
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected K=V, such as THREADS=1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_consistent_and_every_command_has_examples() {
        let cli = Cli::command();
        cli.clone().debug_assert();
        for command in cli.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Examples:"), "judge help {} has no examples", command.get_name());
        }
    }
}
