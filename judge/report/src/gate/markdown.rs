//! The gate's findings as Markdown for a comment on a pull request.

use super::report::{Finding, GateReport, GatesReport, change_in_percent, mean};
use crate::text::failures::{Alike, last_lines};
use crate::text::markdown::{COMMAND_WIDTH, NOTE_WIDTH, Page, code, cut, escaped, field};
use judge_compare::gate::{Change, GateVerdict};

/// The number of changes in a comment.
const ROWS: usize = 50;

/// Returns the findings of one or more gates as Markdown for a pull request, of less than 60 kB.
pub(crate) fn gates_markdown(report: &GatesReport<'_>) -> String {
    let of_gate = |gate: &GateReport<'_>| heading(gate.judgement.verdict(), &gate.headline());
    let together = report.headline().map(|headline| heading(report.verdict(), &headline));
    let several = together.is_some();
    let mut page = Page::new(together.or_else(|| report.gates.first().map(of_gate)).unwrap_or_default());
    for gate in &report.gates {
        if several {
            page.add(&of_gate(gate));
        }
        add_findings(&mut page, gate);
    }
    page.finish()
}

fn heading(verdict: GateVerdict, headline: &str) -> String {
    let mark = match verdict {
        GateVerdict::Holds => "✅",
        GateVerdict::Fails => "❌",
        GateVerdict::NotComparable => "⚠️",
    };
    format!("### {mark} {}\n", escaped(&cut(headline, NOTE_WIDTH)))
}

fn add_findings(page: &mut Page, report: &GateReport<'_>) {
    let failed = report.failed_alike();
    page.add_list(&failed.shown().map(|alike| failure_line(report, alike)).collect::<Vec<_>>());
    let others = report.findings().into_iter().filter(|finding| finding.failure.is_none());
    page.add_list(&others.map(|finding| finding_line(&finding)).collect::<Vec<_>>());
    page.add(&change_table(&report.changes()));
    page.add_list(
        &report.notes().iter().map(|note| format!("- {}\n", escaped(&cut(note, NOTE_WIDTH)))).collect::<Vec<_>>(),
    );
    let cases = report.today.cases.len();
    let file = code(&cut(&report.file.display().to_string(), COMMAND_WIDTH));
    page.add(&format!("{} of {cases} cases accepted; baseline {file}\n", report.accepted()));
}

/// The failures for one reason, with the end of standard error and the command that reproduces the first.
fn failure_line(report: &GateReport<'_>, alike: &Alike) -> String {
    let words = escaped(&cut(&report.failed_words(alike), NOTE_WIDTH));
    let said = last_lines(&alike.outcome.stderr).map(|line| format!("<br>{}", code(&cut(line, NOTE_WIDTH))));
    let command = code(&cut(&report.plan.reproduce(alike.first), COMMAND_WIDTH));
    format!("- {words}{}<br>{command}\n", said.collect::<String>())
}

fn finding_line(finding: &Finding<'_>) -> String {
    let words = escaped(&cut(&finding.words, NOTE_WIDTH));
    let command = finding.command.as_ref().map(|command| format!("<br>{}", code(&cut(command, COMMAND_WIDTH))));
    format!("- {words}{}\n", command.unwrap_or_default())
}

fn change_table(changes: &[&Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let row = |change: &&Change| {
        let fields = [change.case.clone(), mean(&change.was), mean(&change.now), change_in_percent(change)];
        format!("| {} |\n", fields.map(|text| field(&text)).join(" | "))
    };
    let rows: String = changes.iter().take(ROWS).map(row).collect();
    let more = match changes.len().saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("\n… and {more} more scores changed\n"),
    };
    format!("| case | was | now | change |\n|---|---:|---:|---:|\n{rows}{more}")
}
