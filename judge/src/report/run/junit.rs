//! The report of a run as JUnit XML, which CI services show: a suite for each solver, a test case for each case.

use super::record::CaseRecord;
use super::report::RunReport;
use crate::model::{Verdict, one_line, visible};
use crate::report::text::figures::points_text;
use crate::scoring::{TestGroupResult, TestGroupRow, TestGroupStatus};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// Returns the report of a run as JUnit XML.
///
/// # Errors
/// Never: characters that XML does not have are escaped.
pub(in crate::report) fn run_junit(report: &RunReport<'_>) -> Result<String, SerializeError> {
    let mut document = Report::new(format!("judge {}", report.plan.problem.id));
    document.set_time(report.elapsed);
    for (solver, entry) in report.plan.solvers.iter().enumerate() {
        let class = one_line(&format!("{}.{}", report.plan.problem.id, entry.spec.name)).into_owned();
        let jobs = report.jobs().filter(|(job, _)| job.solver == solver);
        let records = jobs.map(|(job, outcome)| CaseRecord::of_report(report, job, outcome));
        let mut suite = TestSuite::new(&class);
        if let Some(message) = report.message {
            suite.add_property(("message", &*one_line(message)));
        }
        suite.set_time(report.of_solver(solver).filter_map(|outcome| outcome?.wall).sum());
        suite.add_test_cases(records.map(|record| test_case(&class, &record)));
        suite.add_test_cases(
            report.test_groups.iter().filter_map(|result| all_or_nothing(report, result, solver, &class)),
        );
        document.add_test_suite(suite);
    }
    document.to_string()
}

fn test_case(class: &str, record: &CaseRecord<'_>) -> TestCase {
    let mut case = TestCase::new(&*one_line(record.case), status(record));
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

/// A test group that is all or nothing is a test of its own.
fn all_or_nothing(report: &RunReport<'_>, result: &TestGroupResult, solver: usize, class: &str) -> Option<TestCase> {
    let group = &report.plan.problem.test_groups[result.group];
    let TestGroupRow { accepted, skipped, status, points } = &result.rows[solver];
    if !group.all_or_nothing {
        return None;
    }
    let status = match status {
        TestGroupStatus::Earned => TestCaseStatus::success(),
        // Without a failure, an all-or-nothing group is partial only because of skipped cases.
        TestGroupStatus::Partial | TestGroupStatus::Skipped => {
            let mut undecided = TestCaseStatus::skipped();
            undecided.set_message(format!("{skipped} of {} cases skipped", result.cases));
            undecided
        }
        TestGroupStatus::Failed => {
            let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
            failed.set_type(status.name()).set_message(format!("{accepted} of {} cases accepted", result.cases));
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

fn status(record: &CaseRecord<'_>) -> TestCaseStatus {
    let kind = match Verdict::from_name(record.verdict) {
        Some(Verdict::Accepted) => return TestCaseStatus::success(),
        Some(Verdict::Skipped) => return TestCaseStatus::skipped(),
        Some(Verdict::JudgeError) => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    let mut status = TestCaseStatus::non_success(kind);
    let why = format!("{}: {}", record.verdict, visible(record.note));
    status.set_description(format!("{why}\nreproduce: {}", record.reproduce));
    status.set_type(record.verdict).set_message(why);
    status
}
