//! Checks answers with a setter's command.

use super::error::CheckerError;
use crate::command::{self, Reports, StopSignal};
use crate::model::{CommandTemplate, ExternalChecker, Ruling};
use crate::verdict::{self, CallOutput, Protocol, ProtocolError};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use tempfile::NamedTempFile;

/// What a checker says of the answer of one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// What the answer is worth.
    Ruling(Ruling),
    /// The solver is to run again, on this input.
    NextPass(Vec<u8>),
}

/// A case as a setter's checker gets it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExternalCase<'a> {
    pub(super) command: &'a CommandTemplate,
    pub(super) input: &'a Path,
    /// The case's answer file.
    pub(super) expected: Option<&'a Path>,
    /// The wall time for one answer.
    pub(super) limit: Duration,
    /// Stops the checker early.
    pub(super) stop: Option<&'a StopSignal>,
}

/// The checks of one solver's answers to a case: one answer for each pass. What the checker leaves in its folder stays
/// there from pass to pass.
pub struct Checking<'a> {
    case: ExternalCase<'a>,
    protocol: &'a dyn Protocol,
    reports: Reports,
}

impl<'a> Checking<'a> {
    /// Begins with no answer.
    pub(super) fn begin(case: ExternalCase<'a>, protocol: &'a dyn Protocol) -> io::Result<Self> {
        Ok(Self { case, protocol, reports: Reports::create(protocol)? })
    }

    /// Checks the answer of the next pass.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check(&mut self, answer: &[u8]) -> Result<Checked, CheckerError> {
        let answer = stored(answer)?;
        self.check_file(answer.path())
    }

    fn check_file(&mut self, answer: &Path) -> Result<Checked, CheckerError> {
        let Self { case, protocol, reports } = self;
        let files = reports.with(case.input, Some(answer), case.expected);
        let call = protocol.call(&case.command.line, &files);
        let words = command::call_words(case.command, &call)?;
        let ended = command::run_on(call.stdin, &words, &case.command.folder, case.limit, case.stop)?;
        let contents = reports.read()?;
        let output =
            CallOutput { status: ended.status, stdout: &ended.stdout, stderr: &ended.stderr, reports: &contents };
        if let Some(input) = protocol.next_pass(&output) {
            reports.clear()?;
            return Ok(Checked::NextPass(input.to_vec()));
        }
        protocol.ruling(&output).map(Checked::Ruling).map_err(CheckerError::Protocol)
    }
}

/// Returns the ruling of a setter's checker on the only answer to a case.
pub(super) fn check_once(
    checker: &ExternalChecker,
    case: ExternalCase<'_>,
    answer: &[u8],
) -> Result<Ruling, CheckerError> {
    only(Checking::begin(case, verdict::checker_protocol(&checker.protocol))?.check(answer)?)
}

fn only(checked: Checked) -> Result<Ruling, CheckerError> {
    match checked {
        Checked::Ruling(ruling) => Ok(ruling),
        Checked::NextPass(_) => Err(CheckerError::Protocol(ProtocolError::NextPass(
            "which only `judge run` gives it, with `validation-passes`",
        ))),
    }
}

/// Stores bytes in a file that is removed with the value. If the judge is killed, the next judge's sweep removes it.
pub(super) fn stored(bytes: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = judge_sandbox::sweepable_name("case") + ".";
    let mut file = tempfile::Builder::new().prefix(&prefix).tempfile()?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Returns the ruling of an external checker on the answer in a file.
///
/// # Errors
/// When it cannot be run, or violates its protocol.
pub fn check_externally(
    command: &CommandTemplate,
    protocol: &dyn Protocol,
    input: &Path,
    answer: &Path,
    limit: Duration,
    stop: Option<&StopSignal>,
) -> Result<Ruling, CheckerError> {
    let case = ExternalCase { command, input, expected: None, limit, stop };
    only(Checking::begin(case, protocol)?.check_file(answer)?)
}
