//! The jobs of a run: one solver on one case. Their events, and their outcomes in a compact table.

use crate::{BrokenRule, Digest, Features, Outcome, Verdict, as_text};
use checkers::Score;
use num_traits::ToPrimitive;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One job of a run: a solver on a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId {
    /// Index of the case in the plan.
    pub case: usize,
    /// Index of the solver in the plan.
    pub solver: usize,
}

/// A finished job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FinishedJob {
    /// Which job.
    pub job: JobId,
    /// Its outcome.
    pub outcome: Outcome,
    /// The features of its case. `None` if the command does not need them, or if the case was not read.
    pub features: Option<Arc<Features>>,
    /// What the journal stores in addition.
    pub evidence: Box<Evidence>,
}

/// What a job produces in addition to its outcome. Only the journal uses it. Only the hash is serialized.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Hash of the input. `None` without an input.
    #[serde(with = "as_text::optional")]
    pub input: Option<Digest>,
    /// The answer that was checked: the whole standard output of the solver.
    #[serde(skip)]
    pub answer: Option<Vec<u8>>,
    /// Where the outcome is stored, if the solver was not run again.
    #[serde(skip)]
    pub stored: Option<StoredResult>,
    /// The conversation of the solver and its interactor, with times, if the plan asks for it. The journal does not
    /// store it.
    #[serde(skip)]
    pub transcript: Option<String>,
}

/// An outcome of an earlier run that is still valid.
#[derive(Debug, Clone)]
pub struct KnownOutcome {
    /// The outcome of the job.
    pub outcome: Outcome,
    /// Where the journal stores it.
    pub stored: StoredResult,
}

/// Where the journal stores a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredResult {
    /// The row of the solver in its run.
    pub entrant: i64,
    /// The index of the case in that run.
    pub place: i64,
}

/// Why a run ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// `--fail-fast` and a case was not accepted, or an evaluation was decided before its last case.
    FailFast,
    /// The run continues elsewhere, without this process, or its other cases are in other journals.
    Detached,
}

/// An event of a run.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// A job is done.
    Finished(Box<FinishedJob>),
    /// No further jobs are started.
    Stopping(Stop),
    /// The journal can no longer be written, with the reason. The run continues without it.
    JournalLost(String),
    /// A message about the machines of the run.
    Notice(String),
    /// The state of the run's tasks on a cluster.
    Tasks(TaskCounts),
}

/// The tasks of a run on a cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskCounts {
    /// The number of running tasks.
    pub running: usize,
    /// The number of waiting tasks.
    pub pending: usize,
    /// The number of nodes with running tasks.
    pub nodes: usize,
}

/// The jobs that are running now, for a display of progress.
#[derive(Debug, Default)]
pub struct RunningJobs(Mutex<Vec<(JobId, Instant)>>);

impl RunningJobs {
    /// Records the start of a job.
    pub fn start(&self, job: JobId) {
        self.0.lock().push((job, Instant::now()));
    }

    /// Records the end of a job.
    pub fn end(&self, job: JobId) {
        self.0.lock().retain(|(running, _)| *running != job);
    }

    /// Returns the running jobs and how long each has run, the longest first.
    pub fn by_age(&self) -> Vec<(JobId, Duration)> {
        let jobs = self.0.lock();
        let mut ages: Vec<_> = jobs.iter().map(|(job, since)| (*job, since.elapsed())).collect();
        ages.sort_by_key(|(_, age)| std::cmp::Reverse(*age));
        ages
    }
}

/// The outcomes of a run, by case and solver. Unfinished jobs have none. Outcomes are stored packed, and unpacked when
/// they are read.
#[derive(Debug, Clone, Default)]
pub struct OutcomeGrid {
    solvers: usize,
    /// For each case and solver, the start of its outcome in `packed` plus 1. 0 marks an unfinished job: zeroed memory
    /// takes no physical memory before it is written.
    starts: Vec<usize>,
    /// The outcomes, in the order of finishing.
    packed: Vec<u8>,
}

impl OutcomeGrid {
    /// Returns a grid of unfinished jobs.
    pub fn new(cases: usize, solvers: usize) -> Self {
        Self { solvers, starts: vec![0; cases * solvers], packed: Vec::new() }
    }

    /// Returns the number of jobs, finished or not.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the number of solvers.
    pub fn solver_count(&self) -> usize {
        self.solvers
    }

    fn place(&self, job: JobId) -> usize {
        job.case * self.solvers + job.solver
    }

    /// Returns the bytes from the packed outcome of a job on.
    fn packed(&self, place: usize) -> Option<&[u8]> {
        self.starts[place].checked_sub(1).map(|start| &self.packed[start..])
    }

    fn at(&self, place: usize) -> Option<Outcome> {
        self.packed(place).map(unpack)
    }

    /// Returns the outcome of a job, if it was finished.
    pub fn get(&self, job: JobId) -> Option<Outcome> {
        self.at(self.place(job))
    }

    /// Returns the verdict of a job. Unfinished jobs are `Skipped`.
    pub fn verdict(&self, job: JobId) -> Verdict {
        self.packed(self.place(job)).map_or(Verdict::Skipped, verdict)
    }

    /// Returns whether a job was finished.
    pub fn has(&self, job: JobId) -> bool {
        self.starts[self.place(job)] > 0
    }

    /// Sets the outcome of a job.
    pub fn set(&mut self, job: JobId, outcome: &Outcome) {
        let place = self.place(job);
        self.starts[place] = self.add(outcome);
    }

    /// Packs an outcome and returns its start plus 1.
    fn add(&mut self, outcome: &Outcome) -> usize {
        let start = self.packed.len() + 1;
        pack(outcome, &mut self.packed);
        start
    }

    /// Adds a case with an outcome for each solver.
    pub fn add_case(&mut self, outcomes: impl IntoIterator<Item = Option<Outcome>>) {
        for outcome in outcomes {
            let start = outcome.map_or(0, |outcome| self.add(&outcome));
            self.starts.push(start);
        }
        debug_assert!(self.starts.len().is_multiple_of(self.solvers.max(1)));
    }

    /// Returns the outcomes of a solver, by case.
    pub fn of_solver(&self, solver: usize) -> impl Iterator<Item = Option<Outcome>> {
        (solver..self.len()).step_by(self.solvers.max(1)).map(|place| self.at(place))
    }

    /// Returns the outcomes of a case, by solver.
    pub fn of_case(&self, case: usize) -> impl Iterator<Item = Option<Outcome>> {
        (case * self.solvers..(case + 1) * self.solvers).map(|place| self.at(place))
    }

    /// Returns every job with its outcome, case by case.
    pub fn iter(&self) -> impl Iterator<Item = (JobId, Option<Outcome>)> {
        let job = |place: usize| JobId { case: place / self.solvers, solver: place % self.solvers };
        (0..self.len()).map(move |place| (job(place), self.at(place)))
    }

    /// Returns the verdict of every job, case by case. Unfinished jobs are `Skipped`.
    pub fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        (0..self.len()).map(|place| self.packed(place).map_or(Verdict::Skipped, verdict))
    }

    /// Returns every outcome of a finished job, case by case.
    pub fn finished(&self) -> impl Iterator<Item = Outcome> {
        (0..self.len()).filter_map(|place| self.at(place))
    }

    /// Returns every score, case by case.
    pub fn scores(&self) -> impl Iterator<Item = Score> {
        self.finished().filter_map(|outcome| outcome.score)
    }
}

impl PartialEq for OutcomeGrid {
    fn eq(&self, other: &Self) -> bool {
        self.solvers == other.solvers && self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// A packed outcome.
type Packed<'a> = (Verdict, Parts<'a>);

/// The parts of a packed outcome.
#[derive(Serialize, Deserialize)]
enum Parts<'a> {
    /// All that most accepted cases have: a score of 64 bits; CPU time, wall time, and memory; the metrics as text.
    Usual(i64, [u64; 3], String),
    /// Any parts.
    All(Box<AllParts<'a>>),
}

/// A score of 64 bits, another score as text, CPU time, wall time, waiting time, memory, whether the times are noisy, the
/// node, the metrics as text, and what was said: note, broken rule, standard error.
type AllParts<'a> = (
    Option<i64>,
    Option<String>,
    [Option<u64>; 4],
    bool,
    Option<Cow<'a, str>>,
    String,
    Option<(Cow<'a, str>, Cow<'a, BrokenRule>, Cow<'a, str>)>,
);

/// Appends a packed outcome.
fn pack(outcome: &Outcome, bytes: &mut Vec<u8>) {
    let Outcome { verdict, score, note, broken, metrics, stderr, cpu, wall, memory, noisy, waited, node } = outcome;
    let short = score.as_ref().and_then(|score| score.as_integer()?.to_i64());
    let long = score.as_ref().filter(|_| short.is_none()).map(ToString::to_string);
    let [cpu, wall, waited] =
        [cpu, wall, waited].map(|time| time.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)));
    let has_said = !note.is_empty() || !stderr.is_empty() || *broken != BrokenRule::default();
    let said = has_said.then(|| (note.into(), Cow::Borrowed(broken), stderr.into()));
    let numbers = [cpu, wall, waited, *memory];
    let parts = match (short, long, numbers, *noisy, node.as_ref().map(Cow::from), metrics.to_string(), said) {
        (Some(score), None, [Some(cpu), Some(wall), None, Some(memory)], false, None, metrics, None) => {
            Parts::Usual(score, [cpu, wall, memory], metrics)
        }
        all => Parts::All(Box::new(all)),
    };
    let packed: Packed<'_> = (*verdict, parts);
    *bytes = postcard::to_extend(&packed, std::mem::take(bytes)).expect("any outcome can be packed");
}

/// Unpacks the outcome at the start of these bytes.
fn unpack(bytes: &[u8]) -> Outcome {
    let ((verdict, parts), _): (Packed<'_>, _) = postcard::take_from_bytes(bytes).expect("an outcome was packed here");
    let (short, long, [cpu, wall, waited, memory], noisy, node, metrics, said) = match parts {
        Parts::Usual(score, [cpu, wall, memory], metrics) => {
            (Some(score), None, [Some(cpu), Some(wall), None, Some(memory)], false, None, metrics, None)
        }
        Parts::All(all) => *all,
    };
    let long = long.map(|score| score.parse().expect("a score is read as it was written"));
    let [cpu, wall, waited] = [cpu, wall, waited].map(|time| time.map(Duration::from_nanos));
    let (note, broken, stderr) = said.unwrap_or_default();
    Outcome {
        verdict,
        score: short.map(Score::from).or(long),
        note: note.into_owned(),
        broken: broken.into_owned(),
        metrics: metrics.into(),
        stderr: stderr.into_owned(),
        cpu,
        wall,
        memory,
        noisy,
        waited,
        node: node.map(Cow::into_owned),
    }
}

/// Unpacks the verdict of the outcome at the start of these bytes.
fn verdict(bytes: &[u8]) -> Verdict {
    postcard::take_from_bytes(bytes).expect("an outcome begins with its verdict").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metrics;
    use proptest::prelude::*;
    use std::num::NonZeroUsize;

    #[test]
    fn the_longest_running_job_comes_first_and_ended_ones_are_gone() {
        let running = RunningJobs::default();
        let job = |case| JobId { case, solver: 0 };
        for case in 0..3 {
            running.start(job(case));
            std::thread::sleep(Duration::from_millis(2));
        }
        running.end(job(0));
        let found: Vec<_> = running.by_age().into_iter().map(|(job, _)| job.case).collect();
        assert_eq!(found, [1, 2]);
    }

    fn scored(score: i64) -> Outcome {
        Outcome { score: Some(score.into()), ..Outcome::without_run(Verdict::Accepted, String::new()) }
    }

    fn shown(outcomes: impl Iterator<Item = Option<Outcome>>) -> Vec<String> {
        let score = |outcome: Outcome| outcome.score.as_ref().map_or_else(String::new, ToString::to_string);
        outcomes.map(|outcome| outcome.map_or_else(|| "-".to_owned(), score)).collect()
    }

    #[test]
    fn every_job_is_found_by_case_and_by_solver() {
        let mut grid = OutcomeGrid::new(2, 3);
        grid.set(JobId { case: 0, solver: 1 }, &scored(5));
        grid.set(JobId { case: 1, solver: 2 }, &scored(7));
        grid.add_case([Some(scored(1)), None, Some(scored(3))]);
        assert_eq!(grid.len(), 9);
        assert_eq!(shown(grid.of_case(0)), ["-", "5", "-"]);
        assert_eq!(shown(grid.of_case(2)), ["1", "-", "3"]);
        assert_eq!(shown(grid.of_solver(2)), ["-", "7", "3"]);
        assert_eq!(grid.get(JobId { case: 1, solver: 2 }), Some(scored(7)));
        let places: Vec<_> = grid.iter().filter(|(_, outcome)| outcome.is_some()).map(|(job, _)| job).collect();
        assert_eq!(places, [(0, 1), (1, 2), (2, 0), (2, 2)].map(|(case, solver)| JobId { case, solver }));
        assert_eq!(grid.scores().map(|score| score.to_string()).collect::<Vec<_>>(), ["5", "7", "1", "3"]);
    }

    #[test]
    fn a_grid_without_solvers_or_cases_has_no_outcomes() {
        for grid in [OutcomeGrid::new(3, 0), OutcomeGrid::new(0, 3)] {
            assert!(grid.is_empty() && grid.iter().next().is_none() && grid.of_solver(0).next().is_none());
        }
    }

    fn any_broken() -> impl Strategy<Value = BrokenRule> {
        let place = || prop::option::of((1_usize..).prop_map(|place| NonZeroUsize::new(place).unwrap()));
        (place(), place(), place(), prop::option::of(".{0,9}")).prop_map(|(line, column, step, rule)| BrokenRule {
            line,
            column,
            step,
            rule,
        })
    }

    fn any_outcome() -> impl Strategy<Value = Outcome> {
        let score = prop_oneof![
            any::<i64>().prop_map(Score::from),
            "-?[1-9][0-9]{0,40}(\\.[0-9]{0,9}[1-9])?".prop_map(|text| text.parse().unwrap())
        ];
        let time = || prop::option::of(any::<u64>().prop_map(Duration::from_nanos));
        let said = prop_oneof![
            Just((String::new(), String::new(), BrokenRule::default())),
            (".{0,9}", ".{0,9}", any_broken())
        ];
        let verdict = prop::sample::select(Verdict::ALL.to_vec());
        (
            verdict,
            prop::option::of(score),
            said,
            time(),
            time(),
            prop::option::of(any::<u64>()),
            (any::<bool>(), time(), prop::option::of(".{0,9}"), "([a-z]=[1-9]{1,40} )?"),
        )
            .prop_map(
                |(verdict, score, (note, stderr, broken), cpu, wall, memory, (noisy, waited, node, metrics))| {
                    let metrics = Metrics::from(metrics);
                    Outcome { verdict, score, note, broken, metrics, stderr, cpu, wall, memory, noisy, waited, node }
                },
            )
    }

    proptest! {
        #[test]
        fn outcomes_come_back_as_they_were(outcomes in prop::collection::vec(any_outcome(), 1..4)) {
            let mut bytes = Vec::new();
            let mut starts = Vec::new();
            for outcome in &outcomes {
                starts.push(bytes.len());
                pack(outcome, &mut bytes);
            }
            for (start, outcome) in starts.into_iter().zip(&outcomes) {
                prop_assert_eq!(&unpack(&bytes[start..]), outcome);
                prop_assert_eq!(verdict(&bytes[start..]), outcome.verdict);
            }
        }
    }

    #[test]
    fn an_accepted_outcome_is_small() {
        let outcome = Outcome {
            score: Some(123_456.into()),
            cpu: Some(Duration::from_millis(1_234)),
            wall: Some(Duration::from_millis(1_250)),
            memory: Some(20 << 20),
            ..Outcome::without_run(Verdict::Accepted, String::new())
        };
        let mut bytes = Vec::new();
        pack(&outcome, &mut bytes);
        assert!(bytes.len() <= 20, "{}", bytes.len());
    }
}
