//! Reads what a run uses while it goes on: CPU time, memory, processes.

use crate::api::clock;
use crate::cgroup::Cgroup;
use crate::proc::tree;
use crate::protocol::notes::Notes;
use crate::protocol::wire::nanoseconds;
use crate::scratch::disk::FileUser;
use crate::scratch::ramdisk::Mountpoint;
use crate::watch::Disk;
use crate::watch::cpu_meter::CpuMeter;
use crate::watch::memory_meter::MemoryMeter;
use crate::watch::reaper::Finished;
use crate::watch::tree_clock::TreeClock;

/// What can be read in the tier in use.
#[derive(Clone, Copy)]
pub(crate) struct Gauges<'a> {
    /// The process that starts the programs: its descendants are the run.
    pub(crate) root: i32,
    pub(crate) cgroup: Option<&'a Cgroup>,
    pub(crate) tree_clock: Option<&'a TreeClock>,
    pub(crate) notes: &'a Notes,
    /// The working folder, where it is memory.
    pub(crate) folder: Option<&'a Mountpoint>,
    /// The same where it is among the files of others.
    pub(crate) files: Option<&'a dyn Disk>,
    /// The user that programs run as, if it is not this process's own.
    pub(crate) user: Option<u32>,
    /// Whether a run may be more than one process.
    pub(crate) many: bool,
    /// Whether it has to ask for shared memory.
    pub(crate) grants: bool,
}

impl Gauges<'_> {
    /// The run's processes, dead ones included that nobody has waited for.
    pub(crate) fn members(&self) -> Vec<i32> {
        if self.many { tree::descendants(self.root) } else { tree::only_child(self.root) }
    }

    /// Looks as the user that programs run as: root may not look into the processes of others in every container.
    pub(crate) fn as_user<T>(&self, look: impl FnOnce() -> T) -> T {
        let _user = self.user.map(FileUser::act_as);
        look()
    }

    /// CPU time that the root itself has used, in nanoseconds.
    pub(crate) fn own_cpu(&self) -> u64 {
        clock::cpu_of(self.root).map_or(0, nanoseconds)
    }
}

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

    /// Tasks alive now.
    pub(crate) fn alive(&self) -> u64 {
        // Our own dead children are about to be reaped. Those of the program count, as they do in the kernel's limits.
        let ours = tree::only_child(self.gauges.root);
        let counts = |pid: &i32| !ours.contains(pid) || tree::resident(*pid) > 0;
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
