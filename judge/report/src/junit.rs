//! The reports of runs and gates as JUnit XML, which CI services show.

use crate::gate::report::{Finding, GateReport, GatesReport};
use crate::run::record::CaseRecord;
use crate::run::report::RunReport;
use crate::text::figures::{points_text, verdict_of};
use judge_compare::gate::GateVerdict;
use judge_problem::scoring::{TestGroupResult, TestGroupRow, TestGroupStatus};
use judge_problem::{Verdict, one_line, visible};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

/// The cases that are made into XML at a time.
const PIECE: usize = 1000;

/// Writes the report of a run as JUnit XML.
///
/// # Errors
/// When it cannot be written there. Characters that XML does not have are escaped.
pub(crate) fn run_junit(report: &RunReport<'_>, output: &mut dyn Write) -> Result<(), SerializeError> {
    let heads: Vec<TestSuite> = (0..report.plan.solvers.len()).map(|solver| suite_head(report, solver)).collect();
    let mut head = Report::new(format!("judge {}", report.plan.problem.id));
    head.set_time(report.elapsed);
    for suite in &heads {
        head.tests += suite.tests;
        head.skipped += suite.skipped;
        head.failures += suite.failures;
        head.errors += suite.errors;
    }
    if report.outcomes.is_empty() {
        head.test_suites = heads;
        return Ok(output.write_all(head.to_string()?.as_bytes())?);
    }
    let mut document = Pieces { output, is_begun: false };
    for (solver, suite) in heads.into_iter().enumerate() {
        document.begin_suite(&head, &suite)?;
        let cases = test_cases(report, solver);
        let mut cases = cases.peekable();
        while cases.peek().is_some() {
            document.cases(&suite, cases.by_ref().take(PIECE).collect())?;
        }
    }
    document.end()
}

/// The test cases of a solver: its cases, and the test groups that count as a whole.
fn test_cases(report: &RunReport<'_>, solver: usize) -> impl Iterator<Item = TestCase> {
    let class = class(report, solver);
    let groups: Vec<TestCase> =
        report.test_groups.iter().filter_map(|result| whole_group(report, result, solver, &class)).collect();
    let jobs = report.jobs().filter(move |(job, _)| job.solver == solver);
    let cases =
        jobs.map(move |(job, outcome)| test_case(&class, &CaseRecord::of_report(report, job, outcome.as_ref())));
    cases.chain(groups)
}

fn class(report: &RunReport<'_>, solver: usize) -> String {
    one_line(&format!("{}.{}", report.plan.problem.id, report.plan.solvers[solver].spec.name)).into_owned()
}

/// Returns the suite of a solver without its test cases, which are counted.
fn suite_head(report: &RunReport<'_>, solver: usize) -> TestSuite {
    let mut suite = TestSuite::new(&*class(report, solver));
    if let Some(message) = report.message {
        suite.add_property(("message", &*one_line(message)));
    }
    suite.set_time(report.of_solver(solver).filter_map(|outcome| outcome?.wall).sum());
    let class = class(report, solver);
    let of_cases = report.of_solver(solver).map(|outcome| kind(verdict_of(outcome)));
    let groups = report.test_groups.iter().filter_map(|result| whole_group(report, result, solver, &class));
    for status in of_cases.chain(groups.map(|group| group.status)) {
        suite.tests += 1;
        match status {
            TestCaseStatus::Success { .. } => {}
            TestCaseStatus::Skipped { .. } => suite.skipped += 1,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. } => suite.failures += 1,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. } => suite.errors += 1,
        }
    }
    suite
}

/// A document that is written piece by piece: each is made as a document of its own, and what stands around its test cases
/// is left out.
struct Pieces<'a> {
    output: &'a mut dyn Write,
    is_begun: bool,
}

/// What stands before every test case, at its depth in the document.
const BEFORE_CASE: &str = "\n        <testcase";

/// What stands after the last test case of a suite, and of the document.
const AFTER_CASES: &str = "\n    </testsuite>";
const AFTER_SUITES: &str = "\n</testsuites>\n";

impl Pieces<'_> {
    /// Writes what stands before the test cases of a suite.
    fn begin_suite(&mut self, head: &Report, suite: &TestSuite) -> Result<(), SerializeError> {
        let mut suite = suite.clone();
        // So that the suite has an inside.
        suite.test_cases.push(TestCase::new("", TestCaseStatus::success()));
        let mut whole = head.clone();
        whole.test_suites = vec![suite];
        let text = whole.to_string()?;
        let text = &text[..text.find(BEFORE_CASE).unwrap_or(text.len())];
        let text = if self.is_begun { &text[text.find("\n    <testsuite ").unwrap_or(0)..] } else { text };
        if self.is_begun {
            self.write(AFTER_CASES)?;
        }
        self.is_begun = true;
        self.write(text)
    }

    /// Writes test cases of the suite.
    fn cases(&mut self, suite: &TestSuite, cases: Vec<TestCase>) -> Result<(), SerializeError> {
        let mut part = TestSuite::new(suite.name.as_str());
        part.test_cases = cases;
        let mut whole = Report::new("");
        whole.test_suites = vec![part];
        let text = whole.to_string()?;
        let first = text.find(BEFORE_CASE).unwrap_or(text.len());
        let end = text.len() - AFTER_CASES.len() - AFTER_SUITES.len();
        self.write(&text[first..end])
    }

    fn end(mut self) -> Result<(), SerializeError> {
        self.write(AFTER_CASES)?;
        self.write(AFTER_SUITES)
    }

    fn write(&mut self, text: &str) -> Result<(), SerializeError> {
        Ok(self.output.write_all(text.as_bytes())?)
    }
}

fn test_case(class: &str, record: &CaseRecord<'_>) -> TestCase {
    let mut case = TestCase::new(&*one_line(&record.case), case_status(record));
    case.set_classname(class);
    if let Some(wall) = record.wall_ms {
        case.set_time(Duration::from_secs_f64(wall / 1e3));
    }
    let score = record.score.as_ref().map(|score| ("score", score.to_string()));
    let points = record.points.as_ref().map(|points| ("points", points.to_string()));
    let cpu = record.cpu_ms.map(|cpu| ("cpu_ms", cpu.to_string()));
    let memory = record.memory_bytes.map(|memory| ("memory_bytes", memory.to_string()));
    let weight = record.weight.as_ref().map(|weight| ("weight", weight.to_string()));
    let group = record.group.map(|group| ("group", one_line(group).into_owned()));
    for (name, value) in [score, points, weight, group, cpu, memory].into_iter().flatten() {
        case.add_property((name, &*value));
    }
    if !record.stderr.is_empty() {
        case.set_system_err(&*visible(record.stderr));
    }
    case
}

/// A test group that counts as a whole is a test of its own.
fn whole_group(report: &RunReport<'_>, result: &TestGroupResult, solver: usize, class: &str) -> Option<TestCase> {
    let group = &report.plan.problem.test_groups[result.group];
    let TestGroupRow { accepted, skipped, status, points, blocked_by, .. } = &result.rows[solver];
    if !group.counts_as_a_whole() {
        return None;
    }
    let status = match status {
        TestGroupStatus::Earned => TestCaseStatus::success(),
        // What was not run may still be accepted.
        TestGroupStatus::Partial | TestGroupStatus::Skipped if accepted + skipped == result.cases => {
            let mut undecided = TestCaseStatus::skipped();
            undecided.set_message(format!("{skipped} of {} cases skipped", result.cases));
            undecided
        }
        _ => {
            let blocking =
                blocked_by.map(|needed| one_line(&report.plan.problem.test_groups[needed].name).into_owned());
            let accepted = format!("{accepted} of {} cases accepted", result.cases);
            let why = blocking.map_or(accepted, |needed| format!("a case of the group {needed} failed"));
            let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
            failed.set_type(status.name()).set_message(why);
            failed
        }
    };
    let mut case = TestCase::new(format!("group {}", one_line(&group.name)), status);
    case.set_classname(class);
    case.add_property(("weight", &*points_text(&result.weight)));
    if let Some(points) = points {
        case.add_property(("points", &*report.points_text(points)));
    }
    Some(case)
}

/// Returns the status of a test case with this verdict, without words.
fn kind(verdict: Verdict) -> TestCaseStatus {
    match verdict {
        Verdict::Accepted => TestCaseStatus::success(),
        Verdict::Skipped => TestCaseStatus::skipped(),
        Verdict::JudgeError => TestCaseStatus::non_success(NonSuccessKind::Error),
        _ => TestCaseStatus::non_success(NonSuccessKind::Failure),
    }
}

fn case_status(record: &CaseRecord<'_>) -> TestCaseStatus {
    let mut status = kind(Verdict::from_name(record.verdict).unwrap_or(Verdict::JudgeError));
    if !matches!(status, TestCaseStatus::NonSuccess { .. }) {
        return status;
    }
    let why = format!("{}: {}", record.verdict, visible(record.note));
    status.set_description(format!("{why}\nreproduce: {}", record.reproduce));
    status.set_type(record.verdict).set_message(why);
    status
}

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
        suite.add_test_case(gate_case(&name, case, of_cases.get(&**case).map_or(&[], Vec::as_slice), is_skipped));
    }
    let mut together = gate_case(&name, "all cases together", &of_all, is_skipped);
    together.set_system_out(visible(&report.notes().join("\n")).into_owned());
    suite.add_test_case(together);
    suite
}

fn gate_case(class: &str, name: &str, findings: &[&Finding<'_>], is_skipped: bool) -> TestCase {
    let status = if findings.is_empty() { TestCaseStatus::success() } else { gate_status(findings, is_skipped) };
    let mut case = TestCase::new(&*one_line(name), status);
    case.set_classname(class);
    let said = findings.iter().filter_map(|finding| Some(&finding.failure?.stderr));
    let said: Vec<_> = said.filter(|said| !said.is_empty()).map(|said| visible(said)).collect();
    if !said.is_empty() {
        case.set_system_err(said.join("\n"));
    }
    case
}

fn gate_status(findings: &[&Finding<'_>], is_skipped: bool) -> TestCaseStatus {
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
