//! Watches a running program: captures its output, enforces its limits, and waits for its end.

pub(crate) mod capture;
pub(crate) mod fork_policy;
pub(crate) mod gauges;
pub(crate) mod memory_meter;
pub(crate) mod meter;
pub(crate) mod reaper;

use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use arrayvec::ArrayVec;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::clock::{self, nanoseconds};
use crate::confine::launch::OrRefused;
use crate::protocol::messages::{Answer, RunSpec};
use crate::request::{Breach, Context, Fault};
use crate::watch::capture::{Stream, take_rest};
use crate::watch::fork_policy::ForkPolicy;
use crate::watch::meter::{Meter, conclude, refused};
use crate::watch::reaper::Finished;

/// The clocks when the program was no longer needed.
#[derive(Clone, Copy)]
struct Cutoff {
    /// On the monotonic clock.
    at: u64,
    cpu: u64,
}

/// How long a killed program may take to die. It needs CPU time for this, and on an overloaded machine got none for 5 s.
const KILL_TIMEOUT: u64 = 30_000_000_000;
/// The shortest and longest interval between checks of values that cannot be polled.
const MIN_INTERVAL: u64 = 1_000_000;
const MAX_INTERVAL: u64 = 20_000_000;
/// A program is killed only when it exceeds a limit of time by this. The final figures, which are read in another way,
/// then exceed the limit as well.
const MARGIN: u64 = 200_000;
/// The fastest rate at which memory is touched, or a file written, in bytes per nanosecond.
const TOUCH_RATE: u64 = 4;
/// The pause after a measurement is this many times as long as the measurement.
const PAUSE_FACTOR: u64 = 4;
/// The size of one read.
pub(crate) const BUFFER_BYTES: usize = 64 * 1024;

/// The program to watch, and its limits.
pub(crate) struct Watcher<'a> {
    pub(crate) spec: &'a RunSpec,
    pub(crate) stdout: Stream,
    pub(crate) stderr: Stream,
    pub(crate) meter: Meter<'a>,
    /// The socket to the judge. It is closed when the judge has ended or cancelled the run. It may hold the next order.
    pub(crate) judge: BorrowedFd<'a>,
    /// Readable when the program is no longer needed. `None` once it was.
    pub(crate) until: Option<OwnedFd>,
    /// The number of cores that the program can use at once.
    pub(crate) cores: u64,
    /// Decides about new processes, where no control group counts them.
    pub(crate) fork_policy: Option<ForkPolicy<'a>>,
}

/// The state of a run.
struct Progress {
    /// The start of watching, on the monotonic clock.
    began: u64,
    /// The limits for which the watcher killed the program.
    breaches: Vec<Breach>,
    cutoff: Option<Cutoff>,
}

impl Watcher<'_> {
    /// Watches until the program has ended, by itself or because it was killed, and makes the answer. `buffer` is for
    /// data from the pipes.
    pub(crate) fn run(mut self, program: &mut dyn Program, buffer: &mut [u8]) -> Result<Answer, Fault> {
        let mut progress = Progress { began: clock::now(), breaches: Vec::new(), cutoff: None };
        if let Err(fault) = self.watch(program, &mut progress, buffer) {
            // The program must not outlive its run.
            program.kill();
            self.wait_for_death(program)?;
            self.evict_pages(&program.finish()?);
            return Err(fault);
        }
        let conclusion = program.finish()?;
        let moved = self.move_rest(&progress, buffer);
        // The reader of the output does not wait for this.
        self.evict_pages(&conclusion);
        moved?;
        let mut finished = match conclusion {
            Ok(finished) => finished,
            Err(errno) => return Ok(refused(errno)),
        };
        let (limits, gauges) = (&self.spec.limits, self.meter.gauges);
        let mut totals = self.meter.totals(&finished);
        totals.events.out_of_processes |= self.fork_policy.is_some_and(|fork_policy| fork_policy.was_refused);
        let Progress { mut breaches, cutoff, .. } = progress;
        if let Some(Cutoff { at, cpu }) = cutoff {
            finished.ended = finished.ended.min(at);
            totals.cpu = totals.cpu.min(cpu);
        }
        if gauges.disk.is_some_and(|disk| disk.left().is_none_or(|bytes| bytes > limits.disk)) {
            breaches.push(Breach::Disk);
        }
        conclude(limits, &finished, breaches, &totals, &mut self.stdout, &mut self.stderr)
    }

    /// Evicts the pages that the program has read from a disk.
    fn evict_pages(&self, conclusion: &OrRefused<Finished>) {
        let read_disk = conclusion.is_ok_and(|finished| finished.read_disk);
        if let Some(cgroup) = self.meter.gauges.cgroup().filter(|_| read_disk && !self.spec.keeps_pages) {
            cgroup.evict();
        }
    }

    /// Returns when the program has ended, before it is cleaned up.
    fn watch(&mut self, program: &mut dyn Program, progress: &mut Progress, buffer: &mut [u8]) -> Result<(), Fault> {
        // Reading what a program uses takes longer than a short program. So the first check comes a little later.
        let mut next_check_at = clock::now() + MIN_INTERVAL.min(nanoseconds(self.spec.limits.shortest_time()));
        // Until then the output stays in the pipe. Waking up for it would cost a short program more than a full pipe
        // costs a long one.
        let mut is_first = self.stdout.can_wait() && self.stderr.can_wait();
        loop {
            let timeout = match left_until(next_check_at, clock::now()) {
                Some(left) => left,
                None => match self.check(progress) {
                    Some(next) => {
                        is_first = false;
                        next_check_at = clock::now().saturating_add(next);
                        next
                    }
                    None => break,
                },
            };
            let timeout = timeout.min(self.meter.cpu.sample_if_due());
            let timeout = timeout.min(self.fork_policy.as_ref().map_or(u64::MAX, ForkPolicy::pause));
            let ready = self.wait(Some(program.ended()), timeout, !is_first)?;
            if ready.judge {
                return Err(Fault::Cancelled);
            }
            if ready.cut_off {
                self.until = None;
                self.stdout.cut_off();
                progress.cutoff = Some(Cutoff { at: clock::now(), cpu: self.meter.cpu.used(self.cores) });
                next_check_at = clock::now();
            }
            if ready.ended && program.is_over() {
                return Ok(());
            }
            if let Some(fork_policy) = &mut self.fork_policy {
                fork_policy.process(&mut self.meter, ready.has_notification);
            }
            // In a conversation there is one line at a time. A second read would take as long as forwarding this line.
            self.stdout.drain(buffer, if self.stdout.is_relay() { 1 } else { 32 })?;
            if ready.stderr {
                self.stderr.drain(buffer, 32)?;
            }
            if self.stdout.overflowed() {
                break;
            }
        }
        program.kill();
        self.wait_for_death(program)
    }

    fn wait_for_death(&self, program: &mut dyn Program) -> Result<(), Fault> {
        let until = clock::now() + KILL_TIMEOUT;
        loop {
            let left = until.checked_sub(clock::now()).ok_or_else(|| Fault::System {
                action: format!(
                    "killing the program, which was not gone after {:?},",
                    Duration::from_nanos(KILL_TIMEOUT)
                ),
                source: Errno::TIME.into(),
            })?;
            let mut ended = [PollFd::from_borrowed_fd(program.ended(), PollFlags::IN)];
            match rustix::event::poll(&mut ended, Some(&clock::timespec(left))) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) if program.is_over() => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(error).context("waiting for the program's death"),
            }
        }
    }

    /// Forwards the rest of the data in the pipes, whose writers have all ended. A slow reader has until the time limit
    /// of the run. If the program was cut short, the reader gets no extra time.
    fn move_rest(&mut self, progress: &Progress, buffer: &mut [u8]) -> Result<(), Fault> {
        let started = self.started().unwrap_or(progress.began);
        let until = self.spec.limits.wall.map(|limit| started.saturating_add(nanoseconds(limit)));
        let is_cut_short = !progress.breaches.is_empty() || progress.cutoff.is_some();
        take_rest([&mut self.stdout, &mut self.stderr], buffer)?;
        loop {
            self.stdout.drain(buffer, usize::MAX)?;
            self.stderr.drain(buffer, usize::MAX)?;
            if is_cut_short || !self.stdout.is_blocked() && !self.stderr.is_blocked() {
                self.stdout.finish()?;
                return self.stderr.finish();
            }
            let left = until.map_or(u64::MAX, |until| until.saturating_sub(clock::now()));
            if left == 0 {
                return Err(Errno::TIME).context("waiting for the program's output to be read");
            }
            if self.wait(None, left, true)?.judge {
                return Err(Fault::Cancelled);
            }
        }
    }

    /// When the program started, on the monotonic clock; `None` if it is about to.
    fn started(&self) -> Option<u64> {
        self.meter.gauges.fixed.status_page.started()
    }

    /// Nanoseconds until the next check; `None` if a limit is exceeded, which is recorded.
    fn check(&mut self, progress: &mut Progress) -> Option<u64> {
        let started = self.started();
        let next = match progress.cutoff {
            Some(cutoff) => left_until(cutoff.at.saturating_add(nanoseconds(self.spec.grace)), clock::now())?,
            None => self.check_clocks(started.unwrap_or(progress.began), &mut progress.breaches)?,
        };
        let space = if started.is_some() { self.check_space(&mut progress.breaches)? } else { MIN_INTERVAL };
        Some(next.min(space).max(50_000))
    }

    fn check_clocks(&mut self, started: u64, breaches: &mut Vec<Breach>) -> Option<u64> {
        let mut next = u64::MAX;
        if let Some(limit) = self.spec.limits.cpu.map(nanoseconds) {
            let left = left_until(limit.saturating_add(MARGIN), self.meter.cpu.used(self.cores));
            next = next.min(check_left(left, Breach::Cpu, breaches)?.div_ceil(self.cores));
        }
        if let Some(limit) = self.spec.limits.wall.map(nanoseconds) {
            let left = left_until(started.saturating_add(limit).saturating_add(MARGIN), clock::now());
            next = next.min(check_left(left, Breach::Wall, breaches)?);
        }
        Some(next)
    }

    fn check_space(&mut self, breaches: &mut Vec<Breach>) -> Option<u64> {
        let (mut next, limits) = (u64::MAX, &self.spec.limits);
        if let Some(limit) = limits.memory
            && let Some(memory) = self.meter.memory()
        {
            let began = clock::now();
            let left = check_left(limit.checked_sub(memory.now(limit)), Breach::Memory, breaches)?;
            next = next.min(pause(left, began));
        }
        if let Some(limit) = limits.processes
            && let Some(now) = self.meter.tasks()
        {
            check_left(u64::from(limit).checked_sub(now), Breach::Processes, breaches)?;
            next = next.min(MAX_INTERVAL);
        }
        if let Some(disk) = self.meter.gauges.disk {
            let began = clock::now();
            let left = disk.bytes().and_then(|bytes| limits.disk.checked_sub(bytes));
            let left = check_left(left, Breach::Disk, breaches)?;
            next = next.min(pause(left, began));
        }
        Some(next)
    }

    /// Waits until there is something to do, for at most `timeout` nanoseconds. `listens`: output ends the wait, too.
    fn wait(&self, ended: Option<BorrowedFd<'_>>, timeout: u64, listens: bool) -> Result<Readiness, Fault> {
        let timeout = (timeout != u64::MAX).then(|| clock::timespec(timeout));
        let mut fds = ArrayVec::<PollFd<'_>, 7>::new();
        fds.push(PollFd::new(&self.judge, PollFlags::RDHUP));
        fds.extend(ended.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let until = ended.and(self.until.as_ref());
        fds.extend(until.map(|fd| PollFd::new(fd, PollFlags::IN)));
        let fork_policy = ended.and(self.fork_policy.as_ref()).map(ForkPolicy::fd);
        let place = fds.len();
        fds.extend(fork_policy.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let stderr = fds.len();
        if listens {
            fds.extend(self.stderr.awaited());
            fds.extend(self.stdout.awaited());
            fds.extend(self.stdout.pending());
        }
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error).context("waiting for the program"),
        }
        let ready = |index: usize| !fds[index].revents().is_empty();
        Ok(Readiness {
            judge: ready(0),
            ended: ended.is_some() && ready(1),
            cut_off: until.is_some() && ready(2),
            has_notification: fork_policy.is_some() && ready(place),
            stderr: !listens || !self.stderr.done && ready(stderr),
        })
    }
}

/// Nanoseconds until this many bytes may be used up. A measurement that `began` then and was long, as with many files,
/// must not take most of the time: the program may wait for this very core.
fn pause(left: u64, began: u64) -> u64 {
    (left / TOUCH_RATE).clamp(MIN_INTERVAL, MAX_INTERVAL).max(PAUSE_FACTOR * (clock::now() - began))
}

struct Readiness {
    judge: bool,
    ended: bool,
    cut_off: bool,
    has_notification: bool,
    /// There may be output on standard error.
    stderr: bool,
}

/// Nanoseconds until `end`; `None` if it has passed.
fn left_until(end: u64, now: u64) -> Option<u64> {
    end.checked_sub(now).filter(|left| *left > 0)
}

/// Returns `left`, and records `breach` if that is `None`.
fn check_left(left: Option<u64>, breach: Breach, breaches: &mut Vec<Breach>) -> Option<u64> {
    if left.is_none() {
        breaches.push(breach);
    }
    left
}

/// A program that was started or refused.
pub(crate) type Started<'a> = Result<OrRefused<Box<dyn Program + 'a>>, Fault>;

/// A started program, as the watcher sees it.
pub(crate) trait Program {
    /// Becomes readable when a process has ended. See [`Program::is_over`].
    fn ended(&self) -> BorrowedFd<'_>;
    /// Whether that was the program itself.
    fn is_over(&mut self) -> bool;
    /// Kills all processes of the run. May be called again.
    fn kill(&mut self);
    /// Cleans up after the program's end, and returns the result.
    fn finish(&mut self) -> Result<OrRefused<Finished>, Fault>;
}
