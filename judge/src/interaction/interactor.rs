//! The interactor's process: how it is started, and what it has decided.

use super::activity::{self, Activity};
use crate::command::{self, CommandError, Running, Template};
use crate::model::Ruling;
use crate::verdict::{self, Decision};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use tempfile::NamedTempFile;

/// How much of a report is read: its first line is all that counts.
const REPORT_BYTES: u64 = 64 << 10;

/// An interactor that runs. When this is dropped, it is ended.
pub(super) struct Interactor {
    running: Running,
    report: NamedTempFile,
}

impl Interactor {
    /// Starts an interactor between two pipes. In its command, `{input}` and `{report}` become files.
    pub(super) fn start(
        command: &Template,
        input: &Path,
        stdin: OwnedFd,
        stdout: OwnedFd,
    ) -> Result<Self, InteractorError> {
        // Removed with it; by the next judge's sweep, if this one is killed.
        let prefix = judge_sandbox::sweepable_name("report") + ".";
        let report = tempfile::Builder::new().prefix(&prefix).tempfile()?;
        let words = command::words(&command.line, &[("input", input), ("report", report.path())])?;
        let running = Running::start(&words, &command.folder, stdin.as_fd(), stdout.as_fd())?;
        Ok(Self { running, report })
    }

    /// Becomes readable when it has ended.
    pub(super) fn ended(&self) -> BorrowedFd<'_> {
        self.running.ended()
    }

    /// What it and its children do at the moment.
    pub(super) fn activity(&self) -> Activity {
        activity::of_group(self.running.id())
    }

    /// What it has decided, once it has ended.
    pub(super) fn decision(self) -> Decision {
        let Self { running, report, .. } = self;
        let ended = match running.end() {
            Ok(ended) => ended,
            Err(error) => return Decision::Failed(error.to_string()),
        };
        let line = match first_line(report.path()) {
            Ok(line) => line,
            Err(error) => return Decision::Failed(format!("the interactor's report cannot be read: {error}")),
        };
        match verdict::ruling(ended.status, &line, &ended.stderr) {
            // Many an interpreter ends a program that crashed with exit code 1.
            Ok(Ruling::Rejected { reason, .. }) if reason.is_empty() => Decision::Failed(format!(
                "the interactor ended with exit code 1 (rejected), but its report does not say why: {}",
                String::from_utf8_lossy(&ended.stderr).trim()
            )),
            Ok(ruling) => Decision::Decided(ruling),
            Err(error) => Decision::Failed(format!("the interactor {error}")),
        }
    }
}

fn first_line(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(REPORT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).lines().next().unwrap_or("").trim().to_owned())
}

/// An interactor that could not be started.
#[derive(Debug, thiserror::Error)]
pub enum InteractorError {
    /// Its command could not be run.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The machine gave no file or descriptor for it.
    #[error("cannot prepare the interactor")]
    Prepare(#[from] io::Error),
}
