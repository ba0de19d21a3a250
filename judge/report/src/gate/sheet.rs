//! The gate's findings as tables: for a page and CSV.

use super::report::{GateReport, GatesReport, change_in_percent, mean};
use crate::text::provenance::provenance_lines;
use crate::text::sheet::{NOTHING, Sheet, TextTable};
use judge_compare::gate::{BaselineCase, CaseResult, Change};

/// Returns the findings as tables for people: those of each gate under its headline.
pub(crate) fn gates_sheet(report: &GatesReport<'_>) -> Sheet {
    let several = report.gates.len() > 1;
    let mut lines = Vec::new();
    let mut sections = Vec::new();
    for gate in &report.gates {
        let file = gate.file.display();
        lines.extend(several.then(|| gate.headline()));
        lines.push(format!("{} of {} cases accepted; baseline {file}", gate.accepted(), gate.today.cases.len()));
        lines.extend(gate.notes());
        let of_gate = |title: String| if several { format!("{title}: {file}") } else { title };
        sections.extend(gate_tables(gate).into_iter().map(|(title, table)| (of_gate(title), table)));
    }
    let limits = report.gates.first().filter(|_| !several).map(|gate| &gate.plan.limits);
    lines.extend(provenance_lines(report.provenance, limits));
    let title = report.headline().or_else(|| Some(report.gates.first()?.headline())).unwrap_or_default();
    Sheet { title, lines, sections, texts: Vec::new() }
}

fn gate_tables(report: &GateReport<'_>) -> Vec<(String, TextTable)> {
    let change =
        |change: &Change| vec![change.case.clone(), mean(&change.was), mean(&change.now), change_in_percent(change)];
    let changes = report.changes().into_iter().map(change).collect();
    let failed = report.failed_alike();
    let failures = failed.shown().map(|alike| vec![report.failed_words(alike), report.plan.reproduce(alike.first)]);
    let others = report.findings().into_iter().filter(|finding| finding.failure.is_none());
    let others = others.map(|finding| vec![finding.words, finding.command.unwrap_or_default()]);
    let complaints = failures.chain(others).collect();
    vec![
        ("Complaints".to_owned(), TextTable::new(&["complaint", "command"], 2, complaints)),
        ("Changed scores".to_owned(), TextTable::new(&["case", "was", "now", "change"], 1, changes)),
        ("Cases".to_owned(), TextTable::new(&CASE_TITLES, 3, case_rows(report, NOTHING))),
    ]
}

const CASE_TITLES: [&str; 5] = ["case", "verdict_was", "verdict", "score_was", "score"];

/// Returns a row for each case of the baselines and of today; with the file of the baseline, if there are several. What is
/// unknown is empty.
pub(crate) fn gates_rows(report: &GatesReport<'_>) -> TextTable {
    let several = report.gates.len() > 1;
    let file = |gate: &GateReport<'_>| several.then(|| gate.file.display().to_string());
    let rows_of = |gate: &GateReport<'_>| -> Vec<Vec<String>> {
        case_rows(gate, "").into_iter().map(|row| file(gate).into_iter().chain(row).collect()).collect()
    };
    let titles: Vec<&str> = several.then_some("baseline").into_iter().chain(CASE_TITLES).collect();
    let rows = report.gates.iter().flat_map(rows_of).collect();
    TextTable::new(&titles, titles.len() - 2, rows)
}

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
