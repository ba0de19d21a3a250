//! One run in the helper: descriptors laid out, the program started and watched, its end told.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::fs::Mode;

use crate::api::exchange::Made;
use crate::api::execution::{Breach, End, Fault};
use crate::api::fault::Context;
use crate::api::request::Limits;
use crate::helper::backend::Backend;
use crate::helper::conclude::{conclude, refused};
use crate::helper::settings::Settings;
use crate::helper::stdin::reopened;
use crate::proc::cores;
use crate::proc::steal::Steal;
use crate::protocol::messages::{Answer, Order, Task};
use crate::scratch::exchange;
use crate::watch::capture::{Beyond, Stream, Target};
use crate::watch::doorkeeper::Doorkeeper;
use crate::watch::meter::Meter;
use crate::watch::program::Start;
use crate::watch::reaper::Conclusion;
use crate::watch::watcher::{Cutoff, Watched, Watcher};

/// Runs what `order` asks for, and leaves the backend as new for the next run.
pub(crate) fn run(
    backend: &mut Backend,
    settings: &Settings,
    mut order: Order,
    judge: BorrowedFd<'_>,
    steal: &mut Steal,
) -> Result<Answer, Fault> {
    backend.prepare(&order.task)?;
    let answer = perform(backend, settings, &mut order, judge, steal);
    let run = answer.as_ref().map_or(Duration::MAX, |answer| answer.usage.wall);
    backend.tidy(&order.task, run)?;
    answer
}

fn perform(
    backend: &Backend,
    settings: &Settings,
    order: &mut Order,
    judge: BorrowedFd<'_>,
    steal: &mut Steal,
) -> Result<Answer, Fault> {
    let limits = order.task.limits.clone();
    let (mut stdout, mut stderr, [out, err]) = streams(settings, order)?;
    let programs_are_others = backend.identity().is_some();
    if programs_are_others {
        // By its name in /dev, the program opens its output anew: as another user than this process's, to write.
        for pipe in [&out, &err] {
            rustix::fs::fchmod(pipe, Mode::from_raw_mode(0o622)).context("opening the output to the program")?;
        }
    }
    let stdin = reopened(&order.stdin, programs_are_others)?;
    steal.begin();
    let mut meter = Meter::start(backend.gauges(limits.processes != Some(1)));
    let until = order.until.take();
    let mut program = match backend.start(&order.task, [stdin.as_fd(), out.as_fd(), err.as_fd()])? {
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
        disk: backend.disk(),
        doorkeeper,
        cores: usable_cores(settings, &limits),
    };
    let watched = watcher.run(&mut *program)?;
    let mut answer = match told(backend, &limits, watched, meter, (&stdout, &stderr)) {
        Ok(answer) => answer,
        Err(errno) => return Ok(refused(errno)),
    };
    answer.usage.stolen = steal.end(answer.usage.wall);
    answer.made = made(backend, &order.task, &answer);
    Ok(answer)
}

/// Both output streams, and what the program writes to.
fn streams<'a>(settings: &'a Settings, order: &mut Order) -> Result<(Stream<'a>, Stream<'a>, [OwnedFd; 2]), Fault> {
    let target = |own: Option<OwnedFd>, capture| own.map_or(Target::Capture(capture), |fd| Target::Own(fd.into()));
    let limits = &order.task.limits;
    let stdout_target = target(order.stdout.take(), &settings.stdout);
    let stderr_target = target(order.stderr.take(), &settings.stderr);
    let (stdout, out) = Stream::open("output", stdout_target, limits.stdout, Beyond::Ends)?;
    let (stderr, err) = Stream::open("error output", stderr_target, limits.stderr, Beyond::Dropped)?;
    Ok((stdout, stderr, [out, err]))
}

/// Cores that the program may use at once.
fn usable_cores(settings: &Settings, limits: &Limits) -> u64 {
    let cores = if settings.core.is_some() { 1 } else { cores::allowed().len() as u64 };
    cores.min(u64::from(limits.processes.unwrap_or(u32::MAX))).max(1)
}

/// The answer for what was watched. `Err` holds the error number of an `execve` that failed.
fn told(
    backend: &Backend,
    limits: &Limits,
    watched: Watched,
    meter: Meter<'_>,
    (stdout, stderr): (&Stream<'_>, &Stream<'_>),
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
    let ended_well = answer.end == End::Exited(0) && answer.breaches.is_empty();
    let Some(wanted) = task.exchange.as_ref().filter(|_| ended_well) else { return Ok(Vec::new()) };
    match backend.work_folder() {
        Some(folder) => exchange::take(wanted, folder.as_fd()),
        None => Err("the working folder is gone".to_owned()),
    }
}
