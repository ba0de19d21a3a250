//! The keeper: a process that outlives a helper killed with SIGKILL, to kill the program that it leaves behind; and one
//! that a helper which was stopped has not killed in time.
//!
//! Needed where no namespace dies with the helper. A program may refuse to die with its parent, its children do so
//! anyway; but they cannot leave its process group.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::api::clock;
use crate::proc::child_process::{ChildProcess, Role};
use crate::protocol::charge::Charge;

/// A keeper: until its helper has gone.
pub(crate) const KEEPER: Role = Role { name: c"judge-keeper", argument: "--judge-sandbox-keeper", live: keep };

/// How often it looks whether a program is overdue, in nanoseconds.
const ROUND: u64 = 2_000_000_000;

/// What a helper needs for its keeper to act.
pub(crate) struct Leash {
    /// The keeper acts when this is closed, everywhere.
    pub(crate) alive: OwnedFd,
    pub(crate) charge: OwnedFd,
}

impl Leash {
    /// To be kept by the helper for as long as it lives.
    pub(crate) fn hold(self) -> io::Result<(OwnedFd, Charge)> {
        Ok((self.alive, Charge::map(self.charge)?))
    }
}

/// Starts `executable` as a keeper.
pub(crate) fn start(executable: &Path) -> io::Result<(ChildProcess, Leash)> {
    let (waiting, alive) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let charge = Charge::file()?;
    let keeper = ChildProcess::start(KEEPER, executable, waiting, Some(charge.try_clone()?))?;
    Ok((keeper, Leash { alive, charge }))
}

fn keep() -> io::Result<()> {
    // A Ctrl-C at the terminal is for the judge.
    let _ = rustix::process::setsid();
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    let charge = Charge::map(rustix::stdio::stdout())?;
    loop {
        let mut waiting = [PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN)];
        match rustix::event::poll(&mut waiting, Some(&clock::timespec(ROUND))) {
            Ok(0) if charge.is_overdue() => kill(charge.group()),
            Ok(0) | Err(Errno::INTR) => {}
            // Nothing is ever written to it: it was closed.
            Ok(_) => break,
            Err(error) => return Err(error.into()),
        }
    }
    kill(charge.group());
    Ok(())
}

fn kill(group: i32) {
    if group > 0 {
        // SAFETY: a system call without pointers, on a group that the helper has not seen end.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}
