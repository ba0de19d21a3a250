//! The supervisor: a small process with one thread that starts trusted commands, one at a time and not isolated. None
//! of their processes outlives the judge, however the judge ends.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions};

use crate::proc::child_process::Role;
use crate::proc::inherited::take_socket;
use crate::proc::{cores, tree};
use crate::protocol::wire::{Reader, Writer};

/// A supervisor: until the judge has gone.
pub(crate) const SUPERVISOR: Role =
    Role { name: c"judge-supervisor", argument: "--judge-sandbox-supervisor", live: serve };

/// How long what a command has left behind may take to die.
const GRACE: Duration = Duration::from_secs(1);
/// The most bytes of a file that a command may write, its output included: one that prints without end does not fill the
/// disk.
const FILE_BYTES: u64 = 512 << 20;
/// The pause between two looks at what is dying.
const PAUSE: Duration = Duration::from_micros(200);

fn serve() -> io::Result<()> {
    let socket = take_socket()?;
    // A Ctrl-C at the terminal is the judge's to hear.
    rustix::process::setpgid(None, None)?;
    rustix::process::set_child_subreaper(Pid::from_raw(1))?;
    while let Some(mut order) = Reader::receive(&socket)? {
        // One that is empty asks for the end of a command that has ended already.
        if order.is_empty() {
            continue;
        }
        let mut answer = Writer::default();
        match start(&mut order) {
            Ok((child, process)) => {
                answer.u64(1).u64(u64::from(child.id()));
                answer.send(&socket, &[process.as_fd()])?;
                let status = watch(child, &process, &socket)?;
                let mut ended = Writer::default();
                ended.u64(u64::from(status.into_raw().cast_unsigned())).send(&socket, &[])?;
            }
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(libc::EINVAL);
                answer.u64(0).u64(u64::from(errno.cast_unsigned())).send(&socket, &[])?;
            }
        }
    }
    Ok(())
}

/// Starts what an order asks for, with this process's environment and in a process group of its own.
fn start(order: &mut Reader) -> io::Result<(Child, OwnedFd)> {
    let core = order.option()?;
    let folder = PathBuf::from(order.os_string()?);
    let mut command = Command::new(order.os_string()?);
    for _ in 0..order.u64()? {
        command.arg(order.os_string()?);
    }
    command.stdin(order.fd()?).stdout(order.fd()?).stderr(order.fd()?).current_dir(folder).process_group(0);
    // SAFETY: system calls alone, which may be made between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if let Some(core) = core {
                // A wish: it converses with a program on that core.
                let _ = cores::pin(None, core as usize);
                cores::give_way(true, 0);
            }
            let largest = Rlimit { current: Some(FILE_BYTES), maximum: Some(FILE_BYTES) };
            rustix::process::setrlimit(Resource::Fsize, largest)?;
            Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?)
        });
    }
    let child = command.spawn()?;
    let process = rustix::process::pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    Ok((child, process))
}

/// Waits until a command has ended, by itself or because the judge asks for it or has gone, and ends all that is left
/// of it.
fn watch(mut child: Child, process: &OwnedFd, socket: &OwnedFd) -> io::Result<ExitStatus> {
    let asked = loop {
        let mut fds = [PollFd::new(process, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        match rustix::event::poll(&mut fds, None) {
            Ok(_) if !fds[0].revents().is_empty() => break Ok(()),
            // Whether it is a message or its end, which the next one to receive will find again.
            Ok(_) => break Reader::receive(socket).map(drop),
            Err(Errno::INTR) => {}
            Err(error) => break Err(error.into()),
        }
    };
    // Not reaped yet: neither its id nor its group's can be another's.
    let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
    let _ = rustix::process::kill_process_group(Pid::from_child(&child), Signal::KILL);
    let status = child.wait();
    end_strays();
    asked.and(status)
}

/// Ends what has left the command's process group. Orphans are children of this process, which is their reaper.
fn end_strays() {
    let own = std::process::id().cast_signed();
    let began = Instant::now();
    while began.elapsed() < GRACE {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => {
                tree::kill_descendants(own);
                std::thread::sleep(PAUSE);
            }
            Err(_) => return,
        }
    }
}
