//! One run in the helper: descriptors laid out, the program started and watched, its end told.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::Mode;

use crate::api::exchange::{Exchange, Made};
use crate::api::execution::{Breach, End, Fault};
use crate::api::fault::Context;
use crate::api::request::Limits;
use crate::helper::backend::Backend;
use crate::helper::conclude::{conclude, refused};
use crate::helper::stdin::{open_to_all, reopened};
use crate::proc::cores;
use crate::proc::steal::Steal;
use crate::protocol::messages::{Answer, Order, Outlet, Task};
use crate::protocol::wire::nanoseconds;
use crate::scratch::exchange;
use crate::watch::capture::{Beyond, Stream, Target};
use crate::watch::doorkeeper::Doorkeeper;
use crate::watch::meter::Meter;
use crate::watch::program::Start;
use crate::watch::reaper::Conclusion;
use crate::watch::watcher::{BUFFER_BYTES, Cutoff, Watched, Watcher};

/// What a helper has for one run after the other.
pub(crate) struct Own {
    steal: Steal,
    /// How many cores programs may use at once; `None`: all that this process may.
    cores: Option<u64>,
    buffer: Box<[u8]>,
}

impl Own {
    /// For programs on this core, or on any.
    pub(crate) fn new(core: Option<u64>) -> Own {
        Own { steal: Steal::of(core), cores: core.map(|_| 1), buffer: vec![0; BUFFER_BYTES].into() }
    }

    /// Cores that a program with these limits may use at once.
    fn usable_cores(&self, limits: &Limits) -> u64 {
        let cores = self.cores.unwrap_or_else(|| cores::allowed().len() as u64);
        cores.min(u64::from(limits.processes.unwrap_or(u32::MAX))).max(1)
    }
}

/// Runs what `order` asks for.
pub(crate) fn run(backend: &mut Backend, order: Order, judge: BorrowedFd<'_>, own: &mut Own) -> Result<Answer, Fault> {
    let Order { task, stdin, own_stdin, stdout, stderr, until, .. } = order;
    backend.prepare(&task)?;
    perform(backend, &task, Files { stdin, own_stdin, stdout, stderr, until }, judge, own)
}

/// The files of a run. Those that the program has are not kept open here: the other end of a pipe sees it close them.
struct Files {
    stdin: OwnedFd,
    own_stdin: bool,
    stdout: Outlet<OwnedFd>,
    stderr: Outlet<OwnedFd>,
    until: Option<OwnedFd>,
}

fn perform(
    backend: &Backend,
    task: &Task,
    files: Files,
    judge: BorrowedFd<'_>,
    own: &mut Own,
) -> Result<Answer, Fault> {
    let limits = task.limits.clone();
    let Files { stdin, own_stdin, stdout, stderr, until } = files;
    let others = backend.identity().is_some();
    let (mut stdout, out) = stream("output", stdout, limits.stdout, Beyond::Ends, others)?;
    let (mut stderr, err) = stream("error output", stderr, limits.stderr, Beyond::Dropped, others)?;
    let stdin = if own_stdin { stdin } else { reopened(stdin, others)? };
    own.steal.begin();
    let mut meter = Meter::start(backend.gauges(limits.processes != Some(1)));
    let mut program = match backend.start(task, [stdin.as_fd(), out.as_fd(), err.as_fd()])? {
        Start::Running(program) => program,
        Start::Refused(errno) => return Ok(refused(errno)),
    };
    let outputs = [out.as_fd(), err.as_fd()];
    let doorkeeper = backend.fork_gate().map(|gate| Doorkeeper::new(gate, &limits, outputs));
    drop((out, err, stdin));
    let watcher = Watcher {
        limits: &limits,
        stdout: &mut stdout,
        stderr: &mut stderr,
        meter: &mut meter,
        judge,
        until: until.as_ref().map(AsFd::as_fd),
        leave: nanoseconds(task.leave),
        disk: backend.disk(),
        doorkeeper,
        cores: own.usable_cores(&limits),
    };
    let watched = watcher.run(&mut *program, &mut own.buffer)?;
    let mut answer = match told(backend, &limits, watched, meter, (&mut stdout, &mut stderr)) {
        Ok(answer) => answer,
        Err(errno) => return Ok(refused(errno)),
    };
    answer.usage.stolen = own.steal.end(answer.usage.wall);
    answer.made = made(backend, task, &answer);
    Ok(answer)
}

/// An output stream, and what the program writes to. Nothing comes through the stream of one that has the caller's file.
/// `others`: programs run as another user than this process's.
fn stream(
    name: &'static str,
    outlet: Outlet<OwnedFd>,
    cap: u64,
    beyond: Beyond,
    others: bool,
) -> Result<(Stream, OwnedFd), Fault> {
    let (target, lent) = match outlet {
        Outlet::Capture => (Target::Capture, None),
        Outlet::File(file) => (Target::Own(file.into()), None),
        Outlet::Lent(file) => (Target::Capture, Some(file)),
    };
    let (stream, writer) = Stream::open(name, target, cap, beyond)?;
    if others {
        // By its name in /dev, the program opens its output anew, to write.
        let wanted = Mode::RUSR | Mode::WUSR | Mode::WGRP | Mode::WOTH;
        let opened = match &lent {
            Some(lent) => open_to_all(lent, wanted),
            None => rustix::fs::fchmod(&writer, wanted),
        };
        opened.context("opening the output to the program")?;
    }
    Ok((stream, lent.unwrap_or(writer)))
}

/// The answer for what was watched. `Err` holds the error number of an `execve` that failed.
fn told(
    backend: &Backend,
    limits: &Limits,
    watched: Watched,
    meter: Meter<'_>,
    (stdout, stderr): (&mut Stream, &mut Stream),
) -> Result<Answer, i32> {
    let Watched { conclusion, mut breaches, cutoff, was_full } = watched;
    let mut finished = match conclusion {
        Conclusion::Finished(finished) => finished,
        Conclusion::Refused(errno) => return Err(errno),
    };
    let mut totals = meter.totals(&finished);
    totals.out_of_processes |= was_full;
    if let Some(Cutoff { at, cpu }) = cutoff {
        finished.ended = finished.ended.min(at);
        totals.cpu = totals.cpu.min(cpu);
    }
    if backend.disk().is_some_and(|disk| disk.left().is_none_or(|bytes| bytes > limits.disk)) {
        breaches.push(Breach::Disk);
    }
    Ok(conclude(limits, &finished, breaches, &totals, stdout, stderr))
}

fn made(backend: &Backend, task: &Task, answer: &Answer) -> Made {
    let counts = |exchange: &&Exchange| match answer.end {
        End::Exited(code) => (code == 0 || exchange.after_any_exit) && answer.breaches.is_empty(),
        End::Signalled(_) | End::NotStarted(_) => false,
    };
    let Some(wanted) = task.exchange.as_ref().filter(counts) else { return Ok(Vec::new()) };
    match backend.work_folder() {
        Some(folder) => exchange::take(wanted, folder.as_fd()),
        None => Err("the working folder is gone".to_owned()),
    }
}
