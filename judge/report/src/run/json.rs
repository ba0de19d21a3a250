//! The documents about a run: the whole report, JSON lines, and the parts that the server sends.

use crate::run::record::{CaseRecord, Summary};
use crate::run::report::RunReport;
use crate::text::{Document, exact_numbers, json_line};
use judge_problem::{Features, FinishedJob, JobId, Plan, RunState};
use schemars::JsonSchema;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::io::{self, Write};
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
pub(crate) struct CaseRecords<'a>(pub(crate) &'a RunReport<'a>);

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

/// A past run without its cases: `GET /api/runs/{run}`.
#[derive(Serialize, JsonSchema)]
pub struct RunHead<'a> {
    /// Its number.
    pub run: i64,
    /// Its state.
    #[schemars(extend("enum" = RunState::ALL.map(RunState::name)))]
    pub state: &'static str,
    /// How many cases it has.
    pub planned: usize,
    /// How many of them at least one solver has finished.
    pub done: usize,
    /// The fields for filtering and sorting cases, besides their features: `metric:NAME` is a metric.
    pub fields: Vec<String>,
    /// The names of the features of its cases; empty if their inputs are not read here.
    pub features: Vec<String>,
    /// Whether its answers can be played move by move, at `/replay/{run}/{case}`.
    pub replays: bool,
    /// For each solver the mean share of the best score of a case, from 0 to 1; failures count 0.
    pub relative: Vec<Option<f64>>,
    /// Whether a total is another than at its end, which the list of runs shows: the scoring has changed since.
    pub rescored: bool,
    /// Its report without the cases.
    #[serde(flatten)]
    pub summary: Summary<'a>,
}

/// A page of the cases of a run: `GET /api/runs/{run}/cases`.
#[derive(Serialize, JsonSchema)]
pub struct CasePage<'a> {
    /// The run's number.
    pub run: i64,
    /// How many rows there are: one for each solver on each case.
    pub all: usize,
    /// How many of them the filter lets through.
    pub total: usize,
    /// How many of those are before this page.
    pub offset: usize,
    /// The rows.
    #[schemars(with = "Vec<RowRecord<'a>>")]
    pub rows: Vec<CaseRow<'a>>,
}

/// A solver on a case, in a page of them. Its record is created when it is written.
#[derive(Debug, Clone)]
pub struct CaseRow<'a> {
    /// The report of the run.
    pub report: &'a RunReport<'a>,
    /// Which job.
    pub job: JobId,
    /// Its share of the best score of the case, from 0 to 1.
    pub relative: Option<f64>,
    /// The features of the case, if they are known.
    pub features: Option<Arc<Features>>,
    /// Whether its answer is stored.
    pub has_answer: bool,
}

#[derive(Serialize, JsonSchema)]
struct RowRecord<'a> {
    /// The share of the best score of the case, from 0 to 1; of accepted answers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative: Option<f64>,
    /// Whether its answer is stored.
    answer: bool,
    #[serde(flatten)]
    case: CaseRecord<'a>,
}

impl Serialize for CaseRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outcome = self.report.outcomes.get(self.job);
        let mut case = CaseRecord::of_report(self.report, self.job, outcome.as_ref());
        case.features = self.features.as_deref().map(exact_numbers);
        RowRecord { relative: self.relative, answer: self.has_answer, case }.serialize(serializer)
    }
}
