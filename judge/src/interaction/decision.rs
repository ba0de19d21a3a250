//! Waits for the interactor's decision once the solver has ended: it may decide on everything that was said.

use super::activity::Activity;
use super::interactor::Interactor;
use super::relay::{Relay, never_wait};
use crate::verdict::{Idleness, InteractorDecision};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The pause between two samples of the interactor's activity.
const PAUSE: Duration = Duration::from_millis(15);

/// The number of equal samples in a row after which the interactor counts as waiting.
const LOOKS: usize = 4;

/// An interactor that prints this many bytes after the solver's end is not about to decide.
const FLOOD_BYTES: usize = 1 << 20;

/// A conversation after the solver's end and before the interactor's decision.
pub(super) struct PendingDecision<'a> {
    pub(super) relay: &'a mut Relay,
    pub(super) interactor: Interactor,
    /// The interactor's further output, which is discarded: a full or broken pipe must not stop it. `None` once it has
    /// closed its output.
    pub(super) to_solver: Option<OwnedFd>,
    /// Whether the solver succeeded: only then the interactor sees the end of its output.
    pub(super) ended_well: bool,
    /// How long the interactor may take to decide.
    pub(super) decision_time: Duration,
    /// Whether the whole run was stopped.
    pub(super) stopped: &'a AtomicBool,
}

impl PendingDecision<'_> {
    /// Waits for the decision. After a solver that failed, it waits only while the interactor may still decide on what
    /// it has read. Also returns what it wrote. `None` when the run was stopped.
    pub(super) fn decision(mut self) -> io::Result<Option<(InteractorDecision, Vec<u8>)>> {
        if let Some(to_solver) = &self.to_solver {
            never_wait(to_solver)?;
        }
        self.relay.take()?;
        let began = Instant::now();
        let mut thrown_away = 0;
        let mut looks = Looks::default();
        while began.elapsed() < self.decision_time && thrown_away < FLOOD_BYTES {
            if self.stopped.load(Ordering::SeqCst) {
                return Ok(None);
            }
            self.relay.pass()?;
            if self.ended_well {
                self.relay.show_end();
            }
            match self.wait()? {
                Woken::Ended => return Ok(Some(self.interactor.decision())),
                Woken::Moved => {
                    thrown_away += self.throw_away()?;
                    looks.alike = 0;
                }
                // It has seen the end of its input: it has the full time to decide.
                Woken::Nothing if self.ended_well => {}
                Woken::Nothing => looks.add(self.interactor.activity(), self.relay.is_heard()?),
            }
            if looks.alike == LOOKS {
                return Ok(Some((InteractorDecision::None(Idleness::Waiting), Vec::new())));
            }
        }
        let idleness = if thrown_away < FLOOD_BYTES { looks.idleness() } else { Idleness::Waiting };
        Ok(Some((InteractorDecision::None(idleness), Vec::new())))
    }

    /// Waits for one pause.
    fn wait(&self) -> io::Result<Woken> {
        let ended = self.interactor.ended();
        let mut fds = vec![PollFd::from_borrowed_fd(ended, PollFlags::IN)];
        fds.extend(self.relay.pending().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        fds.extend(self.to_solver.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        let timeout = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
        match rustix::event::poll(&mut fds, Some(&timeout)) {
            Ok(0) => Ok(Woken::Nothing),
            Ok(_) if !fds[0].revents().is_empty() => Ok(Woken::Ended),
            Ok(_) | Err(Errno::INTR) => Ok(Woken::Moved),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads and drops what the interactor prints, and returns the number of bytes.
    fn throw_away(&mut self) -> io::Result<usize> {
        let mut buffer = [0; 64 * 1024];
        let mut count = 0;
        while let Some(to_solver) = self.to_solver.as_ref().filter(|_| count < FLOOD_BYTES) {
            match rustix::io::read(to_solver, &mut buffer) {
                Ok(0) => self.to_solver = None,
                Ok(more) => count += more,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(count)
    }
}

enum Woken {
    /// The interactor has ended.
    Ended,
    /// It has read or printed something.
    Moved,
    /// The pause is over.
    Nothing,
}

/// The samples of the interactor's activity.
#[derive(Default)]
struct Looks {
    last: Option<Activity>,
    /// The number of last samples that were equal and idle.
    alike: usize,
    /// The number of samples, and of those in which it ran.
    all: usize,
    running: usize,
}

impl Looks {
    fn add(&mut self, activity: Activity, has_heard_all: bool) {
        let is_still = has_heard_all && !activity.runs && !activity.sleeps;
        let is_same = self.last.as_ref().is_some_and(|last| *last == activity);
        self.alike = if !is_still {
            0
        } else if is_same {
            self.alike + 1
        } else {
            1
        };
        self.all += 1;
        self.running += usize::from(activity.runs);
        self.last = Some(activity);
    }

    /// Returns what it did most of the time. CPU time is no measure: on a busy machine it may have had none.
    fn idleness(&self) -> Idleness {
        if self.running * 2 > self.all { Idleness::Computing } else { Idleness::Waiting }
    }
}
