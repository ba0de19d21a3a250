//! The results of a run as a web page.

use super::shown::Shown;
use super::table::{Table, table};
use crate::model::{JobId, Outcome, Verdict};
use crate::report::run::leaderboard::{groups, leaderboard, matrix, test_groups};
use crate::report::run::report::RunReport;
use crate::report::text::figures::{Counts, memory, milliseconds, verdict_of};
use crate::report::text::sheet::NOTHING;
use askama::Template;

/// A matrix of more cells than this is too large to read; the table of cases has them all.
const MOST_MATRIX_CELLS: usize = 20_000;

#[derive(Template)]
#[template(path = "results.html")]
struct Page {
    title: Shown,
    heading: Shown,
    summary: Shown,
    solvers: Table,
    test_groups: Option<Table>,
    groups: Option<Table>,
    matrix: Option<Table>,
    cases: Vec<CaseRow>,
}

/// A solver on a case.
struct CaseRow {
    class: &'static str,
    case: Shown,
    solver: Shown,
    verdict: Verdict,
    /// Score, points, weight, group, CPU time, wall time and memory.
    figures: [Shown; 7],
    noisy: bool,
    failure: Option<Failure>,
}

/// Why a case was not accepted.
struct Failure {
    note: Shown,
    /// The rest of the note, and standard error.
    texts: Vec<Shown>,
    command: Shown,
}

/// Returns the results of a run as a self-contained web page.
///
/// # Errors
/// Never: every value in it can be written as text.
pub(in crate::report) fn run_html(report: &RunReport<'_>) -> askama::Result<String> {
    let problem = &report.plan.problem;
    let counts: Counts = report.jobs().map(|(_, outcome)| verdict_of(outcome)).collect();
    let summary = format!(
        "{counts}; {} with {} at once; sandbox tier {}; judge {}",
        milliseconds(report.elapsed),
        report.jobs,
        report.tier,
        env!("CARGO_PKG_VERSION")
    );
    let page = Page {
        title: Shown::line(&format!("{} – {counts}", problem.title)),
        heading: Shown::line(&problem.title),
        summary: Shown::line(&summary),
        solvers: table(&leaderboard(report)),
        test_groups: test_groups(report).as_ref().map(table),
        groups: groups(report).as_ref().map(table),
        matrix: has_matrix(report).then(|| table(&matrix(report))),
        cases: report.jobs().map(|(job, outcome)| case_row(report, job, outcome)).collect(),
    };
    page.render()
}

fn has_matrix(report: &RunReport<'_>) -> bool {
    report.plan.solvers.len() > 1 && report.outcomes.len() <= MOST_MATRIX_CELLS
}

fn case_row(report: &RunReport<'_>, job: JobId, outcome: Option<&Outcome>) -> CaseRow {
    let verdict = verdict_of(outcome);
    let known = |figure: Option<String>| Shown::line(figure.as_deref().unwrap_or(NOTHING));
    CaseRow {
        class: match verdict {
            Verdict::Accepted => "good",
            Verdict::Skipped => "faint",
            _ => "bad",
        },
        case: Shown::line(&report.plan.cases[job.case].name.0),
        solver: Shown::line(&report.plan.solvers[job.solver].spec.name),
        verdict,
        figures: [
            known(outcome.and_then(|outcome| outcome.score.as_ref()).map(ToString::to_string)),
            known(report.points(job)),
            known(Some(report.weight(job.case))),
            known(report.plan.test_group_name(job.case).map(str::to_owned)),
            known(outcome.and_then(|outcome| outcome.cpu).map(milliseconds)),
            known(outcome.and_then(|outcome| outcome.wall).map(milliseconds)),
            known(outcome.and_then(|outcome| outcome.memory).map(memory)),
        ],
        noisy: outcome.is_some_and(|outcome| outcome.is_accepted() && outcome.noisy),
        failure: outcome.filter(|outcome| !outcome.is_accepted()).map(|outcome| failure(report, job, outcome)),
    }
}

fn failure(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> Failure {
    let (note, more) = outcome.note.split_once('\n').unwrap_or((&outcome.note, ""));
    let texts = [more, &outcome.stderr].into_iter().filter(|text| !text.is_empty());
    Failure {
        note: Shown::line(note),
        texts: texts.map(Shown::lines).collect(),
        command: Shown::line(&report.plan.reproduce(job)),
    }
}
