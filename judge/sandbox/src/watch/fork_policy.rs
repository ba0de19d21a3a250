//! Decides about requests at the fork gate.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use crate::clock;
use crate::confine::fork_gate::{ForkGate, GateRequest, Notification};
use crate::procfs::stat;
use crate::request::Limits;
use crate::watch::gauges::RunGauges;
use crate::watch::meter::Meter;

/// The pause between two checks of an allowed request.
const PAUSE: u64 = 200_000;
/// Starting a process or thread takes no longer than this: in ticks of CPU time of the starting thread, and in
/// nanoseconds of waiting for the kernel.
const START_TICKS: u64 = 2;
const START_WAIT: u64 = 20_000_000;

/// Decides about requests at the gate during one run.
pub(crate) struct ForkPolicy<'a> {
    gate: &'a ForkGate,
    limits: &'a Limits,
    /// Device and inode of the output pipes.
    outputs: [(u64, u64); 2],
    /// An upper bound for the number of living tasks.
    at_most: u64,
    /// Allowed starts whose task may not be there yet, and is not among the living ones.
    starts: Vec<Start>,
    /// Requests that wait until the number of living tasks is certain.
    waiting: Vec<Notification>,
    /// A process or thread was refused.
    pub(crate) was_refused: bool,
}

impl<'a> ForkPolicy<'a> {
    /// For a run with these limits whose output pipes are `outputs`. `None` if there is no gate.
    pub(crate) fn of(
        gauges: &RunGauges<'a>,
        limits: &'a Limits,
        outputs: [BorrowedFd<'_>; 2],
    ) -> Option<ForkPolicy<'a>> {
        let gate = gauges.fixed.gate.as_ref()?;
        let outputs = outputs.map(|pipe| rustix::fs::fstat(pipe).map_or((0, 0), |pipe| (pipe.st_dev, pipe.st_ino)));
        let (starts, waiting) = (Vec::new(), Vec::new());
        Some(ForkPolicy { gate, limits, outputs, at_most: 1, starts, waiting, was_refused: false })
    }

    /// Readable when there is a request.
    pub(crate) fn fd(&self) -> BorrowedFd<'a> {
        self.gate.fd()
    }

    /// Nanoseconds until [`process`](Self::process) must be called even without a request.
    pub(crate) fn pause(&self) -> u64 {
        if self.waiting.is_empty() { u64::MAX } else { PAUSE }
    }

    /// Answers one request, if there `is_one`, and all waiting ones.
    pub(crate) fn process(&mut self, meter: &mut Meter<'_>, is_one: bool) {
        if is_one && let Some(notification) = self.gate.receive() {
            self.decide(notification, meter);
        }
        while let Some(&notification) = self.waiting.first() {
            let Some(admitted) = self.admit(meter) else { return };
            self.waiting.remove(0);
            self.gate.respond(notification, admitted);
            if admitted && self.limits.processes.is_some() {
                self.starts.push(Start { thread: notification.thread, seen: None });
            }
            if admitted && matches!(notification.request, GateRequest::Process) {
                meter.cpu.expect_short_lived();
            }
        }
    }

    /// Answers a request, or lets it wait.
    fn decide(&mut self, notification: Notification, meter: &mut Meter<'_>) {
        let admitted = match (notification.request, meter.memory()) {
            (GateRequest::Memory(bytes), Some(memory)) => {
                memory.grant(notification.thread, bytes, self.limits.memory.unwrap_or(u64::MAX))
            }
            (GateRequest::Pages(descriptor), Some(_)) => self.is_output(notification.thread, descriptor, meter),
            (GateRequest::Memory(_) | GateRequest::Pages(_), None) => true,
            (GateRequest::Process | GateRequest::Thread, _) => {
                meter.gauges.expect_others(notification.thread);
                // Its earlier start has succeeded, or was interrupted by a signal.
                self.starts.retain(|start| start.thread != notification.thread);
                self.waiting.retain(|other| other.thread != notification.thread);
                return self.waiting.push(notification);
            }
            (GateRequest::Handler(action), _) => {
                // Fails for an invalid address, which the kernel then reports to the program.
                let _ = meter.gauges.as_user(|| set_restart_flag(notification.thread, action));
                true
            }
            (GateRequest::Clock(task), _) => {
                let is_own = || Path::new(&format!("/proc/{}/task/{task}", notification.thread)).exists();
                is_own() || meter.gauges.members().contains(&task.cast_signed())
            }
        };
        self.gate.respond(notification, admitted);
    }

    /// Whether a thread's descriptor is one of the output pipes that the helper empties. The run must have no other
    /// task, because that could replace the descriptor while the thread waits.
    fn is_output(&self, thread: u32, descriptor: i32, meter: &Meter<'_>) -> bool {
        let file = std::fs::metadata(format!("/proc/{thread}/fd/{descriptor}"));
        file.is_ok_and(|file| self.outputs.contains(&(file.dev(), file.ino()))) && meter.alive() == 1
    }

    /// Whether one more task is allowed; `None` while that is uncertain.
    fn admit(&mut self, meter: &Meter<'_>) -> Option<bool> {
        let is_full = |at_most: u64| self.limits.processes.is_some_and(|limit| at_most >= u64::from(limit));
        let mut alive = 0;
        if is_full(self.at_most) {
            // Before counting, so that tasks that are there by now are counted.
            self.starts.retain_mut(Start::is_underway);
            alive = meter.alive();
            self.at_most = alive + self.starts.len() as u64;
        }
        let admitted = !is_full(self.at_most);
        if !admitted && !is_full(alive) {
            return None;
        }
        self.at_most += u64::from(admitted);
        self.was_refused |= !admitted;
        Some(admitted)
    }
}

/// An allowed start of a process or thread.
struct Start {
    /// The thread that starts it.
    thread: u32,
    /// When this was first checked, and the ticks of CPU time at that time.
    seen: Option<(u64, u64)>,
}

impl Start {
    /// Whether the thread may still be about to start it.
    fn is_underway(&mut self) -> bool {
        let Some(stat) = stat(Path::new(&format!("/proc/{0}/task/{0}", self.thread))) else { return false };
        let ticks = stat.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        let (since, before) = *self.seen.get_or_insert_with(|| (clock::now(), ticks));
        match stat.as_bytes().first() {
            Some(b'R') => ticks < before + START_TICKS,
            // It waits for a lock in the kernel, or for its child after `vfork`.
            Some(b'D') => clock::now() < since + START_WAIT,
            _ => false,
        }
    }
}

/// Smaller values are not handlers, but the default action and ignoring.
const FIRST_HANDLER: u64 = 2;
/// The offset of the flags, after the handler's address, on the architectures that are supported.
const FLAGS: u64 = 8;

/// Sets `SA_RESTART` for a handler, so that interrupted system calls go on. `thread` waits in `rt_sigaction` with
/// `action` as its argument. If another of its threads changes the memory meanwhile, that harms only this process.
///
/// # Errors
/// When the memory cannot be read or written.
pub(crate) fn set_restart_flag(thread: u32, action: u64) -> io::Result<()> {
    let memory = File::options().read(true).write(true).open(format!("/proc/{thread}/mem"))?;
    let word = |address: u64| {
        let mut bytes = [0; 8];
        memory.read_exact_at(&mut bytes, address)?;
        Ok::<u64, io::Error>(u64::from_ne_bytes(bytes))
    };
    let place = action.wrapping_add(FLAGS);
    let (handler, flags) = (word(action)?, word(place)?);
    let restarting = flags | u64::from(libc::SA_RESTART.cast_unsigned());
    if handler < FIRST_HANDLER || flags == restarting {
        return Ok(());
    }
    memory.write_all_at(&restarting.to_ne_bytes(), place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(action: [u64; 4]) -> [u64; 4] {
        let action = Box::new(action);
        // SAFETY: a system call without pointers.
        let thread = unsafe { libc::gettid() }.cast_unsigned();
        set_restart_flag(thread, std::ptr::from_ref(&*action).expose_provenance() as u64).unwrap();
        // SAFETY: the place is valid. It was changed from outside of the program.
        unsafe { std::ptr::read_volatile(&raw const *action) }
    }

    #[test]
    fn only_handlers_are_changed_and_only_this_flag() {
        let restart = u64::from(libc::SA_RESTART.cast_unsigned());
        assert_eq!(changed([4096, 4, 5, 6]), [4096, 4 | restart, 5, 6]);
        assert_eq!(changed([4096, restart, 5, 6]), [4096, restart, 5, 6]);
        assert_eq!(changed([0, 4, 5, 6]), [0, 4, 5, 6], "the default action");
        assert_eq!(changed([1, 4, 5, 6]), [1, 4, 5, 6], "ignored");
        assert!(set_restart_flag(1 << 30, 4096).is_err());
    }
}
