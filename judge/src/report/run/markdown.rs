//! The report of a run as Markdown for a comment on a pull request: the totals in sight, the rest folded. It never
//! exceeds the size of a comment: what does not fit is counted.

use super::cases::extreme_rows;
use super::figures::{memory, milliseconds};
use super::leaderboard::{NOTHING, TextTable, groups, leaderboard, matrix, test_groups};
use super::run::verdict_of;
use super::{Counts, RunReport};
use crate::model::{JobId, Outcome, Stop, Verdict, one_line};

/// The largest page in bytes. Comments may have 65,536 characters; this leaves room for the text of a bot.
const LARGEST: usize = 56_000;

/// The widths of a field of a table, a note and a command.
const FIELD_WIDTH: usize = 48;
pub(super) const NOTE_WIDTH: usize = 300;
pub(super) const COMMAND_WIDTH: usize = 400;

/// The room that lists leave for the parts that follow them.
const RESERVE: usize = 1000;

/// The number of rows of a table.
const MOST_ROWS: usize = 100;

/// Returns the report of a run as Markdown, of less than 60 kB.
pub(super) fn run_markdown(report: &RunReport<'_>) -> String {
    let mut page = Page::new(headline(report));
    page.add(&table(&leaderboard(report)));
    page.add(&test_groups(report).map(|groups| table(&groups)).unwrap_or_default());
    page.add(&groups(report).map(|groups| table(&groups)).unwrap_or_default());
    page.add_folded("Failures", &failures(report));
    page.add_folded("Extremes", &extremes(report));
    if report.plan.solvers.len() > 1 {
        let matrix = table(&matrix(report));
        page.add(&format!("<details><summary>Every case</summary>\n\n{matrix}\n</details>\n"));
    }
    page.add(&footer(report));
    page.finish()
}

/// A page that never exceeds the size of a comment.
pub(super) struct Page {
    text: String,
    left_out: bool,
}

impl Page {
    /// Starts with the headline.
    pub(super) fn new(headline: String) -> Self {
        Self { text: headline, left_out: false }
    }

    /// Returns the text of the page, with a line if something did not fit.
    pub(super) fn finish(mut self) -> String {
        if self.left_out {
            self.text.push_str("\n_What did not fit is in the other reports._\n");
        }
        self.text
    }

    /// Adds a part if it fits.
    pub(super) fn add(&mut self, part: &str) {
        if self.text.len() + part.len() > LARGEST {
            self.left_out = true;
        } else if !part.is_empty() {
            self.text.push('\n');
            self.text.push_str(part);
        }
    }

    /// Adds as many of the parts as fit, folded.
    fn add_folded(&mut self, title: &str, parts: &[String]) {
        let body = self.fitting(parts);
        if !body.is_empty() {
            let count = parts.len();
            self.add(&format!("<details><summary>{title} ({count})</summary>\n\n{body}\n</details>\n"));
        }
    }

    /// Adds as many of the parts as fit, in plain sight.
    pub(super) fn add_list(&mut self, parts: &[String]) {
        let body = self.fitting(parts);
        self.add(&body);
    }

    /// Returns as many of the parts as fit, and the number of the others.
    fn fitting(&mut self, parts: &[String]) -> String {
        let room = LARGEST.saturating_sub(self.text.len() + RESERVE);
        let mut length = 0;
        let fitting = parts.iter().take_while(|part| {
            length += part.len();
            length <= room
        });
        let fitting: Vec<_> = fitting.take(MOST_ROWS).map(String::as_str).collect();
        if fitting.is_empty() {
            self.left_out |= !parts.is_empty();
            return String::new();
        }
        let more = match parts.len() - fitting.len() {
            0 => String::new(),
            more => format!("\n… and {more} more.\n"),
        };
        fitting.concat() + &more
    }
}

fn headline(report: &RunReport<'_>) -> String {
    let verdicts: Vec<_> = report.jobs().map(|(_, outcome)| verdict_of(outcome)).collect();
    let good = verdicts.iter().all(|verdict| *verdict == Verdict::Accepted);
    let counts: Counts = verdicts.into_iter().collect();
    let sign = if good { "✅" } else { "❌" };
    let stopped = match report.stop {
        Some(Stop::Interrupted) => "; **interrupted**",
        Some(Stop::FailFast) => "; stopped at the first failure",
        None => "",
    };
    format!("### {sign} {}: {counts}{stopped}\n", field(&report.plan.problem.id))
}

/// A table in Markdown.
fn table(table: &TextTable) -> String {
    let line = |fields: &[String]| {
        let fields: Vec<_> = fields.iter().map(|text| field(text.trim())).collect();
        format!("| {} |\n", fields.join(" | "))
    };
    let rule = format!("|{}{}\n", " --- |".repeat(table.words), " ---: |".repeat(table.titles.len() - table.words));
    let body: String = table.rows.iter().take(MOST_ROWS).map(|row| line(row)).collect();
    let more = match table.rows.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("\n… and {more} more.\n"),
    };
    format!("{}{rule}{body}{more}", line(&table.titles))
}

fn failures(report: &RunReport<'_>) -> Vec<String> {
    let finished = report.jobs().filter_map(|(job, outcome)| outcome.map(|outcome| (job, outcome)));
    let failed = finished.filter(|(_, outcome)| !outcome.is_accepted());
    failed.map(|(job, outcome)| failure(report, job, outcome)).collect()
}

fn failure(report: &RunReport<'_>, job: JobId, outcome: &Outcome) -> String {
    let case = field(&report.plan.cases[job.case].name.0);
    let solver = field(&report.plan.solvers[job.solver].spec.name);
    let note = escaped(&cut(&outcome.note, NOTE_WIDTH));
    let command = code(&cut(&report.plan.reproduce(job), COMMAND_WIDTH));
    format!("- **{case}** ({solver}): {}: {note}<br>{command}\n", outcome.verdict)
}

fn extremes(report: &RunReport<'_>) -> Vec<String> {
    let line = |row: &super::cases::CaseRow| {
        let job = row.job;
        let outcome = report.outcomes.get(job)?;
        let case = field(&report.plan.cases[job.case].name.0);
        let solver = field(&report.plan.solvers[job.solver].spec.name);
        let score = optional(outcome.score.as_ref());
        let cpu = outcome.cpu.map_or_else(|| NOTHING.to_owned(), milliseconds);
        let memory = outcome.memory.map_or_else(|| NOTHING.to_owned(), memory);
        let why = row.why.unwrap_or_default();
        Some(format!("- {why}: **{case}** ({solver}): score {score}, {cpu} CPU, {memory}\n"))
    };
    extreme_rows(report).iter().filter_map(line).collect()
}

fn footer(report: &RunReport<'_>) -> String {
    let jobs = if report.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", report.jobs) };
    let time = milliseconds(report.elapsed);
    format!("{time} with {jobs}; sandbox tier {}; judge {}\n", escaped(report.tier), env!("CARGO_PKG_VERSION"))
}

fn optional(value: Option<&impl ToString>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| field(&value.to_string()))
}

/// A text as a field of a table.
pub(super) fn field(text: &str) -> String {
    escaped(&cut(text, FIELD_WIDTH))
}

/// A text that is shown in one line as it stands, whatever Markdown or HTML it looks like.
pub(super) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in one_line(&text.replace('\n', " ")).chars() {
        match c {
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            // A comment should not mention people or other issues.
            '@' => shown.push_str("&#64;"),
            '#' => shown.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => shown.extend(['\\', c]),
            c => shown.push(c),
        }
    }
    shown
}

/// A text as code, in HTML: there no backtick or bar can end it early.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text).into_owned();
    let escapes = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "&#124;"), ("`", "&#96;"), ("*", "&#42;")];
    let more = [("_", "&#95;"), ("[", "&#91;"), ("\\", "&#92;"), ("~", "&#126;"), ("@", "&#64;"), ("$", "&#36;")];
    let text = escapes.iter().chain(&more).fold(text, |text, (from, to)| text.replace(from, to));
    format!("<code>{text}</code>")
}

/// A long text without its middle: numbers keep both their ends.
pub(super) fn cut(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    let head: String = text.chars().take(width / 2).collect();
    let tail: String = text.chars().skip(count - (width / 2 - 1)).collect();
    format!("{head}…{tail}")
}
