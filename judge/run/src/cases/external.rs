//! Checks answers with a setter's command.

use super::error::CheckerError;
use crate::command::{CallInput, Called, Calls, CaseInput, SetterProgram, StopSignal};
use checkers::Score;
use judge_problem::verdict::{self, CallOutput, Protocol, ProtocolError};
use judge_problem::{CheckerProtocol, CommandLimits, CommandTemplate, ExternalChecker, Ruling};
use std::io;
use std::path::PathBuf;

/// What a checker says of the answer of one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// What the answer is worth.
    Ruling(Ruling),
    /// The solver is to run again, on this input.
    NextPass(Vec<u8>),
}

/// A setter's checker or interactor, ready to be called.
#[derive(Debug)]
pub struct CheckerProgram {
    program: SetterProgram,
    protocol: CheckerProtocol,
}

impl CheckerProgram {
    pub(super) fn new(checker: &ExternalChecker, limits: &CommandLimits) -> Self {
        Self { program: SetterProgram::new(&checker.command, limits), protocol: checker.protocol.clone() }
    }

    /// Returns the program.
    #[must_use]
    pub fn program(&self) -> &SetterProgram {
        &self.program
    }

    /// Returns how it is called and understood.
    #[must_use]
    pub fn protocol(&self) -> &CheckerProtocol {
        &self.protocol
    }

    /// Returns how often the solver may run on a case.
    pub(super) fn passes(&self) -> u32 {
        match &self.protocol {
            CheckerProtocol::Kattis(kattis) => kattis.passes,
            CheckerProtocol::Judge | CheckerProtocol::Regex(_) | CheckerProtocol::Testlib(_) => 1,
        }
    }

    /// Begins to check the answers of one solver.
    pub(super) fn begin<'a>(&'a self, case: &'a ExternalCase) -> io::Result<Checking<'a>> {
        Checking::begin(&self.program, verdict::checker_protocol(&self.protocol), case)
    }

    /// Returns the ruling on the only answer to a case.
    pub(super) fn check_once(&self, case: &ExternalCase, answer: &[u8]) -> Result<Ruling, CheckerError> {
        only(self.begin(case)?.check(answer)?)
    }
}

/// A case as setters' programs get it.
#[derive(Debug)]
pub struct ExternalCase {
    /// The input.
    pub input: CaseInput,
    /// The case's answer file.
    pub expected: Option<PathBuf>,
    /// Stops a checker early.
    pub stop: Option<StopSignal>,
    /// The least score that the problem admits.
    pub(super) least: Option<Score>,
}

impl ExternalCase {
    /// Returns a case of which nothing but its input is known.
    fn of(input: &[u8]) -> Self {
        Self { input: CaseInput::new(input), expected: None, stop: None, least: None }
    }
}

/// The checks of one solver's answers to a case: one answer for each pass. What the checker leaves in its folder stays
/// there from pass to pass.
pub struct Checking<'a> {
    case: &'a ExternalCase,
    protocol: &'a dyn Protocol,
    calls: Calls<'a>,
    /// The input of this pass, unless it is that of the case.
    input: Option<CaseInput>,
}

impl<'a> Checking<'a> {
    /// Begins with no answer.
    fn begin(program: &'a SetterProgram, protocol: &'a dyn Protocol, case: &'a ExternalCase) -> io::Result<Self> {
        Ok(Self { case, protocol, calls: Calls::begin(program, protocol)?, input: None })
    }

    /// Checks the answer of the next pass.
    ///
    /// # Errors
    /// When the checker itself fails.
    pub fn check(&mut self, answer: &[u8]) -> Result<Checked, CheckerError> {
        self.check_files(Some(answer))
    }

    fn check_files(&mut self, answer: Option<&[u8]>) -> Result<Checked, CheckerError> {
        let ExternalCase { input, expected, stop, .. } = self.case;
        let files = CallInput { input: self.input.as_ref().unwrap_or(input), answer, expected: expected.as_deref() };
        let Called { output, reports } = self.calls.call(files, stop.as_ref())?;
        let output =
            CallOutput { status: output.status, stdout: &output.stdout, stderr: &output.stderr, reports: &reports };
        if let Some(next) = self.protocol.next_pass(&output) {
            self.calls.clear()?;
            self.input = Some(CaseInput::new(next));
            return Ok(Checked::NextPass(next.to_vec()));
        }
        self.protocol.ruling(&output).map(Checked::Ruling).map_err(CheckerError::Protocol)
    }
}

fn only(checked: Checked) -> Result<Ruling, CheckerError> {
    match checked {
        Checked::Ruling(ruling) => Ok(ruling),
        Checked::NextPass(_) => Err(CheckerError::Protocol(ProtocolError::NextPass(
            "which only `judge run` gives it, with `validation-passes`",
        ))),
    }
}

/// Returns the ruling of a command on an answer.
///
/// # Errors
/// When it cannot be run, or violates its protocol.
pub fn check_externally(
    command: &CommandTemplate,
    protocol: &dyn Protocol,
    input: &[u8],
    answer: &[u8],
) -> Result<Ruling, CheckerError> {
    let program = SetterProgram::new(command, &CommandLimits::default());
    only(Checking::begin(&program, protocol, &ExternalCase::of(input))?.check(answer)?)
}

/// Returns what a validator of inputs says of one. `protocol`: that of the problem's checker, if it is a command.
///
/// # Errors
/// When it cannot be run.
pub fn check_input(
    validator: &CommandTemplate,
    protocol: Option<&CheckerProtocol>,
    limits: &CommandLimits,
    input: &[u8],
) -> Result<Ruling, CheckerError> {
    let (program, protocol) = (SetterProgram::new(validator, limits), verdict::validator_protocol(protocol));
    only(Checking::begin(&program, &protocol, &ExternalCase::of(input))?.check_files(None)?)
}
