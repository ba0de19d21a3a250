//! `judge history --where` and `--group-by`: past runs over some of their cases, scored by the current rule.

use super::case_filter::{CaseDescriptions, check_names};
use super::failure::Failure;
use super::restored_run::RestoredRun;
use judge_cli::CaseFilterArgs;
use judge_journal::{HistoryFilter, Journal};
use judge_problem::manifest::Catalogue;
use judge_problem::{Digest, Features, HistoryRow, Number, Outcome, Rule, RunId, RunState, StoredRun};
use num_rational::BigRational;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// The cases of a run that have the same value of a feature.
struct RunSlice {
    /// The value of the feature that the runs are grouped by; `None` without one.
    value: Option<Number>,
    /// Hashes of the inputs, in order: totals are comparable over the same cases only.
    inputs: Vec<Option<Digest>>,
    rule: Rule,
    /// By place of the solver in the run.
    solvers: Vec<SolverTotals>,
}

/// The results of a solver on these cases.
struct SolverTotals {
    done: usize,
    accepted: usize,
    /// Of complete runs only.
    total: Option<BigRational>,
}

/// Past runs by feature. What several rows share is computed once.
struct FeatureHistory<'a> {
    journal: &'a Journal,
    catalogue: &'a Catalogue,
    filter: &'a CaseFilterArgs,
    /// By problem.
    descriptions: HashMap<String, CaseDescriptions>,
    slices: HashMap<RunId, Rc<Vec<RunSlice>>>,
}

/// Returns past runs, the newest first, with a row for each solver and each value of the feature that they are grouped
/// by. Runs without such a case, and runs of problems that are no longer in the catalogue, have no row.
pub fn rows(
    journal: &Journal,
    catalogue: &Catalogue,
    runs: &HistoryFilter<'_>,
    filter: &CaseFilterArgs,
) -> Result<Vec<HistoryRow>, Failure> {
    // A change is against the run before, whether that has the tag or not.
    let all = journal.history(&HistoryFilter { newest: None, tag: None, ..runs.clone() })?;
    let has_tag = |row: &HistoryRow| runs.tag.is_none_or(|tag| row.labels.tags.iter().any(|own| own.as_ref() == tag));
    let mut history =
        FeatureHistory { journal, catalogue, filter, descriptions: HashMap::new(), slices: HashMap::new() };
    let newest = runs.newest.unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    for (place, row) in all.iter().enumerate().filter(|(_, row)| has_tag(row)) {
        if rows.len() >= newest {
            break;
        }
        let is_before = |other: &&HistoryRow| {
            let same = other.solver == row.solver && other.problem == row.problem;
            same && other.run < row.run && other.state == RunState::Complete
        };
        let before = all[place..].iter().find(is_before);
        rows.extend(history.rows(row, before)?);
    }
    history.descriptions.values().for_each(CaseDescriptions::warn_of_unknown);
    if !history.descriptions.is_empty() {
        check_names(filter, history.descriptions.values().flat_map(CaseDescriptions::known))?;
    }
    rows.truncate(newest);
    Ok(rows)
}

impl FeatureHistory<'_> {
    fn rows(&mut self, row: &HistoryRow, before: Option<&HistoryRow>) -> Result<Vec<HistoryRow>, Failure> {
        let slices = self.slices(row)?;
        let earlier = before.map(|before| self.slices(before)).transpose()?.unwrap_or_default();
        Ok(slices.iter().map(|slice| self.row(row, slice, before, &earlier)).collect())
    }

    fn row(&self, row: &HistoryRow, slice: &RunSlice, before: Option<&HistoryRow>, earlier: &[RunSlice]) -> HistoryRow {
        let SolverTotals { done, accepted, total } = &slice.solvers[row.place];
        let comparable = |other: &&RunSlice| other.inputs == slice.inputs && other.rule == slice.rule;
        let before = before.zip(earlier.iter().find(comparable));
        let before = before.and_then(|(before, slice)| slice.solvers[before.place].total.as_ref());
        HistoryRow {
            group: self.filter.group_by.as_ref().map(|by| group(by, slice.value.as_ref())),
            planned: slice.inputs.len(),
            done: *done,
            accepted: *accepted,
            rule: slice.rule.name().to_owned(),
            change: total.as_ref().zip(before).map(|(total, before)| total - before),
            total: total.clone(),
            ..row.clone()
        }
    }

    fn slices(&mut self, row: &HistoryRow) -> Result<Rc<Vec<RunSlice>>, Failure> {
        if let Some(known) = self.slices.get(&row.run) {
            return Ok(Rc::clone(known));
        }
        let slices = Rc::new(self.split(row)?);
        self.slices.insert(row.run, Rc::clone(&slices));
        Ok(slices)
    }

    fn split(&mut self, row: &HistoryRow) -> Result<Vec<RunSlice>, Failure> {
        let Ok(problem) = self.catalogue.find(&row.problem) else { return Ok(Vec::new()) };
        let mut run = self.journal.stored_run(row.run)?;
        let descriptions =
            self.descriptions.entry(row.problem.clone()).or_insert_with(|| CaseDescriptions::of(problem));
        let features = descriptions.filter(&mut run, self.filter);
        let value =
            |features: &Option<Arc<Features>>| features.as_ref()?.get(self.filter.group_by.as_deref()?).cloned();
        // Ordered with the absent value last.
        let mut parts: BTreeMap<(bool, Option<Number>), Vec<usize>> = BTreeMap::new();
        for (place, features) in features.iter().enumerate() {
            let value = value(features);
            parts.entry((value.is_none(), value)).or_default().push(place);
        }
        let all = std::mem::take(&mut run.cases);
        let slice = |((_, value), places)| {
            run.cases = all.only(places);
            self.slice(&run, value)
        };
        parts.into_iter().map(slice).collect()
    }

    fn slice(&self, run: &StoredRun, value: Option<Number>) -> Result<RunSlice, Failure> {
        let mut restored = RestoredRun::of(run, self.catalogue)?;
        let scored = restored.score(None, None).map_err(Failure::fault)?;
        let complete = run.state == RunState::Complete;
        let totals = |solver: usize| {
            let outcomes = || run.cases.outcomes().of_solver(solver).flatten();
            let total = scored.board.headline(&scored.board.standings[solver]).filter(|_| complete);
            SolverTotals {
                done: outcomes().count(),
                accepted: outcomes().filter(Outcome::is_accepted).count(),
                total: total.cloned(),
            }
        };
        let solvers = (0..run.entrants.len()).map(totals).collect();
        let inputs = run.cases.inputs().to_vec();
        Ok(RunSlice { value, inputs, rule: scored.rule, solvers })
    }
}

fn group(by: &str, value: Option<&Number>) -> String {
    value.map_or_else(|| format!("no {by}"), |value| format!("{by}={value}"))
}
