//! The tables of a run that several formats share.

use crate::run::metrics::{mean_text, title};
use crate::run::record::{GroupRecord, TestGroupRecord, group_records, test_group_records};
use crate::run::report::RunReport;
use crate::text::{Columns, Counts, Field, TextTable, left, milliseconds, or_nothing, right, verdict_of};
use judge_problem::scoring::LeaderboardRow;
use judge_problem::{GroupAggregate, JobId, Outcome, Solver, Verdict};
use serde_json::Number;
use std::cmp::Reverse;
use std::num::NonZeroUsize;

/// Returns the solvers by rank. The results against each other are omitted for a single solver.
pub(crate) fn leaderboard(report: &RunReport<'_>) -> TextTable {
    let places = &report.scored.leaderboard;
    let several = places.len() > 1;
    let mut columns = Columns::new();
    columns.add("solver", |place: &&LeaderboardRow| report.plan.solvers[place.solver].spec.name.clone());
    // The points of the rule `rank` have a column of that name.
    let rank = if report.scored.rule.name() == "rank" { "place" } else { "rank" };
    columns.add_if(several, right(rank), |place| place.rank);
    columns.add(right(report.scored.rule.name()), |place| or_nothing(report.total(place.solver)));
    columns.add_if(!report.scored.rule.is_mean_score(), right("mean").spare(3), |place| {
        or_nothing(report.mean(place.solver))
    });
    columns.add_if(several, right("wins").spare(4), |place| place.wins);
    columns.add_if(several, right("ties").spare(7), |place| place.ties);
    columns.add_if(several, right("losses").spare(6), |place| place.losses);
    columns.add_if(several, right("bests").spare(8), |place| place.bests);
    columns.add_if(several, right("uniques").spare(9), |place| place.uniques);
    columns.add(right("failures"), |place| place.failures);
    let has_failures = several && places.iter().any(|place| place.failures > 0);
    columns.add_if(has_failures, right("verdicts").spare(1), |place| verdicts(report, place.solver));
    let has_skipped = places.iter().any(|place| place.skipped > 0);
    columns.add_if(has_skipped, right("skipped").spare(2), |place| place.skipped);
    for rule in report.plan.problem.declared_metrics() {
        columns.add(right(&format!("mean {}", title(rule))), move |place| {
            or_nothing(mean_text(report, place.solver, rule))
        });
    }
    columns.add(right("mean CPU").spare(5), |place| or_nothing(report.mean_cpu(place.solver).map(milliseconds)));
    columns.table(places)
}

/// Returns the number of cases with each verdict, or only the verdict if all cases have the same.
fn verdicts(report: &RunReport<'_>, solver: usize) -> String {
    let counts: Counts = report.outcomes.of_solver(solver).map(verdict_of).collect();
    let mut all = counts.iter();
    match (all.next(), all.next()) {
        (Some((verdict, _)), None) => verdict.name().to_owned(),
        _ => counts.codes(),
    }
}

/// Returns the groups, a row for each solver; `None` if they were not requested.
pub(crate) fn groups(report: &RunReport<'_>) -> Option<TextTable> {
    let by = &*report.scored.grouping.as_ref()?.by;
    let mut columns = Columns::new();
    columns.add(by, |group: &GroupRecord<'_>| number(&group.value));
    columns.add("solver", |group| group.solver.to_owned());
    columns.add(right("cases").spare(2), |group| group.cases);
    columns.add(right("accepted").spare(1), |group| group.accepted);
    columns.add(right("mean score"), |group| number(&group.mean_score));
    columns.add(right("mean points").spare(3), |group| number(&group.mean_points));
    Some(columns.table(group_records(report)))
}

/// Returns the test groups, a row for each solver; `None` if the run has none.
pub(crate) fn test_groups(report: &RunReport<'_>) -> Option<TextTable> {
    let groups = &report.plan.problem.test_groups;
    let results = &report.scored.test_groups;
    let has_worst = results.iter().any(|result| groups[result.group].aggregate == GroupAggregate::Min);
    let mut columns = Columns::new();
    columns.add("test group", |row: &TestGroupRecord<'_>| row.group.to_owned());
    columns.add("solver", |row| row.solver.to_owned());
    columns.add("result", |row| match row.blocked_by {
        Some(needed) => format!("{} by {needed}", row.result),
        None => row.result.to_owned(),
    });
    columns.add_if(has_worst, left("worst case").spare(1), |row| or_nothing(row.worst.clone()));
    columns.add(right("accepted").spare(3), |row| format!("{} of {}", row.accepted, row.cases));
    columns.add(right("weight").spare(4), |row| number(&row.weight));
    columns.add(right("points").spare(2), |row| number(&row.points));
    (!results.is_empty()).then(|| columns.table(test_group_records(report)))
}

fn number(number: &Option<Number>) -> String {
    or_nothing(number.as_ref().map(ToString::to_string))
}

/// Returns a row for each case that was run and a column for each solver: the score, or the verdict if there is none.
/// The best scores of a case have a star. At most `most` rows are shown.
pub(crate) fn matrix(report: &RunReport<'_>, most: usize) -> TextTable {
    let is_played =
        |case: &usize| report.outcomes.of_case(*case).any(|outcome| verdict_of(outcome) != Verdict::Skipped);
    let played = || (0..report.plan.cases.len()).filter(is_played);
    let rows = played().take(most).map(|case| {
        let spec = &report.plan.cases.at(case);
        let outcomes: Vec<_> = report.outcomes.of_case(case).collect();
        let direction = report.plan.problem.direction;
        let scores = outcomes.iter().filter_map(|outcome| outcome.as_ref()?.score.as_ref());
        let best = scores.max_by(|left, right| direction.compare(left, right));
        let cell = |outcome: &Option<Outcome>| match outcome.as_ref().and_then(|outcome| outcome.score.as_ref()) {
            Some(score) if Some(score) == best => format!("{score} *").into(),
            Some(score) => format!("{score}  ").into(),
            None => format!("{}  ", verdict_of(outcome.as_ref()).code()).into(),
        };
        [Field::new(&spec.name)].into_iter().chain(outcomes.iter().map(cell)).collect()
    });
    // The columns of the first two solvers always stay.
    let of_solver = |(place, solver): (usize, &Solver)| right(&solver.spec.name).spare(place.saturating_sub(1));
    let columns = [left("case")].into_iter().chain(report.plan.solvers.iter().enumerate().map(of_solver));
    let left_out = played().count().saturating_sub(most);
    TextTable { rows: rows.collect(), left_out, ..TextTable::of(columns) }
}

/// The number of jobs up to which every one has a row.
const EVERY_ROW: usize = 30;

/// The number of failures that are shown for more jobs.
const FAILURES_SHOWN: usize = 20;

/// The number of rows in an order that the user chose, unless the user says how many.
const SORTED_SHOWN: usize = 20;

/// Why a row is shown.
const MAX_CPU: &str = "most CPU time";

/// A row of the table: a job, and why it is shown if not all are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CaseRow {
    pub(super) job: JobId,
    pub(super) why: Option<&'static str>,
}

/// Returns the rows of the table. A small run has all of them in the order of the plan, a large run the failures and the
/// extremes. If the user chose an order, the first rows in that order.
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

/// Returns the jobs that were run. A solver that could not be compiled or started appears once.
pub(super) fn shown_jobs(report: &RunReport<'_>) -> impl Iterator<Item = (JobId, Outcome)> {
    let first = |solver| report.outcomes.get(JobId { case: 0, solver });
    let repeats = move |job: JobId, outcome: &Outcome| {
        let is_same = |first: &Outcome| (first.verdict, &first.note) == (outcome.verdict, &outcome.note);
        job.case > 0 && is_of_all_cases(report, outcome) && first(job.solver).is_some_and(|first| is_same(&first))
    };
    report.played().filter(move |(job, outcome)| !repeats(*job, outcome))
}

/// Returns whether an outcome holds for every case, because no program ran.
fn is_of_all_cases(report: &RunReport<'_>, outcome: &Outcome) -> bool {
    let unstarted = [Verdict::CompileError, Verdict::CannotStart];
    report.plan.cases.len() > 1 && unstarted.contains(&outcome.verdict)
}

/// Returns the rows of the jobs with the highest and lowest scores, the most CPU time and the most memory.
pub(super) fn extreme_rows(report: &RunReport<'_>) -> Vec<CaseRow> {
    let accepted = || report.finished().filter(|(_, outcome)| outcome.is_accepted());
    let score = |(_, outcome): &(JobId, Outcome)| outcome.score.clone();
    // Answers that were there already have neither.
    let most = |amount: fn(&Outcome) -> Option<u128>| {
        let known = accepted().filter(|(_, outcome)| amount(outcome).is_some());
        known.min_by_key(|(_, outcome)| Reverse(amount(outcome)))
    };
    let found = [
        ("lowest score", accepted().min_by_key(score)),
        ("highest score", accepted().min_by_key(|job| Reverse(score(job)))),
        (MAX_CPU, most(|outcome| outcome.cpu.map(|time| time.as_nanos()))),
        ("most memory", most(|outcome| outcome.memory.map(u128::from))),
    ];
    let is_comparable = |why: &str| why != MAX_CPU || !report.provenance.nodes.differ();
    let found = found.into_iter().filter(|(why, _)| is_comparable(why));
    found.filter_map(|(why, job)| Some(CaseRow { job: job?.0, why: Some(why) })).collect()
}
