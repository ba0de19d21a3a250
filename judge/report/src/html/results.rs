//! The results of a run as a web page.

use super::case_row::CaseRow;
use super::drawn_rows::DrawnRows;
use super::figures::{FIGURES, Figures};
use super::live::{Charts, STYLE};
use super::numbers::numbers;
use super::shown::Shown;
use super::table::{Table, table};
use crate::run::leaderboard::{groups, leaderboard, matrix, test_groups};
use crate::run::report::RunReport;
use crate::text::figures::{Counts, milliseconds};
use crate::text::provenance::{allowance_lines, provenance_lines};
use crate::text::sheet::NOTHING;
use askama::Template;
use std::io::{self, Write};

/// A matrix of more cells than this is too large to read; the table of cases has them all.
const MOST_MATRIX_CELLS: usize = 20_000;

/// The table of more rows than this is drawn as it is scrolled: a browser has no room for a million rows.
const MOST_ROWS: usize = 2_000;

#[derive(Template)]
#[template(path = "results.html")]
struct Page<'a> {
    style: &'static str,
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
    /// All rows, if there are too many for a table of them.
    drawn: Option<DrawnRows<'a>>,
    charts: Charts,
}

/// Writes the results of a run as a self-contained web page.
///
/// # Errors
/// When it cannot be written there.
pub(crate) fn run_html(report: &RunReport<'_>, output: &mut dyn Write) -> io::Result<()> {
    let problem = &report.plan.problem;
    let counts: Counts = report.outcomes.verdicts().collect();
    let summary = format!(
        "{counts}; {} with {} at once; sandbox tier {}; judge {}",
        milliseconds(report.elapsed),
        report.jobs,
        report.tier,
        env!("CARGO_PKG_VERSION")
    );
    let message = report.message.map(|message| format!("; {message}")).unwrap_or_default();
    let figures = Figures::of(report);
    let is_drawn = report.played().nth(MOST_ROWS).is_some();
    let rows = || report.played().map(|(job, outcome)| CaseRow::of(report, &figures, job, &outcome));
    let page = Page {
        style: STYLE,
        title: Shown::line(&format!("{} – {counts}", problem.title)),
        heading: Shown::line(&problem.title),
        summary: Shown::line(&format!("{summary}{message}")),
        lines: lines(report, figures.constants()).iter().map(|line| Shown::line(line)).collect(),
        solvers: table(&leaderboard(report)),
        test_groups: test_groups(report).as_ref().map(table),
        groups: groups(report).as_ref().map(table),
        matrix: has_matrix(report).then(|| table(&matrix(report, usize::MAX))),
        titles: figures.titles(),
        has_solvers: report.plan.solvers.len() > 1,
        cases: if is_drawn { Vec::new() } else { rows().collect() },
        drawn: is_drawn.then(|| DrawnRows::new(report, &figures)),
        charts: Charts::of_run(numbers(report)),
    };
    page.write_into(output)
}

fn has_matrix(report: &RunReport<'_>) -> bool {
    report.plan.solvers.len() > 1 && report.outcomes.len() <= MOST_MATRIX_CELLS
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
    lines.extend(report.reference().map(|reference| reference.line()));
    lines.extend(known);
    lines
}
