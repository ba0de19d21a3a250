//! Reads what a run uses while it goes on: CPU time, memory, processes.

use crate::cgroup::group::Cgroup;
use crate::proc::tree;
use crate::watch::cpu_meter::CpuMeter;
use crate::watch::gauges::{Accounts, Gauges};
use crate::watch::memory_meter::MemoryMeter;
use crate::watch::reaper::Finished;

/// One run's readings, from what they were before it.
pub(crate) struct Meter<'a> {
    gauges: Gauges<'a>,
    cpu: CpuMeter<'a>,
    memory: MemoryMeter<'a>,
}

/// What the whole run used.
pub(crate) struct Totals {
    /// In nanoseconds.
    pub(crate) cpu: u64,
    /// In bytes.
    pub(crate) memory: u64,
    /// The kernel killed for want of memory.
    pub(crate) out_of_memory: bool,
    /// The kernel refused a process.
    pub(crate) out_of_processes: bool,
}

impl<'a> Meter<'a> {
    pub(crate) fn start(gauges: Gauges<'a>) -> Meter<'a> {
        Meter { gauges, cpu: CpuMeter::start(gauges), memory: MemoryMeter::start(gauges) }
    }

    /// For a run that has begun when the accounts of CPU time were these.
    pub(crate) fn resume(gauges: Gauges<'a>, before: Accounts) -> Meter<'a> {
        Meter { gauges, cpu: CpuMeter::resume(gauges, before), memory: MemoryMeter::start(gauges) }
    }

    /// The accounts of CPU time before the run.
    pub(crate) fn before(&self) -> Accounts {
        self.cpu.before()
    }

    /// What watches over CPU time.
    pub(crate) fn cpu(&mut self) -> &mut CpuMeter<'a> {
        &mut self.cpu
    }

    /// What watches over memory. `None`: the control group keeps the limit itself.
    pub(crate) fn memory(&mut self) -> Option<&mut MemoryMeter<'a>> {
        self.gauges.cgroup.is_none().then_some(&mut self.memory)
    }

    /// See [`Gauges::as_user`].
    pub(crate) fn as_user<T>(&self, look: impl FnOnce() -> T) -> T {
        self.gauges.as_user(look)
    }

    /// Tasks alive now. `None`: the control group keeps the limit itself.
    pub(crate) fn tasks(&self) -> Option<u64> {
        let watched = self.gauges.cgroup.is_none() && self.gauges.many;
        watched.then(|| self.alive())
    }

    /// See [`Gauges::expect_company`].
    pub(crate) fn expect_company(&self, thread: u32) {
        self.gauges.expect_company(thread);
    }

    /// Whether a process is the run's.
    pub(crate) fn has_member(&self, process: u32) -> bool {
        self.gauges.members().contains(&process.cast_signed())
    }

    /// Tasks alive now.
    pub(crate) fn alive(&self) -> u64 {
        if !self.gauges.members.has_others() {
            return self.gauges.members().into_iter().map(tree::threads).sum();
        }
        // The root's own dead children are about to be reaped. Those of the program count, as they do in the kernel's
        // limits.
        let children = tree::children(self.gauges.root);
        let counts = |pid: &i32| !children.contains(pid) || tree::resident(*pid) > 0;
        self.gauges.members().into_iter().filter(counts).map(tree::threads).sum()
    }

    /// The run's totals once it has `finished`.
    pub(crate) fn totals(self, finished: &Finished) -> Totals {
        let cpu = self.cpu.total(finished.cpu);
        let seen = self.gauges.cgroup.map(Cgroup::events).unwrap_or_default();
        Totals {
            cpu,
            memory: finished.peak.max(self.memory.peak()).max(seen.peak),
            out_of_memory: seen.out_of_memory,
            out_of_processes: seen.out_of_processes,
        }
    }
}
