//! Relays the solver's output to the interactor, and keeps it as the solver's answer.

use judge_sandbox::{Execution, Sink};
use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// A pipe.
pub(super) struct Pipe {
    pub(super) reader: OwnedFd,
    pub(super) writer: OwnedFd,
}

impl Pipe {
    pub(super) fn open() -> io::Result<Self> {
        let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Self { reader, writer })
    }
}

/// Makes a descriptor non-blocking, in all its copies.
pub(super) fn never_wait(fd: impl AsFd) -> io::Result<()> {
    Ok(rustix::fs::fcntl_setfl(fd, OFlags::NONBLOCK)?)
}

/// The solver's output on its way to the interactor. While the solver runs, the sandbox passes it on and keeps what the
/// interactor has not read, so that the solver never waits for it; then it is kept here. The output limit bounds it.
pub(super) struct Relay {
    /// `None` once the other end is closed.
    to_interactor: Option<OwnedFd>,
    said: Vec<u8>,
    /// The number of bytes written to the interactor.
    passed: usize,
}

impl Relay {
    /// Relays to a pipe, of which the interactor holds the reading end.
    pub(super) fn new(to_interactor: OwnedFd) -> io::Result<Self> {
        never_wait(&to_interactor)?;
        Ok(Self { to_interactor: Some(to_interactor), said: Vec::new(), passed: 0 })
    }

    /// Returns where the solver's output goes while it runs.
    pub(super) fn sink(&self) -> io::Result<Sink> {
        let Some(pipe) = &self.to_interactor else { return Ok(Sink::Capture) };
        Ok(Sink::Relay(Arc::new(File::from(pipe.try_clone()?))))
    }

    /// Takes over what a solver that has ended has printed up to the interactor's end.
    pub(super) fn take_over(&mut self, execution: &mut Execution) {
        self.said = std::mem::take(&mut execution.stdout);
        self.passed = usize::try_from(execution.usage.relayed_bytes).unwrap_or(usize::MAX).min(self.said.len());
    }

    /// Writes as much as the interactor's pipe has room for. An interactor that has closed it gets no more.
    pub(super) fn pass(&mut self) -> io::Result<()> {
        while let Some(fd) = self.pending() {
            match rustix::io::write(fd, &self.said[self.passed..]) {
                Ok(count) => self.passed += count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => self.to_interactor = None,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Returns the interactor's pipe if there is output for it.
    pub(super) fn pending(&self) -> Option<BorrowedFd<'_>> {
        self.to_interactor.as_ref().filter(|_| self.passed < self.said.len()).map(AsFd::as_fd)
    }

    /// Returns whether the interactor has read all of the solver's output, or has closed its end.
    pub(super) fn is_heard(&self) -> io::Result<bool> {
        match &self.to_interactor {
            // A file or device, which a tester may have given the solver to write to, has nothing that waits to be read.
            Some(fd) if !self.is_refused()? => match rustix::io::ioctl_fionread(fd) {
                Ok(unread) => Ok(self.pending().is_none() && unread == 0),
                Err(Errno::NOTTY) => Ok(self.pending().is_none()),
                Err(error) => Err(error.into()),
            },
            _ => Ok(true),
        }
    }

    /// Returns whether the interactor has closed its input.
    pub(super) fn is_refused(&self) -> io::Result<bool> {
        let Some(fd) = &self.to_interactor else { return Ok(true) };
        let mut fds = [PollFd::new(fd, PollFlags::empty())];
        rustix::event::poll(&mut fds, Some(&rustix::event::Timespec::default()))?;
        Ok(fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP))
    }

    /// Returns the interactor's input, while it is open here.
    pub(super) fn to_interactor(&self) -> Option<BorrowedFd<'_>> {
        self.to_interactor.as_ref().map(AsFd::as_fd)
    }

    /// Closes the interactor's input once all of the solver's output is written.
    pub(super) fn show_end(&mut self) {
        if self.pending().is_none() {
            self.to_interactor = None;
        }
    }

    /// Returns the solver's output up to the interactor's end.
    pub(super) fn into_said(self) -> Vec<u8> {
        self.said
    }
}
