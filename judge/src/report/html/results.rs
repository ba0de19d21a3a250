//! The results of a run as a web page.

use super::template::{escape, escape_lines, fill};
use crate::model::{JobId, Outcome, Verdict};
use crate::report::run::leaderboard::{NOTHING, TextTable, groups, leaderboard, matrix, test_groups};
use crate::report::run::report::RunReport;
use crate::report::text::figures::{Counts, memory, milliseconds, verdict_of};
use std::fmt::Write;

const TEMPLATE: &str = include_str!("results.html");

/// A matrix of more cells than this helps nobody; the table of cases has them all.
const MOST_MATRIX_CELLS: usize = 20_000;

/// Returns the results of a run as a self-contained web page.
#[must_use]
pub fn run_html(report: &RunReport<'_>) -> String {
    let problem = &report.plan.problem;
    let counts: Counts = report.jobs().map(|(_, outcome)| verdict_of(outcome)).collect();
    let summary = format!(
        "{counts}; {} with {} at once; sandbox tier {}; judge {}",
        milliseconds(report.elapsed),
        report.jobs,
        report.tier,
        env!("CARGO_PKG_VERSION")
    );
    fill(
        TEMPLATE,
        &[
            ("title", &escape(&format!("{} – {counts}", problem.title))),
            ("heading", &escape(&problem.title)),
            ("summary", &escape(&summary)),
            ("solvers", &table("solvers", &leaderboard(report))),
            ("test-groups", &test_groups(report).map(|groups| section("Test groups", &groups)).unwrap_or_default()),
            ("groups", &groups(report).map(|groups| section("Groups", &groups)).unwrap_or_default()),
            ("matrix", &comparison(report)),
            ("cases", &cases(report)),
        ],
    )
}

fn comparison(report: &RunReport<'_>) -> String {
    let solvers = report.plan.solvers.len();
    if solvers == 1 || report.outcomes.len() > MOST_MATRIX_CELLS {
        return String::new();
    }
    section("Solvers side by side", &matrix(report))
}

fn section(title: &str, content: &TextTable) -> String {
    format!("<h2>{}</h2>\n{}", escape(title), table(&title.to_lowercase().replace(' ', "-"), content))
}

fn table(id: &str, content: &TextTable) -> String {
    let class = |column| if column < content.words { " class=\"word\"" } else { "" };
    let cells = |tag: &str, row: &[String]| -> String {
        let cell =
            |(column, text): (usize, &String)| format!("<{tag}{}>{}</{tag}>", class(column), escape(text.trim()));
        row.iter().enumerate().map(cell).collect()
    };
    let rows: String = content.rows.iter().map(|row| format!("<tr>{}</tr>\n", cells("td", row))).collect();
    let head = cells("th", &content.titles);
    format!("<table id=\"{}\"><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table>", escape(id))
}

fn cases(report: &RunReport<'_>) -> String {
    let mut rows = String::new();
    for (job, outcome) in report.jobs() {
        rows.push_str(&case_row(report, job, outcome));
    }
    rows
}

fn case_row(report: &RunReport<'_>, job: JobId, outcome: Option<&Outcome>) -> String {
    let verdict = verdict_of(outcome);
    let class = match verdict {
        Verdict::Accepted => "good",
        Verdict::Skipped => "faint",
        _ => "bad",
    };
    let known = |figure: Option<String>| escape(&figure.unwrap_or_else(|| NOTHING.to_owned()));
    let mut row = format!("<tr class=\"{class}\"><td>{}</td>", escape(&report.plan.cases[job.case].name.0));
    let cells = [
        escape(&report.plan.solvers[job.solver].spec.name),
        format!("<abbr title=\"{verdict}\">{}</abbr>", verdict.code()),
        known(outcome.and_then(|outcome| outcome.score.as_ref()).map(ToString::to_string)),
        known(report.points(job)),
        escape(&report.weight(job.case)),
        escape(report.plan.test_group_name(job.case).unwrap_or(NOTHING)),
        known(outcome.and_then(|outcome| outcome.cpu).map(milliseconds)),
        known(outcome.and_then(|outcome| outcome.wall).map(milliseconds)),
        known(outcome.and_then(|outcome| outcome.memory).map(memory)),
        outcome.map(|outcome| details(report, job, outcome)).unwrap_or_default(),
    ];
    for cell in cells {
        // Writing to a `String` cannot fail.
        let _ = write!(row, "<td>{cell}</td>");
    }
    row + "</tr>\n"
}

fn details(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> String {
    if outcome.is_accepted() {
        return if outcome.noisy { "noisy".to_owned() } else { String::new() };
    }
    let (note, more) = outcome.note.split_once('\n').unwrap_or((&outcome.note, ""));
    let block = |text: &str| if text.is_empty() { String::new() } else { format!("<pre>{}</pre>", escape_lines(text)) };
    let said = block(more) + &block(&outcome.stderr);
    let command = escape(&report.plan.reproduce(job));
    format!("<details><summary>{}</summary>{said}<code>{command}</code></details>", escape(note))
}
