//! A recorded run: its cases, solvers and outcomes, the machines and shards that it comes from.

use crate::{
    BestSource, CaseList, CaseName, CaseSpec, CheckerIdentity, DetachedJob, Digest, InvalidText, JobId, Labels, Limits,
    Outcome, OutcomeGrid, RunId, RunState, StoredFeatures,
};
use judge_sandbox::Tier;
use num_rational::BigRational;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::num::{NonZeroI64, NonZeroU32};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A recorded run.
#[derive(Debug, Clone)]
pub struct StoredRun {
    /// Its number.
    pub id: RunId,
    /// When, how and where its results were made.
    pub provenance: Provenance,
    /// Its state.
    pub state: RunState,
    /// Its job, if it is detached.
    pub detached: Option<DetachedJob>,
    /// How long it took.
    pub elapsed: Duration,
    /// The problem's id.
    pub problem: String,
    /// The identity of the checker.
    pub checker: CheckerIdentity,
    /// The limits of each solver.
    pub limits: Limits,
    /// The environment variables that the user gave.
    pub environment: String,
    /// The number of planned cases.
    pub case_count: usize,
    /// The number of solvers that ran at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The commit that was checked out.
    pub git_commit: Option<String>,
    /// Whether tracked files differed from it.
    pub git_dirty: Option<bool>,
    /// The judge's version.
    pub judge: String,
    /// The user's message.
    pub message: Option<String>,
    /// Whether a program was edited during the run. Its results may then come from two versions.
    pub is_disowned: bool,
    /// The tags and the note that the user gave it later.
    pub labels: Labels,
    /// The runs that its results come from, in the order of their shards. Empty if the results were not copied from
    /// other runs.
    pub origins: Vec<Origin>,
    /// The source of the best scores of its cases. `None` under a rule that uses none.
    pub reference: Option<BestSource>,
    /// The solvers, in the order of the run.
    pub entrants: Vec<StoredEntrant>,
    /// The cases that at least one solver finished, in the order of the run.
    pub cases: StoredCases,
}

/// A solver of a recorded run.
#[derive(Debug, Clone)]
pub struct StoredEntrant {
    /// Its name.
    pub name: String,
    /// The command, as the user gave it.
    pub command: String,
    /// Hash of its content.
    pub hash: Digest,
    /// Its total at the end of the run, by the scoring of that time.
    pub total: Option<BigRational>,
}

/// A case of a recorded run.
#[derive(Debug, Clone)]
pub struct StoredCase {
    /// Its name, and where its input came from.
    pub spec: CaseSpec,
    /// Hash of its input; `None` if the input could not be read.
    pub input: Option<Digest>,
    /// Its features, if they are stored.
    pub features: Option<StoredFeatures>,
    /// The result of each solver. `None` if unfinished.
    pub results: Vec<Option<StoredOutcome>>,
}

/// The outcome of a solver on a case.
#[derive(Debug, Clone)]
pub struct StoredOutcome {
    /// The outcome.
    pub outcome: Outcome,
    /// The row of the answer, if it is kept.
    pub answer: Option<i64>,
}

/// The cases of a recorded run, in its order. They are stored compactly; a [`StoredCase`] is created when it is read.
#[derive(Debug, Clone, Default)]
pub struct StoredCases {
    specs: CaseList,
    inputs: Vec<Option<Digest>>,
    features: Vec<Option<StoredFeatures>>,
    outcomes: OutcomeGrid,
    /// The row of each stored answer, in the order of the outcomes.
    answers: Vec<Option<NonZeroI64>>,
}

impl StoredCases {
    /// Returns an empty list for a run with this number of solvers.
    pub fn new(solvers: usize) -> Self {
        Self { outcomes: OutcomeGrid::new(0, solvers), ..Self::default() }
    }

    /// Returns the number of cases.
    pub fn len(&self) -> usize {
        self.specs.len()
    }

    /// Returns whether there are no cases.
    pub fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    /// Returns the names and sources of the cases.
    pub fn specs(&self) -> &CaseList {
        &self.specs
    }

    /// Returns the outcomes by case and solver.
    pub fn outcomes(&self) -> &OutcomeGrid {
        &self.outcomes
    }

    /// Returns the hash of each input. `None` if the input could not be read.
    pub fn inputs(&self) -> &[Option<Digest>] {
        &self.inputs
    }

    /// Returns the stored features of each case. `None` if they are unknown.
    pub fn features(&self) -> &[Option<StoredFeatures>] {
        &self.features
    }

    /// Adds a case.
    pub fn push(&mut self, case: StoredCase) {
        self.specs.push(case.spec);
        self.inputs.push(case.input);
        self.features.push(case.features);
        let answer =
            |result: &Option<StoredOutcome>| result.as_ref().and_then(|stored| NonZeroI64::new(stored.answer?));
        self.answers.extend(case.results.iter().map(answer));
        self.outcomes.add_case(case.results.into_iter().map(|result| result.map(|stored| stored.outcome)));
    }

    /// Returns the case at a place.
    pub fn at(&self, place: usize) -> StoredCase {
        self.with_results(place, self.specs.at(place))
    }

    /// Returns every case.
    pub fn iter(&self) -> impl Iterator<Item = StoredCase> {
        self.specs.iter().enumerate().map(|(place, spec)| self.with_results(place, spec))
    }

    fn with_results(&self, case: usize, spec: CaseSpec) -> StoredCase {
        let solvers = self.outcomes.solver_count();
        let result = |solver| {
            let outcome = self.outcomes.get(JobId { case, solver })?;
            Some(StoredOutcome { outcome, answer: self.answers[case * solvers + solver].map(NonZeroI64::get) })
        };
        let features = self.features[case].clone();
        StoredCase { spec, input: self.inputs[case], features, results: (0..solvers).map(result).collect() }
    }

    /// Returns the cases with these indices.
    pub fn only(&self, places: Vec<usize>) -> Self {
        let mut kept = Self::new(self.outcomes.solver_count());
        places.into_iter().for_each(|place| kept.push(self.at(place)));
        kept
    }
}

/// A run whose results another run contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Its shard of the plan. `None` if it is not a shard.
    pub shard: Option<Shard>,
    /// When it started, in UTC, as ISO 8601 writes it.
    pub started: String,
    /// Its state when it was last read.
    pub state: RunState,
    /// How long it took until then.
    pub elapsed: Duration,
    /// The command line.
    pub command: String,
    /// The number of cases that it plays.
    pub played: usize,
    /// The number of results, of all solvers, when it was last read.
    pub results: usize,
    /// The number of solvers that ran at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The machine.
    pub machine: Machine,
    /// The judge's version.
    pub judge: String,
    /// The journal that it was read from.
    pub file: PathBuf,
}

/// A fixed part of a plan: `3/16` is the third of sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    number: NonZeroU32,
    count: NonZeroU32,
}

impl Shard {
    /// Returns the shard of this number, from 1 to `count`.
    ///
    /// # Errors
    /// Fails if there is no such shard.
    pub fn new(number: u32, count: u32) -> Result<Self, InvalidText> {
        let none = || InvalidText(format!("expected at least one shard, found {number}/0"));
        let of = NonZeroU32::new(count).ok_or_else(none)?;
        match NonZeroU32::new(number) {
            Some(number) if number <= of => Ok(Self { number, count: of }),
            _ => {
                let range = format!("1/{count} to {count}/{count}");
                Err(InvalidText(format!("expected a shard from {range}, found {number}/{count}")))
            }
        }
    }

    /// Returns its number, from 1.
    pub fn number(self) -> u32 {
        self.number.get()
    }

    /// Returns how many shards there are.
    pub fn count(self) -> u32 {
        self.count.get()
    }

    /// Returns whether a case of this problem is in the shard. This depends on the names of the problem and the case
    /// only, not on the other cases or their order.
    pub fn holds(self, problem: &str, case: &CaseName) -> bool {
        let Digest(hash) = Digest::of_parts([problem.as_bytes(), case.0.as_bytes()]);
        let (first, _) = hash.split_first_chunk::<8>().expect("a hash has 32 bytes");
        u64::from_le_bytes(*first) % u64::from(self.count.get()) == u64::from(self.number.get() - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || InvalidText::expected("K/N, such as 3/16", text);
        let (number, count) = text.split_once('/').ok_or_else(form)?;
        let parse = |text: &str| text.parse().map_err(|_| form());
        Self::new(parse(number)?, parse(count)?)
    }
}

/// A machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Machine {
    /// Its name.
    pub host: String,
    /// Its processor, as it calls itself.
    #[serde(rename = "cpu")]
    pub cpu_model: String,
    /// The release of its kernel.
    pub kernel: String,
}

impl fmt::Display for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, {}, Linux {}", self.host, self.cpu_model, self.kernel)
    }
}

/// A machine that ran cases of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Node {
    /// Its name in the cluster, or the name of a shard's machine: `node` in the results.
    pub name: String,
    /// The machine.
    #[serde(flatten)]
    pub machine: Machine,
    /// The tier of the sandbox on it.
    #[serde(with = "crate::text::as_text")]
    #[schemars(with = "String")]
    pub tier: Tier,
    /// How many processes were ready to run on it, on average over the minute before its first case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
}

impl Node {
    /// Returns whether two nodes with the same name are the same machine. The load may differ.
    fn is(&self, other: &Self) -> bool {
        let Self { name: _, machine, tier, load: _ } = self;
        (machine, tier) == (&other.machine, &other.tier)
    }
}

/// The machines that ran the cases of a run, with distinct names. Empty if only the judge's machine did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct NodeList {
    nodes: Vec<Node>,
}

impl NodeList {
    /// Adds a machine unless it is already in the list. Returns its name in the list: its own name, or `NAME-2` if
    /// another machine has that name.
    pub fn add(&mut self, mut node: Node) -> String {
        let own = node.name.clone();
        for number in 2.. {
            match self.get(&node.name) {
                None => break,
                Some(known) if known.is(&node) => return node.name,
                Some(_) => node.name = format!("{own}-{number}"),
            }
        }
        self.nodes.push(node);
        self.nodes[self.nodes.len() - 1].name.clone()
    }

    /// Returns the machine with this name.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// Returns the processor of the node that measured an outcome. `None`: the judge's machine.
    pub fn processor(&self, outcome: &Outcome) -> Option<&str> {
        Some(&self.get(outcome.node.as_deref()?)?.machine.cpu_model)
    }

    /// Returns the distinct processors.
    pub fn processors(&self) -> BTreeSet<&str> {
        self.nodes.iter().map(|node| &*node.machine.cpu_model).collect()
    }

    /// Returns whether the processors differ. Times are comparable on equal processors only.
    pub fn differ(&self) -> bool {
        self.processors().len() > 1
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the machines.
    pub fn iter(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }
}

impl FromIterator<Node> for NodeList {
    fn from_iter<T: IntoIterator<Item = Node>>(nodes: T) -> Self {
        let mut list = Self::default();
        nodes.into_iter().for_each(|node| drop(list.add(node)));
        list
    }
}

/// When, how and where the results of a report were made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Provenance {
    /// When the command started, in UTC, as ISO 8601 writes it.
    #[serde(rename = "date")]
    pub started: String,
    /// The command line.
    pub command: String,
    /// The machine.
    pub machine: Machine,
    /// The machines that the cases were run on, if a cluster or several shards ran them.
    #[serde(skip_serializing_if = "NodeList::is_empty")]
    #[schemars(with = "Vec<Node>")]
    pub nodes: NodeList,
    /// How many results were reused from earlier runs, with their times.
    #[serde(skip_serializing_if = "num_traits::Zero::is_zero")]
    pub reused: usize,
}

/// Returns a time in UTC as ISO 8601 writes it: `2026-01-31T08:15:00Z`.
pub fn iso_utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns the date of a day since 1970-01-01, by Hinnant, "chrono-compatible low-level date algorithms". Its years
/// begin in March, so that the leap day is the last day of a year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Verdict;

    fn all(count: u32) -> Vec<Shard> {
        (1..=count).map(|number| Shard::new(number, count).unwrap()).collect()
    }

    #[test]
    fn a_shard_is_read_as_it_is_written() {
        let shard: Shard = "3/16".parse().unwrap();
        assert_eq!((shard.number(), shard.count(), shard.to_string()), (3, 16, "3/16".to_owned()));
        let error = |text: &str| text.parse::<Shard>().unwrap_err().to_string();
        assert_eq!(error("0/16"), "expected a shard from 1/16 to 16/16, found 0/16");
        assert_eq!(error("17/16"), "expected a shard from 1/16 to 16/16, found 17/16");
        assert_eq!(error("1/0"), "expected at least one shard, found 1/0");
        for text in ["", "3", "3/", "/16", "3/16/2", "-1/16", "3 / 16", "a/b", "99999999999/16"] {
            assert_eq!(error(text), format!("expected K/N, such as 3/16, found `{text}`"));
        }
    }

    #[test]
    fn every_case_is_in_one_shard_and_they_are_alike_in_length() {
        let mut sizes = [0; 16];
        for seed in 0..16_000 {
            let case = CaseName::of_seed(seed);
            let holders: Vec<_> = all(16).into_iter().filter(|shard| shard.holds("columns", &case)).collect();
            let [shard] = holders[..] else { panic!("{case} is in {holders:?}") };
            sizes[shard.number() as usize - 1] += 1;
        }
        assert!(sizes.iter().all(|size| (900..1100).contains(size)), "{sizes:?}");
    }

    /// Different versions of the judge may run the shards of one plan.
    #[test]
    fn the_shards_of_cases_are_pinned() {
        let shard = |problem, case: &str| {
            let holds = |shard: &Shard| shard.holds(problem, &CaseName::from(case));
            all(16).into_iter().find(holds).unwrap().number()
        };
        let cases = ["seed-1", "seed-2", "seed-3", "seed-1#2", "two"];
        assert_eq!(cases.map(|case| shard("columns", case)), [11, 2, 3, 10, 16]);
        assert_ne!(cases.map(|case| shard("same-game", case)), [11, 2, 3, 10, 16]);
    }

    #[test]
    fn machines_of_one_name_are_told_apart() {
        let node = |name: &str, cpu_model: &str, load| Node {
            name: name.to_owned(),
            machine: Machine { host: name.to_owned(), kernel: "6.1".to_owned(), cpu_model: cpu_model.to_owned() },
            tier: Tier::Root,
            load,
        };
        let mut list = NodeList::default();
        let names = [
            list.add(node("n1", "Xeon", Some(1.0))),
            list.add(node("n1", "Xeon", Some(2.0))),
            list.add(node("n2", "Xeon", None)),
        ];
        assert_eq!(names, ["n1", "n1", "n2"]);
        assert!(!list.differ());
        assert_eq!([list.add(node("n1", "EPYC", None)), list.add(node("n1", "EPYC", None))], ["n1-2", "n1-2"]);
        assert!(list.differ());
        assert_eq!(list.iter().count(), 3);
        let outcome = |node: Option<&str>| Outcome {
            node: node.map(str::to_owned),
            ..Outcome::without_run(Verdict::Accepted, String::new())
        };
        let processors = [Some("n2"), Some("n1-2"), None].map(|node| list.processor(&outcome(node)).map(str::to_owned));
        assert_eq!(processors, [Some("Xeon".to_owned()), Some("EPYC".to_owned()), None]);
    }

    #[test]
    fn times_are_written_in_utc() {
        // As written by `date -u -d @SECONDS`.
        let known = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, expected) in known {
            assert_eq!(iso_utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
