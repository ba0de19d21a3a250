//! `judge history --where` and `--group-by`: past runs over some of their cases, scored by today's rule.

use super::best_scores::Reference;
use super::case_filter::{Descriptions, check_names};
use super::failure::Failure;
use super::restored_run::Restored;
use crate::cli::KindArgs;
use crate::journal::{HistoryFilter, HistoryRow, Journal, RunId, RunState, StoredCase, StoredRun};
use crate::manifest::Catalogue;
use crate::model::{Digest, Features, Number, Problem};
use num_rational::BigRational;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// A run on the cases of one kind.
struct Slice {
    /// The value of the feature that the runs are grouped by; `None` without one.
    value: Option<Number>,
    /// Hashes of the inputs, in order: totals over other cases say nothing about progress.
    inputs: Vec<Option<Digest>>,
    rule: String,
    /// By place of the solver in the run.
    solvers: Vec<Figures>,
}

/// What a solver reached there.
struct Figures {
    done: usize,
    accepted: usize,
    /// Only of runs that were carried through.
    total: Option<BigRational>,
}

struct Album<'a> {
    journal: &'a Journal,
    catalogue: &'a Catalogue,
    kind: &'a KindArgs,
    /// By problem.
    descriptions: HashMap<String, Descriptions>,
    /// By problem: what its scores are relative to.
    references: HashMap<String, Rc<Reference>>,
    slices: HashMap<RunId, Rc<Vec<Slice>>>,
}

/// Returns past runs, the newest first, with a row for each solver and each value of the feature that they are grouped
/// by. Runs without such a case, and runs of problems that are no longer in the catalogue, have none.
pub(crate) fn rows(
    journal: &Journal,
    catalogue: &Catalogue,
    filter: &HistoryFilter<'_>,
    kind: &KindArgs,
) -> Result<Vec<HistoryRow>, Failure> {
    let all = journal.history(&HistoryFilter { newest: None, ..filter.clone() })?;
    let mut album = Album {
        journal,
        catalogue,
        kind,
        descriptions: HashMap::new(),
        references: HashMap::new(),
        slices: HashMap::new(),
    };
    let newest = filter.newest.unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    for (place, row) in all.iter().enumerate() {
        if rows.len() >= newest {
            break;
        }
        let is_before = |other: &&HistoryRow| {
            let same = other.solver == row.solver && other.problem == row.problem;
            same && other.run < row.run && other.state == RunState::Complete
        };
        let before = all[place..].iter().find(is_before);
        rows.extend(album.rows(row, before)?);
    }
    album.descriptions.values().for_each(Descriptions::warn_of_lost);
    if !album.descriptions.is_empty() {
        check_names(kind, album.descriptions.values().flat_map(Descriptions::known))?;
    }
    rows.truncate(newest);
    Ok(rows)
}

impl Album<'_> {
    fn rows(&mut self, row: &HistoryRow, before: Option<&HistoryRow>) -> Result<Vec<HistoryRow>, Failure> {
        let slices = self.slices(row)?;
        let earlier = before.map(|before| self.slices(before)).transpose()?.unwrap_or_default();
        Ok(slices.iter().map(|slice| self.row(row, slice, before, &earlier)).collect())
    }

    fn row(&self, row: &HistoryRow, slice: &Slice, before: Option<&HistoryRow>, earlier: &[Slice]) -> HistoryRow {
        let Figures { done, accepted, total } = &slice.solvers[row.place];
        let comparable = |other: &&Slice| other.inputs == slice.inputs && other.rule == slice.rule;
        let before = before.zip(earlier.iter().find(comparable));
        let before = before.and_then(|(before, slice)| slice.solvers[before.place].total.as_ref());
        HistoryRow {
            group: self.kind.group_by.as_ref().map(|by| group(by, slice.value.as_ref())),
            planned: slice.inputs.len(),
            done: *done,
            accepted: *accepted,
            rule: slice.rule.clone(),
            change: total.as_ref().zip(before).map(|(total, before)| total - before),
            total: total.clone(),
            ..row.clone()
        }
    }

    fn slices(&mut self, row: &HistoryRow) -> Result<Rc<Vec<Slice>>, Failure> {
        if let Some(known) = self.slices.get(&row.run) {
            return Ok(Rc::clone(known));
        }
        let slices = Rc::new(self.cut(row)?);
        self.slices.insert(row.run, Rc::clone(&slices));
        Ok(slices)
    }

    fn cut(&mut self, row: &HistoryRow) -> Result<Vec<Slice>, Failure> {
        let Ok(problem) = self.catalogue.find(&row.problem) else { return Ok(Vec::new()) };
        let mut run = self.journal.stored_run(row.run)?;
        let descriptions = self.descriptions.entry(row.problem.clone()).or_insert_with(|| Descriptions::of(problem));
        let features = descriptions.narrow(&mut run, self.kind);
        let value = |features: &Option<Arc<Features>>| features.as_ref()?.get(self.kind.group_by.as_deref()?).cloned();
        // Ordered with the absent value last.
        let mut parts: BTreeMap<(bool, Option<Number>), Vec<StoredCase>> = BTreeMap::new();
        for (case, features) in std::mem::take(&mut run.cases).into_iter().zip(&features) {
            let value = value(features);
            parts.entry((value.is_none(), value)).or_default().push(case);
        }
        let reference = self.reference(problem)?;
        let parts = parts.into_iter();
        parts.map(|((_, value), cases)| self.slice(&StoredRun { cases, ..run.clone() }, value, &reference)).collect()
    }

    fn reference(&mut self, problem: &Problem) -> Result<Rc<Reference>, Failure> {
        if let Some(known) = self.references.get(&problem.id) {
            return Ok(Rc::clone(known));
        }
        let reference = Rc::new(Reference::open(self.catalogue, problem, None)?);
        self.references.insert(problem.id.clone(), Rc::clone(&reference));
        Ok(reference)
    }

    fn slice(&self, run: &StoredRun, value: Option<Number>, reference: &Reference) -> Result<Slice, Failure> {
        let mut restored = Restored::of(run, self.catalogue)?;
        restored.measure(run, reference);
        let scored = restored.score(None, None).map_err(Failure::fault)?;
        let complete = run.state == RunState::Complete;
        let figures = |solver: usize| {
            let outcomes = run.cases.iter().filter_map(|case| case.results[solver].as_ref());
            let total = scored.board.headline(&scored.board.standings[solver]).filter(|_| complete);
            Figures {
                done: outcomes.clone().count(),
                accepted: outcomes.filter(|stored| stored.outcome.is_accepted()).count(),
                total: total.cloned(),
            }
        };
        let solvers = (0..run.entrants.len()).map(figures).collect();
        let inputs = run.cases.iter().map(|case| case.input).collect();
        Ok(Slice { value, inputs, rule: scored.rule.to_string(), solvers })
    }
}

fn group(by: &str, value: Option<&Number>) -> String {
    value.map_or_else(|| format!("no {by}"), |value| format!("{by}={value}"))
}
