//! The keeper: a process that outlives a helper killed with SIGKILL, to kill the program that it leaves behind.
//!
//! Needed where no namespace dies with the helper. A program may refuse to die with its parent, its children do so
//! anyway; but they cannot leave its process group.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::fs::MemfdFlags;
use rustix::mm::{MapFlags, ProtFlags};

/// The only argument of a process that is to become a keeper.
pub(crate) const ARGUMENT: &str = "--judge-sandbox-keeper";

/// A process group, 0 for none, in memory that a helper, what it starts and its keeper share.
pub(crate) struct Charge(NonNull<AtomicI32>);

impl Charge {
    fn map(file: impl AsFd) -> io::Result<Charge> {
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping, wherever the kernel likes.
        let place =
            unsafe { rustix::mm::mmap(std::ptr::null_mut(), size_of::<AtomicI32>(), protection, flags, file, 0) };
        NonNull::new(place?.cast()).map(Charge).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Allocates nothing: a child calls it on its way to its program.
    pub(crate) fn set(&self, group: i32) {
        self.group().store(group, Ordering::Release);
    }

    fn group(&self) -> &AtomicI32 {
        // SAFETY: the mapping is as large as the number, aligned to a page, zeroed at first, and never unmapped.
        unsafe { self.0.as_ref() }
    }
}

/// What a helper needs, to be kept.
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
    let charge = rustix::fs::memfd_create("judge-charge", MemfdFlags::CLOEXEC)?;
    rustix::fs::ftruncate(&charge, size_of::<AtomicI32>() as u64)?;
    let mut command = Command::new(executable);
    command.arg(ARGUMENT).env_clear().current_dir("/").stdin(waiting).stdout(charge.try_clone()?).stderr(Stdio::null());
    Ok((command.spawn()?, Leash { alive, charge }))
}

/// The keeper's whole life.
pub(crate) fn keep() -> io::Result<()> {
    // Whoever interrupts the judge does not mean us.
    let _ = rustix::process::setsid();
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    let charge = Charge::map(rustix::stdio::stdout())?;
    // SAFETY: nothing else in this process uses its standard input.
    let mut waiting = File::from(unsafe { OwnedFd::from_raw_fd(0) });
    waiting.read_to_end(&mut Vec::new())?;
    let group = charge.group().load(Ordering::Acquire);
    if group > 0 {
        // SAFETY: a system call without pointers, on a group that the helper has not seen end.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_is_seen_through_another_mapping() {
        let file = rustix::fs::memfd_create("charge", MemfdFlags::CLOEXEC).unwrap();
        rustix::fs::ftruncate(&file, 4).unwrap();
        let (one, other) = (Charge::map(&file).unwrap(), Charge::map(&file).unwrap());
        one.set(17);
        assert_eq!(other.group().load(Ordering::Acquire), 17);
    }
}
