//! The gate's findings as JUnit XML.

use super::report::{Finding, GateReport};
use crate::model::one_line;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::collections::HashMap;

/// Returns the gate's findings as JUnit XML: a test for each case of the baseline, and one for the whole.
///
/// # Errors
/// Never: characters that XML does not have are escaped.
pub(in crate::report) fn gate_junit(report: &GateReport<'_>) -> Result<String, SerializeError> {
    let findings = report.findings();
    let name = one_line(&format!("judge gate {}", report.baseline.problem)).into_owned();
    let mut suite = TestSuite::new(&*name);
    let mut of_cases: HashMap<&str, Vec<&Finding>> = HashMap::new();
    let mut of_all = Vec::new();
    for finding in &findings {
        finding.case.as_ref().map_or(&mut of_all, |case| of_cases.entry(case).or_default()).push(finding);
    }
    for case in report.baseline.cases.keys() {
        suite.add_test_case(test_case(&name, case, of_cases.get(&**case).map_or(&[], Vec::as_slice)));
    }
    let mut together = test_case(&name, "all cases together", &of_all);
    if let Some(sensitivity) = report.sensitivity() {
        together.set_system_out(sensitivity);
    }
    suite.add_test_case(together);
    let mut document = Report::new(&*name);
    document.add_test_suite(suite);
    document.to_string()
}

fn test_case(class: &str, name: &str, findings: &[&Finding]) -> TestCase {
    let status = if findings.is_empty() { TestCaseStatus::success() } else { failure(findings) };
    let mut case = TestCase::new(&*one_line(name), status);
    case.set_classname(class);
    case
}

fn failure(findings: &[&Finding]) -> TestCaseStatus {
    let words: Vec<_> = findings.iter().map(|finding| one_line(&finding.words)).collect();
    let commands = findings.iter().filter_map(|finding| finding.command.as_deref());
    let commands: Vec<String> = commands.map(|command| format!("reproduce: {command}")).collect();
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type("gate").set_message(words.join("; "));
    status.set_description([words.join("\n"), commands.join("\n")].join("\n"));
    status
}
