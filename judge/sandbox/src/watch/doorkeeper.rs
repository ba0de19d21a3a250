//! Decides what a run asks for at the fork gate.

use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::api::request::Limits;
use crate::confine::fork_gate::{ForkGate, Wish};
use crate::proc::handler;
use crate::watch::meter::Meter;

/// Which requests at the gate are allowed during one run.
pub(crate) struct Doorkeeper<'a> {
    gate: &'a ForkGate,
    limits: &'a Limits,
    /// Device and inode of the pipes that it writes to.
    outputs: [(u64, u64); 2],
    /// No more tasks than this can be alive.
    at_most: u64,
    /// A process or thread was refused.
    pub(crate) was_full: bool,
}

impl<'a> Doorkeeper<'a> {
    /// For a run of these limits, which writes to `outputs`.
    pub(crate) fn new(gate: &'a ForkGate, limits: &'a Limits, outputs: [BorrowedFd<'_>; 2]) -> Doorkeeper<'a> {
        let outputs = outputs.map(|pipe| rustix::fs::fstat(pipe).map_or((0, 0), |pipe| (pipe.st_dev, pipe.st_ino)));
        Doorkeeper { gate, limits, outputs, at_most: 1, was_full: false }
    }

    /// Readable when a process asks.
    pub(crate) fn fd(&self) -> BorrowedFd<'a> {
        self.gate.fd()
    }

    /// Answers one request; returns whether a new process was allowed.
    pub(crate) fn attend(&mut self, meter: &mut Meter<'_>) -> bool {
        let Some(knock) = self.gate.open() else { return false };
        let admitted = match (knock.wish, meter.memory()) {
            (Wish::Memory(bytes), Some(memory)) => {
                memory.grant(knock.thread, bytes, self.limits.memory.unwrap_or(u64::MAX))
            }
            (Wish::Pages(descriptor), Some(_)) => self.is_output(knock.thread, descriptor, meter),
            (Wish::Memory(_) | Wish::Pages(_), None) => true,
            (Wish::Process | Wish::Thread, _) => {
                meter.expect_company(knock.thread);
                self.admit(meter)
            }
            (Wish::Handler(action), _) => {
                // Fails for a bad address, of which the kernel tells the program itself.
                let _ = meter.as_user(|| handler::let_calls_go_on(knock.thread, action));
                true
            }
            (Wish::Clock(task), _) => {
                let is_own = || Path::new(&format!("/proc/{}/task/{task}", knock.thread)).exists();
                is_own() || meter.has_member(task)
            }
        };
        self.gate.answer(knock, admitted);
        admitted && matches!(knock.wish, Wish::Process)
    }

    /// Whether a thread's descriptor is one of the pipes that the helper empties. The run must have no other task: it
    /// could change what the descriptor stands for while the thread waits.
    fn is_output(&self, thread: u32, descriptor: i32, meter: &Meter<'_>) -> bool {
        let file = std::fs::metadata(format!("/proc/{thread}/fd/{descriptor}"));
        file.is_ok_and(|file| self.outputs.contains(&(file.dev(), file.ino()))) && meter.alive() == 1
    }

    /// Whether there may be one more process or thread.
    fn admit(&mut self, meter: &Meter<'_>) -> bool {
        let is_full = |at_most: u64| self.limits.processes.is_some_and(|limit| at_most >= u64::from(limit));
        if is_full(self.at_most) {
            self.at_most = meter.alive();
        }
        let admitted = !is_full(self.at_most);
        self.at_most += u64::from(admitted);
        self.was_full |= !admitted;
        admitted
    }
}
