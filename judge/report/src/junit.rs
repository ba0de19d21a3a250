//! The reports of runs and gates as JUnit XML, which CI services show. Test cases are written one by one.

use crate::gate::report::{Finding, GateReport, GatesReport};
use crate::run::record::CaseRecord;
use crate::run::report::RunReport;
use crate::sealed::SealedReport;
use crate::text::{points_text, verdict_of};
use judge_compare::gate::GateVerdict;
use judge_problem::scoring::{TestGroupResult, TestGroupRow, TestGroupStatus};
use judge_problem::{Verdict, one_line, visible};
use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::{ElementWriter, Writer};
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
}

/// A test case, with its result in words.
#[derive(Debug, Default)]
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
}

/// How many tests have which result.
type Counts = [usize; 4];

/// Counts results.
fn counted(results: impl Iterator<Item = TestResult>) -> Counts {
    let mut counts = Counts::default();
    results.for_each(|result| counts[result as usize] += 1);
    counts
}

/// Returns how many results all suites have together.
fn together<'a>(suites: impl Iterator<Item = &'a SuiteHead>) -> Counts {
    suites.fold(Counts::default(), |sum, suite| std::array::from_fn(|place| sum[place] + suite.counts[place]))
}

/// Returns the number of all tests, and of those with each of these results.
fn numbers<'a>(counts: Counts, named: [(&'static str, TestResult); 3]) -> impl Iterator<Item = Attribute<'a>> {
    let named = named.map(|(name, result)| (name, counts[result as usize]));
    let all = std::iter::once(("tests", counts.iter().sum()));
    all.chain(named).map(|(name, count)| (name, count.to_string().into()))
}

/// A suite without its test cases.
#[derive(Debug)]
struct SuiteHead {
    name: String,
    counts: Counts,
    time: Option<Duration>,
    properties: Vec<(&'static str, String)>,
}

/// The name and the value of an attribute.
type Attribute<'a> = (&'static str, Cow<'a, str>);

const SKIPPED: (&str, TestResult) = ("skipped", TestResult::Skipped);
const FAILURES: (&str, TestResult) = ("failures", TestResult::Failure);
const ERRORS: (&str, TestResult) = ("errors", TestResult::Error);

/// Writes to an output, element by element.
type XmlWriter<'a> = Writer<&'a mut dyn Write>;

/// Writes a document of these suites.
fn write_document(
    output: &mut dyn Write,
    name: &str,
    counts: Counts,
    time: Option<Duration>,
    suites: impl FnOnce(&mut XmlWriter<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(output, b' ', 4);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let counts = numbers(counts, [SKIPPED, FAILURES, ERRORS]);
    element(&mut xml, "testsuites", [("name", name.into())].into_iter().chain(counts).chain(seconds(time)))
        .write_inner_content(suites)?;
    xml.write_indent()
}

fn write_suite(xml: &mut XmlWriter<'_>, head: &SuiteHead, cases: impl Iterator<Item = TestCase>) -> io::Result<()> {
    let counts = numbers(head.counts, [SKIPPED, ERRORS, FAILURES]);
    let name = ("name", Cow::from(&head.name));
    let suite = element(xml, "testsuite", [name].into_iter().chain(counts).chain(seconds(head.time)));
    let mut cases = cases.peekable();
    if head.properties.is_empty() && cases.peek().is_none() {
        return suite.write_empty().map(drop);
    }
    let content = suite.write_inner_content(|xml| {
        write_properties(xml, &head.properties)?;
        cases.try_for_each(|case| write_case(xml, &case))
    });
    content.map(drop)
}

fn write_case(xml: &mut XmlWriter<'_>, case: &TestCase) -> io::Result<()> {
    let names = [("name", Cow::from(&case.name)), ("classname", Cow::from(&case.class))];
    let element = element(xml, "testcase", names.into_iter().chain(seconds(case.time)));
    let is_empty = case.result == TestResult::Passed
        && case.properties.is_empty()
        && case.stdout.is_empty()
        && case.stderr.is_empty();
    if is_empty {
        return element.write_empty().map(drop);
    }
    let content = element.write_inner_content(|xml| {
        write_properties(xml, &case.properties)?;
        match case.result {
            TestResult::Passed => {}
            TestResult::Skipped => write_result(xml, "skipped", case)?,
            TestResult::Failure => write_result(xml, "failure", case)?,
            TestResult::Error => write_result(xml, "error", case)?,
        }
        for (name, text) in [("system-out", &case.stdout), ("system-err", &case.stderr)] {
            if !text.is_empty() {
                xml.create_element(name).write_text_content(BytesText::new(&xml_text(text)))?;
            }
        }
        Ok(())
    });
    content.map(drop)
}

fn write_properties(xml: &mut XmlWriter<'_>, properties: &[(&str, String)]) -> io::Result<()> {
    if properties.is_empty() {
        return Ok(());
    }
    let content = xml.create_element("properties").write_inner_content(|xml| {
        properties.iter().try_for_each(|(name, value)| {
            element(xml, "property", [("name", (*name).into()), ("value", value.into())]).write_empty().map(drop)
        })
    });
    content.map(drop)
}

fn write_result(xml: &mut XmlWriter<'_>, name: &'static str, case: &TestCase) -> io::Result<()> {
    let message = case.message.as_ref().map(|message| ("message", message.into()));
    let kind = case.kind.map(|kind| ("type", kind.into()));
    let result = element(xml, name, message.into_iter().chain(kind));
    let written = match &case.description {
        Some(description) => result.write_text_content(BytesText::new(&xml_text(description))),
        None => result.write_empty(),
    };
    written.map(drop)
}

fn element<'w, 'o, 'a>(
    xml: &'w mut XmlWriter<'o>,
    name: &'static str,
    attributes: impl IntoIterator<Item = Attribute<'a>>,
) -> ElementWriter<'w, &'o mut dyn Write> {
    attributes
        .into_iter()
        .fold(xml.create_element(name), |element, (name, value)| element.with_attribute((name, &*xml_text(&value))))
}

fn seconds<'a>(time: Option<Duration>) -> Option<Attribute<'a>> {
    time.map(|time| ("time", format!("{:.3}", time.as_secs_f64()).into()))
}

/// Returns a text in which characters that XML 1.0 does not allow, such as U+001B and U+FFFE, are escaped.
fn xml_text(text: &str) -> Cow<'_, str> {
    let text = visible(text);
    if text.contains(['\u{fffe}', '\u{ffff}']) {
        return Cow::Owned(text.replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}"));
    }
    text
}

/// Writes the report of a run as JUnit XML: a suite for each solver, a test case for each case.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn run_junit(report: &RunReport<'_>, output: &mut dyn Write) -> io::Result<()> {
    let heads: Vec<SuiteHead> = (0..report.plan.solvers.len()).map(|solver| suite_head(report, solver)).collect();
    let counts = together(heads.iter());
    let name = format!("judge {}", report.plan.problem.id);
    write_document(output, &name, counts, Some(report.elapsed), |xml| {
        let mut heads = heads.iter().enumerate();
        heads.try_for_each(|(solver, head)| write_suite(xml, head, test_cases(report, solver)))
    })
}

/// The test cases of a solver: its cases in the order of the report, and the test groups that count as a whole.
fn test_cases(report: &RunReport<'_>, solver: usize) -> impl Iterator<Item = TestCase> {
    let class = class(report, solver);
    let groups: Vec<TestCase> =
        report.scored.test_groups.iter().filter_map(|result| whole_group(report, result, solver, &class)).collect();
    let jobs = report.ordered_jobs().filter(move |(job, _)| job.solver == solver);
    let cases =
        jobs.map(move |(job, outcome)| test_case(&class, &CaseRecord::of_report(report, job, outcome.as_ref())));
    cases.chain(groups)
}

fn class(report: &RunReport<'_>, solver: usize) -> String {
    one_line(&format!("{}.{}", report.plan.problem.id, report.plan.solvers[solver].spec.name)).into_owned()
}

fn suite_head(report: &RunReport<'_>, solver: usize) -> SuiteHead {
    let name = class(report, solver);
    let of_cases = report.outcomes.of_solver(solver).map(|outcome| TestResult::of(verdict_of(outcome)));
    let groups = report.scored.test_groups.iter().filter_map(|result| whole_group(report, result, solver, &name));
    SuiteHead {
        counts: counted(of_cases.chain(groups.map(|group| group.result))),
        time: Some(report.outcomes.of_solver(solver).filter_map(|outcome| outcome?.wall).sum()),
        properties: report.message.iter().map(|message| ("message", one_line(message).into_owned())).collect(),
        name,
    }
}

fn test_case(class: &str, record: &CaseRecord<'_>) -> TestCase {
    let verdict = Verdict::from_name(record.verdict).unwrap_or(Verdict::JudgeError);
    let result = TestResult::of(verdict);
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
        // Cases that were not run may still be accepted.
        TestGroupStatus::Partial | TestGroupStatus::Skipped if accepted + skipped == result.cases => {
            (TestResult::Skipped, Some(format!("{skipped} of {} cases skipped", result.cases)), None)
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
        properties: [("weight", points_text(&result.weight))].into_iter().chain(points).collect(),
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
    let suites: Vec<(SuiteHead, Vec<TestCase>)> = report.gates.iter().map(|gate| gate_suite(report, gate)).collect();
    let counts = together(suites.iter().map(|(head, _)| head));
    write_document(output, &one_line(&format!("judge gate {gates}")), counts, None, |xml| {
        suites.into_iter().try_for_each(|(head, cases)| write_suite(xml, &head, cases.into_iter()))
    })
}

fn gate_suite(all: &GatesReport<'_>, report: &GateReport<'_>) -> (SuiteHead, Vec<TestCase>) {
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
    let cases: Vec<TestCase> = cases.chain([together]).collect();
    let counts = counted(cases.iter().map(|case| case.result));
    (SuiteHead { name, counts, time: None, properties: Vec::new() }, cases)
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
        message: Some(report.said()),
        stdout: if result == TestResult::Passed { report.said() } else { String::new() },
        ..TestCase::new(&name, "all sealed cases together", result)
    };
    let counts = counted([result].into_iter());
    let head = SuiteHead { name: name.clone(), counts, time: None, properties: Vec::new() };
    write_document(output, &name, counts, None, |xml| write_suite(xml, &head, [case].into_iter()))
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
        let counts = counted([TestResult::Failure, TestResult::Skipped].into_iter());
        let head = SuiteHead { name: hostile.to_owned(), counts, time: None, properties: Vec::new() };
        let mut bytes = Vec::new();
        let cases = [case, TestCase::new("game.solver", "b", TestResult::Skipped)];
        write_document(&mut bytes, hostile, counts, None, |xml| write_suite(xml, &head, cases.into_iter())).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let is_allowed = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
        assert!(text.chars().all(is_allowed), "{text:?}");
        let report = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((report.tests, report.failures, report.skipped), (2, 1, 1));
        let case = &report.test_suites[0].test_cases[0];
        assert_eq!(case.time, Some(Duration::from_millis(2)));
        let shown = "<a b=\"'\">&amp;]]>\\x1b[1m\\x00\\x0b\\u{fffe}\\u{ffff}\\r\n\\u{202e}é";
        assert_eq!(case.system_err.as_ref().unwrap().as_str(), shown);
        assert_eq!(report.to_string().unwrap(), text, "its reader writes the same bytes");
    }
}
