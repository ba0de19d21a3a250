//! The grammar of the commands that search for cases: `find` and `reduce`.

use crate::shared::count;
use crate::{ConditionArgs, JobArgs, ProblemArgs, RunningArgs};
use clap::Args;
use judge_problem::{Condition, GeneratorCall, Seeds, Time, parse_seed};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What `judge find` looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchGoal {
    /// The largest loss against --against, or else the best known score
    Loss,
    /// Any verdict but accepted
    Failure,
    /// The most CPU time
    Time,
    /// The most memory
    Memory,
    /// Another answer or score than the solver of --against
    Disagreement,
    /// A condition on the case, score, cpu_ms, wall_ms, memory_bytes and accepted. The names of the solver of --against begin with other_
    Where(Condition),
}

/// Arguments of `judge find`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge find -p columns -s ./mybot --against ./old               the cases on which ./mybot loses most to ./old
  judge find -p columns -s ./mybot --for failure --top 1         a case on which it fails
  judge find -p columns -s ./mybot --for time --budget 500 --save slow
  judge run --problems slow/problems.toml -s ./mybot             plays what was found
  judge find -p same-game -s ./a --against ./b --for disagreement
  judge find -p columns -s ./mybot --for where 'score<100 && k>=50'
  judge find -p sum -s ./mybot --for failure --inputs 'data/*.in' --save found    changes these inputs")]
pub struct FindArgs {
    /// Which problem
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// The solver [default: the problem's own]
    #[arg(short, long, value_name = "S")]
    pub solver: Option<String>,
    /// What to look for: loss, failure, time, memory, disagreement, or where 'CONDITION'
    #[arg(long = "for", value_name = "GOAL", num_args = 1..=2, default_value = "loss")]
    pub goal: Vec<String>,
    /// Compare with this solver
    #[arg(long, value_name = "S")]
    pub against: Option<String>,
    /// The maximum number of cases [default: 1000; unlimited with --time]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>)]
    pub budget: Option<NonZeroUsize>,
    /// Stop after this time, such as 5min
    #[arg(long, value_name = "TIME")]
    pub time: Option<Time>,
    /// How many cases to find
    // The id `top` belongs to `--sort`.
    #[arg(id = "findings", long = "top", value_name = "K", value_parser = count::<NonZeroUsize>, default_value = "10")]
    pub top: NonZeroUsize,
    /// Search only the cases of these seeds [default: seeds from 1 on, and the generator's parameters]
    #[arg(long, value_name = "SEEDS", allow_hyphen_values = true, conflicts_with = "inputs")]
    pub seeds: Option<Seeds>,
    /// Search changes of these input files; repeatable [default, without a generator: the problem's own inputs]
    #[arg(long, value_name = "FILES")]
    pub inputs: Vec<String>,
    /// Write the found inputs to this folder, with a catalogue
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    /// Write the results as JSON to this file, or - for standard output
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// The seed of the search
    #[arg(long, value_name = "N", value_parser = parse_seed, default_value = "1", hide_short_help = true)]
    pub draw: u64,
    /// Continue an interrupted search of the same command, and reuse recorded results
    #[arg(long, conflicts_with = "no_journal")]
    pub resume: bool,
    /// How the solvers are run
    #[command(flatten)]
    pub running: RunningArgs,
}

impl FindArgs {
    /// Returns the goal.
    ///
    /// # Errors
    /// When there is no such goal, its condition is missing or wrong, or it takes none.
    pub fn goal(&self) -> Result<SearchGoal, String> {
        let [name, condition @ ..] = &*self.goal else { return Ok(SearchGoal::Loss) };
        let goal = match (&**name, condition) {
            ("loss", _) => SearchGoal::Loss,
            ("failure", _) => SearchGoal::Failure,
            ("time", _) => SearchGoal::Time,
            ("memory", _) => SearchGoal::Memory,
            ("disagreement", _) => SearchGoal::Disagreement,
            ("where", [text]) => {
                let parsed = text.parse().map(SearchGoal::Where);
                return parsed.map_err(|error| format!("--for where `{text}`: {error}"));
            }
            ("where", _) => return Err("--for where needs one condition: --for where 'score<100'".to_owned()),
            _ => {
                let names = "loss, failure, time, memory, disagreement, where";
                return Err(format!("--for `{name}`: expected one of {names}"));
            }
        };
        match condition {
            [] => Ok(goal),
            [extra, ..] => Err(format!("--for {name} takes no condition, found `{extra}`")),
        }
    }
}

/// Arguments of `judge reduce`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge reduce -p columns -s ./mybot --seed 7 --output small.in    a small case with the same failure
  judge reduce -p columns -s ./mybot --input big.in > small.in
  judge reduce -p columns -s ./new --against ./old --seed 7        a small case on which ./new loses to ./old
  judge reduce -p columns -s ./mybot --seed 7 --keep 'score<100 && k>=10'
  judge run -p columns -s ./mybot --inputs small.in                plays what was found")]
#[command(group = clap::ArgGroup::new("which").required(true).args(["input", "seed", "call"]))]
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
    /// The case made with this seed and these parameters, such as seed=7,n=100
    #[arg(long = "case", value_name = "CASE")]
    pub call: Option<GeneratorCall>,
    /// Keep this true instead of the same failure: a condition on the case, score, cpu_ms, wall_ms, memory_bytes, accepted
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
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
    /// How the solvers are limited, built and isolated
    #[command(flatten)]
    pub conditions: ConditionArgs,
}
