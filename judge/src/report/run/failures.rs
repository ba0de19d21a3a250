//! The failures of a run, those of one solver for one reason together.

use super::cases::shown_jobs;
use super::report::RunReport;
use crate::model::{JobId, Outcome, Verdict};
use std::collections::HashMap;

/// The number of reasons that are explained.
const EXPLAINED: usize = 10;

/// The number of reasons that are told apart. Failures for other ones are counted.
const MAX_REASONS: usize = 1000;

/// What a checker adds to its reason, which is another one in each case.
const FOUND: &str = ": expected ";

/// Failures of one solver with one verdict and one reason.
#[derive(Debug)]
pub(super) struct Alike {
    /// The first of them in the order of the plan.
    pub(super) first: JobId,
    /// Its outcome.
    pub(super) outcome: Outcome,
    /// How many there are.
    pub(super) cases: usize,
    /// Whether all have the same note.
    is_one_note: bool,
}

impl Alike {
    /// Returns their note, or as much of it as holds for all.
    pub(super) fn note(&self) -> &str {
        if self.is_one_note { &self.outcome.note } else { reason(&self.outcome.note) }
    }
}

/// The failures of a run.
#[derive(Debug, Default)]
pub(super) struct Failures {
    /// By reason, in the order of the first ones.
    reasons: Vec<Alike>,
    /// How many failures there are.
    pub(super) all: usize,
}

impl Failures {
    /// Returns the reasons to explain: the first one of each solver, then the others.
    pub(super) fn shown(&self) -> impl Iterator<Item = &Alike> {
        let is_first = |&place: &usize| {
            let solver = self.reasons[place].first.solver;
            !self.reasons[..place].iter().any(|earlier| earlier.first.solver == solver)
        };
        let (mut chosen, others): (Vec<_>, Vec<_>) = (0..self.reasons.len()).partition(is_first);
        chosen.extend(others);
        chosen.into_iter().take(EXPLAINED).map(|place| &self.reasons[place])
    }
}

/// Returns the failures of a run. A solver that could not be compiled or started failed once.
pub(super) fn failed_alike(report: &RunReport<'_>) -> Failures {
    let mut found = Failures::default();
    let mut places: HashMap<(usize, Verdict, String), usize> = HashMap::new();
    for (job, outcome) in shown_jobs(report).filter(|(_, outcome)| !outcome.is_accepted()) {
        found.all += 1;
        let key = (job.solver, outcome.verdict, reason(&outcome.note).to_owned());
        if let Some(place) = places.get(&key) {
            let alike = &mut found.reasons[*place];
            alike.cases += 1;
            alike.is_one_note &= alike.outcome.note == outcome.note;
        } else if places.len() < MAX_REASONS {
            places.insert(key, found.reasons.len());
            found.reasons.push(Alike { first: job, outcome, cases: 1, is_one_note: true });
        }
    }
    found
}

fn reason(note: &str) -> &str {
    note.split_once(FOUND).map_or(note, |(reason, _)| reason)
}
