//! Watches a running program: takes its output, keeps its limits, and sees it end.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::capture::Stream;
use crate::clock;
use crate::execution::{Breach, Fault};
use crate::fault::Doing;
use crate::launch::Child;
use crate::meter::Meter;
use crate::reap::{self, Account, Conclusion, Scope, Undertaker};
use crate::request::Limits;
use crate::wire::nanoseconds;

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

/// Measures a working folder.
pub(crate) trait Disk {
    /// Bytes on disk, counted until `enough` is passed.
    fn bytes(&self, enough: u64) -> u64;
}

/// A run's end as the watcher saw it.
pub(crate) struct Watched {
    pub(crate) conclusion: Conclusion,
    /// The limits that made the watcher kill it.
    pub(crate) breaches: Vec<Breach>,
    /// When it was of no more use.
    pub(crate) dismissal: Option<Dismissal>,
}

/// What was used of the clocks when the program was of no more use.
#[derive(Clone, Copy)]
pub(crate) struct Dismissal {
    /// On the monotonic clock.
    pub(crate) at: u64,
    pub(crate) cpu: u64,
}

/// How long a killed program may take to be gone.
const GRACE: u64 = 5_000_000_000;
/// How long a program of no more use may take to end by itself.
const LEAVE: u64 = 200_000_000;
/// Shortest and longest pause between two looks at what nobody tells us of.
const SHORTEST_LOOK: u64 = 1_000_000;
const LONGEST_LOOK: u64 = 20_000_000;
/// A program is killed for its time only when this much more is used: the final figures, which are read otherwise, are
/// then beyond the limit as well.
const MARGIN: u64 = 1_500_000;
/// The fastest that memory is touched, in bytes per nanosecond.
const TOUCH_RATE: u64 = 4;
/// Bytes moved by one read.
const BUFFER_BYTES: usize = 64 * 1024;

/// What is watched.
pub(crate) struct Watch<'a, 'b> {
    pub(crate) limits: &'a Limits,
    pub(crate) stdout: &'a mut Stream<'b>,
    pub(crate) stderr: &'a mut Stream<'b>,
    pub(crate) meter: &'a mut Meter<'b>,
    /// The judge's end: readable when the judge has gone or has cancelled.
    pub(crate) judge: BorrowedFd<'a>,
    /// Readable when the program is of no more use; nothing once that is known.
    pub(crate) until: Option<BorrowedFd<'a>>,
    /// Bytes on disk in a working folder that has no size limit of its own.
    pub(crate) disk: Option<&'a dyn Disk>,
    /// Cores that the program may use at once.
    pub(crate) cores: u64,
}

impl Watch<'_, '_> {
    /// Watches until the program has ended, by itself or by our hand.
    pub(crate) fn run(mut self, program: &mut dyn Program) -> Result<Watched, Fault> {
        let mut breaches = Vec::new();
        let mut killed_at = None;
        let mut dismissal = None;
        let mut buffer = vec![0; BUFFER_BYTES];
        // Reading what a program uses costs more than a short program takes: the first look comes a little later.
        let mut look_at = clock::now() + SHORTEST_LOOK.min(self.shortest_limit());
        loop {
            let timeout = match killed_at {
                Some(at) => remaining(at + GRACE)?,
                None => match look_at.checked_sub(clock::now()).filter(|left| *left > 0) {
                    Some(left) => left,
                    None => match self.check(program.started(), dismissal, &mut breaches) {
                        Some(next) => {
                            look_at = clock::now().saturating_add(next);
                            next
                        }
                        None => {
                            program.kill();
                            killed_at = Some(clock::now());
                            GRACE
                        }
                    },
                },
            };
            let woken = self.wait(program.ended(), timeout)?;
            if woken.dismissed {
                self.until = None;
                dismissal = Some(Dismissal { at: clock::now(), cpu: self.meter.cpu() });
                look_at = clock::now();
            }
            if woken.judge && killed_at.is_none() {
                program.kill();
                killed_at = Some(clock::now());
            }
            if woken.ended && program.is_over() {
                let conclusion = program.finish()?;
                self.stdout.drain(&mut buffer, usize::MAX)?;
                self.stderr.drain(&mut buffer, usize::MAX)?;
                return if woken.judge {
                    Err(Fault::Cancelled)
                } else {
                    Ok(Watched { conclusion, breaches, dismissal })
                };
            }
            self.stdout.drain(&mut buffer, 32)?;
            self.stderr.drain(&mut buffer, 32)?;
            if self.stdout.overflowed() && killed_at.is_none() {
                program.kill();
                killed_at = Some(clock::now());
            }
        }
    }

    fn shortest_limit(&self) -> u64 {
        let shortest = self.limits.cpu.into_iter().chain(self.limits.wall).min();
        shortest.map_or(u64::MAX, nanoseconds)
    }

    /// Nanoseconds until the next look; `None` when a limit is passed, which is noted.
    fn check(&mut self, started: u64, dismissal: Option<Dismissal>, breaches: &mut Vec<Breach>) -> Option<u64> {
        let next = match dismissal {
            Some(dismissal) => (dismissal.at + LEAVE).checked_sub(clock::now()).filter(|left| *left > 0)?,
            None => self.check_clocks(started, breaches)?,
        };
        Some(next.min(self.check_space(breaches)?).max(50_000))
    }

    fn check_clocks(&self, started: u64, breaches: &mut Vec<Breach>) -> Option<u64> {
        let mut next = u64::MAX;
        if let Some(limit) = self.limits.cpu.map(nanoseconds) {
            let left = (limit.saturating_add(MARGIN)).checked_sub(self.meter.cpu()).filter(|left| *left > 0);
            next = next.min(noted(left, Breach::Cpu, breaches)?.div_ceil(self.cores));
        }
        if let Some(limit) = self.limits.wall.map(nanoseconds) {
            let left = (started.saturating_add(limit).saturating_add(MARGIN))
                .checked_sub(clock::now())
                .filter(|left| *left > 0);
            next = next.min(noted(left, Breach::Wall, breaches)?);
        }
        Some(next)
    }

    fn check_space(&mut self, breaches: &mut Vec<Breach>) -> Option<u64> {
        let mut next = u64::MAX;
        if let Some(limit) = self.limits.memory
            && let Some(now) = self.meter.memory()
        {
            let left = noted(limit.checked_sub(now), Breach::Memory, breaches)?;
            next = next.min((left / TOUCH_RATE).clamp(SHORTEST_LOOK, LONGEST_LOOK));
        }
        if let Some(limit) = self.limits.processes
            && let Some(now) = self.meter.tasks()
        {
            noted(u64::from(limit).checked_sub(now), Breach::Processes, breaches)?;
            next = next.min(LONGEST_LOOK);
        }
        if let Some(measure) = self.disk {
            noted(self.limits.disk.checked_sub(measure.bytes(self.limits.disk)), Breach::Output, breaches)?;
            next = next.min(LONGEST_LOOK);
        }
        Some(next)
    }

    fn wait(&self, ended: BorrowedFd<'_>, timeout: u64) -> Result<Woken, Fault> {
        let timeout = (timeout != u64::MAX).then(|| clock::timespec(timeout));
        let mut fds = vec![PollFd::from_borrowed_fd(ended, PollFlags::IN), PollFd::new(&self.judge, PollFlags::IN)];
        fds.extend(self.until.iter().map(|until| PollFd::from_borrowed_fd(*until, PollFlags::IN)));
        for stream in [&*self.stdout, &*self.stderr] {
            if !stream.done {
                fds.push(PollFd::from_borrowed_fd(stream.fd(), PollFlags::IN));
            }
        }
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error).doing("waiting for the program"),
        }
        let ready = |index: usize| !fds[index].revents().is_empty();
        Ok(Woken { ended: ready(0), judge: ready(1), dismissed: self.until.is_some() && ready(2) })
    }
}

struct Woken {
    ended: bool,
    judge: bool,
    dismissed: bool,
}

/// `left`, or `None` with `breach` noted when nothing is left.
fn noted(left: Option<u64>, breach: Breach, breaches: &mut Vec<Breach>) -> Option<u64> {
    if left.is_none() {
        breaches.push(breach);
    }
    left
}

fn remaining(until: u64) -> Result<u64, Fault> {
    until.checked_sub(clock::now()).ok_or_else(|| Fault::System {
        action: format!("killing the program, which was not gone after {:?},", Duration::from_nanos(GRACE)),
        source: std::io::ErrorKind::TimedOut.into(),
    })
}

/// A program started by this very process.
pub(crate) struct OwnProgram<'a> {
    pub(crate) child: Child,
    pub(crate) undertaker: &'a Undertaker,
    pub(crate) account: Account,
}

impl Program for OwnProgram<'_> {
    fn ended(&self) -> BorrowedFd<'_> {
        self.undertaker.fd()
    }

    fn is_over(&mut self) -> bool {
        self.undertaker.tidy(&self.child, &mut self.account)
    }

    fn kill(&mut self) {
        reap::kill(&self.child, Scope::Group);
    }

    fn finish(&mut self) -> Result<Conclusion, Fault> {
        let account = std::mem::take(&mut self.account);
        Ok(Conclusion::Finished(reap::finish(&self.child, Scope::Group, account)))
    }

    fn started(&self) -> u64 {
        self.child.started
    }
}
