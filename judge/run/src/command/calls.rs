//! Calls of a setter's program: the files that it gets, and the files that it writes.

use super::outside::{OutsideCall, Running, printed};
use super::sandboxed::{self, CallSpec, OUTPUT, SandboxedRun};
use super::setter::{CommandError, CommandOutput, Found, SetterProgram, StopSignal};
use crate::files;
use crate::matching::real;
use judge_problem::tail;
use judge_problem::verdict::{CallFiles, NO_FILE, Protocol};
use judge_sandbox::{Exchange, WorkFile};
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder for a program's result, in its working folder.
const REPORTS: &str = "reports";
/// The maximal number of files of a result, and their maximal size together.
pub(super) const MAX_FILES: u64 = 1000;
const MAX_BYTES: u64 = 64 << 20;

/// The files of a case for one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallInput<'a> {
    /// The input.
    pub input: &'a [u8],
    /// The answer; a validator has none.
    pub answer: Option<&'a [u8]>,
    /// The case's answer file.
    pub expected: Option<&'a Path>,
    /// The values of placeholders that the protocol does not have.
    pub more: &'a [(&'static str, &'a Path)],
}

impl SetterProgram {
    /// Runs the program without files: a generator.
    ///
    /// # Errors
    /// When it gives no result.
    pub fn run(&self, values: &[(&str, &Path)], stop: Option<&StopSignal>) -> Result<CommandOutput, CommandError> {
        self.perform(stop, |found, _| Ok(CallSpec { words: found.words(values), ..CallSpec::default() }))
    }

    /// Runs the program on a case. It finds `left` in the folder of its reports: the files that it left there before.
    ///
    /// # Errors
    /// When it gives no result.
    pub(crate) fn run_on_case(
        &self,
        protocol: &dyn Protocol,
        left: Vec<WorkFile>,
        files: CallInput<'_>,
        stop: Option<&StopSignal>,
    ) -> Result<CommandOutput, CommandError> {
        self.perform(stop, |found, place| call_spec(self, protocol, left, files, (found, place)))
    }

    /// Runs the program until it ends. `call_spec` returns its call, and gets the path of its working folder.
    fn perform(
        &self,
        stop: Option<&StopSignal>,
        call_spec: impl FnOnce(&Found, &Path) -> Result<CallSpec, CommandError>,
    ) -> Result<CommandOutput, CommandError> {
        match self.command.trusted {
            true => OutsideCall::prepare(self, call_spec)?.run(self.limits.wall.0, stop),
            false => sandboxed::run(self, stop, call_spec),
        }
    }
}

/// Returns the contents of a protocol's reports; `None` for a report that was not made.
pub(crate) fn reports(protocol: &dyn Protocol, written: &[WorkFile]) -> Vec<Option<Vec<u8>>> {
    let report = |name: &&str| written.iter().find(|file| file.path == Path::new(name)).map(|file| file.bytes.clone());
    protocol.reports().iter().map(report).collect()
}

/// Returns the call of a program whose working folder is at `place`. The files that its command names are copied there.
/// An answer file that the program can see anyway is not copied, because its name may matter.
fn call_spec(
    program: &SetterProgram,
    protocol: &dyn Protocol,
    left: Vec<WorkFile>,
    files: CallInput<'_>,
    (found, place): (&Found, &Path),
) -> Result<CallSpec, CommandError> {
    let [input, answer, copy] = ["input", "answer", "expected"].map(|name| place.join(name));
    let own = files.expected.map(real);
    let is_seen = own.as_ref().is_some_and(|own| found.sees(own));
    let expected = if is_seen { own.as_deref() } else { own.as_ref().map(|_| &*copy) };
    let names = protocol.reports();
    let reports: Vec<PathBuf> = names.iter().map(|name| place.join(REPORTS).join(name)).collect();
    let call_files = CallFiles { input: &input, answer: files.answer.map(|_| &*answer), expected, reports: &reports };
    let call = protocol.call(&program.command.line, &call_files);
    let mut words = found.words(&[&*call.placeholders, files.more].concat());
    words.extend(call.appended.iter().cloned());
    let is_named = |path: &Path| words.iter().any(|word| word.to_string_lossy().contains(&*path.to_string_lossy()));
    let in_reports = |file: WorkFile| WorkFile { path: Path::new(REPORTS).join(&file.path), ..file };
    let mut copied: Vec<WorkFile> = left.into_iter().map(in_reports).collect();
    let mut add = |path: &Path, bytes: Vec<u8>| copied.push(work_file(path.strip_prefix(place).unwrap_or(path), bytes));
    if is_named(&input) {
        add(&input, files.input.to_vec());
    }
    if let Some(bytes) = files.answer.filter(|_| is_named(&answer)) {
        add(&answer, bytes.to_vec());
    }
    if let Some(path) = files.expected.filter(|_| !is_seen && is_named(&copy)) {
        add(&copy, files::read(path).map_err(|error| CommandError::AnswerFile(path.to_owned(), error))?);
    }
    if protocol.finds_reports() {
        reports.iter().for_each(|report| add(report, Vec::new()));
    }
    let stdin = call.stdin.map(|path| Arc::from(files.answer.filter(|_| path == answer).unwrap_or(files.input)));
    let exchange = Exchange {
        output_names: if protocol.passes() > 1 { Vec::new() } else { names.iter().map(OsString::from).collect() },
        take_after_any_exit: true,
        ..exchange(copied, REPORTS, MAX_BYTES)
    };
    Ok(CallSpec { words, stdin, exchange: Some(exchange) })
}

fn exchange(input_files: Vec<WorkFile>, output_folder: &str, max_bytes: u64) -> Exchange {
    let output_folder = output_folder.into();
    Exchange { input_files, output_folder, max_files: MAX_FILES, max_bytes, ..Exchange::default() }
}

fn work_file(path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> WorkFile {
    WorkFile { path: path.into(), bytes: bytes.into(), executable: false }
}

/// The file with the list, in the working folder.
const LIST: &str = "seeds.txt";
/// The folder for the result in the program's folder. AtCoder's generators write to it by default.
const RESULT: &str = "in";

impl SetterProgram {
    /// Runs the program on a list. If it succeeds, the files of the result are the ones that it made.
    ///
    /// # Errors
    /// When it gives no result.
    pub fn run_on_list(&self, list: &str, stop: Option<&StopSignal>) -> Result<CommandOutput, CommandError> {
        self.perform(stop, |found, place| {
            let words = found.words(&[("seeds-file", &place.join(LIST)), ("output-folder", &place.join(RESULT))]);
            let exchange = exchange(vec![work_file(LIST, list)], RESULT, OUTPUT.0);
            Ok(CallSpec { words, stdin: None, exchange: Some(exchange) })
        })
    }

    /// Runs the program on an answer to a case, which may have an answer file. Returns how it ended, and the page that it
    /// wrote to its folder.
    ///
    /// # Errors
    /// When it cannot be run, or its page cannot be read.
    pub fn draw(
        &self,
        input: &[u8],
        answer: &[u8],
        expected: Option<&[u8]>,
        page: &Path,
    ) -> Result<(CommandOutput, Option<Vec<u8>>), CommandError> {
        let mut output = self.perform(None, |found, place| {
            let files = [("input", Some(input)), ("answer", Some(answer)), ("expected", expected)];
            let files = files.into_iter().filter_map(|(name, file)| Some(work_file(name, file?)));
            let exchange = Exchange {
                output_names: page.components().take(1).map(|name| name.as_os_str().to_owned()).collect(),
                ..exchange(files.collect(), ".", OUTPUT.0)
            };
            let expected = expected.map_or_else(|| NO_FILE.into(), |_| place.join("expected"));
            let [input, answer] = ["input", "answer"].map(|name| place.join(name));
            let words = found.words(&[("input", &input), ("answer", &answer), ("expected", &expected)]);
            Ok(CallSpec { words, stdin: None, exchange: Some(exchange) })
        })?;
        let page = match &self.found()?.folder {
            Some(folder) if self.command.trusted => {
                let page = Some(folder.join(page)).filter(|page| page.is_file());
                let page = page.and_then(|page| File::open(page).ok());
                page.map(|mut page| printed(&mut page, &self.name())).transpose()?
            }
            _ => std::mem::take(&mut output.files).into_iter().find(|file| file.path == page).map(|file| file.bytes),
        };
        Ok((output, page))
    }
}

/// A running call of a setter's program. When this is dropped, the program is killed.
pub(crate) enum LiveCall<'a> {
    Outside(Running, OutsideCall),
    Sandboxed(SandboxedRun<'a>),
}

impl OutsideCall {
    /// Returns a call with the files of a case, to be started.
    ///
    /// # Errors
    /// When its files cannot be stored.
    pub(crate) fn of(
        program: &SetterProgram,
        protocol: &dyn Protocol,
        files: CallInput<'_>,
    ) -> Result<Self, CommandError> {
        Self::prepare(program, |found, place| call_spec(program, protocol, Vec::new(), files, (found, place)))
    }
}

impl<'a> LiveCall<'a> {
    /// Starts the program with this standard input and output, which are closed here. It stays on a core, if one is
    /// given.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(
        program: &'a SetterProgram,
        protocol: &'a dyn Protocol,
        files: CallInput<'_>,
        (stdio, core): ([OwnedFd; 2], Option<usize>),
    ) -> Result<Self, CommandError> {
        if program.command.trusted {
            let call = OutsideCall::of(program, protocol, files)?;
            return Ok(Self::Outside(call.start(stdio.each_ref().map(AsFd::as_fd), core)?, call));
        }
        let call_spec = |found: &_, place: &_| call_spec(program, protocol, Vec::new(), files, (found, place));
        Ok(Self::Sandboxed(sandboxed::start(program, (stdio, core), call_spec)?))
    }

    /// Becomes readable when the program has ended.
    pub(crate) fn ended(&self) -> BorrowedFd<'_> {
        match self {
            Self::Outside(running, _) => running.ended(),
            Self::Sandboxed(run) => run.ended(),
        }
    }

    /// Returns the ids of its processes.
    pub(crate) fn processes(&self) -> Vec<u32> {
        match self {
            Self::Outside(running, _) => running.processes(),
            Self::Sandboxed(run) => run.processes(),
        }
    }

    /// Kills its remaining processes, and returns its result without its standard output.
    ///
    /// # Errors
    /// When it gave no result.
    pub(crate) fn end(self) -> Result<CommandOutput, CommandError> {
        match self {
            Self::Outside(running, call) => call.with_files(running.end()?),
            Self::Sandboxed(run) => run.end(),
        }
    }

    /// Kills it, and returns the end of its standard error.
    ///
    /// # Errors
    /// When it exceeded a limit, or its standard error cannot be read.
    pub(crate) fn kill(self) -> Result<String, CommandError> {
        let output = match self {
            Self::Outside(running, _call) => running.end()?,
            Self::Sandboxed(run) => run.kill()?,
        };
        Ok(tail(&output.stderr))
    }
}
