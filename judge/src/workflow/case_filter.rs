//! The cases of a recorded run that a command is about. Features are read from the inputs again, so that the current
//! features of the problem apply to old runs too.

use super::case_choice::{check_name, report_kept};
use super::failure::Failure;
use crate::cases::{CaseDescription, CaseReader};
use crate::cli::CaseFilterArgs;
use crate::model::{CaseSpec, Digest, Features, Problem, StoredRun};
use crate::report;
use std::collections::HashMap;
use std::sync::Arc;

/// The features of the recorded cases of a problem. Each input is read once.
pub(crate) struct CaseDescriptions {
    reader: CaseReader,
    /// `None` if the input is gone or has changed.
    known: HashMap<Digest, Option<Arc<Features>>>,
}

impl CaseDescriptions {
    pub(crate) fn of(problem: &Problem) -> Self {
        Self { reader: CaseReader::of(problem), known: HashMap::new() }
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

    /// Returns the features of every case of a run; `None` if the input is gone or has changed.
    pub(crate) fn describe_run(&mut self, run: &StoredRun) -> Vec<Option<Arc<Features>>> {
        let cases = run.cases.specs().iter().zip(run.cases.inputs());
        cases.map(|(case, input)| self.describe(&case, *input)).collect()
    }

    fn describe(&mut self, case: &CaseSpec, recorded: Option<Digest>) -> Option<Arc<Features>> {
        let recorded = recorded?;
        let read = || {
            let CaseDescription { input, features } = self.reader.describe(case).ok()?;
            (input == recorded).then(|| Arc::new(features))
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
            report::note(&format!("warning: the features of {lost} cases are unknown: {why}"));
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
    names.into_iter().try_for_each(|name| check_name(name, &cases))
}

/// Keeps the cases of the run for which the condition holds, and returns the features of each. Without a condition or a
/// grouping, no input is read.
pub(crate) fn filter_run(
    run: &mut StoredRun,
    problem: &Problem,
    filter: &CaseFilterArgs,
) -> Result<Vec<Option<Arc<Features>>>, Failure> {
    let all = run.cases.len();
    if filter.condition.is_none() && filter.group_by.is_none() {
        return Ok(vec![None; all]);
    }
    let mut descriptions = CaseDescriptions::of(problem);
    let features = descriptions.filter(run, filter);
    descriptions.warn_of_unknown();
    check_names(filter, descriptions.known())?;
    report_kept(filter.condition.as_ref(), run.cases.len(), &format!("the {all} cases of run {}", run.id))?;
    Ok(features)
}
