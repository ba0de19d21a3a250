//! Waits for the interactor's or tester's decision once the solver has ended: it may decide on everything that was said.

use super::activity::Activity;
use super::relay::Relay;
use super::unread::UnreadInput;
use judge_problem::verdict::Idleness;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The pause between two samples of the interactor's activity.
const PAUSE: Duration = Duration::from_millis(15);

/// The number of equal samples in a row after which the interactor counts as waiting.
const LOOKS: usize = 4;

/// The side of a conversation that decides: below, the interactor.
pub(super) trait Decider {
    /// Becomes readable when it has ended.
    fn ended(&self) -> BorrowedFd<'_>;

    /// Samples its activity.
    fn activity(&self) -> Activity;
}

/// A conversation after the solver's end and before the interactor's decision.
pub(super) struct PendingDecision<'a> {
    pub(super) relay: &'a mut Relay,
    pub(super) decider: &'a dyn Decider,
    /// The interactor's further output.
    pub(super) to_solver: &'a mut UnreadInput,
    pub(super) afterwards: Afterwards,
    /// How long the interactor may take to decide.
    pub(super) decision_time: Duration,
    /// Whether the whole run was stopped.
    pub(super) stopped: &'a AtomicBool,
}

/// What follows when the interactor has all of the solver's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// It sees the end of it, and has the full time to decide: the solver succeeded.
    ShowEnd,
    /// It may still decide on what it has read, and is not shown the end: the solver failed.
    KeepOpen,
    /// Nothing: it need not be waited for any longer.
    Return,
}

/// How the wait for a decision ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waited {
    /// The interactor has ended.
    Ended,
    /// It has all output, where this was all to wait for.
    Delivered,
    /// It had its time, or waits for more.
    Idle(Idleness),
    /// The run was stopped.
    Stopped,
}

impl PendingDecision<'_> {
    /// Waits for the decision.
    pub(super) fn wait_for_it(self) -> io::Result<Waited> {
        let began = Instant::now();
        let mut looks = Looks::default();
        while began.elapsed() < self.decision_time {
            if self.stopped.load(Ordering::SeqCst) {
                return Ok(Waited::Stopped);
            }
            self.relay.pass()?;
            match self.afterwards {
                Afterwards::ShowEnd => self.relay.show_end(),
                Afterwards::Return if self.relay.pending().is_none() => return Ok(Waited::Delivered),
                Afterwards::KeepOpen | Afterwards::Return => {}
            }
            match self.wait()? {
                Woken::Ended => return Ok(Waited::Ended),
                Woken::Moved => {
                    self.to_solver.drop_some()?;
                    looks.add_move();
                }
                // It has seen the end of its input: it has the full time to decide.
                Woken::Nothing if self.afterwards == Afterwards::ShowEnd => {}
                Woken::Nothing => looks.add(self.decider.activity(), self.relay.is_heard()?),
            }
            if looks.alike == LOOKS {
                return Ok(Waited::Idle(Idleness::Waiting));
            }
        }
        Ok(Waited::Idle(looks.idleness()))
    }

    /// Waits for one pause.
    fn wait(&self) -> io::Result<Woken> {
        let ended = self.decider.ended();
        let mut fds = vec![PollFd::from_borrowed_fd(ended, PollFlags::IN)];
        fds.extend(self.relay.pending().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        fds.extend(self.to_solver.poll());
        let timeout = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
        match rustix::event::poll(&mut fds, Some(&timeout)) {
            Ok(0) => Ok(Woken::Nothing),
            Ok(_) if !fds[0].revents().is_empty() => Ok(Woken::Ended),
            Ok(_) | Err(Errno::INTR) => Ok(Woken::Moved),
            Err(error) => Err(error.into()),
        }
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
    /// It has read or printed something instead of computing.
    fn add_move(&mut self) {
        self.alike = 0;
        self.all += 1;
    }

    fn add(&mut self, activity: Activity, has_heard_all: bool) {
        let is_still = has_heard_all && !activity.runs && !activity.sleeps && !activity.changes;
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
