//! The rows of the table of cases: all jobs of a small run, a choice of a large one.

use super::report::RunReport;
use crate::model::{JobId, Outcome, Verdict};
use crate::report::text::figures::verdict_of;
use std::cmp::Reverse;

/// The number of jobs up to which every one has a row.
const EVERY_ROW: usize = 30;

/// The number of failures that are shown for more jobs.
const FAILURES_SHOWN: usize = 20;

/// A row of the table: a job, and why it is shown if not all are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CaseRow {
    pub(super) job: JobId,
    pub(super) why: Option<&'static str>,
}

/// Returns the rows of the table, in the order of the plan: all jobs that were run, or the failures and the extremes.
pub(super) fn rows(report: &RunReport<'_>) -> Vec<CaseRow> {
    let row = |(job, outcome)| CaseRow { job, why: is_of_all_cases(report, outcome).then_some("all cases") };
    let verdict = |(_, outcome): &(JobId, Option<&Outcome>)| verdict_of(*outcome);
    let played = || shown_jobs(report);
    if report.every_row || played().count() <= EVERY_ROW {
        return played().map(row).collect();
    }
    let failed = played().filter(|job| verdict(job) != Verdict::Accepted);
    let mut rows: Vec<_> = failed.take(FAILURES_SHOWN).map(row).collect();
    for extreme in extreme_rows(report) {
        if !rows.iter().any(|row| row.job == extreme.job) {
            rows.push(extreme);
        }
    }
    rows.sort_by_key(|row| row.job);
    rows
}

/// Returns the jobs that were run, without those that repeat another: a solver that could not be compiled or started is
/// shown once.
pub(super) fn shown_jobs<'a>(report: &'a RunReport<'_>) -> impl Iterator<Item = (JobId, Option<&'a Outcome>)> {
    let first = |solver| report.outcomes.get(JobId { case: 0, solver });
    let repeats = move |&(job, outcome): &(JobId, Option<&Outcome>)| {
        job.case > 0 && is_of_all_cases(report, outcome) && same(first(job.solver), outcome)
    };
    report.jobs().filter(|(_, outcome)| verdict_of(*outcome) != Verdict::Skipped).filter(move |job| !repeats(job))
}

/// Returns whether an outcome holds for every case: no program ran.
fn is_of_all_cases(report: &RunReport<'_>, outcome: Option<&Outcome>) -> bool {
    let unstarted = [Verdict::CompileError, Verdict::CannotStart];
    report.plan.cases.len() > 1 && unstarted.contains(&verdict_of(outcome))
}

fn same(left: Option<&Outcome>, right: Option<&Outcome>) -> bool {
    let terms = |outcome: &Outcome| (outcome.verdict, outcome.note.clone());
    left.map(terms) == right.map(terms)
}

/// Returns the rows of the jobs with the highest and lowest scores, the most CPU time and the most memory.
pub(super) fn extreme_rows(report: &RunReport<'_>) -> Vec<CaseRow> {
    let accepted = || {
        let finished = report.jobs().filter_map(|(job, outcome)| Some((job, outcome?)));
        finished.filter(|(_, outcome)| outcome.is_accepted())
    };
    let score = |(_, outcome): &(JobId, &Outcome)| outcome.score.clone();
    let found = [
        ("lowest score", accepted().min_by_key(score)),
        ("highest score", accepted().min_by_key(|job| Reverse(score(job)))),
        ("most CPU time", accepted().min_by_key(|(_, outcome)| Reverse(outcome.cpu))),
        ("most memory", accepted().min_by_key(|(_, outcome)| Reverse(outcome.memory))),
    ];
    found.into_iter().filter_map(|(why, job)| Some(CaseRow { job: job?.0, why: Some(why) })).collect()
}
