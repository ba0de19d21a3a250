//! The helper: a small process that starts programs for one worker and watches over them, by one thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::Mode;

use crate::api::execution::{End, Fault};
use crate::api::tier::Tier;
use crate::helper::backend::Backend;
use crate::helper::run::{Own, go_on, run};
use crate::helper::settings::Settings;
use crate::namespace::brief::is_brief;
use crate::namespace::config::Returned;
use crate::proc::child_process::Role;
use crate::proc::inherited::take_socket;
use crate::proc::kept_pages::KeptPages;
use crate::proc::{cores, signals};
use crate::protocol::messages::{self, Answer, Order, Plan, Task};
use crate::protocol::wire::Reader;

/// A helper: until the judge has gone.
pub(crate) const HELPER: Role = Role { name: c"judge-helper", argument: "--judge-sandbox-helper", live: serve };

fn serve() -> io::Result<()> {
    let socket = settle()?;
    let Some(mut first) = Reader::receive(&socket)? else { return Ok(()) };
    let settings = Settings::receive(&mut first)?;
    if let Some(core) = settings.core {
        cores::pin(None, core as usize)?;
    }
    if !settings.tier.has_cgroup() && settings.tier != Tier::Unsafe {
        // Inherited by programs. Of a huge page, all but a piece can be given back: no process's size shows it any
        // more, and it is still there. No matter if it fails: then there are none.
        // SAFETY: a system call without pointers.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
    let mut own = Own::new(settings.core);
    let mut opened = Opened::now(settings, socket.as_fd());
    let (mut last, mut left) = (None, None);
    let mut kept = None;
    while let Some(mut message) = left.take().map_or_else(|| Reader::receive(&socket), |order| Ok(Some(order)))? {
        let Order { plan, files, is_repeated } = Order::decode(&mut message, &mut last)?;
        if plan.enclosed.only_prepare {
            opened.make_ready(&plan.task);
            continue;
        }
        let answer = opened.backend().and_then(|backend| run(backend, &plan, files, socket.as_fd(), &mut own));
        send(&answer, &socket)?;
        let Some(backend) = &mut opened.backend else { continue };
        // Who waits for the answer does not wait for this. What fails now is tried again before the next run.
        let by_itself = |answer: &&Answer| matches!(answer.end, End::Exited(_));
        let ended = answer.as_ref().ok().filter(by_itself).filter(|_| own.was_alone);
        let _ = backend.tidy(ended.map(|answer| answer.usage.wall));
        if is_repeated && plan.is_plain() && answer.is_ok_and(|answer| is_brief(&answer)) {
            // For those that follow: they are likely to be brief, too. What is kept already is of the same program, as this is
            // the same order.
            kept = kept.or_else(|| KeptPages::of(&plan.task.program));
            left = leave_to_init(backend, &plan, &socket, &mut own)?;
        } else {
            kept = None;
        }
    }
    Ok(())
}

fn send(answer: &Result<Answer, Fault>, socket: &OwnedFd) -> io::Result<()> {
    messages::encode_answer(answer).send(socket, &messages::captured_files(answer))
}

/// Leaves it to the init of the last run's jail to serve the judge, if there is one, as long as it can. Returns the order
/// that it could not follow, if that was why.
fn leave_to_init(backend: &Backend, plan: &Plan, socket: &OwnedFd, own: &mut Own) -> io::Result<Option<Reader>> {
    let Some(jail) = backend.jail() else { return Ok(None) };
    let answer = match jail.serve_judge() {
        Ok(Some(Returned::Order(_, order))) => return Ok(Some(order)),
        Ok(Some(Returned::Begun(begun))) => go_on(backend, jail, &plan.task, begun, socket.as_fd(), own),
        // What has gone will be missed by what comes next.
        Ok(None) => return Ok(None),
        Err(fault) => return Err(io::Error::other(fault.to_string())),
    };
    send(&answer, socket)?;
    Ok(None)
}

/// The backend, opened before there is an order: that takes a moment.
struct Opened<'a> {
    settings: Settings,
    judge: BorrowedFd<'a>,
    backend: Option<Backend>,
    /// Why there is none: yet to be told.
    fault: Option<Fault>,
}

impl Opened<'_> {
    fn now(mut settings: Settings, judge: BorrowedFd<'_>) -> Opened<'_> {
        let (backend, fault) = match Backend::open(&mut settings, judge) {
            Ok(backend) => (Some(backend), None),
            Err(fault) => (None, Some(fault)),
        };
        Opened { settings, judge, backend, fault }
    }

    /// Builds the jail for `task`, if it needs one. What fails now fails again for the program itself, and is told then.
    fn make_ready(&mut self, task: &Task) {
        if let Some(backend @ Backend::Jails(_)) = &mut self.backend {
            let _ = backend.prepare(task);
        }
    }

    /// The backend. Once its fault was told, opening it is tried again.
    fn backend(&mut self) -> Result<&mut Backend, Fault> {
        match (self.fault.take(), &mut self.backend) {
            (Some(fault), _) => Err(fault),
            (None, Some(backend)) => Ok(backend),
            (None, backend) => Ok(backend.insert(Backend::open(&mut self.settings, self.judge)?)),
        }
    }
}

/// Leaves behind what the judge's process was: its session, signals, descriptors. Returns the socket.
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
    rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    crate::confine::capabilities::empty_bounding_set();
    Ok(socket)
}
