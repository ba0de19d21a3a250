//! The interactor's process: its start, and its decision.

use super::activity::{self, Activity};
use crate::command::{self, CommandError, Reports, Running};
use crate::model::{CheckerProtocol, ExternalChecker};
use crate::verdict::{self, CallOutput, InteractorDecision, ProtocolError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// A running interactor. When this is dropped, it is killed.
pub(super) struct Interactor {
    running: Running,
    protocol: CheckerProtocol,
    reports: Reports,
}

impl Interactor {
    /// Starts an interactor between two pipes.
    pub(super) fn start(
        interactor: &ExternalChecker,
        input: &Path,
        expected: Option<&Path>,
        stdin: OwnedFd,
        stdout: OwnedFd,
    ) -> Result<Self, InteractorError> {
        let ExternalChecker { command, protocol, .. } = interactor;
        let speaks = verdict::interactor_protocol(protocol);
        let reports = Reports::create(speaks)?;
        let words = command::call_words(command, &speaks.call(&command.line, &reports.with(input, None, expected)))?;
        let running = Running::start(&words, &command.folder, stdin.as_fd(), stdout.as_fd())?;
        Ok(Self { running, protocol: protocol.clone(), reports })
    }

    /// Becomes readable when it has ended.
    pub(super) fn ended(&self) -> BorrowedFd<'_> {
        self.running.ended()
    }

    /// Samples the activity of its process group.
    pub(super) fn activity(&self) -> Activity {
        activity::of_group(self.running.id())
    }

    /// Returns its decision after its end, and what it wrote to the first of its reports.
    pub(super) fn decision(self) -> (InteractorDecision, Vec<u8>) {
        let failed = |why: String| (InteractorDecision::Failed(why), Vec::new());
        let Self { running, protocol, reports } = self;
        let ended = match running.end() {
            Ok(ended) => ended,
            Err(error) => return failed(error.to_string()),
        };
        let mut reports = match reports.read() {
            Ok(reports) => reports,
            Err(error) => return failed(format!("cannot read the interactor's report: {error}")),
        };
        let output = CallOutput { status: ended.status, stdout: &[], stderr: &ended.stderr, reports: &reports };
        let protocol = verdict::interactor_protocol(&protocol);
        let said = match protocol.next_pass(&output) {
            Some(_) => Err(ProtocolError::NextPass("which interactive problems do not have here")),
            None => protocol.ruling(&output),
        };
        match said {
            Ok(ruling) => {
                let written = reports.first_mut().and_then(Option::take).unwrap_or_default();
                (InteractorDecision::Decided(ruling), written)
            }
            Err(error) => failed(format!("the interactor {error}")),
        }
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
