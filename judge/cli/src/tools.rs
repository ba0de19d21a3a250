//! The grammar of the commands for one program, case or answer: `exec`, `check`, `view`, `gen` and `solve`.

use super::shared::whole;
use crate::{BuildArgs, ConditionArgs, JobArgs, LimitArgs, ProblemArgs, SandboxArgs};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use judge_problem::{Bytes, GeneratorCall, PackageKind, RunChoice, Seeds, Time, parse_seed};
use std::ffi::OsString;
use std::path::PathBuf;

/// Arguments of `judge exec`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge exec --cpu 1s --memory 256MiB -- ./mybot
  judge exec --stdin case.in --stdout answer.out --json usage.json -- python3 bot.py
  judge exec --require-tier root --dir /opt/data -- ./untrusted")]
pub struct ExecArgs {
    /// What the program may use
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How it is isolated
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Its standard input: a file, or - for the judge's own [default: empty]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Where its standard output goes: a file, or - for the judge's own [default: -]
    #[arg(long, value_name = "FILE")]
    pub stdout: Option<PathBuf>,
    /// Where its standard error goes: a file, or - for the judge's own [default: -]
    #[arg(long, value_name = "FILE")]
    pub stderr: Option<PathBuf>,
    /// Write how it ended and what it used as JSON to this file, or - for standard output, in place of the output of the
    /// program
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Arguments of `judge check`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge check -p columns --seed 1 --output answer.txt
  judge check -p deletion-game --input game1.in --output -     the answer from standard input
  judge check -p sum --input 1.in --output my.out --answer 1.ans   for checkers that compare with an answer file
  judge check -p columns --dir results                         every NAME.in with its NAME.out
  judge check --run 12                                         recheck the stored answers of a past run")]
#[command(group = clap::ArgGroup::new("case").required(true).args(["input", "seed", "dir", "run"]))]
pub struct CheckArgs {
    /// Which problem
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Recheck the stored answers of this past run
    #[arg(long, value_name = "RUN", conflicts_with = "output")]
    pub run: Option<RunChoice>,
    /// The case's input, or - for standard input
    #[arg(long, value_name = "FILE", requires = "output")]
    pub input: Option<PathBuf>,
    /// The case made from this seed
    #[arg(long, value_name = "N", requires = "output", value_parser = parse_seed, allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// The answer, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "dir")]
    pub output: Option<PathBuf>,
    /// The case's answer file, for checkers that compare with one [default: from `answers` in the catalogue]
    #[arg(long, value_name = "FILE")]
    pub answer: Option<PathBuf>,
    /// A folder: every NAME.in with its NAME.out, and its NAME.ans if there is one
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The maximum size of an answer, such as 1MB [default: the problem's limit, as in `judge run`; with --run, the
    /// run's limit]
    #[arg(long, value_name = "SIZE")]
    pub output_limit: Option<Bytes>,
}

/// Arguments of `judge view`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge view -p columns --seed 1 -s ./mybot --html game.html
  judge view -p columns --seed 1 -s ./mybot --text          step through it on the terminal
  judge view -p same-game-free --input board.in --output board.out --html game.html
  judge view -p square-remover --seed 1 --html game.html --from 1 --to 500
  judge view --run 13 --case seed-7 --html game.html        the stored answer of a past run")]
#[command(group = clap::ArgGroup::new("of").required(true).args(["input", "seed", "run"]))]
#[command(group = clap::ArgGroup::new("how").required(true).args(["html", "text", "svg"]))]
pub struct ViewArgs {
    /// Which problem
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Show a stored answer of this past run
    #[arg(long, value_name = "RUN", requires = "case", conflicts_with = "output")]
    pub run: Option<RunChoice>,
    /// With --run: the name of the case, such as seed-7
    #[arg(long, value_name = "CASE", requires = "run", conflicts_with_all = ["input", "seed"], allow_hyphen_values = true)]
    pub case: Option<String>,
    /// The case's input, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// The case made from this seed
    #[arg(long, value_name = "N", value_parser = parse_seed, allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// The answer, or - for standard input [default: the solver's answer]
    #[arg(long, value_name = "FILE", conflicts_with = "solver")]
    pub output: Option<PathBuf>,
    /// The solver that answers [default: the problem's bundled one]; with --run, its name in that run
    #[arg(short, long, value_name = "S")]
    pub solver: Option<String>,
    /// Write a page that plays the game, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub html: Option<PathBuf>,
    /// Write the board after a move as a picture, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub svg: Option<PathBuf>,
    /// With --svg: the move, 0 for the start [default: the last]
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub step: Option<usize>,
    /// Print the game as text; on a terminal, step through it with keys
    #[arg(long)]
    pub text: bool,
    /// Start with this move
    #[arg(long, value_name = "MOVE", value_parser = whole::<usize>, conflicts_with = "svg")]
    pub from: Option<usize>,
    /// End with this move
    #[arg(long, value_name = "MOVE", value_parser = whole::<usize>, conflicts_with = "svg")]
    pub to: Option<usize>,
    /// How the solver is limited, built and isolated
    #[command(flatten)]
    pub conditions: ConditionArgs,
}

/// Arguments of `judge import`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge import packages/hello                    writes hello/problems.toml and the files it needs
  judge import hello.zip --to contest/a --id a   a zip archive, into another folder
  judge import packages/hello --no-verify        without the checks of `judge verify` at the end
  judge run --problems hello/problems.toml -p hello -s ./mybot")]
pub struct ImportArgs {
    /// The package: a folder, or a zip archive
    #[arg(value_name = "SOURCE")]
    pub source: PathBuf,
    /// The folder to write, which must be new or empty [default: the problem's id, in the current folder]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// The problem's id [default: the name of the package]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// The kind of SOURCE [default: detected]
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub kind: Option<PackageKind>,
    /// Do not check the result with `judge verify`
    #[arg(long)]
    pub no_verify: bool,
    /// How many solvers run at once, and where, when it is verified
    #[command(flatten)]
    pub jobs: JobArgs,
    /// How programs are isolated
    #[command(flatten)]
    pub sandbox: SandboxArgs,
}

/// What is done with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum CacheAction {
    /// Remove all compiled programs
    Clear,
}

/// Arguments of `judge gen`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge gen -p columns --seed 7 > seed-7.in
  judge gen -p columns --case seed=7,k=50,colors=3 > case.in
  judge gen -p square-remover --seeds 1-100 --dir cases")]
#[command(group = clap::ArgGroup::new("which").required(true).args(["seed", "seeds", "case"]))]
pub struct GenArgs {
    /// Which problem
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// The case with this seed, to standard output (or into --dir)
    #[arg(long, value_name = "N", value_parser = parse_seed, allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// The case with this seed and these parameters of the generator, such as seed=7,n=100
    #[arg(long, value_name = "CASE")]
    pub case: Option<GeneratorCall>,
    /// The cases with these seeds, into the folder --dir
    #[arg(long, value_name = "SEEDS", requires = "dir", allow_hyphen_values = true)]
    pub seeds: Option<Seeds>,
    /// The folder for the files seed-N.in; created if missing
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Parses the kind of a package.
fn kinds() -> impl TypedValueParser<Value = PackageKind> {
    PossibleValuesParser::new(PackageKind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.meaning())))
        .try_map(|name| PackageKind::from_name(&name).ok_or("unknown kind"))
}

/// Arguments of `judge verify`.
#[derive(Debug, Args, Default)]
#[command(after_help = "Examples:
  judge verify                                   every problem of the catalogue here
  judge verify -p my-problem --json verify.json
  judge verify -p my-problem --fuzz 60s          look for answers that break the checker
  judge verify -p my-problem --fuzz 60s --second 'python3 other.py {input} {answer}'
  judge verify --problems builtin -p columns")]
pub struct VerifyArgs {
    /// The problem's id, as in `judge list`; repeatable [default: all of the catalogue]
    #[arg(short = 'p', long = "problem", value_name = "ID")]
    pub ids: Vec<String>,
    /// Write the same as JSON to this file, or - for standard output instead of the table
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// Change answers and inputs at random for this long, over all problems, and look for faults of the checker
    #[arg(long, value_name = "TIME")]
    pub fuzz: Option<Time>,
    /// With --fuzz: a second checker, which must agree with the problem's own; it has the same protocol, or judge if
    /// that one is built in
    #[arg(long, value_name = "CMD", requires = "fuzz")]
    pub second: Option<String>,
    /// With --fuzz: the seed of the changes
    #[arg(long, value_name = "N", value_parser = parse_seed, default_value_t = 1, requires = "fuzz")]
    pub seed: u64,
    /// With --fuzz: the folder for the answers that show a fault [default: fuzz beside the catalogue]
    #[arg(long, value_name = "DIR", requires = "fuzz")]
    pub save: Option<PathBuf>,
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

/// Arguments of `judge new`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge new my-problem
  judge new my-problem --checker cpp
  judge new my-problem --interactive --checker rust
  cd my-problem && judge verify
  judge run -p my-problem -s solutions/plain.py -s solutions/good.py")]
pub struct NewArgs {
    /// The id of the problem, and the name of its folder
    #[arg(value_name = "ID", allow_hyphen_values = true)]
    pub id: String,
    /// The language of the checker, or of the interactor; testlib is C++ with testlib.h, which you provide
    #[arg(long, value_name = "python|rust|cpp|testlib", value_enum, default_value_t = NewChecker::Python, hide_possible_values = true)]
    pub checker: NewChecker,
    /// A problem with an interactor that converses with the solver
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
