//! The gate's findings for people.

use super::report::{Finding, GateReport, change_in_percent, is_worse, mean};
use crate::model::one_line;
use crate::report::text::column::{Field, left, painted, right};
use crate::report::text::style::{Paint, Style};
use crate::report::text::table::grid;

/// The number of changes that are shown, the largest first.
const CHANGES: usize = 20;

/// Returns the report of the gate, for a terminal or a file.
pub(in crate::report) fn gate_text(report: &GateReport<'_>, style: Style) -> String {
    let mut parts = vec![change_table(report, style), complaints(report, style)];
    parts.extend(report.sensitivity());
    parts.extend(report.untimed());
    let paint = if report.judgement.holds() { Paint::Good } else { Paint::Bad };
    let file = report.file.to_string_lossy();
    let updated = if report.is_updated { format!("\n{} was rewritten", one_line(&file)) } else { String::new() };
    parts.push(format!("{}{updated}", style.paint(paint, &one_line(&report.headline()))));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn change_table(report: &GateReport<'_>, style: Style) -> String {
    let changes = report.changes();
    if changes.is_empty() {
        return String::new();
    }
    let columns = [left("case"), right("was").spare(1), right("now"), right("change")];
    let mut table = grid(columns, style);
    for change in changes.iter().take(CHANGES) {
        let paint = if is_worse(change, report.limits.direction) { Paint::Bad } else { Paint::Good };
        table.add_row([
            Field::new(&change.case),
            Field::new(mean(&change.was)),
            Field::new(mean(&change.now)),
            painted(&change_in_percent(change), paint),
        ]);
    }
    let left_out = changes.len().saturating_sub(CHANGES);
    let more =
        if left_out == 0 { String::new() } else { format!("\n{left_out} more scores changed (--json has them all)") };
    format!("{}{more}", table.text())
}

fn complaints(report: &GateReport<'_>, style: Style) -> String {
    let line = |finding: Finding| match finding.command {
        Some(command) => {
            format!("{}\n    {}", one_line(&finding.words), style.paint(Paint::Faint, &one_line(&command)))
        }
        None => one_line(&finding.words).into_owned(),
    };
    report.findings().into_iter().map(line).collect::<Vec<_>>().join("\n")
}
