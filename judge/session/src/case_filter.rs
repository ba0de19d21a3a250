//! The cases of a recorded run that a command is about. Stored features count where the problem's rules are still the same; else
//! the inputs are read again, so that the current features of the problem apply to old runs too.

use super::case_choice::{self, report_kept};
use super::failure::Failure;
use judge_cli::CaseFilterArgs;
use judge_problem::{CaseSpec, Digest, Features, Problem, StoredFeatures, StoredRun, rules_word};
use judge_run::cases::{CaseDescription, CaseReader};
use std::collections::HashMap;
use std::sync::Arc;

/// The features of the recorded cases of a problem. Each input is read once.
pub struct CaseDescriptions {
    reader: CaseReader,
    /// The word for the rules that the features of the problem are found by.
    rules: String,
    /// `None` if no features are stored, and the input is gone or has changed.
    known: HashMap<Digest, Option<Arc<Features>>>,
}

impl CaseDescriptions {
    /// Describes cases of a problem.
    pub fn of(problem: &Problem) -> Self {
        let rules = rules_word(&problem.features);
        Self { reader: CaseReader::of(problem), rules, known: HashMap::new() }
    }

    /// Keeps the cases of the run for which the condition holds, and returns the features of each.
    pub(crate) fn filter(&mut self, run: &mut StoredRun, filter: &CaseFilterArgs) -> Vec<Option<Arc<Features>>> {
        let mut kept = Vec::new();
        let mut places = Vec::new();
        for (place, features) in self.describe_run(run).into_iter().enumerate() {
            let holds = match (&filter.condition, &features) {
                (None, _) => true,
                (Some(condition), Some(features)) => condition.holds(features),
                (Some(_), None) => false,
            };
            if holds {
                kept.push(features);
                places.push(place);
            }
        }
        if places.len() < run.cases.len() {
            run.cases = run.cases.only(places);
        }
        kept
    }

    /// Returns the features of every case of a run; `None` if none are stored, and the input is gone or has changed.
    pub fn describe_run(&mut self, run: &StoredRun) -> Vec<Option<Arc<Features>>> {
        let cases = run.cases.specs().iter().zip(run.cases.inputs()).zip(run.cases.features());
        cases.map(|((case, input), stored)| self.describe(&case, *input, stored.as_ref())).collect()
    }

    fn describe(
        &mut self,
        case: &CaseSpec,
        recorded: Option<Digest>,
        stored: Option<&StoredFeatures>,
    ) -> Option<Arc<Features>> {
        let recorded = recorded?;
        let read = || {
            if let Some(stored) = stored.filter(|stored| stored.are_by(&self.rules)) {
                return Some(Arc::new(stored.features()));
            }
            let described = self.reader.describe(case).ok().filter(|described| described.input == recorded);
            let features = described.map(|CaseDescription { features, .. }| features);
            features.or_else(|| stored.map(StoredFeatures::features)).map(Arc::new)
        };
        self.known.entry(recorded).or_insert_with(read).clone()
    }

    /// Returns the features of all cases that were read so far.
    pub(crate) fn known(&self) -> impl Iterator<Item = &Features> {
        self.known.values().flatten().map(Arc::as_ref)
    }

    /// Warns about cases whose features are unknown.
    pub(crate) fn warn_of_unknown(&self) {
        let lost = self.known.values().filter(|features| features.is_none()).count();
        if lost > 0 {
            let why = "their inputs have changed or are missing";
            judge_report::note(&format!("warning: the features of {lost} cases are unknown: {why}"));
        }
    }
}

/// Fails if none of these cases has a feature that the condition or the grouping names.
pub(crate) fn check_names<'a>(
    filter: &CaseFilterArgs,
    cases: impl Iterator<Item = &'a Features>,
) -> Result<(), Failure> {
    let cases: Vec<&Features> = cases.collect();
    let names = filter.condition.iter().flat_map(|condition| condition.names()).chain(filter.group_by.as_deref());
    case_choice::check_names(names, &cases)
}

/// Returns the features of the cases of a run that are stored.
pub fn stored_features(run: &StoredRun) -> Vec<Option<Arc<Features>>> {
    let features = |stored: &Option<StoredFeatures>| stored.as_ref().map(|stored| Arc::new(stored.features()));
    run.cases.features().iter().map(features).collect()
}

/// Returns the features of cases if they are stored of all of them, found by the problem's rules of today.
pub fn stored_by_rules(problem: &Problem, stored: &[Option<StoredFeatures>]) -> Option<Vec<Features>> {
    let rules = rules_word(&problem.features);
    let features = |stored: &Option<StoredFeatures>| Some(stored.as_ref().filter(|one| one.are_by(&rules))?.features());
    stored.iter().map(features).collect()
}

/// Keeps the cases of the run for which the condition holds, and returns the features of each. Without a condition or a
/// grouping, no input is read.
pub fn filter_run(
    run: &mut StoredRun,
    problem: &Problem,
    filter: &CaseFilterArgs,
) -> Result<Vec<Option<Arc<Features>>>, Failure> {
    let all = run.cases.len();
    if filter.condition.is_none() && filter.group_by.is_none() {
        return Ok(stored_features(run));
    }
    let mut descriptions = CaseDescriptions::of(problem);
    let features = descriptions.filter(run, filter);
    descriptions.warn_of_unknown();
    check_names(filter, descriptions.known())?;
    report_kept(filter.condition.as_ref(), run.cases.len(), &format!("the {all} cases of run {}", run.id))?;
    Ok(features)
}
