//! The jobs of a large run that have a row, and why.

use super::RunReport;
use super::run::verdict_of;
use crate::model::{Outcome, Verdict};
use std::cmp::Reverse;

/// The number of jobs up to which every one has a row.
const EVERY_ROW: usize = 30;

/// The number of failures that are shown for more jobs.
const FAILURES_SHOWN: usize = 20;

/// A row of the table: a job by its place in the plan, and why it is shown if not all are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CaseRow {
    pub(super) place: usize,
    pub(super) why: Option<&'static str>,
}

/// Returns the rows of the table, in the order of the plan: all of them, or the failures and the extremes.
pub(super) fn rows(report: &RunReport<'_>, all: bool) -> Vec<CaseRow> {
    if all || report.outcomes.len() <= EVERY_ROW {
        return (0..report.outcomes.len()).map(|place| CaseRow { place, why: None }).collect();
    }
    let failed = |place: &usize| {
        let verdict = verdict_of(report.outcomes[*place].as_ref());
        !matches!(verdict, Verdict::Accepted | Verdict::Skipped)
    };
    let mut rows: Vec<_> = (0..report.outcomes.len())
        .filter(failed)
        .take(FAILURES_SHOWN)
        .map(|place| CaseRow { place, why: None })
        .collect();
    for (why, place) in extremes(report) {
        if !rows.iter().any(|row| row.place == place) {
            rows.push(CaseRow { place, why: Some(why) });
        }
    }
    rows.sort_by_key(|row| row.place);
    rows
}

/// Returns the rows of the extremes alone.
pub(super) fn extreme_rows(report: &RunReport<'_>) -> Vec<CaseRow> {
    extremes(report).into_iter().map(|(why, place)| CaseRow { place, why: Some(why) }).collect()
}

/// The jobs with the highest and lowest scores, the most CPU time and the most memory.
fn extremes(report: &RunReport<'_>) -> Vec<(&'static str, usize)> {
    let accepted = || {
        let outcomes = report.outcomes.iter().enumerate();
        outcomes
            .filter_map(|(place, outcome)| outcome.as_ref().filter(|outcome| outcome.is_accepted()).map(|o| (place, o)))
    };
    let score = |(_, outcome): &(usize, &Outcome)| outcome.score.clone();
    let found = [
        ("lowest score", accepted().min_by_key(score)),
        ("highest score", accepted().min_by_key(|job| Reverse(score(job)))),
        ("most CPU time", accepted().min_by_key(|(_, outcome)| Reverse(outcome.cpu))),
        ("most memory", accepted().min_by_key(|(_, outcome)| Reverse(outcome.memory))),
    ];
    found.into_iter().filter_map(|(why, job)| job.map(|(place, _)| (why, place))).collect()
}
