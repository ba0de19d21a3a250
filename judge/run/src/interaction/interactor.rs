//! The interactor's process: its start, and its decision.

use super::activity::{self, Activity};
use super::decision::Decider;
use crate::command::{CallInput, Called, CaseInput, CommandError, LiveCall, SetterProgram};
use judge_problem::verdict::{self, CallOutput, Idleness, InteractorDecision, Protocol, ProtocolError};
use judge_problem::{CheckerProtocol, error_chain};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

/// A running interactor. When this is dropped, it is killed.
pub(super) struct Interactor<'a> {
    call: LiveCall<'a>,
    protocol: &'a dyn Protocol,
}

impl<'a> Interactor<'a> {
    /// Starts an interactor between two pipes, to stay on `core` if one is given.
    pub(super) fn start(
        (program, protocol): (&'a SetterProgram, &'a CheckerProtocol),
        input: &CaseInput,
        expected: Option<&Path>,
        (stdio, core): ([OwnedFd; 2], Option<usize>),
    ) -> Result<Self, CommandError> {
        let protocol = verdict::interactor_protocol(protocol);
        let files = CallInput { input, answer: None, expected };
        Ok(Self { call: LiveCall::start(program, protocol, files, (stdio, core))?, protocol })
    }

    /// Returns its decision after its end, and what it wrote to the first of its reports.
    pub(super) fn decision(self) -> (InteractorDecision, Vec<u8>) {
        let Called { output, mut reports } = match self.call.end() {
            Ok(called) => called,
            Err(error) => return (failed(&error), Vec::new()),
        };
        let output = CallOutput { status: output.status, stdout: &[], stderr: &output.stderr, reports: &reports };
        let said = match self.protocol.next_pass(&output) {
            Some(_) => Err(ProtocolError::NextPass("which interactive problems do not have here")),
            None => self.protocol.ruling(&output),
        };
        match said {
            Ok(ruling) => {
                let written = reports.first_mut().and_then(Option::take).unwrap_or_default();
                (InteractorDecision::Decided(ruling), written)
            }
            Err(error) => (InteractorDecision::Failed(format!("the interactor {error}")), Vec::new()),
        }
    }

    /// Ends it, and returns that it has not decided.
    pub(super) fn undecided(self, idleness: Idleness) -> InteractorDecision {
        match self.call.kill() {
            Ok(stderr) => InteractorDecision::None(idleness, stderr),
            Err(error) => failed(&error),
        }
    }
}

fn failed(error: &CommandError) -> InteractorDecision {
    InteractorDecision::Failed(format!("the interactor failed: {}", error_chain(error)))
}

impl Decider for Interactor<'_> {
    fn ended(&self) -> BorrowedFd<'_> {
        self.call.ended()
    }

    fn activity(&self) -> Activity {
        activity::of(&self.call.processes())
    }
}

/// An interactor that could not be started.
#[derive(Debug, thiserror::Error)]
pub enum InteractorError {
    /// Its command could not be run.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A file or descriptor for it could not be created.
    #[error("cannot prepare the interactor")]
    Prepare(#[from] io::Error),
}
