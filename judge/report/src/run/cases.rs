//! The rows of the table of cases: all jobs of a small run, a choice of a large one.

use super::report::RunReport;
use judge_problem::{JobId, Outcome, Verdict};
use std::cmp::Reverse;
use std::num::NonZeroUsize;

/// The number of jobs up to which every one has a row.
const EVERY_ROW: usize = 30;

/// The number of failures that are shown for more jobs.
const FAILURES_SHOWN: usize = 20;

/// The number of rows in an order that the user chose, unless the user says how many.
const SORTED_SHOWN: usize = 20;

/// Why a row is shown.
const MOST_CPU: &str = "most CPU time";

/// A row of the table: a job, and why it is shown if not all are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CaseRow {
    pub(super) job: JobId,
    pub(super) why: Option<&'static str>,
}

/// Returns the rows of the table: in the order of the plan all jobs that were run, or the failures and the extremes; or the first
/// ones in the order that the user chose.
pub(super) fn rows(report: &RunReport<'_>) -> Vec<CaseRow> {
    let row = |(job, outcome): (JobId, Outcome)| {
        let why = is_of_all_cases(report, &outcome).then_some("all cases");
        CaseRow { job, why }
    };
    let played = || shown_jobs(report);
    if let Some(order) = &report.order {
        let most = order.top.map_or(if report.every_row { usize::MAX } else { SORTED_SHOWN }, NonZeroUsize::get);
        return report.sorted(order, played()).into_iter().take(most).map(row).collect();
    }
    if report.every_row || played().nth(EVERY_ROW).is_none() {
        return played().map(row).collect();
    }
    let failed = played().filter(|(_, outcome)| !outcome.is_accepted());
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
pub(super) fn shown_jobs(report: &RunReport<'_>) -> impl Iterator<Item = (JobId, Outcome)> {
    let first = |solver| report.outcomes.get(JobId { case: 0, solver });
    let repeats = move |job: JobId, outcome: &Outcome| {
        let is_same = |first: &Outcome| (first.verdict, &first.note) == (outcome.verdict, &outcome.note);
        job.case > 0 && is_of_all_cases(report, outcome) && first(job.solver).is_some_and(|first| is_same(&first))
    };
    report.played().filter(move |(job, outcome)| !repeats(*job, outcome))
}

/// Returns whether an outcome holds for every case: no program ran.
fn is_of_all_cases(report: &RunReport<'_>, outcome: &Outcome) -> bool {
    let unstarted = [Verdict::CompileError, Verdict::CannotStart];
    report.plan.cases.len() > 1 && unstarted.contains(&outcome.verdict)
}

/// Returns the rows of the jobs with the highest and lowest scores, the most CPU time and the most memory.
pub(super) fn extreme_rows(report: &RunReport<'_>) -> Vec<CaseRow> {
    let accepted = || {
        let finished = report.jobs().filter_map(|(job, outcome)| Some((job, outcome?)));
        finished.filter(|(_, outcome)| outcome.is_accepted())
    };
    let score = |(_, outcome): &(JobId, Outcome)| outcome.score.clone();
    let found = [
        ("lowest score", accepted().min_by_key(score)),
        ("highest score", accepted().min_by_key(|job| Reverse(score(job)))),
        (MOST_CPU, accepted().min_by_key(|(_, outcome)| Reverse(outcome.cpu))),
        ("most memory", accepted().min_by_key(|(_, outcome)| Reverse(outcome.memory))),
    ];
    let is_comparable = |why: &str| why != MOST_CPU || !report.provenance.nodes.differ();
    let found = found.into_iter().filter(|(why, _)| is_comparable(why));
    found.filter_map(|(why, job)| Some(CaseRow { job: job?.0, why: Some(why) })).collect()
}
