//! Which cases of a recorded run a command is about. What describes them is read from their inputs anew: today's features
//! of the problem count, also for runs of old.

use super::case_choice::{check_name, tell_kept};
use super::failure::Failure;
use crate::cases::{CaseReader, Described};
use crate::cli::KindArgs;
use crate::journal::{StoredCase, StoredRun};
use crate::model::{Digest, Features, Problem};
use crate::report;
use std::collections::HashMap;
use std::sync::Arc;

/// What describes the recorded cases of a problem; each input is read once.
pub(crate) struct Descriptions {
    reader: CaseReader,
    /// `None` where the input is gone, or is another one today.
    known: HashMap<Digest, Option<Arc<Features>>>,
}

impl Descriptions {
    pub(crate) fn of(problem: &Problem) -> Self {
        Self { reader: CaseReader::of(problem), known: HashMap::new() }
    }

    /// Keeps the cases of the run for which the condition holds, and returns what describes each.
    pub(crate) fn narrow(&mut self, run: &mut StoredRun, kind: &KindArgs) -> Vec<Option<Arc<Features>>> {
        let mut kept = Vec::new();
        run.cases.retain(|case| {
            let features = self.describe(case);
            let holds = match (&kind.condition, &features) {
                (None, _) => true,
                (Some(condition), Some(features)) => condition.holds(features),
                (Some(_), None) => false,
            };
            if holds {
                kept.push(features);
            }
            holds
        });
        kept
    }

    fn describe(&mut self, case: &StoredCase) -> Option<Arc<Features>> {
        let recorded = case.input?;
        let read = || {
            let Described { input, features } = self.reader.describe(&case.spec).ok()?;
            (input == recorded).then(|| Arc::new(features))
        };
        self.known.entry(recorded).or_insert_with(read).clone()
    }

    /// Returns what is known of the cases that were asked for so far.
    pub(crate) fn known(&self) -> impl Iterator<Item = &Features> {
        self.known.values().flatten().map(Arc::as_ref)
    }

    /// Says how many of the cases asked for could not be described.
    pub(crate) fn warn_of_lost(&self) {
        let lost = self.known.values().filter(|features| features.is_none()).count();
        if lost > 0 {
            let why = "their inputs are gone or have changed since";
            report::note(&format!("warning: nothing describes {lost} of the cases: {why}"));
        }
    }
}

/// Fails if a name in the condition or the grouping is known of none of these cases.
pub(crate) fn check_names<'a>(kind: &KindArgs, cases: impl Iterator<Item = &'a Features>) -> Result<(), Failure> {
    let cases: Vec<Features> = cases.cloned().collect();
    let names = kind.condition.iter().flat_map(|condition| condition.names()).chain(kind.group_by.as_deref());
    names.into_iter().try_for_each(|name| check_name(name, &cases))
}

/// Keeps the cases of the run that the command is about, and returns what describes each. Without a condition or a
/// grouping, no input is read.
pub(crate) fn narrow_one(
    run: &mut StoredRun,
    problem: &Problem,
    kind: &KindArgs,
) -> Result<Vec<Option<Arc<Features>>>, Failure> {
    let all = run.cases.len();
    if kind.condition.is_none() && kind.group_by.is_none() {
        return Ok(vec![None; all]);
    }
    let mut descriptions = Descriptions::of(problem);
    let features = descriptions.narrow(run, kind);
    descriptions.warn_of_lost();
    check_names(kind, descriptions.known())?;
    tell_kept(kind.condition.as_ref(), run.cases.len(), &format!("the {all} cases of run {}", run.id))?;
    Ok(features)
}
