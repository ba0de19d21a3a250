//! A call of a setter's program that goes on while its caller does something else: an interactor's.

use super::calls::{self, CallInput, Called};
use super::error::CommandError;
use super::place::Place;
use super::reports::{Reports, call_words};
use super::setter::SetterProgram;
use super::supervised::Running;
use super::walled::{self, WalledRun};
use judge_problem::tail;
use judge_problem::verdict::Protocol;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A running call of a setter's program. When this is dropped, the program is killed.
pub struct LiveCall<'a> {
    program: &'a SetterProgram,
    protocol: &'a dyn Protocol,
    run: Run,
}

enum Run {
    Outside { running: Running, reports: Reports, _place: Place },
    Walled(WalledRun),
}

impl<'a> LiveCall<'a> {
    /// Starts the program with this standard input and output, which are closed here, to stay on a core if one is given.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        program: &'a SetterProgram,
        protocol: &'a dyn Protocol,
        files: CallInput<'_>,
        (stdio, core): ([OwnedFd; 2], Option<usize>),
    ) -> Result<Self, CommandError> {
        let run = match program.command.trusted {
            true => start_outside(program, protocol, files, (stdio, core))?,
            false => {
                let errand = |found: &_, place: &_| calls::errand(program, protocol, Vec::new(), files, (found, place));
                Run::Walled(walled::start(program, (stdio, core), errand)?)
            }
        };
        Ok(Self { program, protocol, run })
    }

    /// Becomes readable when the program has ended.
    #[must_use]
    pub fn ended(&self) -> BorrowedFd<'_> {
        match &self.run {
            Run::Outside { running, .. } => running.ended(),
            Run::Walled(run) => run.ended(),
        }
    }

    /// Returns the ids of its processes.
    #[must_use]
    pub fn processes(&self) -> Vec<u32> {
        match &self.run {
            Run::Outside { running, .. } => running.processes(),
            Run::Walled(run) => run.processes(),
        }
    }

    /// Kills what is left of it, and returns what it said. Its standard output is not part of that.
    ///
    /// # Errors
    /// When it gave no result.
    pub fn end(self) -> Result<Called, CommandError> {
        match self.run {
            Run::Outside { running, reports, _place } => {
                let output = running.end()?;
                let unreadable = |source| CommandError::Output { program: self.program.name(), source };
                Ok(Called { output, reports: reports.read().map_err(unreadable)? })
            }
            Run::Walled(run) => {
                let (output, made) = walled::result(self.program, run.end()?)?;
                Ok(Called { output, reports: calls::reports(self.protocol, &made) })
            }
        }
    }

    /// Kills it, and returns the end of its standard error.
    ///
    /// # Errors
    /// When it had passed a limit, or its standard error cannot be read.
    pub fn kill(self) -> Result<String, CommandError> {
        let output = match self.run {
            Run::Outside { running, .. } => running.end()?,
            Run::Walled(run) => walled::result(self.program, run.kill()?)?.0,
        };
        Ok(tail(&output.stderr))
    }
}

fn start_outside(
    program: &SetterProgram,
    protocol: &dyn Protocol,
    files: CallInput<'_>,
    ([stdin, stdout], core): ([OwnedFd; 2], Option<usize>),
) -> Result<Run, CommandError> {
    let failed = |source| CommandError::Output { program: program.name(), source };
    let reports = Reports::create(protocol).map_err(failed)?;
    let place = Place::of(&program.command).map_err(failed)?;
    let input = files.input.path().map_err(failed)?;
    let call = protocol.call(&program.command.line, &reports.with(input, None, files.expected));
    let words = call_words(&program.command, &place, &call)?;
    let running = Running::start(&words, place.folder(), [stdin.as_fd(), stdout.as_fd()], core)?;
    Ok(Run::Outside { running, reports, _place: place })
}
