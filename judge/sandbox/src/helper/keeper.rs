//! The keeper: a process that outlives a helper killed with SIGKILL, to kill the program that it leaves behind.
//!
//! Needed where no namespace dies with the helper. A program may refuse to die with its parent, its children do so
//! anyway; but they cannot leave its process group.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::protocol::charge::Charge;

/// The only argument of a process that is to become a keeper.
pub(crate) const ARGUMENT: &str = "--judge-sandbox-keeper";

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
pub(crate) fn start(executable: &Path) -> io::Result<(Child, Leash)> {
    let (waiting, alive) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let charge = Charge::file()?;
    let mut command = Command::new(executable);
    command.arg(ARGUMENT).env_clear().current_dir("/").stdin(waiting).stdout(charge.try_clone()?).stderr(Stdio::null());
    Ok((command.spawn()?, Leash { alive, charge }))
}

/// The keeper's whole life.
pub(crate) fn keep() -> io::Result<()> {
    // A Ctrl-C at the terminal is for the judge.
    let _ = rustix::process::setsid();
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    let charge = Charge::map(rustix::stdio::stdout())?;
    // SAFETY: nothing else in this process uses its standard input.
    let mut waiting = File::from(unsafe { OwnedFd::from_raw_fd(0) });
    waiting.read_to_end(&mut Vec::new())?;
    let group = charge.group();
    if group > 0 {
        // SAFETY: a system call without pointers, on a group that the helper has not seen end.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    Ok(())
}
