//! Relays the solver's output to the interactor, and keeps it as the solver's answer.

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes moved at once.
pub(super) const BUFFER_BYTES: usize = 64 * 1024;

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

/// One direction of a conversation. Output that the interactor has not read is kept here, so that the solver never
/// waits for it. The output limit bounds it.
pub(super) struct Relay {
    from_solver: OwnedFd,
    /// `None` once the other end is closed.
    to_interactor: Option<OwnedFd>,
    said: Vec<u8>,
    /// The number of bytes written to the interactor.
    passed: usize,
    /// Whether the interactor has ended: later output is not kept.
    alone: bool,
    buffer: Box<[u8]>,
}

impl Relay {
    /// Relays between two pipes, of which the solver holds the writing end of one and the interactor the reading end of
    /// the other.
    pub(super) fn new(from_solver: OwnedFd, to_interactor: OwnedFd) -> io::Result<Self> {
        never_wait(&from_solver)?;
        never_wait(&to_interactor)?;
        let buffer = vec![0; BUFFER_BYTES].into();
        Ok(Self { from_solver, to_interactor: Some(to_interactor), said: Vec::new(), passed: 0, alone: false, buffer })
    }

    /// Relays until the other end of `stop` is closed. `ended` becomes readable when the interactor has ended.
    pub(super) fn run(&mut self, stop: BorrowedFd<'_>, ended: BorrowedFd<'_>) -> io::Result<()> {
        loop {
            let mut fds =
                vec![PollFd::from_borrowed_fd(stop, PollFlags::IN), PollFd::new(&self.from_solver, PollFlags::IN)];
            if !self.alone {
                fds.push(PollFd::from_borrowed_fd(ended, PollFlags::IN));
                fds.extend(self.pending().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
            }
            match rustix::event::poll(&mut fds, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let ready = |index: usize| fds.get(index).is_some_and(|fd| !fd.revents().is_empty());
            let (stopped, over) = (ready(0), !self.alone && ready(2));
            self.alone |= over;
            if stopped {
                return Ok(());
            }
            self.take()?;
            self.pass()?;
        }
    }

    /// Reads what the solver has printed.
    pub(super) fn take(&mut self) -> io::Result<()> {
        loop {
            match rustix::io::read(&self.from_solver, &mut *self.buffer) {
                Ok(0) | Err(Errno::AGAIN) => return Ok(()),
                Ok(count) if !self.alone => self.said.extend_from_slice(&self.buffer[..count]),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
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
