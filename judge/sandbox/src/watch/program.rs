//! A started program, wherever it was started.

use std::os::fd::BorrowedFd;

use crate::api::execution::Fault;
use crate::watch::reaper::Conclusion;

/// A started program, seen from the one who watches it.
pub(crate) trait Program {
    /// Becomes readable when something has ended: see [`Program::is_over`].
    fn ended(&self) -> BorrowedFd<'_>;
    /// Whether it was the program itself.
    fn is_over(&mut self) -> bool;
    /// Kills all of the run; what is asked for again changes nothing.
    fn kill(&mut self);
    /// Once it has ended: clears up and tells.
    fn finish(&mut self) -> Result<Conclusion, Fault>;
    /// Whether it is certain that it runs and is not about to.
    fn has_started(&self) -> bool;
    /// When it started, or a little earlier, on the monotonic clock.
    fn started(&self) -> u64;
}

/// What became of an order to start a program.
pub(crate) enum Start<'a> {
    /// It was passed on to where it is started, or runs already.
    Running(Box<dyn Program + 'a>),
    /// `execve` failed with this error number.
    Refused(i32),
}
