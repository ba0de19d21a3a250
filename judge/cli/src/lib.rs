//! The grammar of the command line: what users can write, with its help. The package `judge` executes it.
//!
//! - [`Cli`] is a whole command line: the options of every subcommand, and the subcommand.
//! - [`Command`] is the subcommand with its arguments, such as [`RunArgs`] or [`CompareArgs`].
//! - [`RunningArgs`] are the arguments that commands which run solvers share: limits, jobs, languages, sandbox,
//!   cluster.
//!
//! The path of one command line:
//!
//! ```text
//! words ─ Cli::read ─▶ Cli { problems, journal, command }
//!      command ─ Deferred<RunArgs> ─▶ its grammar is built only now ─▶ seeds, limits, conditions … as values
//!      a wrong word ─▶ an error with the most similar word, and the exit code 2
//! Cli ─ judge::commands::dispatch ─▶ the file of the subcommand
//! ```
//!
//! ```
//! use clap::Parser;
//! use judge_cli::{Cli, Command};
//!
//! let cli = Cli::try_parse_from(["judge", "run", "columns", "-s", "./bot", "--seeds", "1-9"])?;
//! let Command::Run(args) = cli.command else { panic!("not `judge run`") };
//! assert_eq!(args.problem_id(), Some("columns"));
//! assert_eq!(args.solvers(), ["./bot"]);
//! assert_eq!(args.cases.seeds.as_ref().map(|seeds| seeds.iter().count()), Some(9));
//! # Ok::<(), clap::Error>(())
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

mod comparing;
mod deferred;
mod past;
mod searching;
mod serving;
mod shared;
mod tools;

pub use comparing::{BaselineArgs, CompareArgs, GateArgs, PowerArgs, RankArgs, RunningArgs, StatisticsArgs, TuneArgs};
pub use deferred::Deferred;
pub use past::{
    BestArgs, CaseFilterArgs, HistoryAction, HistoryArgs, MergeArgs, RescoreArgs, ShowArgs, SiteArgs, SitePart, UiArgs,
};
pub use searching::{FindArgs, ReduceArgs, SearchGoal};
pub use serving::{EvaluatorArgs, ServeArgs};
pub use shared::{
    BuildArgs, CaseArgs, ConditionArgs, DetachArgs, Engine, EngineArgs, JobArgs, LimitArgs, ProblemArgs, ReportArgs,
    SandboxArgs, ShardArg, SortArgs, TaskIds,
};
pub use tools::{CacheAction, CheckArgs, ExecArgs, GenArgs, ImportArgs, ViewArgs};
pub use tools::{NewArgs, NewChecker, VerifyArgs};

use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand};
use judge_problem::{Exit, KeptStderr, Problem, closest};
use shared::count;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::PathBuf;

const STYLES: Styles =
    Styles::styled().header(AnsiColor::Green.on_default().bold()).literal(AnsiColor::Cyan.on_default().bold());

/// Judge and score solvers of score-based programming games
#[derive(Debug, Parser)]
#[command(name = "judge", version, styles = STYLES, max_term_width = 100, subcommand_required = true)]
#[command(after_help = "Start with `judge list`, then `judge run -p columns`. `judge help COMMAND` has examples.")]
pub struct Cli {
    /// The catalogue of problems; builtin is the built-in one [default: problems.toml here or in a parent folder, else builtin]
    #[arg(long, global = true, value_name = "FILE")]
    pub problems: Option<PathBuf>,

    /// The journal's file [default: .judge/journal.db beside the catalogue]
    #[arg(long, global = true, value_name = "FILE")]
    pub journal: Option<PathBuf>,

    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line of this process. Like [`Parser::parse`], it ends the process if the command line is wrong or
    /// requests help.
    pub fn read() -> Self {
        let words: Vec<OsString> = std::env::args_os().collect();
        Self::try_parse_from(&words).unwrap_or_else(|error| end(&clearer_error(error, &words)))
    }
}

/// Prints the help or the error, and ends the process. A closed pipe (`| head`) is no error.
fn end(error: &clap::Error) -> ! {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(lost) if !error.use_stderr() && lost.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: cannot write to standard output: {lost}");
            std::process::exit(i32::from(Exit::Fault.code()))
        }
        _ => std::process::exit(error.exit_code()),
    }
}

/// Returns the error that explains a wrong command line best. `--cpu -1s` is an option with a wrong value, and not an option
/// `-1`.
fn clearer_error(error: clap::Error, words: &[OsString]) -> clap::Error {
    if error.kind() == ErrorKind::InvalidSubcommand {
        return with_listed_command(error, words);
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    match Cli::try_parse_from(with_negative_values(words)) {
        Err(better) if better.kind() == ErrorKind::ValueValidation => better,
        _ => error,
    }
}

/// Suggests the visible command that is most like the one that was typed.
fn with_listed_command(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand).cloned() else { return error };
    let mut grammar = Cli::command();
    grammar.build();
    let mut command = &grammar;
    for word in words {
        command = command.find_subcommand(word).unwrap_or(command);
    }
    let listed = command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    match closest(&typed, listed) {
        Some(meant) => {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![meant.to_owned()]));
        }
        None => {
            error.remove(ContextKind::SuggestedSubcommand);
        }
    }
    error
}

/// Attaches words that start as a negative number does to the option before them: `--cpu=-1s`.
fn with_negative_values(words: &[OsString]) -> Vec<OsString> {
    let mut attached: Vec<OsString> = Vec::with_capacity(words.len());
    for word in words.iter().take_while(|word| *word != "--") {
        let is_negative = matches!(word.as_encoded_bytes(), [b'-', b'0'..=b'9', ..]);
        match attached.last_mut() {
            Some(option) if is_negative && option.as_encoded_bytes().starts_with(b"-") => {
                option.push(if option.as_encoded_bytes().starts_with(b"--") { "=" } else { "" });
                option.push(word);
            }
            _ => attached.push(word.clone()),
        }
    }
    attached
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run solvers on a problem's cases, check every answer, and score them
    Run(Deferred<RunArgs>),
    /// List the problems
    #[command(after_help = "Examples:\n  judge list\n  judge list --problems contest/problems.toml")]
    List,
    /// Show a problem: its limits, cases, formats and scoring
    #[command(after_help = "Examples:\n  judge show columns\n  judge show columns --rules")]
    Show {
        /// The problem's id, as in `judge list`
        problem: String,
        /// Show the rules of the game, its input, output and scoring, with a sample
        #[arg(long)]
        rules: bool,
    },
    /// Check an existing answer, without running anything
    Check(Deferred<CheckArgs>),
    /// Show a game move by move, as one web page
    View(Deferred<ViewArgs>),
    /// Run a bundled solver: the case on standard input, the answer on standard output
    #[command(after_help = "Examples:
  judge gen -p columns --seed 1 | judge solve columns
  judge solve same-game < board.in > answer.out")]
    Solve {
        /// The bundled solver's id; a problem's own has the problem's id
        solver: String,
    },
    /// Write the input of a case
    Gen(Deferred<GenArgs>),
    /// Run one program in the sandbox: no problem, no checker
    Exec(Deferred<ExecArgs>),
    /// List, show, tag and remove past runs
    History(Deferred<HistoryArgs>),
    /// Show the best score on each case of a problem, and its origin
    Best(Deferred<BestArgs>),
    /// Score a past run by another rule, without running anything
    Rescore(Deferred<RescoreArgs>),
    /// Merge the journals of shards into one run
    Merge(Deferred<MergeArgs>),
    /// Show whether a solver is better than another, and how certain that is
    Compare(Deferred<CompareArgs>),
    /// Show which places are certain among many solvers
    Rank(Deferred<RankArgs>),
    /// Record the scores of a solver, for `judge gate`
    Baseline(Deferred<BaselineArgs>),
    /// Fail if a solver is worse than its baseline: for continuous integration
    Gate(Deferred<GateArgs>),
    /// Show how many cases a difference needs, and which difference a number of cases shows
    Power(Deferred<PowerArgs>),
    /// Search for good parameters of a solver
    Tune(Deferred<TuneArgs>),
    /// Search for cases on which a solver loses, fails, or is slow
    Find(Deferred<FindArgs>),
    /// Shrink a failing case
    Reduce(Deferred<ReduceArgs>),
    /// Create a small working problem, as a start for your own
    New(Deferred<NewArgs>),
    /// Convert a problem package of another judge into a problem of this one
    Import(Deferred<ImportArgs>),
    /// Check problems of your own: generator, inputs, checker, answer files, expected solvers, limits and groups
    Verify(Deferred<VerifyArgs>),
    /// Look at runs, cases, comparisons and problems in a browser
    Ui(Deferred<UiArgs>),
    /// Write the pages of `judge ui` as a folder for any web host
    Site(Deferred<SiteArgs>),
    /// Evaluate solvers for other programs: JSON-RPC on standard input and output, or over HTTP on this machine
    Serve(Deferred<ServeArgs>),
    /// Evaluate solvers for agents: a server of the Model Context Protocol on standard input and output
    #[command(after_help = "Examples:
  judge mcp                                     what an agent starts; it sees the problems of this folder
  judge mcp --journal evolved.db                every evaluation is recorded there")]
    Mcp(Deferred<EvaluatorArgs>),
    /// Show the languages of solvers: which are installed here, and what compiles and runs them
    #[command(after_help = "Examples:
  judge languages                      of the catalogue here, and your own
  judge languages --json languages.json
  judge run -p columns -s bot.py --language pypy")]
    Languages {
        /// Write the same as JSON to this file, or - for standard output
        #[arg(long, value_name = "PATH")]
        json: Option<PathBuf>,
    },
    /// Show how many compiled programs are cached, and where; or remove them
    #[command(after_help = "Examples:
  judge cache
  judge cache clear
  judge run -p columns -s bot.cpp --no-cache")]
    Cache {
        /// What to do with it
        #[command(subcommand)]
        action: Option<CacheAction>,
    },
    /// Show what the sandbox supports on this machine, what is missing, and how to get it
    #[command(after_help = "Examples:\n  judge doctor\n  sudo judge doctor\n  judge doctor --json -")]
    Doctor {
        /// Write the same as JSON to this file, or - for standard output
        #[arg(long, value_name = "PATH")]
        json: Option<PathBuf>,
    },
    /// Print the JSON schema of a report or of problems.toml
    #[command(after_help = "Examples:
  judge schema                                    of judge run --json
  judge schema jsonl                              of a line of judge run --jsonl
  judge schema problems > problems.schema.json    of problems.toml, for editors")]
    Schema {
        /// What it describes
        #[arg(default_value = "run", value_parser = schema_names())]
        of: String,
    },
    /// Print a shell's completion script
    #[command(
        after_help = "Examples:\n  judge completions bash > ~/.local/share/bash-completion/completions/judge\n  judge completions fish > ~/.config/fish/completions/judge.fish"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Play a share of a run on a cluster
    #[command(hide = true)]
    #[command(after_help = "Examples:
  judge work judge-run.x7Fq     the command of each task of --on slurm")]
    Work {
        /// The folder of the run
        folder: PathBuf,
    },
    /// Print the manual page
    #[command(after_help = "Examples:\n  judge man > judge.1\n  judge man | man -l -")]
    Man,
}

/// Returns the names of all schemas: those of the reports, and `problems` for the catalogue.
fn schema_names() -> PossibleValuesParser {
    let of_reports = judge_report::SCHEMAS.iter().map(|(name, title, _)| PossibleValue::new(*name).help(*title));
    PossibleValuesParser::new(of_reports.chain([PossibleValue::new("problems").help("problems.toml")]))
}

fn kept_stderr() -> impl TypedValueParser<Value = KeptStderr> {
    PossibleValuesParser::new(["all", "failed", "none"]).map(|name| match &*name {
        "all" => KeptStderr::All,
        "none" => KeptStderr::None,
        _ => KeptStderr::Failed,
    })
}

/// Arguments of `judge run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge run -p columns                                  the bundled solver on the problem's own cases
  judge run -p columns -s ./mybot --seeds 1-100         a program, on a hundred cases
  judge run -p columns -s bot.java -s rustbot/          a source file and a folder of them; `judge languages` lists which
  judge run -p columns -s py=bot.py -s pypy=bot.py --language pypy=pypy
  judge run -p same-game -s 'python3 bot.py' --inputs 'data/*.in' --json result.json
  judge run -p square-remover -s old=./v1 -s new=./v2   two versions, relative to the best known
  judge run -p columns -s ./mybot --seeds 1-100 --sort lost --top 10    the ten cases that lost the most
  judge run -p columns --solvers 'submissions/*'        a ranking of all files and folders there
  judge run -p same-game-free -s ./mybot --best run     relative to the best of this run alone
  judge run -p columns -s ./mybot --seeds 1-100 --resume    continue the interrupted run
  judge run -p columns -s bot.py --watch    again whenever bot.py changes
  judge run -p columns --solvers 'students/*' --feedback pages    a page for each student
  judge run -p columns -s ./mybot --on slurm --workdir /shared    on a cluster
  judge run -p columns -s ./mybot --shard 3/16 --journal 3.db    a part of it, for `judge merge`
  judge run -p columns -s ./mybot --message 'wider beam' --save-answers answers --stderr all")]
#[command(mut_arg("no_journal", |arg| arg.conflicts_with("journal")))]
pub struct RunArgs {
    /// The problem's id, as in `judge list` [default: the only one of the catalogue]
    #[arg(short, long, value_name = "ID")]
    problem: Option<String>,
    /// The problem's id, unless --problem names it, and solvers, as --solver takes them
    #[arg(value_name = "ID|S")]
    words: Vec<String>,
    /// A program, a quoted command, a source file or folder with its arguments, or bundled:ID; NAME=S names it; repeatable [default: the problem's bundled one]
    #[arg(short, long = "solver", value_name = "S")]
    solvers: Vec<String>,
    /// Files and folders that are solvers, by a pattern in quotes: 'submissions/*'; solvers that do not compile are also ranked; repeatable
    #[arg(long = "solvers", value_name = "PATTERN", conflicts_with = "sealed", hide_short_help = true)]
    pub submissions: Vec<String>,
    /// The number of runs of every case
    #[arg(long, value_name = "N", value_parser = count::<NonZeroU32>, conflicts_with = "sealed", hide_short_help = true)]
    pub repeat: Option<NonZeroU32>,
    /// Run a fixed part of the cases, such as 3/16, or the one of this task of an array: auto, auto/16 or auto/0-15
    #[arg(long, value_name = "K/N|auto", conflicts_with = "sealed", hide_short_help = true)]
    pub shard: Option<ShardArg>,
    /// Stop at the first case that is not accepted
    #[arg(long, conflicts_with = "sealed", hide_short_help = true)]
    pub fail_fast: bool,
    /// Run again when a solver's source or the catalogue changes, and show what changed
    #[arg(long, conflicts_with_all = ["sealed", "resume", "shard", "on", "detach", "attach"], conflicts_with_all = ReportArgs::flags())]
    pub watch: bool,
    /// Continue the last interrupted run of this command; cases that have changed run again
    #[arg(long, conflicts_with_all = ["sealed", "no_journal"])]
    pub resume: bool,
    // Options conflict with it if they show single cases or choose others.
    /// Run one solver on the sealed cases, and show only the number of failures and the best total so far; FILE holds
    /// the cases, and is created if missing [default: one beside the journal]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "calls", "inputs", "condition", "sort", "top", "reuse", "on", "detach", "attach", "visible", "jsonl", "junit"], hide_short_help = true)]
    pub sealed: Option<Option<PathBuf>>,
    /// With --sealed: the score on as many fresh cases, once
    #[arg(id = "final", long, hide_short_help = true)]
    pub is_final: bool,
    /// A message that the history and the reports show
    #[arg(long, value_name = "TEXT", conflicts_with = "sealed", hide_short_help = true)]
    pub message: Option<String>,
    /// Write each answer to a file CASE.out in this folder, or in a folder for each solver if there are several
    #[arg(long, value_name = "DIR", conflicts_with = "sealed")]
    pub save_answers: Option<PathBuf>,
    /// Write the timed conversation of each solver and the interactor to a file CASE.txt in this folder, as
    /// --save-answers does
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sealed", "on"], hide_short_help = true)]
    pub transcript: Option<PathBuf>,
    /// Write a page for the author of each solver to this folder, in Markdown and HTML: verdicts, reasons, rank
    #[arg(long, value_name = "DIR", conflicts_with = "sealed", hide_short_help = true)]
    pub feedback: Option<PathBuf>,
    /// With --feedback: also show the inputs, expected answers and standard error of failed cases, which reveals the
    /// tests
    #[arg(long, conflicts_with = "sealed", hide_short_help = true)]
    pub show_inputs: bool,
    /// The cases whose standard error is kept and shown; results from the journal have what their run kept
    #[arg(long, value_name = "all|failed|none", value_parser = kept_stderr(), default_value = "failed", hide_possible_values = true, conflicts_with = "sealed")]
    pub stderr: KeptStderr,
    /// What scores are relative to, in addition to this run's own: known (the best of the problem and the journal), problem (not the journal), ledger (the journal alone), run (nothing else), or a file of best scores [default: the catalogue's, or known]
    #[arg(long, value_name = "run|problem|FILE", conflicts_with = "sealed", hide_short_help = true)]
    pub best: Option<PathBuf>,
    /// Show a row for every case
    #[arg(long, conflicts_with = "sealed")]
    pub all: bool,
    /// In which order
    #[command(flatten)]
    pub sort: SortArgs,
    /// Also show the solvers that no other one dominates in two of score, cpu, memory and the metrics: score,metric:moves
    #[arg(long, value_name = "A,B", conflicts_with = "sealed", hide_short_help = true)]
    pub pareto: Option<String>,
    /// Which cases
    #[command(flatten)]
    pub cases: CaseArgs,
    /// Also show the results for each value of this feature
    #[arg(long, value_name = "NAME", help_heading = "Cases", conflicts_with = "sealed")]
    pub group_by: Option<String>,
    /// How the solvers are run
    #[command(flatten)]
    pub running: RunningArgs,
    /// A run that goes on without the judge that submitted it
    #[command(flatten)]
    pub detach: DetachArgs,
    /// Where the results go, beside the table
    #[command(flatten)]
    pub reports: ReportArgs,
}

impl RunArgs {
    /// Returns the problem's id, if one is given: a first word that can be an id is one, where no option names the problem.
    pub fn problem_id(&self) -> Option<&str> {
        let first = || self.words.first().filter(|word| Problem::is_id(word)).map(String::as_str);
        self.problem.as_deref().or_else(first)
    }

    /// Returns the first word, where an option names the problem: it may be meant as a problem's id, too.
    pub fn word_beside_problem(&self) -> Option<&str> {
        self.problem.as_ref().and(self.words.first()).map(String::as_str)
    }

    /// Returns the solvers, in the order of the command line's words and then of its options.
    pub fn solvers(&self) -> Vec<String> {
        let ids = usize::from(self.problem.is_none() && self.problem_id().is_some());
        self.words.iter().skip(ids).chain(&self.solvers).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use crate::deferred::NEEDED;
    use clap::{Command, CommandFactory};

    #[test]
    fn short_help_is_one_screen() {
        let mut cli = Cli::command().term_width(100);
        cli.build();
        for command in cli.get_subcommands_mut() {
            let name = command.get_name().to_owned();
            let [short, long] = [command.render_help(), command.render_long_help()].map(|help| help.to_string());
            assert!(short.lines().count() <= 48, "judge {name} -h has {} lines:\n{short}", short.lines().count());
            assert!(long.contains("Examples:") || name == "help", "judge {name} --help has no examples");
        }
    }

    #[test]
    fn the_grammar_is_consistent_and_every_command_has_examples() {
        let mut cli = Cli::command();
        cli.clone().debug_assert();
        cli.build();
        for command in cli.get_subcommands().filter(|command| command.get_name() != "help") {
            let help = command.get_after_long_help().or(command.get_after_help());
            let help = help.map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Examples:"), "judge help {} has no examples", command.get_name());
        }
    }

    #[test]
    fn options_that_need_another_one_exist_with_it() {
        fn has(command: &Command, option: &str) -> bool {
            command.get_arguments().any(|arg| arg.get_id() == &*option.replace('-', "_"))
        }
        fn has_both(command: &Command, pair: (&str, &str)) -> bool {
            has(command, pair.0) && has(command, pair.1) || command.get_subcommands().any(|inner| has_both(inner, pair))
        }
        let mut cli = Cli::command();
        cli.build();
        for pair in NEEDED {
            assert!(has_both(&cli, pair), "no command has both options of {pair:?}");
        }
    }
}
