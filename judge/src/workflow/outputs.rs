//! The reports of a run: checked before the run, written after it. One that fails does not affect the others.

use super::failure::Failure;
use super::load;
use crate::cli::ReportArgs;
use crate::model::{Features, Finished};
use crate::plan::Plan;
use crate::report::{self, JsonLines, RunReport, Style};
use std::error::Error;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// The variable with which GitHub Actions names the file of the step's summary.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

type Render = fn(&RunReport<'_>) -> Result<Vec<u8>, Box<dyn Error>>;

/// A report that is written at the end.
struct Target<'a> {
    what: &'static str,
    path: &'a Path,
    render: Render,
}

/// Where the reports of a run go.
pub(crate) struct Outputs<'a> {
    args: &'a ReportArgs,
    lines: Option<JsonLines<Box<dyn Write>>>,
}

impl<'a> Outputs<'a> {
    /// Checks whether every report can be written, without changing any file.
    pub(crate) fn check(args: &'a ReportArgs) -> Result<Self, Failure> {
        let mut paths: Vec<(&str, &Path)> = targets(args).map(|target| (target.what, target.path)).collect();
        paths.extend(args.jsonl.iter().map(|path| ("the JSON lines", &**path)));
        for (index, (what, path)) in paths.iter().enumerate() {
            if let Some((other, _)) = paths[..index].iter().find(|(_, other)| other == path) {
                let place = if is_stdout(path) { "standard output".to_owned() } else { path.display().to_string() };
                let error = format!("{other} and {what} cannot both go to {place}");
                return Err(Failure::usage(error).with_hint("give each a file of its own"));
            }
            load::probe(what, path)?;
        }
        Ok(Self { args, lines: None })
    }

    /// Returns whether a report shows the features of the cases.
    pub(crate) fn show_features(&self) -> bool {
        self.args.json.is_some() || self.args.jsonl.is_some() || self.args.csv.is_some()
    }

    /// Returns whether a report replaces the table on standard output.
    pub(crate) fn take_stdout(&self) -> bool {
        targets(self.args).map(|target| target.path).chain(self.args.jsonl.as_deref()).any(is_stdout)
    }

    /// Opens the report that is written during the run.
    pub(crate) fn open(mut self) -> Result<Self, Failure> {
        if let Some(path) = &self.args.jsonl {
            let output: Box<dyn Write> = if is_stdout(path) {
                Box::new(io::stdout())
            } else {
                Box::new(std::fs::File::create(path).map_err(|error| load::unwritable("the JSON lines", path, &error))?)
            };
            self.lines = Some(JsonLines::new(output));
        }
        Ok(self)
    }

    /// Reports a finished job.
    pub(crate) fn finished(&mut self, plan: &Plan, finished: &Finished, features: Option<&Features>) {
        if let Some(lines) = &mut self.lines {
            lines.finished(plan, finished, features);
        }
    }

    /// Prints the table, unless a report goes to standard output, and writes every report. Errors are returned after
    /// all reports were tried.
    pub(crate) fn publish(self, report: &RunReport<'_>, all: bool) -> Result<(), Failure> {
        let stdout_is_taken = self.take_stdout();
        let Self { args, lines } = self;
        let mut failures = Vec::new();
        if !stdout_is_taken {
            let text = report::run_text(report, all, Style::of_stdout());
            failures.extend(report::print(&text).err().map(Failure::usage));
        }
        if let (Some(lines), Some(path)) = (lines, &args.jsonl) {
            let closed = lines.close(report);
            failures.extend(closed.err().map(|error| load::unwritable("the JSON lines", path, &error)));
        }
        failures.extend(targets(args).filter_map(|target| write(&target, report).err()));
        append_step_summary(|| report::run_markdown(report));
        Failure::check_all(failures)
    }
}

fn targets(args: &ReportArgs) -> impl Iterator<Item = Target<'_>> {
    let all: [(_, _, Render); 5] = [
        ("the JSON report", &args.json, |report| Ok(report::run_json(report)?.into_bytes())),
        ("the CSV report", &args.csv, |report| Ok(report::run_csv(report)?)),
        ("the JUnit report", &args.junit, |report| Ok(report::run_junit(report)?.into_bytes())),
        ("the Markdown report", &args.markdown, |report| Ok(report::run_markdown(report).into_bytes())),
        ("the HTML report", &args.html, |report| Ok(report::run_html(report).into_bytes())),
    ];
    all.into_iter().filter_map(|(what, path, render)| Some(Target { what, path: path.as_deref()?, render }))
}

fn write(target: &Target<'_>, report: &RunReport<'_>) -> Result<(), Failure> {
    let bytes =
        (target.render)(report).map_err(|error| Failure::usage(format!("cannot make {}: {error}", target.what)))?;
    load::write(target.what, target.path, &bytes)
}

/// Appends a report to the step's summary of GitHub Actions. It was not requested by name, so an error is only a
/// warning.
pub(crate) fn append_step_summary(markdown: impl FnOnce() -> String) {
    let Some(path) = std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()) else { return };
    if let Err(error) = append(&path, markdown().as_bytes()) {
        report::note(&format!("warning: cannot append to {STEP_SUMMARY} ({}): {error}", path.display()));
    }
}

fn append(path: &OsString, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(path)?.write_all(bytes)
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
