//! A recorded run.

use super::{
    BestSource, CaseList, CaseSpec, CheckerIdentity, DetachedJob, Digest, JobId, Labels, Limits, NodeList, Origin,
    Outcome, OutcomeGrid, RunId, RunState, StoredFeatures,
};
use judge_sandbox::Tier;
use std::num::NonZeroI64;
use std::time::Duration;

/// A recorded run.
#[derive(Debug, Clone)]
pub struct StoredRun {
    /// Its number.
    pub id: RunId,
    /// When it started, in UTC, as ISO 8601 writes it.
    pub started: String,
    /// Its state.
    pub state: RunState,
    /// Its job, if it is detached.
    pub detached: Option<DetachedJob>,
    /// How long it took.
    pub elapsed: Duration,
    /// The command line.
    pub command: String,
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
    /// The name of the machine.
    pub host: String,
    /// The release of the kernel.
    pub kernel: String,
    /// The processor.
    pub cpu_model: String,
    /// The machines of a cluster that it was run on, or those of its shards if they differ; none if it was one machine.
    pub nodes: NodeList,
    /// The commit that was checked out.
    pub git_commit: Option<String>,
    /// Whether tracked files differed from it.
    pub git_dirty: Option<bool>,
    /// The judge's version.
    pub judge: String,
    /// The user's message.
    pub message: Option<String>,
    /// The tags and the note that the user gave it later.
    pub labels: Labels,
    /// The runs that it has results of, in the order of their shards; none of a run that was played where it is recorded.
    pub origins: Vec<Origin>,
    /// Which best scores its scores are relative to, beside its own: those that its cases have. `None` under a rule that takes
    /// none.
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
    /// The result of each solver; `None` if it was not finished.
    pub results: Vec<Option<StoredOutcome>>,
}

/// The outcome of a solver on a case.
#[derive(Debug, Clone)]
pub struct StoredOutcome {
    /// The outcome.
    pub outcome: Outcome,
    /// The row of the stored answer, if it is kept.
    pub answer: Option<i64>,
}

/// The cases of a recorded run, in its order. They are kept small, and made as they are asked for.
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
    #[must_use]
    pub fn new(solvers: usize) -> Self {
        Self { outcomes: OutcomeGrid::new(0, solvers), ..Self::default() }
    }

    /// Returns the number of cases.
    #[must_use]
    pub fn len(&self) -> usize {
        self.specs.len()
    }

    /// Returns whether there are no cases.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    /// Returns the names and sources of the cases.
    #[must_use]
    pub fn specs(&self) -> &CaseList {
        &self.specs
    }

    /// Returns the outcomes by case and solver.
    #[must_use]
    pub fn outcomes(&self) -> &OutcomeGrid {
        &self.outcomes
    }

    /// Returns the hash of each case's input; `None` if the input could not be read.
    #[must_use]
    pub fn inputs(&self) -> &[Option<Digest>] {
        &self.inputs
    }

    /// Returns the stored features of each case; `None` where they are not known.
    #[must_use]
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
    #[must_use]
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

    /// Returns these of the cases.
    pub fn only(&self, places: Vec<usize>) -> Self {
        let mut kept = Self::new(self.outcomes.solver_count());
        places.into_iter().for_each(|place| kept.push(self.at(place)));
        kept
    }
}
