//! The documents about a run: the whole report, JSON lines, and the parts that the server sends.

use crate::run::record::{CaseRecord, Summary};
use crate::run::report::RunReport;
use crate::text::json;
use crate::text::json::{Each, schema_of};
use judge_problem::plan::Plan;
use judge_problem::{Features, FinishedJob, JobId, Outcome, RunId, RunState};
use schemars::{JsonSchema, Schema};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::io;
use std::io::Write;
use std::sync::Arc;

/// The report of one run of the judge: `judge run --json PATH`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge run --json")]
struct Document<'a> {
    #[serde(flatten)]
    summary: Summary<'a>,
    /// Every solver on every case, case by case; with `--sort` in that order, and with `--top` not all of them.
    #[schemars(with = "Vec<CaseRecord<'a>>")]
    cases: CaseRecords<'a>,
}

/// The records of a run's cases, each made when it is written.
struct CaseRecords<'a>(&'a RunReport<'a>);

impl Serialize for CaseRecords<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut records = serializer.serialize_seq(None)?;
        for (job, outcome) in self.0.chosen_jobs() {
            records.serialize_element(&CaseRecord::of_report(self.0, job, outcome.as_ref()))?;
        }
        records.end()
    }
}

/// Writes the report of a run as one JSON document, with a final newline.
///
/// # Errors
/// When it cannot be written there.
pub(crate) fn run_json(report: &RunReport<'_>, output: &mut dyn Write) -> serde_json::Result<()> {
    let document = Document { summary: Summary::of(report), cases: CaseRecords(report) };
    json::write_document(&document, output)
}

/// Returns the JSON schema of `judge run --json`.
#[must_use]
pub fn run_schema() -> Schema {
    schema_of::<Document<'static>>()
}

/// One line of the report of a run: `judge run --jsonl PATH`.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[schemars(title = "judge run --jsonl")]
enum Line<'a> {
    /// A case, in the order of finishing, without points.
    Case(CaseRecord<'a>),
    /// The last line: the run without its cases.
    Summary(Summary<'a>),
}

/// Writes the lines of a run. After an error no more lines are written, and the error is kept.
pub struct JsonLines<W> {
    output: W,
    result: io::Result<()>,
}

impl<W: Write> JsonLines<W> {
    /// Writes to this output, a line at a time.
    pub fn new(output: W) -> Self {
        Self { output, result: Ok(()) }
    }

    /// Writes the line of a finished job.
    pub fn finished(&mut self, plan: &Plan, finished: &FinishedJob, features: Option<&Features>) {
        self.write(&Line::Case(CaseRecord::new(plan, finished.job, Some(&finished.outcome), None, features)));
    }

    /// Writes the last line.
    ///
    /// # Errors
    /// When any line could not be written. A closed pipe is no error.
    pub fn close(mut self, report: &RunReport<'_>) -> io::Result<()> {
        self.write(&Line::Summary(Summary::of(report)));
        self.result.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
    }

    fn write(&mut self, line: &Line<'_>) {
        if self.result.is_ok() {
            self.result = json::line(line).map_err(io::Error::from).and_then(|line| {
                self.output.write_all(line.as_bytes())?;
                self.output.flush()
            });
        }
    }
}

/// Returns the JSON schema of the lines.
#[must_use]
pub fn lines_schema() -> Schema {
    schema_of::<Line<'static>>()
}

/// What a run has beside its report.
#[derive(Debug)]
pub struct RunHead<'a> {
    /// Its number.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// The number of planned cases.
    pub planned: usize,
    /// What cases are filtered and sorted by, beside their features.
    pub fields: &'a [&'a str],
    /// The names of the features of its cases.
    pub features: &'a [String],
    /// Whether its answers can be played move by move.
    pub replays: bool,
    /// The mean share of the best score that each solver reached, from 0 to 1; `None` where there are no scores.
    pub relative: &'a [Option<f64>],
}

/// A past run without its cases: `GET /api/runs/{run}`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "GET /api/runs/{run}")]
struct HeadDocument<'a> {
    /// Its number.
    run: i64,
    /// Its state.
    #[schemars(extend("enum" = RunState::ALL.map(RunState::name)))]
    state: &'static str,
    /// How many cases it has.
    planned: usize,
    /// How many of them at least one solver has finished.
    done: usize,
    /// What cases are filtered and sorted by, beside their features.
    fields: &'a [&'a str],
    /// The names of the features of its cases; empty if their inputs are not read here.
    features: &'a [String],
    /// Whether its answers can be played move by move, at `/replay/{run}/{case}`.
    replays: bool,
    /// For each solver the mean share of the best score of a case, from 0 to 1; failures count 0.
    relative: &'a [Option<f64>],
    #[serde(flatten)]
    summary: Summary<'a>,
}

/// A solver on a case, in a page of them.
#[derive(Debug, Clone)]
pub struct CaseRow {
    /// Which job.
    pub job: JobId,
    /// Its share of the best score of the case, from 0 to 1.
    pub relative: Option<f64>,
    /// The features of the case, if they are known.
    pub features: Option<Arc<Features>>,
}

/// A page of the cases of a run.
#[derive(Debug)]
pub struct CasePage<'a> {
    /// The run.
    pub run: RunId,
    /// How many rows there are.
    pub all: usize,
    /// How many of them the filter lets through.
    pub total: usize,
    /// How many of those are before this page.
    pub offset: usize,
    /// The rows.
    pub rows: &'a [CaseRow],
}

/// A page of the cases of a run: `GET /api/runs/{run}/cases`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "GET /api/runs/{run}/cases")]
struct PageDocument<C> {
    /// The run's number.
    run: i64,
    /// How many rows there are: one for each solver on each case.
    all: usize,
    /// How many of them the filter lets through.
    total: usize,
    /// How many of those are before this page.
    offset: usize,
    /// The rows.
    rows: C,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "row")]
struct RowRecord<'a> {
    /// The share of the best score of the case, from 0 to 1; of accepted answers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative: Option<f64>,
    #[serde(flatten)]
    case: CaseRecord<'a>,
}

/// Returns a run without its cases as one JSON document.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn run_head_json(report: &RunReport<'_>, head: &RunHead<'_>) -> serde_json::Result<String> {
    let &RunHead { run, state, planned, fields, features, replays, relative } = head;
    let (run, state, done) = (run.0, state.name(), report.plan.cases.len());
    let summary = Summary::of(report);
    json::line(&HeadDocument { run, state, planned, done, fields, features, replays, relative, summary })
}

/// Returns the JSON schema of [`run_head_json`]'s documents.
#[must_use]
pub fn run_head_schema() -> Schema {
    schema_of::<HeadDocument<'static>>()
}

/// Returns a page of the cases of a run as one JSON document.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn case_page_json(report: &RunReport<'_>, page: &CasePage<'_>) -> serde_json::Result<String> {
    let outcomes: Vec<_> = page.rows.iter().map(|row| report.outcomes.get(row.job)).collect();
    let record = |(row, outcome)| record(report, row, outcome);
    let rows = Each(|| page.rows.iter().zip(outcomes.iter().map(Option::as_ref)).map(record));
    json::line(&PageDocument { run: page.run.0, all: page.all, total: page.total, offset: page.offset, rows })
}

/// Returns the JSON schema of [`case_page_json`]'s documents.
#[must_use]
pub fn case_page_schema() -> Schema {
    schema_of::<PageDocument<Vec<RowRecord<'static>>>>()
}

fn record<'a>(report: &'a RunReport<'_>, row: &'a CaseRow, outcome: Option<&'a Outcome>) -> RowRecord<'a> {
    let case = CaseRecord::of_report(report, row.job, outcome);
    RowRecord { relative: row.relative, case: case.with_features(row.features.as_deref()) }
}
