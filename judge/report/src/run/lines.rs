//! The report of a run as JSON lines: one for each case as soon as it is finished, then a summary.

use super::record::CaseRecord;
use super::report::RunReport;
use super::run_record::Summary;
use crate::text::json_text;
use crate::text::json_value::schema_of;
use judge_problem::plan::Plan;
use judge_problem::{Features, FinishedJob};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use std::io::{self, Write};

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
            self.result = json_text::line(line).map_err(io::Error::from).and_then(|line| {
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
