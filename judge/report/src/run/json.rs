//! The documents about a run: the whole report, JSON lines, and the parts that the server sends.

use crate::run::record::{CaseRecord, Summary};
use crate::run::report::RunReport;
use crate::text::{Document, json_line};
use judge_problem::{Features, FinishedJob, JobId, Plan, RunId, RunState};
use schemars::JsonSchema;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::io;
use std::io::Write;
use std::sync::Arc;

/// The report of one run of the judge: `judge run --json PATH`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RunDocument<'a> {
    #[serde(flatten)]
    summary: Summary<'a>,
    /// Every solver on every case, case by case; with `--sort` in that order, and with `--top` not all of them.
    #[schemars(with = "Vec<CaseRecord<'a>>")]
    cases: CaseRecords<'a>,
}

/// The records of a run's cases, each created when it is written.
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

impl Document for RunReport<'_> {
    fn record(&self) -> impl Serialize {
        RunDocument { summary: Summary::of(self), cases: CaseRecords(self) }
    }
}

/// One line of the report of a run: `judge run --jsonl PATH`.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum RunLine<'a> {
    /// A case, in the order of finishing, without points.
    Case(Box<CaseRecord<'a>>),
    /// The last line: the run without its cases.
    Summary(Box<Summary<'a>>),
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
        self.write(&RunLine::Case(Box::new(CaseRecord::new(
            plan,
            finished.job,
            Some(&finished.outcome),
            None,
            features,
        ))));
    }

    /// Writes the last line.
    ///
    /// # Errors
    /// When any line could not be written. A closed pipe is no error.
    pub fn close(mut self, report: &RunReport<'_>) -> io::Result<()> {
        self.write(&RunLine::Summary(Box::new(Summary::of(report))));
        self.result.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
    }

    fn write(&mut self, line: &RunLine<'_>) {
        if self.result.is_ok() {
            self.result = json_line(line).map_err(io::Error::from).and_then(|line| {
                self.output.write_all(line.as_bytes())?;
                self.output.flush()
            });
        }
    }
}

/// The data about a run besides its report.
#[derive(Debug)]
pub struct RunHead<'a> {
    /// Its report.
    pub report: &'a RunReport<'a>,
    /// Its number.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// The number of planned cases.
    pub planned: usize,
    /// The names that cases can be filtered and sorted by, in addition to their features.
    pub fields: &'a [String],
    /// The names of the features of its cases.
    pub features: &'a [String],
    /// Whether its answers can be played move by move.
    pub replays: bool,
    /// The mean share of the best score that each solver reached, from 0 to 1; `None` if there are no scores.
    pub relative: &'a [Option<f64>],
}

/// A past run without its cases: `GET /api/runs/{run}`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HeadDocument<'a> {
    /// Its number.
    run: i64,
    /// Its state.
    #[schemars(extend("enum" = RunState::ALL.map(RunState::name)))]
    state: &'static str,
    /// How many cases it has.
    planned: usize,
    /// How many of them at least one solver has finished.
    done: usize,
    /// The fields for filtering and sorting cases, besides their features: `metric:NAME` is a metric.
    fields: &'a [String],
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
    /// Whether its answer is stored.
    pub has_answer: bool,
}

/// A page of the cases of a run.
#[derive(Debug)]
pub struct CasePage<'a> {
    /// The report of the run.
    pub report: &'a RunReport<'a>,
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
pub(crate) struct PageDocument<C> {
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
pub(crate) struct RowRecord<'a> {
    /// The share of the best score of the case, from 0 to 1; of accepted answers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative: Option<f64>,
    /// Whether its answer is stored.
    answer: bool,
    #[serde(flatten)]
    case: CaseRecord<'a>,
}

impl Document for RunHead<'_> {
    fn record(&self) -> impl Serialize {
        let &Self { report, run, state, planned, fields, features, replays, relative } = self;
        let (run, state, done) = (run.0, state.name(), report.plan.cases.len());
        let summary = Summary::of(report);
        HeadDocument { run, state, planned, done, fields, features, replays, relative, summary }
    }
}

impl Document for CasePage<'_> {
    fn record(&self) -> impl Serialize {
        let &Self { run, all, total, offset, .. } = self;
        PageDocument { run: run.0, all, total, offset, rows: PageRows(self) }
    }
}

/// The rows of a page, each created when it is written.
struct PageRows<'a>(&'a CasePage<'a>);

impl Serialize for PageRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let CasePage { report, rows, .. } = self.0;
        let mut records = serializer.serialize_seq(Some(rows.len()))?;
        for row in *rows {
            let outcome = report.outcomes.get(row.job);
            let case = CaseRecord::of_report(report, row.job, outcome.as_ref());
            let case = case.with_features(row.features.as_deref());
            records.serialize_element(&RowRecord { relative: row.relative, answer: row.has_answer, case })?;
        }
        records.end()
    }
}
