//! The gate's findings for machines and pull requests: JSON, JUnit XML and Markdown.

use super::report::{Finding, GateReport, change_in_percent, is_worse};
use crate::gate::{BaselineCase, CaseResult, Change};
use crate::model::{Verdict, one_line};
use crate::report::text::json_text;
use crate::report::text::json_value::{exact, schema_of};
use crate::report::text::markdown::{COMMAND_WIDTH, NOTE_WIDTH, Page, code, cut, escaped, field};
use crate::scoring::display;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Number;

/// The number of changes in a comment.
const ROWS: usize = 50;

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge gate --json")]
struct Document<'a> {
    schema: u32,
    judge: &'static str,
    problem: &'a str,
    checker: &'a str,
    holds: bool,
    updated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_was: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_now: Option<Number>,
    complaints: Vec<ComplaintRecord>,
    changes: Vec<ChangeRecord<'a>>,
    #[serde(rename = "mended")]
    fixed: &'a [String],
    cases: Vec<CaseRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "complaint")]
struct ComplaintRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<String>,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "change")]
struct ChangeRecord<'a> {
    case: &'a str,
    was: Option<Number>,
    now: Option<Number>,
    worse: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "case")]
struct CaseRecord<'a> {
    case: &'a str,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Number>,
}

/// Returns the gate's findings as one JSON document, with a final newline.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub(in crate::report) fn gate_json(report: &GateReport<'_>) -> serde_json::Result<String> {
    let judgement = report.judgement;
    let complaint = |Finding { case, words, command }| ComplaintRecord { case, what: words, command };
    let document = Document {
        schema: 1,
        judge: env!("CARGO_PKG_VERSION"),
        problem: &report.baseline.problem,
        checker: &report.today.checker,
        holds: judgement.holds(),
        updated: report.is_updated,
        total_was: exact(&display(&judgement.total_was, 0)),
        total_now: exact(&display(&judgement.total_now, 0)),
        complaints: report.findings().into_iter().map(complaint).collect(),
        changes: report.changes().into_iter().map(|change| change_record(report, change)).collect(),
        fixed: &judgement.fixed,
        cases: report.today.cases.iter().map(|(case, entry)| case_record(case, entry)).collect(),
    };
    json_text::document(&document)
}

/// Returns the JSON schema of `judge gate --json`.
#[must_use]
pub fn gate_schema() -> Schema {
    schema_of::<Document<'static>>()
}

fn change_record<'a>(report: &GateReport<'_>, change: &'a Change) -> ChangeRecord<'a> {
    ChangeRecord {
        case: &change.case,
        was: exact(&change.was),
        now: exact(&change.now),
        worse: is_worse(change, report.limits.direction),
    }
}

fn case_record<'a>(case: &'a str, entry: &'a BaselineCase) -> CaseRecord<'a> {
    match &entry.result {
        CaseResult::Accepted(score) => CaseRecord { case, verdict: Verdict::Accepted.name(), score: exact(score) },
        CaseResult::Failed(verdict) => CaseRecord { case, verdict: verdict.name(), score: None },
    }
}

/// Returns the gate's findings as JUnit XML: a test for each case of the baseline, and one for the whole.
///
/// # Errors
/// Never: characters that XML does not have are escaped.
pub(in crate::report) fn gate_junit(report: &GateReport<'_>) -> Result<String, SerializeError> {
    let findings = report.findings();
    let name = one_line(&format!("judge gate {}", report.baseline.problem)).into_owned();
    let mut suite = TestSuite::new(&*name);
    for case in report.baseline.cases.keys() {
        let of_case: Vec<&Finding> = findings.iter().filter(|finding| finding.case.as_ref() == Some(case)).collect();
        suite.add_test_case(test_case(&name, case, &of_case));
    }
    let of_all: Vec<&Finding> = findings.iter().filter(|finding| finding.case.is_none()).collect();
    suite.add_test_case(test_case(&name, "all cases together", &of_all));
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

/// Returns the gate's findings as Markdown for a pull request, of less than 60 kB.
pub(in crate::report) fn gate_markdown(report: &GateReport<'_>) -> String {
    let mark = if report.judgement.holds() { "✅" } else { "❌" };
    let mut page = Page::new(format!("### {mark} {}\n", escaped(&cut(&report.headline(), NOTE_WIDTH))));
    page.add_list(&report.findings().iter().map(finding_line).collect::<Vec<_>>());
    page.add(&change_table(&report.changes()));
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
        let fields = [change.case.clone(), change.was.to_string(), change.now.to_string(), change_in_percent(change)];
        format!("| {} |\n", fields.map(|text| field(&text)).join(" | "))
    };
    let rows: String = changes.iter().take(ROWS).map(row).collect();
    let more = match changes.len().saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("\n… and {more} more scores changed\n"),
    };
    format!("| case | was | now | change |\n|---|---:|---:|---:|\n{rows}{more}")
}
