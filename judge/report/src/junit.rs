//! The reports of runs and gates as JUnit XML, which CI services show. Test cases are written one by one.

use crate::gate::report::{Finding, GateReport, GatesReport};
use crate::run::record::CaseRecord;
use crate::run::report::RunReport;
use crate::sealed::SealedReport;
use crate::text::{verdict_of, weight_text};
use askama::Template;
use judge_compare::gate::GateVerdict;
use judge_problem::scoring::{TestGroupResult, TestGroupRow, TestGroupStatus};
use judge_problem::{Verdict, one_line, visible};
use quick_xml::escape::escape;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Duration;

/// The result of a test, as JUnit counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TestResult {
    #[default]
    Passed,
    Skipped,
    /// The tested program is wrong.
    Failure,
    /// The test itself could not be done.
    Error,
}

impl TestResult {
    fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Accepted => Self::Passed,
            Verdict::Skipped => Self::Skipped,
            Verdict::JudgeError => Self::Error,
            _ => Self::Failure,
        }
    }

    /// Returns the name of the element that says so; a test that passed has none.
    fn element(self) -> Option<&'static str> {
        match self {
            Self::Passed => None,
            Self::Skipped => Some("skipped"),
            Self::Failure => Some("failure"),
            Self::Error => Some("error"),
        }
    }
}

/// A test case, with its result in words.
#[derive(Debug, Clone, Default)]
struct TestCase {
    name: String,
    class: String,
    time: Option<Duration>,
    properties: Vec<(&'static str, String)>,
    result: TestResult,
    message: Option<String>,
    /// The type of the failure.
    kind: Option<&'static str>,
    description: Option<String>,
    stdout: String,
    stderr: String,
}

impl TestCase {
    fn new(class: &str, name: &str, result: TestResult) -> Self {
        Self { name: one_line(name).into_owned(), class: class.to_owned(), result, ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        self.result == TestResult::Passed
            && self.properties.is_empty()
            && self.stdout.is_empty()
            && self.stderr.is_empty()
    }
}

/// A suite.
struct Suite<'a> {
    name: String,
    time: Option<Duration>,
    properties: Vec<(&'static str, String)>,
    /// The result of each test case.
    results: Vec<TestResult>,
    /// Makes the test cases, one by one.
    cases: Box<dyn Fn() -> Box<dyn Iterator<Item = TestCase> + 'a> + 'a>,
}

impl Suite<'_> {
    /// Returns a suite of these test cases.
    fn of(name: String, cases: Vec<TestCase>) -> Self {
        let results = cases.iter().map(|case| case.result).collect();
        let cases = Box::new(move || Box::new(cases.clone().into_iter()) as _);
        Self { name, time: None, properties: Vec::new(), results, cases }
    }

    fn cases(&self) -> impl Iterator<Item = TestCase> {
        (self.cases)()
    }

    fn count(&self, result: TestResult) -> usize {
        self.results.iter().filter(|one| **one == result).count()
    }
}

/// A document of suites.
#[derive(Template)]
#[template(path = "junit.xml")]
struct Page<'a> {
    name: String,
    time: Option<Duration>,
    suites: Vec<Suite<'a>>,
}

impl Page<'_> {
    fn tests(&self) -> usize {
        self.suites.iter().map(|suite| suite.results.len()).sum()
    }

    fn count(&self, result: TestResult) -> usize {
        self.suites.iter().map(|suite| suite.count(result)).sum()
    }
}

/// Returns a text for XML 1.0. Markup is escaped, and so are the characters that no document may have, such as U+001B and
/// U+FFFE.
fn xml(text: &str) -> Cow<'_, str> {
    let mut text = visible(text);
    if text.contains(['\u{fffe}', '\u{ffff}']) {
        text = text.replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}").into();
    }
    escape(text)
}

/// Writes the report of a run as JUnit XML: a suite for each solver, a test case for each case.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn run_junit(report: &RunReport<'_>, output: &mut dyn Write) -> io::Result<()> {
    let suites = (0..report.plan.solvers.len()).map(|solver| suite(report, solver)).collect();
    Page { name: format!("judge {}", report.plan.problem.id), time: Some(report.elapsed), suites }.write_into(output)
}

/// The test cases of a solver: its cases in the order of the report, and the test groups that count as a whole.
fn test_cases(report: &RunReport<'_>, solver: usize) -> impl Iterator<Item = TestCase> {
    let class = class(report, solver);
    let groups: Vec<TestCase> =
        report.scored.test_groups.iter().filter_map(|result| whole_group(report, result, solver, &class)).collect();
    let jobs = report.ordered_jobs().filter(move |(job, _)| job.solver == solver);
    let cases = jobs.map(move |(job, outcome)| {
        let result = TestResult::of(verdict_of(outcome.as_ref()));
        test_case(&class, &CaseRecord::of_report(report, job, outcome.as_ref()), result)
    });
    cases.chain(groups)
}

fn class(report: &RunReport<'_>, solver: usize) -> String {
    one_line(&format!("{}.{}", report.plan.problem.id, report.plan.solvers[solver].spec.name)).into_owned()
}

fn suite<'a>(report: &'a RunReport<'_>, solver: usize) -> Suite<'a> {
    let name = class(report, solver);
    let of_cases = report.outcomes.of_solver(solver).map(|outcome| TestResult::of(verdict_of(outcome)));
    let groups = report.scored.test_groups.iter().filter_map(|result| whole_group(report, result, solver, &name));
    Suite {
        results: of_cases.chain(groups.map(|group| group.result)).collect(),
        cases: Box::new(move || Box::new(test_cases(report, solver))),
        time: Some(report.outcomes.of_solver(solver).filter_map(|outcome| outcome?.wall).sum()),
        properties: report.message.iter().map(|message| ("message", one_line(message).into_owned())).collect(),
        name,
    }
}

fn test_case(class: &str, record: &CaseRecord<'_>, result: TestResult) -> TestCase {
    let score = record.score.as_ref().map(|score| ("score", score.to_string()));
    let points = record.points.as_ref().map(|points| ("points", points.to_string()));
    let cpu = record.cpu_ms.map(|cpu| ("cpu_ms", cpu.to_string()));
    let memory = record.memory_bytes.map(|memory| ("memory_bytes", memory.to_string()));
    let weight = record.weight.as_ref().map(|weight| ("weight", weight.to_string()));
    let group = record.group.map(|group| ("group", one_line(group).into_owned()));
    let mut case = TestCase {
        time: record.wall_ms.map(|wall| Duration::from_secs_f64(wall / 1e3)),
        properties: [score, points, weight, group, cpu, memory].into_iter().flatten().collect(),
        stderr: record.stderr.to_owned(),
        ..TestCase::new(class, &record.case, result)
    };
    if matches!(result, TestResult::Failure | TestResult::Error) {
        let why = format!("{}: {}", record.verdict, record.note);
        let command = record.reproduce.as_ref().map(|command| format!("\nreproduce: {command}"));
        case.description = Some(why.clone() + &command.unwrap_or_default());
        case.kind = Some(record.verdict);
        case.message = Some(why);
    }
    case
}

/// A test group that counts as a whole is a separate test.
fn whole_group(report: &RunReport<'_>, result: &TestGroupResult, solver: usize, class: &str) -> Option<TestCase> {
    let groups = &report.plan.problem.test_groups;
    let group = &groups[result.group];
    let TestGroupRow { accepted, skipped, status, points, blocked_by, .. } = &result.rows[solver];
    if !group.counts_as_a_whole() {
        return None;
    }
    let (test_result, message, kind) = match status {
        TestGroupStatus::Earned => (TestResult::Passed, None, None),
        // Cases that were not run may still be accepted. The record of an unfinished run lacks them.
        TestGroupStatus::Partial | TestGroupStatus::Skipped if accepted + skipped == result.cases => {
            let skipped = if *skipped == 0 { "some".to_owned() } else { format!("{skipped} of {}", result.cases) };
            (TestResult::Skipped, Some(format!("{skipped} cases skipped")), None)
        }
        _ => {
            let accepted = format!("{accepted} of {} cases accepted", result.cases);
            let blocked =
                blocked_by.map(|needed| format!("a case of the group {} failed", one_line(&groups[needed].name)));
            (TestResult::Failure, Some(blocked.unwrap_or(accepted)), Some(status.name()))
        }
    };
    let points = points.as_ref().map(|points| ("points", report.points_text(points)));
    Some(TestCase {
        properties: [("weight", weight_text(&result.weight))].into_iter().chain(points).collect(),
        message,
        kind,
        ..TestCase::new(class, &format!("group {}", group.name), test_result)
    })
}

/// Writes the findings of gates as JUnit XML: a suite for each gate, with a test case for each case of the baseline and
/// one for all of them together. If a gate that is not comparable passes, its complaints are skipped tests.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn gates_junit(report: &GatesReport<'_>, output: &mut dyn Write) -> io::Result<()> {
    let problem = report.gates.first().map_or("", |gate| &gate.record.baseline.problem);
    let gates = if report.gates.len() == 1 { problem } else { "several" };
    let suites = report.gates.iter().map(|gate| gate_suite(report, gate)).collect();
    Page { name: one_line(&format!("judge gate {gates}")).into_owned(), time: None, suites }.write_into(output)
}

fn gate_suite<'a>(all: &GatesReport<'_>, report: &'a GateReport<'_>) -> Suite<'a> {
    let findings = report.findings();
    let is_skipped = all.noise_passes && report.judgement.verdict() == GateVerdict::NotComparable;
    let file = if all.gates.len() > 1 { format!(" ({})", report.file.display()) } else { String::new() };
    let name = one_line(&format!("judge gate {}{file}", report.record.baseline.problem)).into_owned();
    let mut of_cases: HashMap<&str, Vec<&Finding<'_>>> = HashMap::new();
    let mut of_all = Vec::new();
    for finding in &findings {
        finding.case.as_ref().map_or(&mut of_all, |case| of_cases.entry(case).or_default()).push(finding);
    }
    let of_case = |case: &String| of_cases.get(&**case).map_or(&[][..], Vec::as_slice);
    let cases = report.record.baseline.cases.keys().map(|case| gate_case(&name, case, of_case(case), is_skipped));
    let together =
        TestCase { stdout: report.notes().join("\n"), ..gate_case(&name, "all cases together", &of_all, is_skipped) };
    let cases = cases.chain([together]).collect();
    Suite::of(name, cases)
}

fn gate_case(class: &str, name: &str, findings: &[&Finding<'_>], is_skipped: bool) -> TestCase {
    let stderr = findings.iter().filter_map(|finding| Some(&*finding.failure?.stderr));
    let stderr = stderr.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    if findings.is_empty() {
        return TestCase::new(class, name, TestResult::Passed);
    }
    let words: Vec<_> = findings.iter().map(|finding| one_line(&finding.words)).collect();
    let message = Some(words.join("; "));
    if is_skipped {
        return TestCase { message, stderr, ..TestCase::new(class, name, TestResult::Skipped) };
    }
    let commands = findings.iter().filter_map(|finding| finding.command.as_deref());
    let commands: Vec<String> = commands.map(|command| format!("reproduce: {command}")).collect();
    TestCase {
        message,
        kind: Some("gate"),
        description: Some([words.join("\n"), commands.join("\n")].join("\n")),
        stderr,
        ..TestCase::new(class, name, TestResult::Failure)
    }
}

/// Writes the result of sealed cases as JUnit XML: one test for all of them together, because none may be named.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn sealed_junit(report: &SealedReport, output: &mut dyn Write) -> io::Result<()> {
    let name = one_line(&format!("judge {}", report.problem)).into_owned();
    let result = match report {
        SealedReport { faults: 1.., .. } => TestResult::Error,
        SealedReport { failures: 0, holds: None | Some(true), .. } => TestResult::Passed,
        _ => TestResult::Failure,
    };
    let case = TestCase {
        message: Some(report.in_words()),
        stdout: if result == TestResult::Passed { report.in_words() } else { String::new() },
        ..TestCase::new(&name, "all sealed cases together", result)
    };
    Page { name: name.clone(), time: None, suites: vec![Suite::of(name, vec![case])] }.write_into(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quick_junit::Report;

    #[test]
    fn any_text_is_read_again_with_escapes_for_what_xml_forbids() {
        let hostile = "<a b=\"'\">&amp;]]>\u{1b}[1m\0\u{b}\u{fffe}\u{ffff}\r\n\u{202e}é";
        let case = TestCase {
            time: Some(Duration::from_micros(1500)),
            properties: vec![("group", hostile.to_owned())],
            message: Some(hostile.to_owned()),
            kind: Some("wrong-answer"),
            description: Some(hostile.to_owned()),
            stdout: hostile.to_owned(),
            stderr: hostile.to_owned(),
            ..TestCase::new("game.solver", hostile, TestResult::Failure)
        };
        let passed = TestCase::new("game.solver", "c", TestResult::Passed);
        let cases = vec![case, TestCase::new("game.solver", "b", TestResult::Skipped), passed];
        let suites = vec![Suite::of(hostile.to_owned(), cases), Suite::of("empty".to_owned(), Vec::new())];
        let text = Page { name: hostile.to_owned(), time: Some(Duration::from_secs(1)), suites }.render().unwrap();
        let is_allowed = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
        assert!(text.chars().all(is_allowed), "{text:?}");
        let report = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((report.tests, report.failures, report.skipped), (3, 1, 1));
        let case = &report.test_suites[0].test_cases[0];
        assert_eq!(case.time, Some(Duration::from_millis(2)));
        let shown = "<a b=\"'\">&amp;]]>\\x1b[1m\\x00\\x0b\\u{fffe}\\u{ffff}\\r\n\\u{202e}é";
        assert_eq!(case.system_err.as_ref().unwrap().as_str(), shown);
        assert_eq!(report.to_string().unwrap(), text, "its reader writes the same bytes");
    }
}
