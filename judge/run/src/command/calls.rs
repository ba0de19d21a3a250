//! Calls of a setter's program under a protocol: the files that it gets, and those that it writes.

use super::error::CommandError;
use super::input::{CaseInput, stored};
use super::output::CommandOutput;
use super::place::Place;
use super::reports::{Reports, call_words};
use super::setter::{Found, SetterProgram};
use super::stop::StopSignal;
use super::supervised;
use super::walled::{self, Errand};
use judge_problem::verdict::{CallFiles, Protocol};
use judge_sandbox::{Exchange, WorkFile};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder for a program's result, in its working folder.
const REPORTS: &str = "reports";
/// The most files of a result, and the most bytes of all together.
pub(super) const MOST_FILES: u64 = 1000;
const MOST_BYTES: u64 = 64 << 20;

/// The files of a case for one call.
#[derive(Debug, Clone, Copy)]
pub struct CallInput<'a> {
    /// The input.
    pub input: &'a CaseInput,
    /// The answer; a validator has none.
    pub answer: Option<&'a [u8]>,
    /// The case's answer file.
    pub expected: Option<&'a Path>,
}

/// What a program said when it was called.
#[derive(Debug)]
pub struct Called {
    /// How it ended, and what it printed.
    pub output: CommandOutput,
    /// The contents of the files of [`Protocol::reports`]; `None` for those that do not exist.
    pub reports: Vec<Option<Vec<u8>>>,
}

/// The calls of a program for one case. What it leaves beside its reports stays there from call to call, if the protocol
/// has that.
pub struct Calls<'a> {
    program: &'a SetterProgram,
    protocol: &'a dyn Protocol,
    left: Left,
}

/// What a program has left beside its reports.
enum Left {
    /// In a folder of the host.
    Outside(Reports),
    /// In the files of its working folder.
    Walled(Vec<WorkFile>),
}

impl<'a> Calls<'a> {
    /// Begins with no call.
    ///
    /// # Errors
    /// When the folder for its result cannot be made.
    pub fn begin(program: &'a SetterProgram, protocol: &'a dyn Protocol) -> io::Result<Self> {
        let left = match program.command.trusted {
            true => Left::Outside(Reports::create(protocol)?),
            false => Left::Walled(Vec::new()),
        };
        Ok(Self { program, protocol, left })
    }

    /// Calls the program.
    ///
    /// # Errors
    /// When it gives no result.
    pub fn call(&mut self, files: CallInput<'_>, stop: Option<&StopSignal>) -> Result<Called, CommandError> {
        match &mut self.left {
            Left::Outside(reports) => call_outside(self.program, self.protocol, reports, files, stop),
            Left::Walled(left) => call_walled(self.program, self.protocol, left, files, stop),
        }
    }

    /// Removes its reports, but not what else is in their folder.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn clear(&mut self) -> io::Result<()> {
        match &mut self.left {
            Left::Outside(reports) => reports.clear(),
            Left::Walled(left) => {
                left.retain(|file| !self.protocol.reports().iter().any(|name| file.path == Path::new(name)));
                Ok(())
            }
        }
    }
}

impl SetterProgram {
    /// Runs the program without files: a generator.
    ///
    /// # Errors
    /// When it gives no result.
    pub fn run(&self, values: &[(&str, &Path)], stop: Option<&StopSignal>) -> Result<CommandOutput, CommandError> {
        if self.command.trusted {
            let failed = |source| CommandError::Output { program: self.name(), source };
            let place = Place::of(&self.command).map_err(failed)?;
            let words = place.words(&self.command.line, values)?;
            return supervised::run(&words, place.folder(), self.limits.wall.0, stop);
        }
        let errand = |found: &Found, _: &Path| Ok(walled::Errand { words: found.words(values), ..Default::default() });
        Ok(walled::run(self, stop, errand)?.0)
    }
}

fn call_outside(
    program: &SetterProgram,
    protocol: &dyn Protocol,
    reports: &Reports,
    files: CallInput<'_>,
    stop: Option<&StopSignal>,
) -> Result<Called, CommandError> {
    let failed = |source| CommandError::Output { program: program.name(), source };
    let answer = files.answer.map(stored).transpose().map_err(failed)?;
    let input = files.input.path().map_err(failed)?;
    let files = reports.with(input, answer.as_ref().map(tempfile::NamedTempFile::path), files.expected);
    let call = protocol.call(&program.command.line, &files);
    let place = Place::of(&program.command).map_err(failed)?;
    let words = call_words(&program.command, &place, &call)?;
    let output = supervised::run_on(call.stdin, &words, place.folder(), program.limits.wall.0, stop)?;
    Ok(Called { output, reports: reports.read().map_err(failed)? })
}

fn call_walled(
    program: &SetterProgram,
    protocol: &dyn Protocol,
    left: &mut Vec<WorkFile>,
    files: CallInput<'_>,
    stop: Option<&StopSignal>,
) -> Result<Called, CommandError> {
    let given = std::mem::take(left);
    let errand = |found: &Found, place: &Path| errand(program, protocol, given, files, (found, place));
    let (output, made) = walled::run(program, stop, errand)?;
    let reports = reports(protocol, &made);
    if protocol.keeps_files() {
        *left = made;
    }
    Ok(Called { output, reports })
}

/// Returns the contents of a protocol's reports; `None` for those that were not made.
pub(super) fn reports(protocol: &dyn Protocol, made: &[WorkFile]) -> Vec<Option<Vec<u8>>> {
    let report = |name: &&str| made.iter().find(|file| file.path == Path::new(name)).map(|file| file.bytes.clone());
    protocol.reports().iter().map(report).collect()
}

/// Returns what is asked of a program whose working folder is at `place`. It finds there the files that it is told of,
/// but for an answer file that it sees anyway: its name may say more than what is in it.
pub(super) fn errand(
    program: &SetterProgram,
    protocol: &dyn Protocol,
    left: Vec<WorkFile>,
    files: CallInput<'_>,
    (found, place): (&Found, &Path),
) -> Result<Errand, CommandError> {
    let [input, answer, copy] = ["input", "answer", "expected"].map(|name| place.join(name));
    let own = files.expected.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let is_seen = own.as_ref().is_some_and(|own| found.sees(own));
    let expected = if is_seen { own.as_deref() } else { own.as_ref().map(|_| &*copy) };
    let names = protocol.reports();
    let reports: Vec<PathBuf> = names.iter().map(|name| place.join(REPORTS).join(name)).collect();
    let call_files = CallFiles { input: &input, answer: files.answer.map(|_| &*answer), expected, reports: &reports };
    let call = protocol.call(&program.command.line, &call_files);
    let mut words = found.words(&call.placeholders);
    words.extend(call.appended.iter().cloned());
    let is_told = |path: &Path| words.iter().any(|word| names_path(word, path));
    let mut given: Vec<WorkFile> = left.into_iter().map(in_reports).collect();
    let mut give = |path: &Path, bytes: Vec<u8>| {
        let path = path.strip_prefix(place).unwrap_or(path).to_owned();
        given.push(WorkFile { path, bytes, executable: false });
    };
    if is_told(&input) {
        give(&input, files.input.bytes().to_vec());
    }
    if let Some(bytes) = files.answer.filter(|_| is_told(&answer)) {
        give(&answer, bytes.to_vec());
    }
    if let Some(path) = files.expected.filter(|_| !is_seen && is_told(&copy)) {
        let failed = |source| CommandError::Output { program: program.name(), source };
        give(&copy, std::fs::read(path).map_err(failed)?);
    }
    if protocol.finds_reports() {
        reports.iter().for_each(|report| give(report, Vec::new()));
    }
    let stdin = call.stdin.and_then(|path| stdin_of(path, &call_files, files));
    let exchange = Exchange {
        input_files: given,
        output_folder: REPORTS.into(),
        output_names: if protocol.keeps_files() { Vec::new() } else { names.iter().map(OsString::from).collect() },
        take_after_any_exit: true,
        max_files: MOST_FILES,
        max_bytes: MOST_BYTES,
        ..Exchange::default()
    };
    Ok(Errand { words, stdin, exchange: Some(exchange) })
}

fn stdin_of(path: &Path, call: &CallFiles<'_>, files: CallInput<'_>) -> Option<Arc<[u8]>> {
    if call.answer == Some(path) { files.answer.map(Arc::from) } else { Some(Arc::clone(files.input.bytes())) }
}

fn in_reports(file: WorkFile) -> WorkFile {
    WorkFile { path: Path::new(REPORTS).join(&file.path), ..file }
}

fn names_path(word: &std::ffi::OsStr, path: &Path) -> bool {
    word.to_string_lossy().contains(&*path.to_string_lossy())
}
