//! The results of a run as a web page.

use super::shown::Shown;
use super::table::{Table, table};
use crate::model::{JobId, Outcome, Verdict};
use crate::report::run::leaderboard::{groups, leaderboard, matrix, test_groups};
use crate::report::run::report::RunReport;
use crate::report::text::figures::{Counts, memory, milliseconds, verdict_of};
use crate::report::text::provenance::{allowance_lines, provenance_lines};
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
    /// Date, command, limits, machine; the number of skipped cases and of noisy timings; what is the same in every row.
    lines: Vec<Shown>,
    solvers: Table,
    test_groups: Option<Table>,
    groups: Option<Table>,
    matrix: Option<Table>,
    /// The titles of the columns between the verdict and the note.
    titles: Vec<&'static str>,
    has_solvers: bool,
    cases: Vec<CaseRow>,
}

/// The figures of a case: score, points, weight, group, CPU time, wall time and memory.
const FIGURES: [&str; 7] = ["score", "points", "weight", "group", "CPU", "wall", "memory"];

/// The figures that have a column even if they are the same in every row.
const ALWAYS: [&str; 1] = ["score"];

/// A solver on a case.
struct CaseRow {
    class: &'static str,
    case: Shown,
    solver: Shown,
    verdict: Verdict,
    figures: Vec<Shown>,
    noisy: bool,
    details: Option<Details>,
}

/// Why a case was not accepted, and what the solver printed on standard error.
struct Details {
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
    let message = report.message.map(|message| format!("; {message}")).unwrap_or_default();
    let played: Vec<_> = report
        .jobs()
        .filter_map(|(job, outcome)| Some((job, outcome?)))
        .filter(|(_, outcome)| outcome.verdict != Verdict::Skipped)
        .collect();
    let same = constants(report, &played);
    let page = Page {
        title: Shown::line(&format!("{} – {counts}", problem.title)),
        heading: Shown::line(&problem.title),
        summary: Shown::line(&format!("{summary}{message}")),
        lines: lines(report, &same).iter().map(|line| Shown::line(line)).collect(),
        solvers: table(&leaderboard(report)),
        test_groups: test_groups(report).as_ref().map(table),
        groups: groups(report).as_ref().map(table),
        matrix: has_matrix(report).then(|| table(&matrix(report))),
        titles: (0..FIGURES.len()).filter(|&place| same[place].is_none()).map(|place| FIGURES[place]).collect(),
        has_solvers: report.plan.solvers.len() > 1,
        cases: played.iter().map(|&(job, outcome)| case_row(report, job, outcome, &same)).collect(),
    };
    page.render()
}

fn has_matrix(report: &RunReport<'_>) -> bool {
    report.plan.solvers.len() > 1 && report.outcomes.len() <= MOST_MATRIX_CELLS
}

/// Returns the figures of a job, in the order of their titles.
fn figures(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> [String; 7] {
    let known = |figure: Option<String>| figure.unwrap_or_else(|| NOTHING.to_owned());
    [
        known(outcome.score.as_ref().map(ToString::to_string)),
        known(report.points(job)),
        report.weight(job.case),
        known(report.plan.test_group_name(job.case).map(str::to_owned)),
        known(outcome.cpu.map(milliseconds)),
        known(outcome.wall.map(milliseconds)),
        known(outcome.memory.map(memory)),
    ]
}

/// Returns each figure that is the same in every row, and so needs no column.
fn constants(report: &RunReport<'_>, played: &[(JobId, &Outcome)]) -> [Option<String>; 7] {
    let rows: Vec<_> = played.iter().map(|&(job, outcome)| figures(report, job, outcome)).collect();
    std::array::from_fn(|place| {
        let (first, others) = rows.split_first()?;
        let is_same = !ALWAYS.contains(&FIGURES[place]) && others.iter().all(|row| row[place] == first[place]);
        // A single row has no constant columns, only unknown figures.
        (is_same && (!others.is_empty() || first[place] == NOTHING)).then(|| first[place].clone())
    })
}

fn lines(report: &RunReport<'_>, same: &[Option<String>; 7]) -> Vec<String> {
    let known = same.iter().zip(FIGURES).filter_map(|(value, title)| Some((title, value.as_ref()?)));
    let known: Vec<_> =
        known.filter(|(_, value)| *value != NOTHING).map(|(title, value)| format!("{title} {value}")).collect();
    let known = (!known.is_empty()).then(|| format!("the same on every case: {}", known.join(", ")));
    let mut lines = provenance_lines(report.provenance, Some(&report.plan.limits));
    lines.extend(allowance_lines(report.plan));
    lines.extend(report.skipped_line());
    lines.extend(report.noise_line());
    lines.extend(known);
    lines
}

fn case_row(report: &RunReport<'_>, job: JobId, outcome: &Outcome, same: &[Option<String>; 7]) -> CaseRow {
    let verdict = outcome.verdict;
    let figures = figures(report, job, outcome).into_iter().zip(same).filter(|(_, same)| same.is_none());
    CaseRow {
        class: if verdict == Verdict::Accepted { "good" } else { "bad" },
        case: Shown::line(&report.plan.cases[job.case].name.0),
        solver: Shown::line(&report.plan.solvers[job.solver].spec.name),
        verdict,
        figures: figures.map(|(figure, _)| Shown::line(&figure)).collect(),
        noisy: outcome.is_accepted() && outcome.noisy && !report.is_mostly_noisy(),
        details: (!outcome.is_accepted() || !outcome.stderr.is_empty()).then(|| details(report, job, outcome)),
    }
}

fn details(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> Details {
    let (note, more) = outcome.note.split_once('\n').unwrap_or((&outcome.note, ""));
    let texts = [more, &outcome.stderr].into_iter().filter(|text| !text.is_empty());
    Details {
        note: Shown::line(if outcome.is_accepted() { "standard error" } else { note }),
        texts: texts.map(Shown::lines).collect(),
        command: Shown::line(&report.plan.reproduce(job)),
    }
}
