//! The findings of the gate as text, Markdown and tables.

use crate::formats::{Missing, Report};
use crate::gate::report::{Finding, GateReport, GatesReport, change_in_percent, is_worse, mean};
use crate::junit::gates_junit;
use crate::text::{
    COMMAND_WIDTH, Columns, FailureGroup, NOTE_WIDTH, NOTHING, Page, Paint, SENTENCE_WIDTH, STDERR_LINES, Sheet,
    StderrLines, Style, TextTable, code, cut, escaped, field, if_any, last_lines, left, painted, paragraphs,
    provenance_lines, right,
};
use judge_compare::gate::{BaselineCase, CaseResult, Change, GateVerdict};
use judge_problem::one_line;
use std::io::{self, Write};

/// The number of changes that are shown, the largest first.
const CHANGES: usize = 20;

impl Report for GatesReport<'_> {
    const NAME: &'static str = "a gate";
    const NO_JUNIT: Option<Missing> = None;

    fn text(&self, style: Style) -> String {
        let gates = self.gates.iter().map(|gate| gate_text(gate, style));
        let together = self.headline().map(|line| style.paint(paint(self.verdict()), &line).to_string());
        gates.chain(together).collect::<Vec<_>>().join("\n\n")
    }

    fn junit(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        Some(gates_junit(self, output))
    }

    fn markdown(&self) -> Option<String> {
        let of_gate = |gate: &GateReport<'_>| heading(gate.judgement.verdict(), &gate.headline());
        let together = self.headline().map(|headline| heading(self.verdict(), &headline));
        let several = together.is_some();
        let mut page = Page::new(together.or_else(|| self.gates.first().map(of_gate)).unwrap_or_default());
        for gate in &self.gates {
            if several {
                page.add(&of_gate(gate));
            }
            add_findings(&mut page, gate);
        }
        Some(page.finish())
    }

    fn rows(&self) -> Option<TextTable> {
        let several = self.gates.len() > 1;
        let mut columns = Columns::new();
        columns.add_if(several, "baseline", |(gate, _): &(&GateReport<'_>, Vec<String>)| gate.file.display());
        for (place, title) in CASE_TITLES.into_iter().enumerate() {
            columns.add(title, move |(_, row)| row[place].clone());
        }
        let rows = self.gates.iter().flat_map(|gate| case_rows(gate, "").into_iter().map(move |row| (gate, row)));
        Some(columns.table(rows))
    }

    fn sheet(&self) -> Option<Sheet> {
        let several = self.gates.len() > 1;
        let mut lines = Vec::new();
        let mut sections = Vec::new();
        for gate in &self.gates {
            let file = gate.file.display();
            lines.extend(several.then(|| gate.headline()));
            lines.push(format!("{} of {} cases accepted; baseline {file}", gate.accepted(), gate.today.cases.len()));
            lines.extend(gate.notes());
            let of_gate = |title: String| if several { format!("{title}: {file}") } else { title };
            sections.extend(gate_tables(gate).into_iter().map(|(title, table)| (of_gate(title), table)));
        }
        let limits = self.gates.first().filter(|_| !several).map(|gate| &gate.plan.limits);
        lines.extend(provenance_lines(self.provenance, limits));
        let title = self.headline().or_else(|| Some(self.gates.first()?.headline())).unwrap_or_default();
        Some(Sheet::new(title, lines, sections))
    }
}

fn paint(verdict: GateVerdict) -> Paint {
    match verdict {
        GateVerdict::Holds => Paint::Good,
        GateVerdict::Fails => Paint::Bad,
        GateVerdict::NotComparable => Paint::Warning,
    }
}

fn gate_text(report: &GateReport<'_>, style: Style) -> String {
    let notes: Vec<String> = report.notes().iter().map(|note| one_line(note).into_owned()).collect();
    let file = report.file.to_string_lossy();
    let updated = if report.is_updated { format!("\n{} was rewritten", one_line(&file)) } else { String::new() };
    let headline = style.paint(paint(report.judgement.verdict()), &one_line(&report.headline()));
    paragraphs(vec![
        changes_text(report, style),
        failures(report, style),
        complaints(report, style),
        notes.join("\n"),
        format!("{headline}{updated}"),
    ])
}

/// Returns the cases that were accepted before and failed now, grouped by reason.
fn failures(report: &GateReport<'_>, style: Style) -> String {
    let failed = report.failure_groups();
    let mut lines = Vec::new();
    for alike in failed.shown() {
        lines.push(one_line(&report.failed_words(alike)).into_owned());
        lines.extend(alike.details(report.plan, StderrLines::Last("--json PATH has all lines that were kept"), style));
    }
    lines.extend(failed.more());
    lines.join("\n")
}

/// Returns the case, its scores before and now, and by how much they changed.
fn change_cells(change: &Change) -> [String; 4] {
    let Change { case, was, now } = change;
    [case.clone(), mean(was), mean(now), change_in_percent(was.mean(), now.mean())]
}

fn changes_text(report: &GateReport<'_>, style: Style) -> String {
    let mut table = changes_table(report);
    if table.is_empty() {
        return String::new();
    }
    let left_out = table.rows.split_off(CHANGES.min(table.rows.len())).len();
    let more = if_any(left_out, |more| format!("\n{more} more scores changed (--json has them all)"));
    format!("{}{more}", table.text(style))
}

fn changes_table(report: &GateReport<'_>) -> TextTable {
    let mut table = TextTable::of([left("case"), right("was").spare(1), right("now"), right("change")]);
    for change in report.changes() {
        let paint = if is_worse(change, report.limits.direction) { Paint::Bad } else { Paint::Good };
        let [case, was, now, by] = change_cells(change);
        table.add_row([case.into(), was.into(), now.into(), painted(&by, paint)]);
    }
    table
}

fn complaints(report: &GateReport<'_>, style: Style) -> String {
    let line = |finding: Finding<'_>| match finding.command {
        Some(command) => {
            format!("{}\n    {}", one_line(&finding.words), style.paint(Paint::Faint, &one_line(&command)))
        }
        None => one_line(&finding.words).into_owned(),
    };
    report.other_findings().map(line).collect::<Vec<_>>().join("\n")
}

/// The number of changes in a comment.
const ROWS: usize = 50;

fn heading(verdict: GateVerdict, headline: &str) -> String {
    let mark = match verdict {
        GateVerdict::Holds => "✅",
        GateVerdict::Fails => "❌",
        GateVerdict::NotComparable => "⚠️",
    };
    format!("### {mark} {}\n", escaped(&cut(headline, SENTENCE_WIDTH)))
}

fn add_findings(page: &mut Page, report: &GateReport<'_>) {
    let failed = report.failure_groups();
    page.add_list(failed.shown().map(|alike| failure_line(report, alike)));
    page.add_list(report.other_findings().map(|finding| finding_line(&finding)));
    page.add(&changes_markdown(&report.changes()));
    page.add_sentences(&report.notes());
    let cases = report.today.cases.len();
    let file = code(&cut(&report.file.display().to_string(), COMMAND_WIDTH));
    page.add(&format!("{} of {cases} cases accepted; baseline {file}\n", report.accepted()));
}

/// Returns the failures with one reason, the end of standard error, and the command that reproduces the first of them.
fn failure_line(report: &GateReport<'_>, alike: &FailureGroup) -> String {
    let words = escaped(&cut(&report.failed_words(alike), NOTE_WIDTH));
    let said =
        last_lines(&alike.outcome.stderr, STDERR_LINES).map(|line| format!("<br>{}", code(&cut(line, NOTE_WIDTH))));
    let command = report.plan.reproduce(alike.first);
    let command = command.map(|command| format!("<br>{}", code(&cut(&command, COMMAND_WIDTH))));
    format!("- {words}{}\n", said.chain(command).collect::<String>())
}

fn finding_line(finding: &Finding<'_>) -> String {
    let words = escaped(&cut(&finding.words, SENTENCE_WIDTH));
    let command = finding.command.as_ref().map(|command| format!("<br>{}", code(&cut(command, COMMAND_WIDTH))));
    format!("- {words}{}\n", command.unwrap_or_default())
}

fn changes_markdown(changes: &[&Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let row = |change: &&Change| format!("| {} |\n", change_cells(change).map(|text| field(&text)).join(" | "));
    let rows: String = changes.iter().take(ROWS).map(row).collect();
    let more = if_any(changes.len().saturating_sub(ROWS), |more| format!("\n… and {more} more scores changed\n"));
    format!("| case | was | now | change |\n|---|---:|---:|---:|\n{rows}{more}")
}

fn gate_tables(report: &GateReport<'_>) -> Vec<(String, TextTable)> {
    let failed = report.failure_groups();
    let failures = failed
        .shown()
        .map(|alike| vec![report.failed_words(alike), report.plan.reproduce(alike.first).unwrap_or_default()]);
    let others = report.other_findings().map(|finding| vec![finding.words, finding.command.unwrap_or_default()]);
    let complaints = failures.chain(others);
    vec![
        ("Complaints".to_owned(), TextTable::new(&["complaint", "command"], 2, complaints)),
        ("Changed scores".to_owned(), changes_table(report)),
        ("Cases".to_owned(), TextTable::new(&CASE_TITLES, 3, case_rows(report, NOTHING))),
    ]
}

const CASE_TITLES: [&str; 5] = ["case", "verdict_was", "verdict", "score_was", "score"];

fn case_rows(report: &GateReport<'_>, nothing: &str) -> Vec<Vec<String>> {
    let (was, now) = (&report.record.baseline.cases, &report.today.cases);
    let mut names: Vec<&String> = was.keys().chain(now.keys().filter(|name| !was.contains_key(*name))).collect();
    names.sort();
    let result = |entry: Option<&BaselineCase>| match entry.map(|entry| &entry.result) {
        Some(CaseResult::Accepted(sample)) => ["accepted".to_owned(), mean(sample)],
        Some(CaseResult::Failed(verdict)) => [verdict.to_string(), nothing.to_owned()],
        None => [nothing, nothing].map(str::to_owned),
    };
    let row = |name: &String| {
        let ([verdict_was, score_was], [verdict, score]) = (result(was.get(name)), result(now.get(name)));
        vec![name.clone(), verdict_was, verdict, score_was, score]
    };
    names.into_iter().map(row).collect()
}
