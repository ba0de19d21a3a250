//! The plan of a run: every solver on every case, in an order that is fair to all solvers.

use crate::{CaseList, CaseSource, CaseSpec, JobId, KeptStderr, Limits, Problem, Shard, Solver, SolverSpec, quote};
use judge_sandbox::Visible;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The flag that chooses languages, for all solvers or for one by its name.
const LANGUAGE: &str = "--language";

/// The flags for every case that `judge check` also has.
const OF_CHECK: [&str; 2] = ["--problems", "--output-limit"];

/// The plan of a run: every solver on every case.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The problem.
    pub problem: Problem,
    /// The cases, in the order of the reports.
    pub cases: CaseList,
    /// The solvers, in the order of the command line.
    pub solvers: Vec<Solver>,
    /// What each solver may use on each case.
    pub limits: Limits,
    /// Environment variables of all solvers, in addition to the standard ones.
    pub environment: Vec<(String, String)>,
    /// Files and folders that every solver may see, in addition to its own.
    pub visible: Vec<Visible>,
    /// Whether the first case that is not accepted ends the run.
    pub fail_fast: bool,
    /// The cases whose standard error is kept.
    pub stderr: KeptStderr,
    /// Whether finished jobs carry their answers even without a journal.
    pub hand_over_answers: bool,
    /// Whether finished jobs carry the transcript of their conversation.
    pub transcripts: bool,
    /// The command-line flags that affect every case: limits, sandbox and catalogue.
    pub case_flags: CaseFlags,
    /// Which solver goes first on each case.
    pub order: Order,
}

/// Command-line flags with their values. They are computed on first use, because some runs do not need them.
#[derive(Clone)]
pub struct CaseFlags(Arc<LazyLock<Vec<String>, FindFlags>>);

type FindFlags = Box<dyn FnOnce() -> Vec<String> + Send>;

impl CaseFlags {
    /// Returns the flags that `find` will return.
    pub fn found_by(find: impl FnOnce() -> Vec<String> + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(find))))
    }

    /// Returns these flags and more.
    #[must_use]
    pub fn and(self, more: Vec<String>) -> Self {
        if more.is_empty() { self } else { Self::found_by(move || [self.words(), &more].concat()) }
    }

    /// Returns the flags as words.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Returns the flags as they follow a command: a space before each word, in quotes where a shell needs them.
    pub fn suffix(&self) -> String {
        self.words().iter().map(|word| format!(" {}", quote(word))).collect()
    }
}

impl Default for CaseFlags {
    fn default() -> Self {
        Self::found_by(Vec::new)
    }
}

impl fmt::Debug for CaseFlags {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words().fmt(formatter)
    }
}

/// Which solver goes first on each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// The solvers take turns in the order of the command line: A B, A B.
    Fixed,
    /// On every other case the order is reversed: A B, B A. A machine that warms up or slows down favours no solver,
    /// and with two workers each solver gets both cores in turn.
    Interleaved,
}

impl Plan {
    /// Returns the plan of these solvers on these cases, under the problem's own limits.
    pub fn new(problem: Problem, solvers: Vec<Solver>, cases: CaseList) -> Self {
        Self {
            limits: problem.limits.clone(),
            problem,
            cases,
            solvers,
            environment: Vec::new(),
            visible: Vec::new(),
            fail_fast: false,
            stderr: KeptStderr::default(),
            hand_over_answers: false,
            transcripts: false,
            case_flags: CaseFlags::default(),
            order: Order::Fixed,
        }
    }

    /// Returns the plan of the cases in a shard, and the index of each case in this plan.
    pub fn shard(&self, shard: Shard) -> (Self, Vec<usize>) {
        let is_in = |(_, case): &(usize, CaseSpec)| shard.holds(&self.problem.id, &case.name);
        let (places, cases) = self.cases.iter().enumerate().filter(is_in).unzip();
        (Self { cases, ..self.clone() }, places)
    }

    /// Returns the limits of a solver on each case: the limits of the run plus the allowance of its language.
    pub fn limits_of(&self, solver: usize) -> Limits {
        self.limits.allowing(&self.solvers[solver].allowance)
    }

    /// Returns the number of jobs.
    pub fn job_count(&self) -> usize {
        self.cases.len() * self.solvers.len()
    }

    /// Returns the job that starts at this turn, from 0. Jobs are ordered by case and then by solver, so that a machine
    /// that slows down slows all solvers alike.
    pub fn turn(&self, turn: usize) -> JobId {
        let (case, place) = (turn / self.solvers.len(), turn % self.solvers.len());
        let is_reversed = self.order == Order::Interleaved && case % 2 == 1;
        JobId { case, solver: if is_reversed { self.solvers.len() - 1 - place } else { place } }
    }

    /// Returns the name of the test group that a case is in.
    pub fn test_group_name(&self, case: usize) -> Option<&str> {
        if self.problem.test_groups.is_empty() {
            return None;
        }
        let group = self.problem.test_group_of(&self.cases.at(case))?;
        Some(&self.problem.test_groups[group].name)
    }

    /// Returns the command that reruns one job, with the same limits and sandbox; `None` if the solver is in no file.
    pub fn reproduce(&self, job: JobId) -> Option<String> {
        let (case, spec) = (self.cases.at(job.case).source, &self.solvers[job.solver].spec);
        if *spec == SolverSpec::by_hand() {
            // A person cannot be rerun, but the answer can be checked again, with the flags that matter for a check.
            let (problem, case) = (quote(&self.problem.id), case.flag("--seed", "--input"));
            let mut words = self.case_flags.words().iter();
            let mut command = format!("judge check -p {problem} {case} --output ANSWER");
            while let Some(word) = words.next() {
                let (name, has_value) = word.split_once('=').map_or((&**word, false), |(name, _)| (name, true));
                if OF_CHECK.contains(&name) {
                    let value = if has_value { None } else { words.next() };
                    [Some(word), value].into_iter().flatten().for_each(|word| command += &format!(" {}", quote(word)));
                }
            }
            return Some(command);
        }
        spec.can_be_named().then(|| self.command(job.solver, [case]))
    }

    /// Returns the command that runs a solver on the cases from these sources, with the same limits and sandbox. Without
    /// sources, it runs on the problem's own cases.
    pub fn command(&self, solver: usize, sources: impl IntoIterator<Item = CaseSource>) -> String {
        let (problem, cases) = (quote(&self.problem.id), CaseSource::flags(sources));
        let command = format!("judge run -p {problem} {} {cases}", self.solvers[solver].spec.flag());
        self.with_case_flags(solver, command.trim_end().to_owned())
    }

    /// Returns a command about a solver with the flags that affect every case.
    fn with_case_flags(&self, solver: usize, command: String) -> String {
        let mut words = self.case_flags.words().iter();
        let mut flags = Vec::new();
        while let Some(word) = words.next() {
            let language = Some(word).filter(|word| *word == LANGUAGE).and_then(|_| words.next());
            match language.map(|choice| choice.rsplit_once('=').unwrap_or(("", choice))) {
                None => flags.push(&**word),
                // The command does not give the solver a name.
                Some((name, language)) if name.is_empty() || name == self.solvers[solver].spec.name => {
                    flags.extend([LANGUAGE, language]);
                }
                Some(_) => {}
            }
        }
        flags.into_iter().fold(command, |command, word| format!("{command} {}", quote(word)))
    }
}
