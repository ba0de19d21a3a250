//! The targets of reports: files that are checked before a command starts, and written at its end. A failure of one
//! does not affect the others.

use crate::load::is_stdout;
use crate::{Failure, Result, command_line, load};
use judge_cli::ReportArgs;
use judge_journal::this_machine;
use judge_problem::{Features, FinishedJob, Plan, Problem, Provenance, RunEvent, built_in_languages, iso_utc};
use judge_report::{Document, Format, JsonLines, Missing, Pareto, Report, RunReport, Style};
use judge_run::matching::real_place;
use std::ffi::OsStr;
use std::fs::{Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The variable with which GitHub Actions names the file of the step's summary.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// The targets of a report besides standard output.
pub struct Outputs<'a> {
    targets: Vec<(Format, &'a Path)>,
    /// Whether a format replaces the text on standard output.
    pub stdout_is_taken: bool,
}

impl<'a> Outputs<'a> {
    /// Checks whether the report has every requested format and each can be written, without changing any file.
    pub fn check<R: Report>(args: &'a ReportArgs) -> Result<Self> {
        let targets = args.targets();
        for (format, _) in &targets {
            if let Some(Missing { why, hint }) = R::missing(*format) {
                let error = format!("{} of {} does not exist: {why}", format.name(), R::NAME);
                return Err(Failure::usage(error).with_hint(hint));
            }
        }
        refuse_two_in_one(targets.iter().map(|(format, path)| (format.name(), *path)))?;
        targets.iter().try_for_each(|(format, path)| probe(format.name(), Some(path)))?;
        let stdout_is_taken = targets.iter().any(|(_, path)| is_stdout(path));
        Ok(Self { targets, stdout_is_taken })
    }

    /// Prints the text, unless a format goes to standard output, and writes every format. Errors are returned after all
    /// were tried.
    pub fn publish(&self, report: &impl Report) -> Result<()> {
        Failure::check_all(self.try_all(report))
    }

    /// Publishes a report, and returns the errors.
    pub(super) fn try_all(&self, report: &impl Report) -> Vec<Failure> {
        let mut failures = Vec::new();
        if !self.stdout_is_taken {
            failures.extend(judge_report::print(&report.text(Style::of_stdout())).err().map(Failure::from));
        }
        failures.extend(self.targets.iter().filter_map(|&(format, path)| write(report, format, path).err()));
        append_step_summary(report);
        failures
    }
}

fn write(report: &impl Report, format: Format, path: &Path) -> Result<()> {
    let what = format.name();
    let lacking = || Err(io::Error::other(format!("this report lacks {what}")));
    load::write_with(what, path, |output| report.write(format, output).unwrap_or_else(lacking))
}

/// Appends a report to the step summary of GitHub Actions. The user did not request it explicitly, so an error is only
/// a warning.
fn append_step_summary(report: &impl Report) {
    let Some(path) = std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()) else { return };
    let Some(markdown) = report.markdown() else { return };
    let file = OpenOptions::new().append(true).create(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(markdown.as_bytes())) {
        judge_report::note(&format!("warning: cannot append to {STEP_SUMMARY} ({}): {error}", path.display()));
    }
}

/// Checks whether an output can be written, if one is named, without changing it.
///
/// # Errors
/// When it cannot, or would replace a catalogue, a baseline or the source of a program.
pub fn probe(what: &str, path: Option<&Path>) -> Result<()> {
    path.map_or(Ok(()), |path| refuse_source(what, path))?;
    load::probe(what, path)
}

/// Checks that no output replaces an input. A file has one number under all its names.
///
/// # Errors
/// An output is an input: it would replace the file that it is made from.
pub fn refuse_input_as_output<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let identity = |path: &Path| path.metadata().ok().filter(Metadata::is_file).map(|meta| (meta.dev(), meta.ino()));
    let inputs: Vec<_> = inputs.into_iter().filter_map(identity).collect();
    let is_input = |output: &&Path| identity(output).is_some_and(|output| inputs.contains(&output));
    match outputs.into_iter().find(is_input) {
        None => Ok(()),
        Some(output) => {
            Err(Failure::usage(format!("{} is read by this command, and cannot be an output", output.display()))
                .with_hint("name another file for the output"))
        }
    }
}

/// Returns the files that a solver's text may name: a program, or a word of a command, with or without its name.
pub fn files_of_solver(text: &str) -> Vec<PathBuf> {
    let words = shell_words::split(text).unwrap_or_default();
    let paths = words.iter().map(String::as_str).chain([text]);
    paths.flat_map(|word| [word, word.split_once('=').map_or("", |(_, path)| path)]).map(PathBuf::from).collect()
}

/// Fails if a report would replace a file whose name ends like the name of a catalogue, a baseline or a solver.
fn refuse_source(what: &str, path: &Path) -> Result<()> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_source = ending == "toml" || built_in_languages().with_extension(ending).next().is_some();
    if !is_source || !path.is_file() {
        return Ok(());
    }
    let error = format!("{what} would replace {}: files that end in .{ending} are no reports", path.display());
    Err(Failure::usage(error).with_hint("give the report another name"))
}

/// Checks that no two of these named outputs go to one file.
///
/// # Errors
/// Two do: the second would overwrite the first.
pub fn refuse_two_in_one<'a>(outputs: impl IntoIterator<Item = (&'a str, &'a Path)>) -> Result<()> {
    let mut seen: Vec<(&str, Target)> = Vec::new();
    for (what, path) in outputs {
        let target = Target::of(path);
        if let Some((other, _)) = seen.iter().find(|(_, other)| *other == target) {
            let place = if is_stdout(path) { "standard output".to_owned() } else { path.display().to_string() };
            let error = format!("{other} and {what} cannot both go to {place}");
            return Err(Failure::usage(error).with_hint("give each a file of its own"));
        }
        seen.push((what, target));
    }
    Ok(())
}

/// A file that is written: by its number, which all links to it share, or by its path if it does not exist.
#[derive(PartialEq, Eq)]
enum Target {
    Existing(u64, u64),
    New(PathBuf),
}

impl Target {
    fn of(path: &Path) -> Self {
        match path.metadata() {
            _ if is_stdout(path) => Self::New("-".into()),
            Ok(meta) => Self::Existing(meta.dev(), meta.ino()),
            Err(_) => Self::New(real_place(path)),
        }
    }
}

/// The targets of a run's report.
pub struct RunOutputs<'a> {
    /// The formats that are written at the end.
    pub outputs: Outputs<'a>,
    lines_path: Option<&'a Path>,
    lines: Option<JsonLines<Box<dyn Write>>>,
    /// Whether a format shows the features of the cases.
    pub show_features: bool,
}

impl<'a> RunOutputs<'a> {
    /// Checks whether every requested format can be written, without changing any file.
    pub fn check(args: &'a ReportArgs) -> Result<Self> {
        let mut outputs = Outputs::check::<RunReport<'_>>(args)?;
        let show_features = outputs.targets.iter().any(|(format, _)| format.has_features());
        // The lines are written during the run.
        let place = outputs.targets.iter().position(|(format, _)| *format == Format::JsonLines);
        let lines_path = place.map(|place| outputs.targets.remove(place).1);
        Ok(Self { outputs, lines_path, lines: None, show_features })
    }

    /// Opens the lines that are written during the run.
    pub fn open(mut self) -> Result<Self> {
        if let Some(path) = self.lines_path {
            let output: Box<dyn Write> = if is_stdout(path) {
                Box::new(io::stdout())
            } else {
                Box::new(load::create(path).map_err(|error| load::unwritable(Format::JsonLines.name(), path, &error))?)
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
    pub fn publish(self, report: &RunReport<'_>) -> Result<()> {
        let closed = self.lines.map_or(Ok(()), |lines| lines.close(report)).err().zip(self.lines_path);
        let closed = closed.map(|(error, path)| match is_stdout(path) {
            true => Failure::fault(format!("cannot write to standard output: {error}")),
            false => load::unwritable(Format::JsonLines.name(), path, &error),
        });
        Failure::check_all(closed.into_iter().chain(self.outputs.try_all(report)))
    }
}

/// Writes a JSON document to a file, if one is named. Prints the text, unless the document goes to standard output.
pub fn publish_document(
    json: Option<&Path>,
    document: &(impl Document + ?Sized),
    text: impl FnOnce(Style) -> String,
) -> Result<()> {
    if !json.is_some_and(is_stdout) {
        judge_report::print(&text(Style::of_stdout()))?;
    }
    load::write_json(json, document)
}

/// Reads the measures of `--pareto`, if it is given.
pub fn pareto(given: Option<&str>, problem: &Problem) -> Result<Option<Pareto>> {
    let read = |text: &str| {
        let hint = "two of score, cpu, memory and the metrics, such as --pareto score,metric:moves";
        Pareto::of(problem, text).map_err(|error| Failure::usage(error).with_hint(hint))
    };
    given.map(read).transpose()
}

/// Returns when, how and where this command runs. It started now.
pub fn here() -> Provenance {
    Provenance {
        started: iso_utc(SystemTime::now()),
        command: command_line::whole(),
        machine: this_machine(),
        ..Provenance::default()
    }
}
