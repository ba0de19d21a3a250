//! Where the report of a run goes: the outputs of any report, and JSON lines that are written during the run.

use super::failure::Failure;
use super::fifo;
use super::load;
use super::outputs::{Outputs, is_stdout};
use judge_cli::ReportArgs;
use judge_problem::plan::Plan;
use judge_problem::{Features, FinishedJob, RunEvent};
use judge_report::{Format, JsonLines, RunReport};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Where the report of a run goes.
pub struct RunOutputs<'a> {
    outputs: Outputs<'a>,
    lines_path: Option<&'a Path>,
    lines: Option<JsonLines<Box<dyn Write>>>,
    show_features: bool,
}

impl<'a> RunOutputs<'a> {
    /// Checks whether every requested format can be written, without changing any file.
    pub fn check(args: &'a ReportArgs) -> Result<Self, Failure> {
        let mut outputs = Outputs::check::<RunReport<'_>>(args)?;
        let show_features = outputs.has_any(&[Format::Json, Format::JsonLines, Format::Csv, Format::Html]);
        Ok(Self { lines_path: outputs.take(Format::JsonLines), outputs, lines: None, show_features })
    }

    /// Returns whether a format shows the features of the cases.
    pub fn show_features(&self) -> bool {
        self.show_features
    }

    /// Returns whether a format replaces the table on standard output.
    pub fn take_stdout(&self) -> bool {
        self.outputs.take_stdout()
    }

    /// Opens the lines that are written during the run.
    pub fn open(mut self) -> Result<Self, Failure> {
        if let Some(path) = self.lines_path {
            let output: Box<dyn Write> = if is_stdout(path) {
                Box::new(io::stdout())
            } else {
                Box::new(fifo::create(path).map_err(|error| load::unwritable(Format::JsonLines.name(), path, &error))?)
            };
            self.lines = Some(JsonLines::new(output));
        }
        Ok(self)
    }

    /// Reports a job of a running plan, once it is finished.
    pub fn watch(&mut self, plan: &Plan, event: &RunEvent, features: &[Option<Arc<Features>>]) {
        if let RunEvent::Finished(finished) = event {
            self.finished(plan, finished, features[finished.job.case].as_deref());
        }
    }

    /// Reports a finished job.
    pub(crate) fn finished(&mut self, plan: &Plan, finished: &FinishedJob, features: Option<&Features>) {
        if let Some(lines) = &mut self.lines {
            lines.finished(plan, finished, features);
        }
    }

    /// Prints the table, unless a format goes to standard output, and writes every format. Errors are returned after all
    /// were tried.
    pub fn publish(self, report: &RunReport<'_>) -> Result<(), Failure> {
        let closed = self.lines.map_or(Ok(()), |lines| lines.close(report)).err().zip(self.lines_path);
        let closed = closed.map(|(error, path)| load::unwritable(Format::JsonLines.name(), path, &error));
        Failure::check_all(closed.into_iter().chain(self.outputs.try_all(report)))
    }
}
