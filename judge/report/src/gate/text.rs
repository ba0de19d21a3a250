//! The gate's findings for people.

use super::report::{Finding, GateReport, GatesReport, change_in_percent, is_worse, mean};
use crate::text::column::{Field, left, painted, right};
use crate::text::failures::StderrLines;
use crate::text::style::{Paint, Style};
use crate::text::table::grid;
use judge_compare::gate::GateVerdict;
use judge_problem::one_line;

/// The number of changes that are shown, the largest first.
const CHANGES: usize = 20;

/// Returns the report of one or more gates, for a terminal or a file.
pub(crate) fn gates_text(report: &GatesReport<'_>, style: Style) -> String {
    let gates = report.gates.iter().map(|gate| gate_text(gate, style));
    let together = report.headline().map(|line| style.paint(paint(report.verdict()), &line).to_string());
    gates.chain(together).collect::<Vec<_>>().join("\n\n")
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
    let mut parts = vec![
        change_table(report, style),
        failures(report, style),
        complaints(report, style),
        notes.join("\n"),
        format!("{headline}{updated}"),
    ];
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// Returns the cases that were accepted and failed, those for one reason together.
fn failures(report: &GateReport<'_>, style: Style) -> String {
    let failed = report.failed_alike();
    let mut lines = Vec::new();
    for alike in failed.shown() {
        lines.push(one_line(&report.failed_words(alike)).into_owned());
        lines.extend(alike.details(report.plan, StderrLines::Last("--json PATH has those that are kept"), style));
    }
    lines.extend(failed.more());
    lines.join("\n")
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
    let line = |finding: Finding<'_>| match finding.command {
        Some(command) => {
            format!("{}\n    {}", one_line(&finding.words), style.paint(Paint::Faint, &one_line(&command)))
        }
        None => one_line(&finding.words).into_owned(),
    };
    report.findings().into_iter().filter(|finding| finding.failure.is_none()).map(line).collect::<Vec<_>>().join("\n")
}
