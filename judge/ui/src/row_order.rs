//! The rows of a run that a filter lets through, sorted. The last orders are kept: a page scrolls through one.

use super::field::{Field, verdict_number};
use super::refused::Refused;
use super::shown_run::ShownRun;
use judge_problem::condition::Condition;
use judge_problem::{Features, JobId, Number};
use parking_lot::Mutex;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many orders of a run are kept.
const KEPT: usize = 4;

/// Which rows are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RowFilter {
    /// Only rows for which this holds.
    pub(super) condition: Option<Condition>,
    /// Only rows of the solver of this place.
    pub(super) solver: Option<usize>,
}

/// The order in which rows are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowOrder {
    pub(super) by: Field,
    pub(super) descending: bool,
}

/// A run, with the last orders of its rows.
pub(super) struct OrderedRun {
    pub(super) shown: ShownRun,
    /// The newest last.
    orders: Mutex<VecDeque<Sorted>>,
}

/// The rows that a filter lets through, in an order.
struct Sorted {
    filter: RowFilter,
    order: RowOrder,
    rows: Arc<Vec<JobId>>,
}

impl OrderedRun {
    pub(super) fn new(shown: ShownRun) -> Self {
        Self { shown, orders: Mutex::default() }
    }

    /// Returns the rows that a filter lets through, in an order. Rows without the number come last.
    pub(super) fn rows(&self, filter: &RowFilter, order: &RowOrder) -> Result<Arc<Vec<JobId>>, Refused> {
        let mut known = self.orders.lock();
        if let Some(sorted) = known.iter().find(|sorted| sorted.filter == *filter && sorted.order == *order) {
            return Ok(Arc::clone(&sorted.rows));
        }
        let rows = Arc::new(sorted(&self.shown, filter, order)?);
        if known.len() == KEPT {
            known.pop_front();
        }
        known.push_back(Sorted { filter: filter.clone(), order: order.clone(), rows: Arc::clone(&rows) });
        Ok(rows)
    }
}

fn sorted(run: &ShownRun, filter: &RowFilter, order: &RowOrder) -> Result<Vec<JobId>, Refused> {
    run.check_field(&order.by)?;
    let names = Names::of(run, filter.condition.as_ref())?;
    let is_shown = |job: &JobId| filter.solver.is_none_or(|solver| solver == job.solver) && names.hold(run, *job);
    let jobs = run.jobs().filter(is_shown);
    if order.by == Field::Case {
        let mut jobs: Vec<JobId> = jobs.collect();
        if order.descending {
            jobs.reverse();
        }
        return Ok(jobs);
    }
    let mut rows: Vec<_> = jobs.map(|job| (run.value(job, &order.by), job)).collect();
    rows.sort_by(|(left, _), (right, _)| compare(left.as_ref(), right.as_ref(), order.descending));
    Ok(rows.into_iter().map(|(_, job)| job).collect())
}

fn compare(left: Option<&Number>, right: Option<&Number>, descending: bool) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) if descending => right.cmp(left),
        (Some(left), Some(right)) => left.cmp(right),
        _ => right.is_some().cmp(&left.is_some()),
    }
}

/// A condition, and what its names stand for.
struct Names<'a> {
    condition: Option<&'a Condition>,
    /// The same number for every row.
    verdicts: Features,
    fields: Vec<(&'a str, Field)>,
}

impl<'a> Names<'a> {
    /// Finds what the names of a condition stand for. Fails if one is of nothing.
    fn of(run: &ShownRun, condition: Option<&'a Condition>) -> Result<Self, Refused> {
        let (mut verdicts, mut fields) = (Features::default(), Vec::new());
        for name in condition.iter().flat_map(|condition| condition.names()) {
            if let Some(number) = verdict_number(name) {
                verdicts.set(name, Number::from(number));
                continue;
            }
            let field = Field::named(name);
            run.check_field(&field)?;
            fields.push((name, field));
        }
        Ok(Self { condition, verdicts, fields })
    }

    /// Returns whether the condition holds for a row.
    fn hold(&self, run: &ShownRun, job: JobId) -> bool {
        let Some(condition) = self.condition else { return true };
        let mut numbers = self.verdicts.clone();
        for (name, field) in &self.fields {
            if let Some(value) = run.value(job, field) {
                numbers.set(name, value);
            }
        }
        condition.holds(&numbers)
    }
}
