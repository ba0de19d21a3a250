//! The gate's findings as tables: for a page and CSV.

use super::report::{GateReport, change_in_percent, mean};
use crate::gate::{BaselineCase, CaseResult, Change};
use crate::report::text::provenance::provenance_lines;
use crate::report::text::sheet::{NOTHING, Sheet, TextTable};

/// Returns the findings as tables for people.
pub(in crate::report) fn gate_sheet(report: &GateReport<'_>) -> Sheet {
    let change =
        |change: &Change| vec![change.case.clone(), mean(&change.was), mean(&change.now), change_in_percent(change)];
    let changes = report.changes().into_iter().map(change).collect();
    let findings = report.findings().into_iter();
    let complaints = findings.map(|finding| vec![finding.words, finding.command.unwrap_or_default()]).collect();
    let cases = report.today.cases.len();
    let accepted = format!("{} of {cases} cases accepted; baseline {}", report.accepted(), report.file.display());
    Sheet {
        title: report.headline(),
        lines: std::iter::once(accepted)
            .chain(report.sensitivity())
            .chain(report.untimed())
            .chain(provenance_lines(report.provenance, Some(&report.plan.limits)))
            .collect(),
        sections: vec![
            ("Complaints".to_owned(), TextTable::new(&["complaint", "command"], 2, complaints)),
            ("Changed scores".to_owned(), TextTable::new(&["case", "was", "now", "change"], 1, changes)),
            ("Cases".to_owned(), case_table(report, NOTHING)),
        ],
        texts: Vec::new(),
    }
}

/// Returns a row for each case of the baseline and of today. What is unknown is empty.
pub(in crate::report) fn gate_rows(report: &GateReport<'_>) -> TextTable {
    case_table(report, "")
}

fn case_table(report: &GateReport<'_>, nothing: &str) -> TextTable {
    let (was, now) = (&report.baseline.cases, &report.today.cases);
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
    TextTable::new(&["case", "verdict_was", "verdict", "score_was", "score"], 3, names.into_iter().map(row).collect())
}
