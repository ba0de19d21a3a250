//! The gate's findings as Markdown for a comment on a pull request.

use super::report::{Finding, GateReport, change_in_percent, mean};
use crate::gate::Change;
use crate::report::text::markdown::{COMMAND_WIDTH, NOTE_WIDTH, Page, code, cut, escaped, field};

/// The number of changes in a comment.
const ROWS: usize = 50;

/// Returns the gate's findings as Markdown for a pull request, of less than 60 kB.
pub(in crate::report) fn gate_markdown(report: &GateReport<'_>) -> String {
    let mark = if report.judgement.holds() { "✅" } else { "❌" };
    let mut page = Page::new(format!("### {mark} {}\n", escaped(&cut(&report.headline(), NOTE_WIDTH))));
    page.add_list(&report.findings().iter().map(finding_line).collect::<Vec<_>>());
    page.add(&change_table(&report.changes()));
    if let Some(sensitivity) = report.sensitivity() {
        page.add(&format!("{}\n", escaped(&sensitivity)));
    }
    let cases = report.today.cases.len();
    let file = code(&cut(&report.file.display().to_string(), COMMAND_WIDTH));
    page.add(&format!("{} of {cases} cases accepted; baseline {file}\n", report.accepted()));
    page.finish()
}

fn finding_line(finding: &Finding) -> String {
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
