//! The report of a run as JUnit XML, which CI services show: a suite for each solver, a test case for each case.

use super::RunReport;
use super::record::CaseRecord;
use crate::model::Verdict;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// Returns the report of a run as JUnit XML.
///
/// # Errors
/// Never: characters that XML does not have are left out.
pub fn run_junit(report: &RunReport<'_>) -> Result<String, SerializeError> {
    let mut document = Report::new(format!("judge {}", report.plan.problem.id));
    document.set_time(report.elapsed);
    for (solver, entry) in report.plan.solvers.iter().enumerate() {
        let class = format!("{}.{}", report.plan.problem.id, entry.spec.name);
        let jobs = report.jobs().filter(|(job, _)| job.solver == solver);
        let records = jobs.map(|(job, outcome)| CaseRecord::of_report(report, job, outcome));
        let mut suite = TestSuite::new(&class);
        suite.set_time(report.of_solver(solver).filter_map(|outcome| outcome?.wall).sum());
        suite.add_test_cases(records.map(|record| test_case(&class, &record)));
        document.add_test_suite(suite);
    }
    document.to_string()
}

fn test_case(class: &str, record: &CaseRecord<'_>) -> TestCase {
    let mut case = TestCase::new(record.case, status(record));
    case.set_classname(class);
    if let Some(wall) = record.wall_ms {
        case.set_time(Duration::from_secs_f64(wall / 1e3));
    }
    let score = record.score.as_ref().map(|score| ("score", score.to_string()));
    let points = record.points.as_ref().map(|points| ("points", points.to_string()));
    let cpu = record.cpu_ms.map(|cpu| ("cpu_ms", cpu.to_string()));
    let memory = record.memory_bytes.map(|memory| ("memory_bytes", memory.to_string()));
    for (name, value) in [score, points, cpu, memory].into_iter().flatten() {
        case.add_property((name, &*value));
    }
    if !record.stderr.is_empty() {
        case.set_system_err(record.stderr);
    }
    case
}

fn status(record: &CaseRecord<'_>) -> TestCaseStatus {
    let kind = match Verdict::from_name(record.verdict) {
        Some(Verdict::Accepted) => return TestCaseStatus::success(),
        Some(Verdict::Skipped) => return TestCaseStatus::skipped(),
        Some(Verdict::JudgeError) => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(record.verdict).set_message(format!("{}: {}", record.verdict, record.note));
    status.set_description(format!("{}: {}\nreproduce: {}", record.verdict, record.note, record.reproduce));
    status
}
