//! The helper: a small process that starts programs for one worker and watches over them, by one thread.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::fs::Mode;

use crate::api::execution::Fault;
use crate::api::tier::Tier;
use crate::helper::backend::Backend;
use crate::helper::run::{Own, run};
use crate::helper::settings::Settings;
use crate::proc::inherited::take_socket;
use crate::proc::signals;
use crate::protocol::messages::{self, Order, Task};
use crate::protocol::wire::Reader;

/// The only argument of a process that is to become a helper.
pub(crate) const ARGUMENT: &str = "--judge-sandbox-helper";

/// The whole life of a helper: until the judge has gone.
pub(crate) fn serve() -> io::Result<()> {
    let socket = settle()?;
    let Some(mut first) = Reader::receive(&socket)? else { return Ok(()) };
    let mut settings = Settings::receive(&mut first)?;
    if let Some(core) = settings.core {
        let mut cores = rustix::thread::CpuSet::new();
        cores.set(core as usize);
        rustix::thread::sched_setaffinity(None, &cores)?;
    }
    if !settings.tier.has_cgroup() && settings.tier != Tier::Unsafe {
        // Inherited by programs. Of a huge page, all but a piece can be given back: no process's size shows it any
        // more, and it is still there. No matter if it fails: then there are none.
        // SAFETY: a system call without pointers.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
    let mut backend = None;
    let mut own = Own::new(settings.core);
    while let Some(mut message) = Reader::receive(&socket)? {
        let order = Order::decode(&mut message)?;
        if order.only_prepare {
            make_ready(&mut backend, &mut settings, &order.task);
            continue;
        }
        let opened = opened(&mut backend, &mut settings);
        let answer = opened.and_then(|backend| run(backend, order, socket.as_fd(), &mut own));
        messages::encode_answer(&answer).send(&socket, &messages::captured_files(&answer))?;
        if let Some(backend) = &mut backend {
            // Who waits for the answer does not wait for this. What fails now is tried again before the next run.
            let _ = backend.tidy(answer.map_or(Duration::MAX, |answer| answer.usage.wall));
        }
    }
    Ok(())
}

/// Makes ready for programs, and builds the jail for `task` if it needs one. What fails now fails again for the program
/// itself, and is told then.
fn make_ready(backend: &mut Option<Backend>, settings: &mut Settings, task: &Task) {
    if let Ok(backend @ Backend::Jails(_)) = opened(backend, settings) {
        let _ = backend.prepare(task);
    }
}

/// The backend, opened when it is first needed.
fn opened<'a>(backend: &'a mut Option<Backend>, settings: &mut Settings) -> Result<&'a mut Backend, Fault> {
    match backend {
        Some(backend) => Ok(backend),
        None => Ok(backend.insert(Backend::open(settings)?)),
    }
}

/// Leaves behind what the judge's process was: its session, signals, folder, descriptors. Returns the socket.
fn settle() -> io::Result<OwnedFd> {
    let socket = take_socket()?;
    let _ = rustix::process::setsid();
    for signal in 1..=64 {
        // SAFETY: the default action needs no handler; those that cannot be set are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // The reader of a program's output may go: an error, not this process's end. Blocked, as programs do not inherit
    // that.
    signals::block_only(&signals::set(&[libc::SIGPIPE]));
    rustix::process::umask(Mode::from_raw_mode(0o022));
    rustix::process::chdir("/")?;
    rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    crate::confine::capabilities::empty_bounding_set();
    Ok(socket)
}
