//! Stops commands early.

use rustix::event::{PollFd, PollFlags, Timespec};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// Stops commands from any thread: those that run, and those that start later.
#[derive(Debug, Clone)]
pub struct StopSignal(Arc<OwnedFd>);

impl StopSignal {
    /// Returns a signal that is not set.
    ///
    /// # Errors
    /// When no file descriptor is left.
    pub fn new() -> io::Result<Self> {
        let flags = rustix::event::EventfdFlags::CLOEXEC | rustix::event::EventfdFlags::NONBLOCK;
        Ok(Self(Arc::new(rustix::event::eventfd(0, flags)?)))
    }

    /// Becomes readable when it is set.
    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    pub(super) fn is_set(&self) -> bool {
        let mut fds = [PollFd::new(&*self.0, PollFlags::IN)];
        rustix::event::poll(&mut fds, Some(&Timespec::default())).is_ok_and(|count| count > 0)
    }

    /// Ends them.
    pub fn stop(&self) {
        // The write fails only when the counter is full: then it is set already.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}
