//! The gate's findings as JUnit XML.

use super::report::{Finding, GateReport, GatesReport};
use judge_compare::gate::GateVerdict;
use judge_problem::{one_line, visible};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::collections::HashMap;

/// Returns the findings as JUnit XML: a suite for each gate, in it a test for each case of the baseline, and one for the
/// whole. Where a gate is not comparable and such ones pass, its complaints are skipped tests.
///
/// # Errors
/// Never: characters that XML does not have are escaped.
pub(crate) fn gates_junit(report: &GatesReport<'_>) -> Result<String, SerializeError> {
    let problem = report.gates.first().map_or("", |gate| &gate.record.baseline.problem);
    let gates = if report.gates.len() == 1 { problem } else { "several" };
    let mut document = Report::new(&*one_line(&format!("judge gate {gates}")));
    document.add_test_suites(report.gates.iter().map(|gate| suite(report, gate)));
    document.to_string()
}

fn suite(all: &GatesReport<'_>, report: &GateReport<'_>) -> TestSuite {
    let findings = report.findings();
    let is_skipped = all.noise_passes && report.judgement.verdict() == GateVerdict::NotComparable;
    let file = if all.gates.len() > 1 { format!(" ({})", report.file.display()) } else { String::new() };
    let name = one_line(&format!("judge gate {}{file}", report.record.baseline.problem)).into_owned();
    let mut suite = TestSuite::new(&*name);
    let mut of_cases: HashMap<&str, Vec<&Finding<'_>>> = HashMap::new();
    let mut of_all = Vec::new();
    for finding in &findings {
        finding.case.as_ref().map_or(&mut of_all, |case| of_cases.entry(case).or_default()).push(finding);
    }
    for case in report.record.baseline.cases.keys() {
        suite.add_test_case(test_case(&name, case, of_cases.get(&**case).map_or(&[], Vec::as_slice), is_skipped));
    }
    let mut together = test_case(&name, "all cases together", &of_all, is_skipped);
    together.set_system_out(visible(&report.notes().join("\n")).into_owned());
    suite.add_test_case(together);
    suite
}

fn test_case(class: &str, name: &str, findings: &[&Finding<'_>], is_skipped: bool) -> TestCase {
    let status = if findings.is_empty() { TestCaseStatus::success() } else { status(findings, is_skipped) };
    let mut case = TestCase::new(&*one_line(name), status);
    case.set_classname(class);
    let said = findings.iter().filter_map(|finding| Some(&finding.failure?.stderr));
    let said: Vec<_> = said.filter(|said| !said.is_empty()).map(|said| visible(said)).collect();
    if !said.is_empty() {
        case.set_system_err(said.join("\n"));
    }
    case
}

fn status(findings: &[&Finding<'_>], is_skipped: bool) -> TestCaseStatus {
    let words: Vec<_> = findings.iter().map(|finding| one_line(&finding.words)).collect();
    if is_skipped {
        let mut status = TestCaseStatus::skipped();
        status.set_message(words.join("; "));
        return status;
    }
    let commands = findings.iter().filter_map(|finding| finding.command.as_deref());
    let commands: Vec<String> = commands.map(|command| format!("reproduce: {command}")).collect();
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type("gate").set_message(words.join("; "));
    status.set_description([words.join("\n"), commands.join("\n")].join("\n"));
    status
}
