//! Waits for the decision of an interactor or tester after the solver has ended. It may decide after it has read
//! everything.
//!
//! The activity of its processes shows whether it still works on its decision.

use super::relay::{Relay, UnreadInput};
use judge_problem::verdict::Idleness;
use judge_sandbox::process_stat;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io};

/// The pause between two samples of the interactor's activity.
const PAUSE: Duration = Duration::from_millis(15);

/// The number of equal samples in a row after which the interactor counts as waiting.
const STILL_SAMPLES: usize = 4;

/// A conversation after the solver's end and before the decision of its partner, which is called the interactor below.
pub(super) struct PendingDecision<'a> {
    pub(super) relay: &'a mut Relay,
    /// Becomes readable when the interactor has ended.
    pub(super) ended: BorrowedFd<'a>,
    /// Returns the ids of the interactor's processes.
    pub(super) processes: &'a dyn Fn() -> Vec<u32>,
    /// The interactor's further output.
    pub(super) to_solver: &'a mut UnreadInput,
    pub(super) next_step: NextStep,
    /// How long the interactor may take to decide.
    pub(super) decision_time: Duration,
    /// Whether the whole run was stopped.
    pub(super) stopped: &'a AtomicBool,
}

/// The next step when the interactor has read all of the solver's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextStep {
    /// The solver succeeded. The interactor sees the end of its input, and has the full time to decide.
    ShowEnd,
    /// The solver failed. The interactor may still decide on what it has read, and does not see the end of its input.
    KeepOpen,
    /// Nothing: the wait for it ends.
    Return,
}

/// How the wait for a decision ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitOutcome {
    /// The interactor has ended.
    Ended,
    /// It has read all output, and there was nothing else to wait for.
    Delivered,
    /// Its time is over, or it waits for more input.
    Idle(Idleness),
    /// The run was stopped.
    Stopped,
}

impl PendingDecision<'_> {
    /// Waits for the decision.
    pub(super) fn wait_for_it(self) -> io::Result<WaitOutcome> {
        let began = Instant::now();
        let mut samples = Samples::default();
        while began.elapsed() < self.decision_time {
            if self.stopped.load(Ordering::SeqCst) {
                return Ok(WaitOutcome::Stopped);
            }
            self.relay.pass()?;
            match self.next_step {
                NextStep::ShowEnd => self.relay.show_end(),
                NextStep::Return if self.relay.pending().is_none() => return Ok(WaitOutcome::Delivered),
                NextStep::KeepOpen | NextStep::Return => {}
            }
            match self.wait()? {
                WakeReason::Ended => return Ok(WaitOutcome::Ended),
                WakeReason::Progress => {
                    self.to_solver.drop_some()?;
                    // It was not computing.
                    (samples.alike, samples.all) = (0, samples.all + 1);
                }
                // It has seen the end of its input, and has the full time to decide.
                WakeReason::Nothing if self.next_step == NextStep::ShowEnd => {}
                WakeReason::Nothing => {
                    samples.add(sample_activity(&(self.processes)()), self.relay.is_all_read()?);
                }
            }
            if samples.alike == STILL_SAMPLES {
                return Ok(WaitOutcome::Idle(Idleness::Waiting));
            }
        }
        Ok(WaitOutcome::Idle(samples.idleness()))
    }

    /// Waits for one pause.
    fn wait(&self) -> io::Result<WakeReason> {
        let mut fds = vec![PollFd::from_borrowed_fd(self.ended, PollFlags::IN)];
        fds.extend(self.relay.pending().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        fds.extend(self.to_solver.poll());
        let timeout = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
        match rustix::event::poll(&mut fds, Some(&timeout)) {
            Ok(0) => Ok(WakeReason::Nothing),
            Ok(_) if !fds[0].revents().is_empty() => Ok(WakeReason::Ended),
            Ok(_) | Err(Errno::INTR) => Ok(WakeReason::Progress),
            Err(error) => Err(error.into()),
        }
    }
}

enum WakeReason {
    /// The interactor has ended.
    Ended,
    /// It has read or printed something.
    Progress,
    /// The pause is over.
    Nothing,
}

/// The samples of the interactor's activity.
#[derive(Default)]
struct Samples {
    last: Option<Activity>,
    /// The number of last samples that were equal and idle.
    alike: usize,
    /// The number of samples, and the number of samples in which it ran.
    all: usize,
    running: usize,
}

impl Samples {
    fn add(&mut self, activity: Activity, has_read_all: bool) {
        let is_still = has_read_all && !activity.runs && !activity.sleeps && !activity.changes;
        self.alike = match is_still {
            true if self.last.as_ref() == Some(&activity) => self.alike + 1,
            true => 1,
            false => 0,
        };
        self.all += 1;
        self.running += usize::from(activity.runs);
        self.last = Some(activity);
    }

    /// Returns its most frequent state. CPU time cannot show this, because on a busy machine it may have received none.
    fn idleness(&self) -> Idleness {
        if self.running * 2 > self.all { Idleness::Computing } else { Idleness::Waiting }
    }
}

/// Kernel functions in which a thread sleeps and wakes without its partner: a pause, or a wait for the judge, which
/// reads its standard error and allows new processes.
const WAKING: [&str; 3] = ["nanosleep", "pipe_write", "seccomp"];

/// A sample of the activity of some processes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Activity {
    /// Some thread runs, is ready to run, or waits for a disk.
    runs: bool,
    /// Some thread sleeps, and wakes without its partner.
    sleeps: bool,
    /// The program has not started yet, or it has ended and has not been waited for.
    changes: bool,
    /// How often each thread was scheduled. If it has not changed, no thread has run.
    turns: Vec<(PathBuf, u64)>,
}

/// Samples every thread of these processes, which are all processes of the interactor.
fn sample_activity(processes: &[u32]) -> Activity {
    let mut activity = Activity::default();
    for process in processes {
        let folder = PathBuf::from(format!("/proc/{process}"));
        let Some((state, parent)) = state_and_parent(&folder) else { continue };
        if matches!(state, 'Z' | 'X') {
            // A process that has ended waits for its parent, which takes it soon if the parent is the sandbox.
            activity.changes |= !processes.contains(&parent);
        }
        let Ok(threads) = fs::read_dir(folder.join("task")) else { continue };
        threads.flatten().for_each(|thread| activity.add(thread.path()));
    }
    activity.changes |= activity.turns.is_empty();
    activity
}

impl Activity {
    fn add(&mut self, thread: PathBuf) {
        let Some((state, _)) = state_and_parent(&thread) else { return };
        if matches!(state, 'Z' | 'X') {
            return;
        }
        self.runs |= matches!(state, 'R' | 'D');
        let place = fs::read_to_string(thread.join("wchan")).unwrap_or_default();
        self.sleeps |= WAKING.iter().any(|name| place.contains(name));
        let numbers = fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
        let turns = numbers.split_whitespace().nth(2).and_then(|number| number.parse().ok());
        self.turns.push((thread, turns.unwrap_or_default()));
    }
}

fn state_and_parent(folder: &Path) -> Option<(char, u32)> {
    let text = process_stat(folder)?;
    let mut fields = text.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    /// A process group that ends with the test.
    struct Group(Child);

    impl Group {
        fn activity(&self) -> Activity {
            let id = self.0.id();
            let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
            let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
            sample_activity(&std::iter::once(id).chain(children).collect::<Vec<_>>())
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.wait();
        }
    }

    fn start(script: &str) -> Group {
        Group(Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).process_group(0).spawn().unwrap())
    }

    /// Whether a sample eventually becomes as expected, even on a slow machine.
    fn becomes(running: &Group, expected: impl Fn(&Activity) -> bool) -> bool {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            if expected(&running.activity()) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        false
    }

    #[test]
    fn a_reading_process_is_still_a_computing_one_not() {
        let reader = start("read line");
        let still = |activity: &Activity| !activity.runs && !activity.sleeps && *activity == reader.activity();
        assert!(becomes(&reader, still));
        let computer = start("while :; do :; done");
        assert!(becomes(&computer, |activity| activity.runs && !activity.sleeps));
    }

    #[test]
    fn a_process_with_a_damaged_name_is_seen() {
        // The kernel cuts a long name in the middle of a letter.
        let named = start(r"printf 'b\321' > /proc/self/comm; read line");
        assert!(becomes(&named, |_| fs::read(format!("/proc/{}/comm", named.0.id())).unwrap().contains(&0o321)));
        assert!(becomes(&named, |activity| !activity.changes && activity.turns.len() == 1));
    }

    #[test]
    fn a_child_that_works_is_seen_and_so_is_a_pause() {
        let parent = start("(while :; do :; done) & wait");
        assert!(becomes(&parent, |activity| activity.runs && activity.turns.len() == 2));
        let sleeper = start("sleep 60");
        let asleep = |activity: &Activity| activity.sleeps && !activity.runs && *activity == sleeper.activity();
        assert!(becomes(&sleeper, asleep));
    }

    #[test]
    fn an_end_that_was_not_noticed_is_a_change() {
        assert!(sample_activity(&[]).changes);
        let ended = start("exit");
        assert!(becomes(&ended, |activity| activity.changes && activity.turns.is_empty()));
        let parent = start("exit & while :; do read line; done");
        assert!(becomes(&parent, |activity| !activity.changes && activity.turns.len() == 1));
    }
}
