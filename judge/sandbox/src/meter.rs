//! Reads what a run uses while it goes on: CPU time, memory, processes.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

use crate::cgroup::Cgroup;
use crate::clock;
use crate::ramdisk::Place;
use crate::reap::Finished;
use crate::tree;
use crate::wire::nanoseconds;

/// A kernel counter of the CPU time of one process and of all that descend from it, whoever reaps them.
pub(crate) struct TreeClock(File);

impl TreeClock {
    /// Counts from now on for this process and all that it will start. `None` where the kernel refuses.
    pub(crate) fn open() -> Option<TreeClock> {
        const SOFTWARE: u32 = 1;
        const TASK_CLOCK: u64 = 1;
        const CLOSE_ON_EXEC: libc::c_ulong = 8;
        // inherit, exclude_kernel and exclude_hv: without the latter two an ordinary user is refused; the clock runs
        // in the kernel nevertheless.
        const FLAGS: u64 = 1 << 1 | 1 << 5 | 1 << 6;
        let mut attributes = [0_u64; 8];
        attributes[0] = u64::from(SOFTWARE) | (size_of_val(&attributes) as u64) << 32;
        attributes[1] = TASK_CLOCK;
        attributes[5] = FLAGS;
        // SAFETY: `attributes` has the layout and the size (in its second word) of the first `perf_event_attr`.
        let fd = unsafe { libc::syscall(libc::SYS_perf_event_open, attributes.as_ptr(), 0, -1, -1, CLOSE_ON_EXEC) };
        // SAFETY: the kernel made this descriptor for us, and nothing else owns it.
        (fd >= 0).then(|| TreeClock(File::from(unsafe { OwnedFd::from_raw_fd(fd as i32) })))
    }

    /// One that another process opened.
    pub(crate) fn from_fd(fd: OwnedFd) -> TreeClock {
        TreeClock(File::from(fd))
    }

    /// To pass it on.
    pub(crate) fn fd(&self) -> &File {
        &self.0
    }

    fn read(&self) -> u64 {
        let mut value = [0; 8];
        (&self.0).read_exact(&mut value).map_or(0, |()| u64::from_le_bytes(value))
    }
}

/// What can be read in the tier in use.
#[derive(Clone, Copy)]
pub(crate) struct Gauges<'a> {
    /// The process that starts the programs: its descendants are the run.
    pub(crate) root: i32,
    pub(crate) cgroup: Option<&'a Cgroup>,
    /// Preferred to the control group's account, which lags behind by up to a tick of each core in use.
    pub(crate) tree_clock: Option<&'a TreeClock>,
    /// The working folder, where it is memory.
    pub(crate) folder: Option<&'a Place>,
    /// Whether a run may be more than one process.
    pub(crate) many: bool,
}

/// One run's readings, from what they were before it.
pub(crate) struct Meter<'a> {
    gauges: Gauges<'a>,
    cpu_before: u64,
    peak: u64,
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
        Meter { gauges, cpu_before: counter(&gauges).unwrap_or(0), peak: 0 }
    }

    /// CPU time used so far, in nanoseconds.
    pub(crate) fn cpu(&self) -> u64 {
        match counter(&self.gauges) {
            Some(now) => now.saturating_sub(self.cpu_before),
            None => self.members().iter().filter_map(|&pid| clock::cpu_of(pid)).map(nanoseconds).sum(),
        }
    }

    /// Memory held now, in bytes. `None`: the control group keeps the limit itself.
    pub(crate) fn memory(&mut self) -> Option<u64> {
        if self.gauges.cgroup.is_some() {
            return None;
        }
        let files = self.gauges.folder.map_or(0, Place::bytes);
        let now = files + self.members().into_iter().map(tree::resident).sum::<u64>();
        self.peak = self.peak.max(now);
        Some(now)
    }

    /// Tasks alive now. `None`: the control group keeps the limit itself.
    pub(crate) fn tasks(&self) -> Option<u64> {
        if self.gauges.cgroup.is_some() || !self.gauges.many {
            return None;
        }
        // Our own dead children are about to be buried. Those of the program count, as they do in the kernel's limits.
        let ours = tree::only_child(self.gauges.root);
        let counts = |pid: &i32| !ours.contains(pid) || tree::resident(*pid) > 0;
        Some(self.members().into_iter().filter(counts).map(tree::threads).sum())
    }

    /// The run's totals once it has `finished`.
    pub(crate) fn totals(self, finished: &Finished) -> Totals {
        let counted = counter(&self.gauges).map_or(0, |now| now.saturating_sub(self.cpu_before));
        // For one process, the kernel's account of it is exact; the counters include some of our own work.
        let cpu = if self.gauges.many { finished.cpu.max(counted) } else { finished.cpu };
        let seen = self.gauges.cgroup.map(Cgroup::events).unwrap_or_default();
        Totals {
            cpu,
            memory: finished.peak.max(self.peak).max(seen.peak),
            out_of_memory: seen.out_of_memory,
            out_of_processes: seen.out_of_processes,
        }
    }

    fn members(&self) -> Vec<i32> {
        if self.gauges.many { tree::descendants(self.gauges.root) } else { tree::only_child(self.gauges.root) }
    }
}

/// The tree's counter, less what its root, which is ours, used itself.
fn counter(gauges: &Gauges<'_>) -> Option<u64> {
    let whole = match (gauges.cgroup, gauges.tree_clock) {
        (_, Some(clock)) => clock.read(),
        (Some(cgroup), None) => cgroup.cpu()?,
        (None, None) => return None,
    };
    Some(whole.saturating_sub(nanoseconds(clock::cpu_of(gauges.root).unwrap_or(Duration::ZERO))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_clock_counts_children_that_nobody_waits_for() {
        let Some(clock) = TreeClock::open() else {
            crate::require::skip(crate::require::Need::Perf, "perf events are refused");
            return;
        };
        let before = clock.read();
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done & exit"])
            .spawn()
            .unwrap();
        child.wait().unwrap();
        // The clock belongs to this thread, which does next to nothing meanwhile.
        let own = || rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).tv_nsec.unsigned_abs();
        let start = own();
        for _ in 0..500 {
            std::thread::sleep(Duration::from_millis(10));
            if clock.read() - before > 10_000_000 + own().saturating_sub(start) {
                return;
            }
        }
        panic!("{} ns of children's time after {} of our own", clock.read() - before, own() - start);
    }
}
