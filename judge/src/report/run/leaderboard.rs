//! The tables of a run that several formats share, as plain text: the leaderboard, the groups, and the matrix of
//! solvers and cases.

use super::report::RunReport;
use crate::model::{Outcome, Verdict};
use crate::report::text::figures::{milliseconds, points_text, scores_text, verdict_of};
use crate::report::text::sheet::{NOTHING, TextTable};

/// Returns the solvers by rank. The results against each other are omitted for a single solver.
pub(in crate::report) fn leaderboard(report: &RunReport<'_>) -> TextTable {
    let several = report.leaderboard.len() > 1;
    let has_own_mean = !report.rule.is_mean_score();
    let mut titles = vec!["solver", report.rule.name()];
    titles.extend(has_own_mean.then_some("mean"));
    if several {
        titles.extend(["wins", "ties", "losses", "bests", "uniques"]);
    }
    titles.push("failures");
    let has_skipped = report.leaderboard.iter().any(|place| place.skipped > 0);
    titles.extend(has_skipped.then_some("skipped"));
    titles.push("mean CPU");
    let rows = report.leaderboard.iter().map(|place| {
        let mut row = vec![report.plan.solvers[place.solver].spec.name.clone(), or_nothing(report.total(place.solver))];
        row.extend(has_own_mean.then(|| or_nothing(report.mean(place.solver))));
        if several {
            let counts = [place.wins, place.ties, place.losses, place.bests, place.uniques];
            row.extend(counts.map(|count| count.to_string()));
        }
        row.push(place.failures.to_string());
        row.extend(has_skipped.then(|| place.skipped.to_string()));
        row.push(or_nothing(report.mean_cpu(place.solver).map(milliseconds)));
        row
    });
    let spare = ["uniques", "bests", "ties", "losses", "mean CPU", "wins", "mean", "skipped"];
    TextTable::new(&titles, 1, rows.collect()).with_spare(&spare)
}

/// Returns the groups, a row for each solver; `None` if they were not requested.
pub(in crate::report) fn groups(report: &RunReport<'_>) -> Option<TextTable> {
    let grouping = report.grouping?;
    let titles = [&*grouping.by, "solver", "cases", "accepted", "mean score", "mean points"];
    let mut rows = Vec::new();
    for group in &grouping.groups {
        for (solver, row) in report.plan.solvers.iter().zip(&group.rows) {
            rows.push(vec![
                or_nothing(group.value.as_ref().map(ToString::to_string)),
                solver.spec.name.clone(),
                group.cases.to_string(),
                row.accepted.to_string(),
                or_nothing(row.mean_score.as_ref().map(|mean| scores_text(mean, grouping.score_decimals))),
                or_nothing(row.mean_points.as_ref().map(|mean| scores_text(mean, grouping.point_decimals))),
            ]);
        }
    }
    Some(TextTable::new(&titles, 2, rows).with_spare(&["mean points", "cases", "accepted"]))
}

/// Returns the test groups, a row for each solver; `None` if the run has none.
pub(in crate::report) fn test_groups(report: &RunReport<'_>) -> Option<TextTable> {
    let titles = ["test group", "solver", "result", "accepted", "weight", "points"];
    let mut rows = Vec::new();
    for result in report.test_groups {
        let group = &report.plan.problem.test_groups[result.group];
        for (solver, row) in report.plan.solvers.iter().zip(&result.rows) {
            rows.push(vec![
                group.name.clone(),
                solver.spec.name.clone(),
                row.status.name().to_owned(),
                format!("{} of {}", row.accepted, result.cases),
                points_text(&result.weight),
                or_nothing(row.points.as_ref().map(|points| report.points_text(points))),
            ]);
        }
    }
    (!rows.is_empty()).then(|| TextTable::new(&titles, 3, rows).with_spare(&["weight", "accepted", "points"]))
}

/// Returns a row for each case that was run and a column for each solver: the score, or the verdict where there is none. The best
/// scores of a case have a star.
pub(in crate::report) fn matrix(report: &RunReport<'_>) -> TextTable {
    let names = report.plan.solvers.iter().map(|solver| solver.spec.name.clone());
    let played = |case: &usize| report.outcomes.of_case(*case).any(|outcome| verdict_of(outcome) != Verdict::Skipped);
    let rows = (0..report.plan.cases.len()).filter(played).map(|case| {
        let spec = &report.plan.cases[case];
        let outcomes: Vec<_> = report.outcomes.of_case(case).collect();
        let direction = report.plan.problem.direction;
        let scores = outcomes.iter().filter_map(|outcome| outcome.as_ref()?.score.as_ref());
        let best = scores.max_by(|left, right| direction.compare(left, right));
        let cell = |outcome: &Option<&Outcome>| match outcome.and_then(|outcome| outcome.score.as_ref()) {
            Some(score) if Some(score) == best => format!("{score} *"),
            Some(score) => format!("{score}  "),
            None => format!("{}  ", verdict_of(*outcome).code()),
        };
        [spec.name.to_string()].into_iter().chain(outcomes.iter().map(cell)).collect()
    });
    let titles: Vec<String> = ["case".to_owned()].into_iter().chain(names).collect();
    // The columns of the first two solvers always stay.
    TextTable { spare: (3..titles.len()).rev().collect(), titles, words: 1, rows: rows.collect() }
}

fn or_nothing(text: Option<String>) -> String {
    text.unwrap_or_else(|| NOTHING.to_owned())
}
