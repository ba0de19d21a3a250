//! The readings of a running program, depending on the tier.

use std::cell::{Cell, OnceCell};
use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::cgroup::Cgroup;
use crate::confine::fork_gate::ForkGate;
use crate::protocol::shared_memory::StatusPage;
use crate::scratch::disk::{DiskUsage, FileUser};
use crate::scratch::ramdisk::Mountpoint;
use crate::{clock, procfs};

/// CPU time in nanoseconds: of the whole tree, of the control group, and of the root alone, which is the helper or the
/// init.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct CpuReadings {
    pub(crate) tree: u64,
    pub(crate) group: Option<u64>,
    pub(crate) own: u64,
}

/// The readings that are available in the tier in use, and the gate for new processes.
pub(crate) struct Gauges {
    /// The process that starts programs. Its descendants are the run.
    pub(crate) root: i32,
    pub(crate) cgroup: Option<Rc<Cgroup>>,
    /// The clock of the root, which includes the root itself. Also `None` if the gate decides about further processes.
    pub(crate) root_clock: Option<TreeClock>,
    /// CPU time after the last run. Kept for the next one if `keeps_accounts`: only the root uses any in between.
    pub(crate) accounts: Cell<Option<CpuReadings>>,
    pub(crate) keeps_accounts: bool,
    pub(crate) status_page: Rc<StatusPage>,
    /// Decides about new processes, where no control group counts them.
    pub(crate) gate: Option<ForkGate>,
    /// Whether the gate decides about shared memory.
    pub(crate) asks_for_memory: bool,
    /// The user of the programs, if it is another one than this process's.
    pub(crate) user: Option<u32>,
}

/// The gauges during one run, and what is known about its processes without searching for them.
pub(crate) struct RunGauges<'a> {
    pub(crate) fixed: &'a Gauges,
    /// The working folder, if it is a file system in memory of its own.
    pub(crate) folder: Option<&'a Mountpoint>,
    /// The working folder, if the kernel does not limit its size.
    pub(crate) disk: Option<DiskUsage<'a>>,
    /// Whether the run may have several processes.
    pub(crate) may_have_others: bool,
    /// There may be others than the program's first.
    pub(crate) others: Cell<bool>,
    /// The first process, once it was found, as long as there are no others.
    pub(crate) first: Cell<Option<i32>>,
    /// The first thread is certainly the only task of the run, and always was.
    pub(crate) alone: Cell<bool>,
    /// Counts all processes from the moment when there may be several, unless the root's clock does.
    pub(crate) clock: OnceCell<TreeClock>,
}

impl<'a> RunGauges<'a> {
    /// For a new run, which may have several processes if `may_have_others`.
    pub(crate) fn new(fixed: &'a Gauges, may_have_others: bool) -> RunGauges<'a> {
        // The gate decides about each further process and thread.
        let [others, alone] = [fixed.gate.is_none(), fixed.gate.is_some()].map(Cell::new);
        let (folder, disk, first, clock) = Default::default();
        RunGauges { fixed, folder, disk, may_have_others, others, first, alone, clock }
    }

    pub(crate) fn cgroup(&self) -> Option<&'a Cgroup> {
        self.fixed.cgroup.as_deref()
    }

    /// The run's processes, including zombies.
    pub(crate) fn members(&self) -> Vec<i32> {
        let root = self.fixed.root;
        if self.others.get() {
            return if self.may_have_others { procfs::descendants(root) } else { procfs::children(root) };
        }
        if let Some(first) = self.first.get() {
            return vec![first];
        }
        let found = procfs::children(root);
        if let [first] = found[..] {
            self.first.set(Some(first));
        }
        found
    }

    /// `thread`, which waits at the gate, is starting another process or thread. If it is the only task of the run, its
    /// descendants can be counted from now on.
    pub(crate) fn expect_others(&self, thread: u32) {
        let is_counted = || self.fixed.root_clock.is_some() || self.cgroup().and_then(Cgroup::cpu).is_some();
        if self.alone.get()
            && !is_counted()
            && let Some(clock) = TreeClock::of(thread.cast_signed())
        {
            let _ = self.clock.set(clock);
        }
        self.alone.set(false);
    }

    /// The clock that counts the whole tree.
    pub(crate) fn tree_clock(&self) -> Option<&TreeClock> {
        self.clock.get().or(self.fixed.root_clock.as_ref())
    }

    /// How much of the root's CPU time is included in the tree clock.
    pub(crate) fn in_tree_clock(&self, own: u64) -> u64 {
        if self.clock.get().is_some() { 0 } else { own }
    }

    /// Runs `look` as the user of the programs. In some containers, root cannot inspect processes of other users.
    pub(crate) fn as_user<T>(&self, look: impl FnOnce() -> T) -> T {
        let _user = self.fixed.user.map(FileUser::act_as);
        look()
    }

    /// The CPU time before a run that is about to begin.
    pub(crate) fn before_run(&self) -> CpuReadings {
        self.fixed.accounts.take().unwrap_or_else(|| self.read_accounts())
    }

    /// Reads the CPU time now.
    pub(crate) fn read_accounts(&self) -> CpuReadings {
        // First: reading its own clock makes the kernel add the root's recent time to the other accounts.
        let own = self.own_cpu();
        let (tree, group) = (self.tree_clock().map_or(0, TreeClock::read), self.cgroup().and_then(Cgroup::cpu));
        CpuReadings { tree, group, own }
    }

    /// The root's own CPU time in nanoseconds.
    pub(crate) fn own_cpu(&self) -> u64 {
        // Under the filter, an init must not name its own clock by its process id.
        let root = Some(self.fixed.root).filter(|root| *root != std::process::id().cast_signed()).unwrap_or(0);
        clock::cpu_of(root).unwrap_or(0)
    }
}

/// A perf event that counts the CPU time of a process and all its descendants, no matter who reaps them. Needs no
/// control group.
pub(crate) struct TreeClock {
    counter: File,
    /// CPU time of the process before it was counted, in nanoseconds.
    before: u64,
}

impl TreeClock {
    /// Counts this process and all that it will start, from now on. `None` if the kernel refuses.
    pub(crate) fn open() -> Option<TreeClock> {
        TreeClock::count(0).map(TreeClock::from_fd)
    }

    /// Counts a waiting process with one thread and all that it will start, including its CPU time so far.
    pub(crate) fn of(thread: i32) -> Option<TreeClock> {
        let counter = TreeClock::count(thread)?;
        Some(TreeClock { counter: counter.into(), before: clock::cpu_of(thread).unwrap_or(0) })
    }

    /// Opens a counter for a thread; 0 means the calling one.
    fn count(thread: i32) -> Option<OwnedFd> {
        const SOFTWARE: u32 = 1;
        const TASK_CLOCK: u64 = 1;
        const CLOSE_ON_EXEC: libc::c_ulong = 8;
        // inherit, exclude_kernel and exclude_hv. Without the last two the kernel refuses an ordinary user. The clock
        // still counts time in the kernel.
        const FLAGS: u64 = 1 << 1 | 1 << 5 | 1 << 6;
        let mut attributes = [0_u64; 8];
        attributes[0] = u64::from(SOFTWARE) | (size_of_val(&attributes) as u64) << 32;
        attributes[1] = TASK_CLOCK;
        attributes[5] = FLAGS;
        // SAFETY: `attributes` has the layout and the size (in its second word) of the first `perf_event_attr`.
        let fd =
            unsafe { libc::syscall(libc::SYS_perf_event_open, attributes.as_ptr(), thread, -1, -1, CLOSE_ON_EXEC) };
        let fd = RawFd::try_from(fd).ok().filter(|fd| *fd >= 0)?;
        // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
        Some(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    /// Lets the kernel prepare for such counters. For the first one in a second it waits some milliseconds. Here a
    /// separate thread waits, so that no helper has to.
    pub(crate) fn make_ready() {
        // If there can be no thread, the helper waits.
        let _ = std::thread::Builder::new().spawn(TreeClock::open);
    }

    /// A clock that another process has opened.
    pub(crate) fn from_fd(fd: OwnedFd) -> TreeClock {
        TreeClock { counter: fd.into(), before: 0 }
    }

    /// The descriptor, for another process.
    pub(crate) fn fd(&self) -> &File {
        &self.counter
    }

    /// CPU time in nanoseconds.
    pub(crate) fn read(&self) -> u64 {
        let mut value = [0; 8];
        self.before + (&self.counter).read_exact(&mut value).map_or(0, |()| u64::from_le_bytes(value))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_tree_clock_counts_children_without_a_wait() {
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
        // The clock includes this thread, which does next to nothing meanwhile.
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

    #[test]
    fn the_clock_of_a_process_has_what_was_used_before_it_was_opened_and_after() {
        // The clock of perf events also counts what the host takes from a virtual machine, so a busy host needs more tries.
        let mut tries = Vec::new();
        for _ in 0..5 {
            let Some((before, counted, whole)) = clock_and_usage() else {
                crate::require::skip(crate::require::Need::Perf, "perf events are refused");
                return;
            };
            let is_half = before > whole / 4 && before < whole * 3 / 4;
            if is_half && counted > whole * 19 / 20 && counted < whole * 21 / 20 + 5_000_000 {
                return;
            }
            tries.push(format!("{before} before and {counted} after of {whole} ns"));
        }
        panic!("{tries:?}");
    }

    /// Returns the CPU time of a process by its clock, opened after the first half of the work and at the end, and the
    /// whole by `wait4`. `None` without perf events.
    fn clock_and_usage() -> Option<(u64, u64, u64)> {
        let count = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", &format!("{count}; echo; read x; ({count}) & wait")])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let Some(clock) = TreeClock::of(child.id().cast_signed()) else {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        };
        let before = clock.read();
        drop(child.stdin.take());
        // SAFETY: all zeroes is a valid `rusage`.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        let pid = child.id().cast_signed();
        // SAFETY: the place is valid; the child is this test's own, and is waited for here alone.
        assert_eq!(unsafe { libc::wait4(pid, std::ptr::null_mut(), 0, &raw mut usage) }, pid);
        let micros = |time: libc::timeval| (time.tv_sec as u64) * 1_000_000 + time.tv_usec as u64;
        Some((before, clock.read(), (micros(usage.ru_utime) + micros(usage.ru_stime)) * 1000))
    }
}
