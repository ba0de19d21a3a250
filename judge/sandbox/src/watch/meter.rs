//! Measures the CPU time, memory and processes of a run, and makes the answer from it.

use std::collections::HashMap;
use std::time::Duration;

use crate::cgroup::{Cgroup, GroupEvents};
use crate::clock;
use crate::procfs::{self, text};
use crate::protocol::messages::{Answer, Captured};
use crate::request::{Breach, End, Fault, Limits, Usage};
use crate::watch::capture::Stream;
use crate::watch::gauges::{CpuReadings, RunGauges, TreeClock};
use crate::watch::memory_meter::MemoryMeter;
use crate::watch::reaper::Finished;

/// Measures one run.
pub(crate) struct Meter<'a> {
    pub(crate) gauges: &'a RunGauges<'a>,
    pub(crate) cpu: CpuMeter<'a>,
    memory: MemoryMeter<'a>,
}

/// What the whole run used.
pub(crate) struct Totals {
    /// In nanoseconds.
    pub(crate) cpu: u64,
    /// Peak memory, and what was refused.
    pub(crate) events: GroupEvents,
}

impl<'a> Meter<'a> {
    /// `before`: CPU time before the run, which may have begun.
    pub(crate) fn start(gauges: &'a RunGauges<'a>, before: CpuReadings) -> Meter<'a> {
        Meter { gauges, cpu: CpuMeter::start(gauges, before), memory: MemoryMeter::start(gauges) }
    }

    /// The meter for memory. `None` if the control group enforces the limit.
    pub(crate) fn memory(&mut self) -> Option<&mut MemoryMeter<'a>> {
        self.gauges.cgroup().is_none().then_some(&mut self.memory)
    }

    /// The number of living tasks. `None` if the control group enforces the limit.
    pub(crate) fn tasks(&self) -> Option<u64> {
        let watched = self.gauges.cgroup().is_none() && self.gauges.may_have_others;
        watched.then(|| self.alive())
    }

    /// The number of living tasks.
    pub(crate) fn alive(&self) -> u64 {
        if !self.gauges.others.get() {
            return self.gauges.members().into_iter().map(procfs::threads).sum();
        }
        // The root's own zombies are about to be reaped. Zombies of the program count, as they do for the kernel's
        // limits.
        let children = procfs::children(self.gauges.fixed.root);
        let counts = |pid: &i32| !children.contains(pid) || procfs::living_thread(*pid).is_some();
        self.gauges.members().into_iter().filter(counts).map(procfs::threads).sum()
    }

    /// The totals of the run, which has `finished`.
    pub(crate) fn totals(self, finished: &Finished) -> Totals {
        let cpu = self.cpu.total(finished.cpu);
        let mut events = self.gauges.cgroup().map(Cgroup::events).unwrap_or_default();
        events.peak = events.peak.max(finished.peak).max(self.memory.peak);
        Totals { cpu, events }
    }
}

/// The answer for a program that `execve` refused.
pub(crate) fn refused(errno: i32) -> Answer {
    Answer {
        end: End::NotStarted(errno),
        breaches: Vec::new(),
        usage: Usage::default(),
        stdout: Captured::Inline(Vec::new()),
        stderr: Captured::Inline(Vec::new()),
        output_files: Ok(Vec::new()),
    }
}

/// The kernel may refuse memory this much below a group's limit: it charges several pages at once.
const LARGEST_CHARGE: u64 = 1 << 20;

/// Fails if the kernel refused the program something that its own limits allow.
fn check_shortage(limits: &Limits, events: &GroupEvents) -> Result<(), Fault> {
    let charged = events.most_charged.filter(|_| events.out_of_memory);
    if let Some(bytes) = charged.filter(|bytes| limits.memory.is_none_or(|limit| bytes + LARGEST_CHARGE < limit)) {
        return Err(Fault::out_of_memory(bytes));
    }
    // The group also contains the jail's init.
    let tasks = events.most_tasks.filter(|_| events.out_of_processes);
    if let Some(tasks) = tasks.filter(|tasks| limits.processes.is_none_or(|limit| *tasks <= u64::from(limit))) {
        return Err(Fault::OwnLimit(format!(
            "the kernel refused a process or thread beside {}, within the program's limit: a control group around the \
             judge allows no more",
            tasks.saturating_sub(1)
        )));
    }
    Ok(())
}

/// The answer for a program that ran.
pub(crate) fn conclude(
    limits: &Limits,
    finished: &Finished,
    mut breaches: Vec<Breach>,
    totals: &Totals,
    stdout: &mut Stream,
    stderr: &mut Stream,
) -> Result<Answer, Fault> {
    check_shortage(limits, &totals.events)?;
    let cpu = Duration::from_nanos(totals.cpu);
    // If a hypervisor gives the core to others, the program is killed up to a tick before its limit.
    let killed_at = limits.cpu.filter(|_| breaches.contains(&Breach::Cpu));
    // Until the watcher sees the start, it counts from when it began to watch, which is earlier.
    let stopped_at = limits.wall.filter(|_| breaches.contains(&Breach::Wall));
    let wall = finished.run_time();
    let usage = Usage {
        cpu: killed_at.map_or(cpu, |limit| cpu.max(limit)),
        wall: stopped_at.map_or(wall, |limit| wall.max(limit)),
        memory: Some(totals.events.peak),
        stdout_bytes: stdout.received,
        stderr_bytes: stderr.received,
        relayed_bytes: stdout.relayed(),
        // The kernel's number includes the time before the start.
        run_delay: finished.run_delay.map(|delay| Duration::from_nanos(delay).min(wall)),
        stolen: None,
    };
    let mut passed = |breach, holds: bool| breaches.extend(holds.then_some(breach));
    passed(Breach::Output, stdout.overflowed());
    passed(Breach::Cpu, limits.cpu.is_some_and(|limit| usage.cpu > limit));
    passed(Breach::Wall, limits.wall.is_some_and(|limit| usage.wall > limit));
    let GroupEvents { peak, out_of_memory, out_of_processes, .. } = totals.events;
    passed(Breach::Memory, out_of_memory || limits.memory.is_some_and(|limit| peak > limit));
    passed(Breach::Processes, out_of_processes);
    breaches.sort();
    breaches.dedup();
    let end = match libc::WIFSIGNALED(finished.status) {
        true => End::Signalled(libc::WTERMSIG(finished.status)),
        false => End::Exited(libc::WEXITSTATUS(finished.status)),
    };
    Ok(Answer {
        end,
        breaches,
        usage,
        stdout: stdout.take_captured(),
        stderr: stderr.take_captured(),
        output_files: Ok(Vec::new()),
    })
}

/// The shortest and longest interval between samples of processes, where nothing else counts them reliably.
const MIN_INTERVAL: u64 = 1_000_000;
const MAX_INTERVAL: u64 = 20_000_000;
/// The pause after a sample is this many times as long as the sample: sampling takes at most one part in twenty of the
/// helper's time.
const PAUSE_FACTOR: u64 = 20;
/// A process that is not found again is forgotten after this many samples. A list of children may miss one.
const FORGOTTEN_AFTER: u64 = 8;
/// The control group may count this much more than the tree clock before the clock is doubted.
const TOLERANCE: u64 = 1_000_000;

/// Measures one run's CPU time in nanoseconds, using all accounts that the tier has.
///
/// Each account has its own weakness. A control group's account lags by up to a tick for each core in use. The tree
/// clock loses a process that executes a file which it may not read, with all its descendants; and it continues while a
/// hypervisor gives the core to others, and the other accounts stop then. The clocks of processes end with them. If a
/// parent ignores the end of a child, the child is missing in the parent's account.
///
/// So the tree clock is used alone where nothing else counts all processes. Elsewhere it only corrects the lag of the
/// other account. There is no tree clock where a group counts and programs stay on this process's core. This process
/// then reads the account while no program runs, so it is exact.
pub(crate) struct CpuMeter<'a> {
    gauges: &'a RunGauges<'a>,
    /// CPU time before the run.
    pub(crate) before: CpuReadings,
    samples: u64,
    /// The processes that were found lately.
    seen: HashMap<i32, Seen>,
    /// When the last sample began: the tree clock, the root's part of it, and the newest process.
    tree_then: u64,
    own_then: u64,
    newest: Option<i32>,
    /// CPU time of processes that the tree clock did not count.
    uncounted: u64,
    /// CPU time of living processes and of the processes that they waited for.
    waited_for_total: u64,
    /// CPU time that is certain.
    known: u64,
    /// When the next sample is due, and the pause before it.
    next_sample_at: u64,
    pace: u64,
    /// CPU time of the last sample.
    effort: u64,
}

/// A process in the last sample that found it.
struct Seen {
    clock: u64,
    sample: u64,
}

impl<'a> CpuMeter<'a> {
    /// As for [`Meter::start`].
    pub(crate) fn start(gauges: &'a RunGauges<'a>, before: CpuReadings) -> CpuMeter<'a> {
        CpuMeter {
            gauges,
            before,
            samples: 0,
            seen: HashMap::new(),
            tree_then: before.tree,
            own_then: before.own,
            newest: None,
            uncounted: 0,
            waited_for_total: 0,
            known: 0,
            next_sample_at: clock::now() + MAX_INTERVAL,
            pace: MAX_INTERVAL,
            effort: 0,
        }
    }

    /// CPU time so far, at most one tick of each of `cores` too much.
    pub(crate) fn used(&mut self, cores: u64) -> u64 {
        let (tree, group) = self.counted(self.gauges.read_accounts());
        // Processes are sampled if no group counts them, or if the group has counted more than the clock.
        let has_clock = self.gauges.tree_clock().is_some();
        let is_doubtful = |group| self.uncounted > 0 || (has_clock && group > tree + TOLERANCE);
        if !self.is_single_process() && group.is_none_or(is_doubtful) {
            self.sample();
        }
        let tree = tree + self.uncounted;
        let whole = group.or_else(|| self.is_single_process().then(|| self.living()));
        self.known = self.known.max(whole.unwrap_or(tree)).max(self.waited_for_total);
        let most = whole.map_or(u64::MAX, |whole| whole + clock::tick() * cores);
        self.known.max(tree.min(most))
    }

    /// CPU time of the whole run. `reaped`: of the reaped processes.
    pub(crate) fn total(&self, reaped: u64) -> u64 {
        // For a single process, the kernel's account is exact. The others include some work of the root.
        if !self.gauges.may_have_others || self.is_single_process() {
            return reaped;
        }
        let now = self.gauges.read_accounts();
        if self.gauges.fixed.keeps_accounts {
            self.gauges.fixed.accounts.set(Some(now));
        }
        let (tree, group) = self.counted(now);
        let whole = group.unwrap_or(tree + self.uncounted);
        // If the program was killed for its CPU time, it has used that much. The tree clock lags a little behind the
        // root's part of it.
        reaped.max(self.known).max(self.waited_for_total).max(whole)
    }

    /// Takes a sample if one is due. Returns the time until the next.
    pub(crate) fn sample_if_due(&mut self) -> u64 {
        if self.before.group.is_some() || !self.gauges.may_have_others || self.is_single_process() {
            return u64::MAX;
        }
        if self.next_sample_at <= clock::now() {
            self.sample();
        }
        self.next_sample_at.saturating_sub(clock::now()).max(1)
    }

    /// A process was started that may end soon.
    pub(crate) fn expect_short_lived(&mut self) {
        self.gauges.others.set(true);
        self.pace = MIN_INTERVAL;
        self.next_sample_at = self.next_sample_at.min(clock::now() + MIN_INTERVAL.max(self.effort * PAUSE_FACTOR));
    }

    /// Whether the program is certainly a single process, and no group counts it.
    fn is_single_process(&self) -> bool {
        self.before.group.is_none() && !self.gauges.others.get()
    }

    /// CPU time of living processes.
    fn living(&self) -> u64 {
        self.gauges.members().into_iter().filter_map(clock::cpu_of).sum()
    }

    /// By the tree clock and by the group so far, without the root's part.
    fn counted(&self, now: CpuReadings) -> (u64, Option<u64>) {
        let own = now.own.saturating_sub(self.before.own);
        let group =
            now.group.zip(self.before.group).map(|(now, before)| now.saturating_sub(before).saturating_sub(own));
        let tree = now.tree.saturating_sub(self.before.tree).saturating_sub(self.gauges.in_tree_clock(own));
        (tree, group)
    }

    /// Adds what processes used since the last sample beyond what the tree clock counted.
    fn sample(&mut self) {
        let began = clock::own_cpu();
        let tree_clock = || self.gauges.tree_clock().map_or(0, TreeClock::read);
        let (tree_now, own_now, newest) = (tree_clock(), self.gauges.own_cpu(), newest_process());
        // Parents are read before their children. A process that ends meanwhile is left out and not counted twice.
        let is_doubtful = self.gauges.tree_clock().is_none() || self.uncounted > 0;
        let (mut used, mut waited_for_total) = (0, self.gauges.fixed.status_page.reaped());
        for pid in self.gauges.members() {
            if is_doubtful {
                waited_for_total += procfs::reaped_cpu(pid);
            }
            let Some(now) = clock::cpu_of(pid) else { continue };
            waited_for_total += now;
            let known = self.seen.insert(pid, Seen { clock: now, sample: self.samples });
            used += match known {
                Some(then) if then.clock <= now => now - then.clock,
                // An older process that is new here was counted by other accounts.
                _ if self.is_new(pid, newest) => now,
                _ => 0,
            };
        }
        // From just before the last sample until now, so that this is at least what the clock counted in between.
        let own = self.gauges.in_tree_clock(self.gauges.own_cpu().saturating_sub(self.own_then));
        let counted = tree_clock().saturating_sub(self.tree_then + own);
        let missed = used.saturating_sub(counted);
        self.uncounted += missed;
        self.waited_for_total = self.waited_for_total.max(waited_for_total);
        (self.tree_then, self.own_then, self.newest) = (tree_now, own_now, newest);
        self.samples += 1;
        self.seen.retain(|_, seen| seen.sample + FORGOTTEN_AFTER > self.samples);
        let is_blind = self.gauges.tree_clock().is_some() && missed > TOLERANCE;
        let next = if is_blind { MIN_INTERVAL } else { self.pace.saturating_mul(2) };
        self.effort = clock::own_cpu() - began;
        self.pace = next.min(MAX_INTERVAL);
        self.next_sample_at = clock::now() + self.pace.max(self.effort * PAUSE_FACTOR);
    }

    /// Whether a process was started after the last sample began. `newest` is the newest process now.
    fn is_new(&self, pid: i32, newest: Option<i32>) -> bool {
        match (self.newest, newest) {
            _ if self.samples == 0 => true,
            (Some(then), Some(now)) if then <= now => pid > then,
            // Process ids have started again from the beginning.
            (Some(then), Some(now)) => pid > then || pid <= now,
            _ => false,
        }
    }
}

/// The last process id that was assigned.
fn newest_process() -> Option<i32> {
    text("/proc/loadavg").ok()?.trim_end().rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs::File;
    use std::io::{Seek, SeekFrom, Write};
    use std::os::fd::OwnedFd;
    use std::process::{Command, Stdio};
    use std::rc::Rc;
    use std::time::Duration;

    use super::*;
    use crate::protocol::shared_memory::StatusPage;
    use crate::watch::gauges::Gauges;

    const SECOND: u64 = 1_000_000_000;

    /// A clock that stood still until now and is ten seconds ahead from here on, as if a hypervisor had given the core
    /// to others.
    fn hurried() -> TreeClock {
        let mut readings: File = tempfile::tempfile().unwrap();
        for reading in std::iter::once(0).chain(std::iter::repeat_n(10 * SECOND, 100)) {
            readings.write_all(&u64::to_le_bytes(reading)).unwrap();
        }
        readings.seek(SeekFrom::Start(0)).unwrap();
        TreeClock::from_fd(OwnedFd::from(readings))
    }

    #[test]
    fn what_a_hypervisor_took_is_not_charged() {
        let script = "while :; do :; done & wait";
        let mut root = Command::new("/bin/sh").args(["-c", script]).stdin(Stdio::null()).spawn().unwrap();
        let pid = root.id().cast_signed();
        while procfs::descendants(pid).is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let fixed = Gauges {
            root: pid,
            cgroup: None,
            root_clock: Some(hurried()),
            accounts: Cell::default(),
            keeps_accounts: false,
            status_page: Rc::new(StatusPage::new().unwrap()),
            gate: None,
            asks_for_memory: false,
            user: None,
        };
        let gauges = RunGauges::new(&fixed, true);
        gauges.others.set(false);
        let mut meter = CpuMeter::start(&gauges, gauges.before_run());
        let child = procfs::descendants(pid)[0];
        let first = meter.used(1);
        let after = clock::cpu_of(child).unwrap();
        let (alone, charged) = (meter.total(7), meter.used(1) < SECOND);
        // From here, there may be others, which only the tree clock counts.
        meter.expect_short_lived();
        let (among_others, of_all) = (meter.used(1), meter.total(7));
        for victim in [child, pid] {
            // SAFETY: a system call without pointers. Both processes are this test's own.
            unsafe { libc::kill(victim, libc::SIGKILL) };
        }
        root.wait().unwrap();
        assert!(first <= after + clock::tick(), "{first} ns, {after} by its own clock");
        assert!(charged);
        assert_eq!(alone, 7, "one process: what was reaped");
        assert!(among_others > 9 * SECOND && of_all >= among_others, "{among_others} and {of_all} ns");
    }
}
