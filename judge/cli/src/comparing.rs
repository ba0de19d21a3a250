//! The grammar of the commands that compare: `compare`, `power`, `baseline`, `gate` and `tune`.

use super::shared::{count, whole};
use super::{CaseArgs, ConditionArgs, EngineArgs, JobArgs, ReportArgs, SortArgs};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use judge_compare::paired::{EffectLevel, EffectMeasure, MinEffect};
use judge_problem::{MetricRule, Percent, Seeds, parse_seed};
use judge_statistics::tune::Parameter;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;

/// How solvers are run.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Running")]
pub struct RunningArgs {
    /// How many of them at once, and where
    #[command(flatten)]
    pub jobs: JobArgs,
    /// Reuse the results of the same solver on the same input under the same limits from earlier runs
    #[arg(long, conflicts_with = "no_journal")]
    pub reuse: bool,
    /// Do not record the run in the journal
    #[arg(long)]
    pub no_journal: bool,
    /// How the solvers are limited, built and isolated
    #[command(flatten)]
    pub conditions: ConditionArgs,
    /// Where the solvers run
    #[command(flatten)]
    pub engine: EngineArgs,
}

impl RunningArgs {
    /// Runs on this machine, without a record.
    pub fn unrecorded(jobs: JobArgs, conditions: ConditionArgs) -> Self {
        Self { jobs, conditions, reuse: false, no_journal: true, engine: EngineArgs::default() }
    }
}

/// The certainty of a claim.
#[derive(Debug, Args)]
#[command(next_help_heading = "Statistics")]
pub struct StatisticsArgs {
    /// What is compared: total, points, ratio, difference, relative, or a metric of the problem as metric:NAME [default: as the problem's rule ranks: total for sum and mean, ratio for log, else points]
    #[arg(long, value_name = "HOW")]
    measure: Option<Measure>,
    /// The probability of a false claim, from 1e-9 to 0.25
    #[arg(long, value_name = "P", default_value = "0.05", value_parser = alpha)]
    pub alpha: f64,
}

impl StatisticsArgs {
    /// Returns the measure of the effects, if one is given. Metrics are compared by their differences.
    pub fn measure(&self) -> Option<EffectMeasure> {
        self.measure.as_ref().map(|measure| match measure {
            Measure::Scores(measure) => *measure,
            Measure::Metric(_) => EffectMeasure::Difference,
        })
    }

    /// Returns the metric that is compared in place of the scores.
    pub fn metric(&self) -> Option<&str> {
        match &self.measure {
            Some(Measure::Metric(name)) => Some(name),
            _ => None,
        }
    }
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Measure {
    Scores(EffectMeasure),
    Metric(String),
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(name) = text.strip_prefix(MetricRule::PREFIX) {
            return Ok(Self::Metric(name.to_owned()));
        }
        let named = EffectMeasure::ALL.into_iter().find(|measure| measure.name() == text);
        named.map(Self::Scores).ok_or_else(|| {
            let names = EffectMeasure::ALL.map(EffectMeasure::name).join(", ");
            format!("expected {names}, or {}NAME", MetricRule::PREFIX)
        })
    }
}

/// Arguments of `judge compare`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge compare -p columns ./old ./new                         on the problem's own cases
  judge compare -p columns ./old ./new --seeds 1-200 --json comparison.json
  judge compare -p columns run:12 run:last                     past runs: nothing is run
  judge compare -p columns run:12/old ./new                    a past run, and a solver on its cases
  judge compare -p columns ./old ./new --sort cpu --top 5        the five cases that took the most time
  judge compare -p columns ./old ./new --until-decided         fresh cases until it is decided
  judge compare -p columns ./old ./new --until-decided --on slurm --workdir /shared    on a cluster
  judge compare -p columns ./old ./new --until-decided --min-effect 1% --max-cases 5000
  judge compare -p columns ./old ./new --until-decided --rare 1% --max-cases 5000
  judge compare -p columns ./old ./new --until-decided --exact --bound 20000 --max-cases 5000
  judge compare -p columns ./old ./new --until-decided --h0 0 --h1 1%   between two hypotheses (GSPRT)")]
#[command(mut_arg("jsonl", |arg| arg.hide(true)), mut_arg("junit", |arg| arg.hide(true)))]
pub struct CompareArgs {
    /// The problem's id, as in `judge list` [default: the only one of the catalogue]
    #[arg(short, long, value_name = "ID")]
    pub problem: Option<String>,
    /// The solvers, as `judge run --solver` takes them, or past runs as run:12 or run:last/NAME: each is compared with the first
    #[arg(required = true, num_args = 2.., value_name = "S")]
    pub solvers: Vec<String>,
    /// Which cases
    #[command(flatten)]
    pub cases: CaseArgs,
    /// Also show the effect for each value of this feature
    #[arg(long, value_name = "NAME", help_heading = "Cases")]
    pub group_by: Option<String>,
    /// In which order the cases are shown
    #[command(flatten)]
    pub sort: SortArgs,
    /// The certainty
    #[command(flatten)]
    pub statistics: StatisticsArgs,
    /// The smallest effect that matters, such as 0.1%, or 25 in points [default: 0.1%, of the most points of a case for points; none for differences]
    #[arg(long, value_name = "D", help_heading = "Statistics")]
    pub min_effect: Option<MinEffect>,
    /// Run fresh cases until it is decided; looking after every case does not raise the error probability
    #[arg(long, conflicts_with = "inputs", help_heading = "Statistics")]
    pub until_decided: bool,
    /// With --until-decided: the largest number of cases
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>, default_value = "1000", help_heading = "Statistics")]
    pub max_cases: NonZeroUsize,
    /// With --until-decided: also allow for large effects on this share of the cases, such as 1%, which ordinary ones hide
    #[arg(long, value_name = "SHARE", value_parser = rare, help_heading = "Statistics")]
    pub rare: Option<f64>,
    /// With --until-decided: assume only the bound of the effects, from the rule or from --bound
    #[arg(long, conflicts_with = "rare", help_heading = "Statistics")]
    pub exact: bool,
    /// With --exact: the largest difference between two scores of a case
    #[arg(long, value_name = "N", value_parser = positive, help_heading = "Statistics")]
    pub bound: Option<f64>,
    /// With --until-decided: decide between two mean effects, this one (H0) and --h1, as fishtest does (GSPRT): 0, -0.5%, or a number of points
    #[arg(long, value_name = "D", requires = "h1", conflicts_with_all = ["exact", "rare", "min_effect"], allow_hyphen_values = true, help_heading = "Statistics")]
    pub h0: Option<EffectLevel>,
    /// With --h0: the mean effect of H1, above that; --alpha is the probability of accepting H1 under H0
    #[arg(long, value_name = "D", allow_hyphen_values = true, help_heading = "Statistics")]
    pub h1: Option<EffectLevel>,
    /// With --h0: the probability of accepting H0 under H1
    #[arg(long, value_name = "P", default_value = "0.05", value_parser = alpha, help_heading = "Statistics")]
    pub beta: f64,
    /// With points: what scores are relative to, in addition to the solvers' own: known (the best of the problem and the journal), problem (not the journal), ledger (the journal alone), run (nothing else), or a file [default: the catalogue's, or known]
    #[arg(long, value_name = "run|problem|FILE", help_heading = "Statistics")]
    pub best: Option<PathBuf>,
    /// How the solvers are run
    #[command(flatten)]
    pub running: RunningArgs,
    /// Where the results go, beside the text
    #[command(flatten)]
    pub reports: ReportArgs,
}

/// Arguments of `judge rank`: as of `judge compare`, without what concerns a single pair.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge rank -p columns ./a ./b ./c ./d                        on the problem's own cases
  judge rank -p columns ./a ./b ./c wide='./c --width 9'       names for solvers
  judge rank -p columns run:12 run:last                        past runs: nothing is run
  judge rank -p columns ./a ./b ./c ./d --until-decided        fresh cases for those whose order is unsure
  judge rank -p columns ./a ./b ./c ./d --until-decided --min-effect 1% --max-cases 5000 --json places.json")]
#[command(
    mut_arg("solvers", |arg| arg.help("The solvers, as `judge run --solver` takes them, or past runs as run:12 or run:last/NAME: each is compared with every other one")),
    mut_arg("alpha", |arg| arg.help("The probability that any interval of places is false, from 1e-9 to 0.25")),
    mut_arg("until_decided", |arg| arg.help("Run fresh cases for the solvers whose order is unsure; looking does not raise the error probability")),
    mut_arg("group_by", |arg| arg.hide(true)),
    mut_arg("sort", |arg| arg.hide(true)),
    mut_arg("top", |arg| arg.hide(true)),
    mut_arg("reverse", |arg| arg.hide(true)),
    mut_arg("h0", |arg| arg.hide(true)),
    mut_arg("h1", |arg| arg.hide(true)),
    mut_arg("beta", |arg| arg.hide(true))
)]
pub struct RankArgs {
    /// The comparison of each pair
    #[command(flatten)]
    pub pairs: CompareArgs,
}

/// Arguments of `judge power`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge power -p columns                                       the spread between the newest two solvers in the journal
  judge power -p columns -s run:12/old -s run:13               or between those of these runs
  judge power -p columns -s ./old -s ./new --seeds 1-30        the spread between two versions, from a fresh run
  judge power --sd 8% --difference 0.5%                        a known spread")]
#[command(group = clap::ArgGroup::new("spread").required(true).args(["problem", "sd", "effects"]))]
#[command(mut_arg("jsonl", |arg| arg.hide(true)), mut_arg("junit", |arg| arg.hide(true)))]
pub struct PowerArgs {
    /// The problem's id: measure the spread between solvers, or take it from past runs
    #[arg(short, long, value_name = "ID")]
    pub problem: Option<String>,
    /// One solver, compared with itself, or two, as `judge compare` takes them, past runs included [default: the newest two in the journal]
    #[arg(short, long = "solver", value_name = "S", requires = "problem", conflicts_with_all = ["sd", "effects"])]
    pub solvers: Vec<String>,
    /// The standard deviation of the effects, if known: 8%, or a number
    #[arg(long, value_name = "SD")]
    pub sd: Option<MinEffect>,
    /// A file of effects, one number each (logarithms of ratios, or differences); - for standard input
    #[arg(long, value_name = "FILE")]
    pub effects: Option<PathBuf>,
    /// The number of cases that this difference needs; repeatable
    #[arg(long = "difference", value_name = "D")]
    pub differences: Vec<MinEffect>,
    /// The difference that this number of cases shows; repeatable
    #[arg(short = 'n', long = "cases", value_name = "N", value_parser = count::<NonZeroU64>)]
    pub counts: Vec<NonZeroU64>,
    /// Also show the number of cases after which `judge compare --until-decided` finds each difference
    #[arg(long)]
    pub until_decided: bool,
    /// The probability of detecting the difference
    #[arg(long, value_name = "P", default_value = "0.8", value_parser = power)]
    pub power: f64,
    /// Which cases
    #[command(flatten)]
    pub cases: CaseArgs,
    /// The certainty
    #[command(flatten)]
    pub statistics: StatisticsArgs,
    /// With points: what scores are relative to, in addition to the solvers' own: known (the best of the problem and the journal), problem (not the journal), ledger (the journal alone), run (nothing else), or a file [default: the catalogue's, or known]
    #[arg(long, value_name = "run|problem|FILE", help_heading = "Statistics")]
    pub best: Option<PathBuf>,
    /// How the solvers are run
    #[command(flatten)]
    pub running: RunningArgs,
    /// Where the results go, beside the text
    #[command(flatten)]
    pub reports: ReportArgs,
}

/// Arguments of `judge baseline`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge baseline -p columns -s ./mybot --output baseline.toml
  judge baseline -p columns -s ./mybot --seeds 1-100 --tolerance 5% --output baseline.toml
  judge baseline -p columns -s ./mybot --repeat 20 --output baseline.toml   to notice smaller falls of scores that vary")]
pub struct BaselineArgs {
    /// The problem's id, as in `judge list` [default: the only one of the catalogue]
    #[arg(short, long, value_name = "ID")]
    pub problem: Option<String>,
    /// The solver, as `judge run --solver` takes it [default: the problem's bundled one]
    #[arg(short, long, value_name = "S")]
    pub solver: Option<String>,
    /// The baseline file, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// How far the score of a single case may fall before the gate complains about it
    #[arg(long, value_name = "SHARE")]
    pub tolerance: Option<Percent>,
    /// Run each case this often [default: twice, and five times if any score changes]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroU32>, hide_short_help = true)]
    pub repeat: Option<NonZeroU32>,
    /// Also record cases that are not accepted: the gate lets them fail again
    #[arg(long)]
    pub allow_failures: bool,
    /// Record only the best total on the sealed cases; FILE holds the cases [default: one beside the journal]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "calls", "inputs", "condition", "repeat", "tolerance", "reuse", "on", "visible"], hide_short_help = true)]
    pub sealed: Option<Option<PathBuf>>,
    /// Which cases
    #[command(flatten)]
    pub cases: CaseArgs,
    /// How the solver is run
    #[command(flatten)]
    pub running: RunningArgs,
}

/// Arguments of `judge gate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge gate --baseline baseline.toml                          exit code 1 if its solver got worse
  judge gate --baseline baseline.toml -s ./newbot --max-drop 0.5% --time-drop 20%
  judge gate --baseline small.toml --baseline large.toml       several, with the false alarms of one
  judge gate --baseline baseline.toml --if-noisy pass          also if the machine stays busy
  judge gate --baseline baseline.toml --repeat 3               three runs of each case: smaller falls are noticed
  judge gate --baseline baseline.toml --calibrate --sensitivity 3%   how many cases and runs notice a fall of 3 %
  judge gate --baseline baseline.toml --update                 and raise the bar if it got better
  judge gate --baseline baseline.toml --markdown gate.md --junit gate.xml")]
#[command(mut_arg("jsonl", |arg| arg.hide(true)))]
pub struct GateArgs {
    /// The baseline file, as `judge baseline` writes it; repeatable: several baselines share the false alarms of one
    #[arg(long = "baseline", value_name = "FILE", required = true)]
    pub baselines: Vec<PathBuf>,
    /// The solver, as `judge run --solver` takes it [default: the solver of the baseline, started from the current folder]
    #[arg(short, long, value_name = "S")]
    pub solver: Option<String>,
    /// How far the total score may fall
    #[arg(long, value_name = "SHARE", default_value = "0%")]
    pub max_drop: Percent,
    /// Run each case this often [default: once, and again if scores vary and the total is low]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroU32>, hide_short_help = true)]
    pub repeat: Option<NonZeroU32>,
    /// With a baseline of one run, or a deterministic one: complain about a fallen total only if the fall is certain over the cases
    #[arg(long, hide_short_help = true)]
    pub confident: bool,
    /// Complain if the CPU time has certainly risen by more than this
    #[arg(long, value_name = "SHARE", hide_short_help = true)]
    pub time_drop: Option<Percent>,
    /// The probability of a false alarm if scores vary, and of --time-drop, from 1e-9 to 0.25
    #[arg(long, value_name = "P", default_value_t = GateArgs::ALPHA, value_parser = alpha, hide_short_help = true)]
    pub alpha: f64,
    /// Fail or pass if the machine stays so busy that the gate is not comparable with its baseline
    #[arg(long = "if-noisy", value_name = "fail|pass", action = clap::ArgAction::Set, value_parser = passes(), default_value = "fail", hide_possible_values = true)]
    pub noise_passes: bool,
    /// If the gate holds, update the baseline with improvements, or average this run in if scores vary
    #[arg(long)]
    pub update: bool,
    /// Run nothing: show which falls the gate detects, given the spread in the baseline, and how to detect smaller ones
    #[arg(long, conflicts_with_all = ["update", "repeat", "max_drop", "confident", "time_drop"])]
    pub calibrate: bool,
    /// With a sealed baseline: the file of the sealed cases [default: the one beside the journal]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["repeat", "confident", "time_drop", "update", "calibrate", "reuse", "on", "visible"], hide_short_help = true)]
    pub sealed: Option<PathBuf>,
    /// With --calibrate: recommend cases and repeats for a fall by this share of the total
    #[arg(long, value_name = "SHARE", hide_short_help = true)]
    pub sensitivity: Option<Percent>,
    /// How the solver is run
    #[command(flatten)]
    pub running: RunningArgs,
    /// Where the results go, beside the text
    #[command(flatten)]
    pub reports: ReportArgs,
}

impl GateArgs {
    /// The default of `--alpha`.
    pub const ALPHA: f64 = 0.05;
}

/// Arguments of `judge tune`.
// In help, clap turns `{n}` into a new line. A style between the letters prevents this, and is not printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  judge tune -p columns -s './mybot --width {w}' --param w=10..1000:log
  judge tune -p columns -s ./mybot --env 'T={t}' --env 'N={\u{1b}[0mn}' --param t=0.1..10:log --param n=1..8:int --budget 2000
  judge tune -p columns -s './mybot {k} {beam}' --param 'k={greedy,beam}' --param 'beam=1..100:int:log if k=beam'
  judge tune -p columns -s './mybot --width {w}' --param w=10..1000:log --default w=50 --compare 200
  judge tune -p columns -s './mybot --width {w}' --param w=10..1000:log --resume      go on with an interrupted search")]
#[command(mut_arg("jsonl", |arg| arg.help("JSON lines: every setting in every round")), mut_arg("json", |arg| arg.hide(true)), mut_arg("junit", |arg| arg.hide(true)))]
pub struct TuneArgs {
    /// The problem's id, as in `judge list` [default: the only one of the catalogue]
    #[arg(short, long, value_name = "ID")]
    pub problem: Option<String>,
    /// The solver, with {NAME} for each parameter, here or in --env
    #[arg(short, long, value_name = "S")]
    pub solver: String,
    /// A parameter: NAME=LOW..HIGH, followed by :log, :int or :int:log, or NAME={A,B,C}; either followed by ` if
    /// OTHER=A|B` if it matters only then; repeatable
    #[arg(long = "param", value_name = "RANGE", required = true)]
    pub parameters: Vec<Parameter>,
    /// The current value of a parameter: the winner is compared with these; repeatable [default: the first category,
    /// the middle of a range]
    #[arg(long = "default", value_name = "NAME=VALUE", value_parser = assignment)]
    pub defaults: Vec<(String, String)>,
    /// The number of runs of the solver in the search
    #[arg(long, value_name = "N", value_parser = budget, default_value = "600")]
    pub budget: u32,
    /// The number of cases for a new setting, and for each later extension [default: 2 to 16, by the budget]
    #[arg(long, value_name = "N", value_parser = count::<NonZeroUsize>, hide_short_help = true)]
    pub first_cases: Option<NonZeroUsize>,
    /// The number of fresh cases on which the winner is compared with the default setting at the end; 0 for none
    #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value = "50")]
    pub compare: usize,
    /// The seed of the search
    #[arg(long, value_name = "N", value_parser = parse_seed, default_value = "1", hide_short_help = true)]
    pub draw: u64,
    /// The seeds of the cases of the search [default: from 2000001 on]
    #[arg(long, value_name = "SEEDS", allow_hyphen_values = true)]
    pub seeds: Option<Seeds>,
    /// Continue an interrupted search of the same command, and reuse recorded results
    #[arg(long, conflicts_with = "no_journal")]
    pub resume: bool,
    /// The certainty
    #[command(flatten)]
    pub statistics: StatisticsArgs,
    /// How the solver is run
    #[command(flatten)]
    pub running: RunningArgs,
    /// Where the results go, beside the text
    #[command(flatten)]
    pub reports: ReportArgs,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "expected NAME=VALUE".to_owned())?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn budget(text: &str) -> Result<u32, String> {
    let budget = whole(text).ok().filter(|budget| (1..=1_000_000).contains(budget));
    budget.ok_or_else(|| format!("expected a whole number from 1 to 1000000, found `{text}`"))
}

fn passes() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["fail", "pass"]).map(|name| name == "pass")
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

/// Below this, floating point no longer tells 1 - alpha from 1 once many comparisons share alpha.
const MIN_ALPHA: f64 = 1e-9;

fn alpha(text: &str) -> Result<f64, String> {
    probability(text)
        .filter(|alpha| (MIN_ALPHA..=0.25).contains(alpha))
        .ok_or_else(|| "expected a number from 1e-9 to 0.25, such as 0.05".to_owned())
}

fn rare(text: &str) -> Result<f64, String> {
    let share = text.parse::<Percent>().map(|percent| percent.share()).map_err(|error| error.to_string())?;
    let is_share = (1e-4..=0.5).contains(&share);
    is_share.then_some(share).ok_or_else(|| "expected a percentage from 0.01% to 50%".to_owned())
}

fn power(text: &str) -> Result<f64, String> {
    probability(text).filter(|power| *power >= 0.5).ok_or_else(|| "expected a number from 0.5 to 0.99".to_owned())
}

fn probability(text: &str) -> Option<f64> {
    text.parse().ok().filter(|probability| *probability > 0.0 && *probability < 1.0)
}
