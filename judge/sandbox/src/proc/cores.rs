//! The cores that this process may use, and which of them are hardware threads of one another.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The cores that this process may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cores {
    numbers: Vec<usize>,
    physical: NonZeroUsize,
    quota: NonZeroUsize,
}

impl Cores {
    /// Looks at this process's affinity, at the machine's topology and at the control group's share of CPU time.
    #[must_use]
    pub fn here() -> Cores {
        // Unlike the affinity, this knows of a control group's quota: a container's `--cpus`.
        let quota = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Cores::of(&allowed(), quota, Path::new("/sys/devices/system/cpu"))
    }

    fn of(allowed: &[usize], quota: NonZeroUsize, cpus: &Path) -> Cores {
        let mut seen = BTreeSet::new();
        // Where the topology is not told, every core counts as one of its own.
        let (apart, twins): (Vec<usize>, Vec<usize>) = allowed.iter().partition(|core| {
            let siblings = fs::read_to_string(cpus.join(format!("cpu{core}/topology/thread_siblings_list")));
            seen.insert(siblings.unwrap_or_else(|_| core.to_string()))
        });
        let physical = NonZeroUsize::new(apart.len()).unwrap_or(NonZeroUsize::MIN);
        let numbers = [apart, twins].concat();
        Cores { numbers: if numbers.is_empty() { vec![0] } else { numbers }, physical, quota }
    }

    /// Their numbers, one of each physical core first: taken in this order, cores are shared as late as possible.
    #[must_use]
    pub fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// How many of them are not hardware threads of one another.
    #[must_use]
    pub fn physical(&self) -> NonZeroUsize {
        self.physical
    }

    /// How many programs can run at once without taking time from each other.
    #[must_use]
    pub fn undisturbed(&self) -> NonZeroUsize {
        self.physical.min(self.quota)
    }
}

/// The cores that this process may run on, in order.
pub(crate) fn allowed() -> Vec<usize> {
    let allowed = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect()
}

/// Keeps a process of one thread, or the calling thread, on one core.
pub(crate) fn pin(process: Option<Pid>, core: usize) -> rustix::io::Result<()> {
    let mut only = CpuSet::new();
    only.set(core);
    sched_setaffinity(process, &only)
}

/// Sets whether the calling thread, when it wakes, waits until the running one sleeps or has used its time, instead of
/// interrupting it. Where programs take turns on a core, that saves every second switch between them. `pass` opens a filter that
/// would refuse the call.
pub(crate) fn give_way(gives_way: bool, pass: u64) {
    let policy = if gives_way { libc::SCHED_BATCH } else { libc::SCHED_OTHER };
    let priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: the kernel reads `priority` alone. A failure only costs time.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const priority, 0, 0, pass) };
}

/// Parts the calling thread from a child: a forked one is on the same core at first, where it would wait until this
/// thread sleeps. The child goes to `core`, if it is to stay there, unless this thread is there: then it moves.
pub(crate) fn part_from(child: Pid, core: Option<usize>) {
    let here = sched_getcpu();
    // No matter if any of it fails.
    if let Some(core) = core.filter(|core| *core != here) {
        let _ = pin(Some(child), core);
    } else if let Ok(allowed) = sched_getaffinity(None) {
        let mut others = allowed;
        others.unset(here);
        // Refused where there are no others.
        if sched_setaffinity(None, &others).is_ok() {
            let _ = sched_setaffinity(None, &allowed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(siblings: &[&str]) -> tempfile::TempDir {
        let cpus = tempfile::tempdir().unwrap();
        for (core, siblings) in siblings.iter().enumerate() {
            let topology = cpus.path().join(format!("cpu{core}/topology"));
            fs::create_dir_all(&topology).unwrap();
            fs::write(topology.join("thread_siblings_list"), siblings).unwrap();
        }
        cpus
    }

    #[test]
    fn hardware_threads_of_one_core_come_last_and_count_once() {
        let cpus = machine(&["0-1\n", "0-1\n", "2-3\n", "2-3\n"]);
        let quota = NonZeroUsize::new(4).unwrap();
        let cores = Cores::of(&[0, 1, 2, 3], quota, cpus.path());
        assert_eq!((cores.numbers(), cores.undisturbed().get()), (&[0, 2, 1, 3][..], 2));
        let cores = Cores::of(&[1, 3], quota, cpus.path());
        assert_eq!((cores.numbers(), cores.undisturbed().get()), (&[1, 3][..], 2));
    }

    #[test]
    fn a_quota_and_an_unknown_topology_are_respected() {
        let nothing = machine(&[]);
        let quota = NonZeroUsize::new(2).unwrap();
        let cores = Cores::of(&[0, 1, 2], quota, nothing.path());
        assert_eq!((cores.numbers().len(), cores.physical().get(), cores.undisturbed().get()), (3, 3, 2));
        assert_eq!(Cores::of(&[], NonZeroUsize::MIN, nothing.path()).numbers(), [0], "never empty");
        assert!(Cores::here().undisturbed() <= Cores::here().physical());
    }
}
