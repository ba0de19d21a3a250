//! Ends and reaps the processes that a program left behind, and adds up what they used.

use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::confine::launch::Child;
use crate::protocol::shared_memory::StatusPage;
use crate::request::{Context, Fault};
use crate::{clock, process, procfs};

/// The waiting time of shorter runs, in nanoseconds, is not read. Reading it takes a hundredth of this.
const MIN_RUN_FOR_DELAY: u64 = 1_000_000;

/// Which processes belong to the run.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// The program's process group. Seccomp keeps processes in it. Without seccomp, some may have left it.
    Group,
    /// Every process in this pid namespace except its init, which is this process.
    Namespace,
}

/// What was measured at the end of a program.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Finished {
    /// The status as `wait4` returns it.
    pub(crate) status: i32,
    /// CPU time of all reaped processes, in nanoseconds.
    pub(crate) cpu: u64,
    /// The greatest resident size of any reaped process, in bytes.
    pub(crate) peak: u64,
    /// When it started, on the monotonic clock.
    pub(crate) started: u64,
    /// When it ended, on the monotonic clock.
    pub(crate) ended: u64,
    /// How long it waited for a core, in nanoseconds, if the kernel reports it and the run was long enough.
    pub(crate) run_delay: Option<u64>,
    /// Whether a reaped process, or one that such a process waited for, read from a disk.
    pub(crate) read_disk: bool,
}

impl Finished {
    /// How long the program ran.
    pub(crate) fn run_time(&self) -> Duration {
        Duration::from_nanos(self.ended.saturating_sub(self.started))
    }
}

/// Kills all remaining processes of the run in one step, so that no fork can escape.
pub(crate) fn kill(child: &Child, scope: Scope) {
    let targets: &[i32] = match scope {
        // The program first: without seccomp, it may have left its group. It is not reaped, so neither id can belong to
        // another process.
        Scope::Group => &[child.pid, -child.pid],
        // Every process except this one, the init, which has the right to do so.
        Scope::Namespace => &[-1],
    };
    for &target in targets {
        // SAFETY: a system call without pointers.
        unsafe { libc::kill(target, libc::SIGKILL) };
    }
}

/// Notices the end of every child, and reaps orphans while the program still runs, as zombies count against the limit
/// on processes.
pub(crate) struct Reaper {
    signals: OwnedFd,
    status_page: Rc<StatusPage>,
}

/// What reaped processes have used.
#[derive(Default)]
pub(crate) struct ReapedUsage {
    cpu: u64,
    peak: u64,
    read_disk: bool,
}

impl Reaper {
    /// From now on, [`Reaper::fd`] reports the end of a child instead of a signal.
    pub(crate) fn open(status_page: Rc<StatusPage>) -> Result<Reaper, Fault> {
        let children = process::set(&[libc::SIGCHLD]);
        // SAFETY: the set is valid during both calls. Threads that this one starts later also have the signal blocked.
        let fd = unsafe {
            libc::sigprocmask(libc::SIG_BLOCK, &raw const children, std::ptr::null_mut());
            libc::signalfd(-1, &raw const children, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC)
        };
        if fd < 0 {
            return Err(std::io::Error::last_os_error()).context("making a descriptor for signals");
        }
        // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
        Ok(Reaper { signals: unsafe { OwnedFd::from_raw_fd(fd) }, status_page })
    }

    /// Readable when a child has ended.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.signals.as_fd()
    }

    /// Reaps orphans, and returns whether `child` itself has ended, which stays unreaped.
    pub(crate) fn tidy(&self, child: &Child, account: &mut ReapedUsage) -> bool {
        let _ = rustix::io::read(&self.signals, &mut [0_u8; 128]);
        loop {
            // SAFETY: all zeroes is a valid `siginfo_t`.
            let mut dead: libc::siginfo_t = unsafe { std::mem::zeroed() };
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
            // SAFETY: the place is valid for the answer, which describes a child if the call succeeds.
            let pid = unsafe {
                if libc::waitid(libc::P_ALL, 0, &raw mut dead, flags) != 0 {
                    return false;
                }
                dead.si_pid()
            };
            if pid == 0 {
                return false;
            }
            if pid == child.pid {
                return true;
            }
            reap(pid, 0, account);
            self.status_page.set_reaped(account.cpu);
        }
    }
}

/// Reaps `pid` (-1: any child). Returns its id and status. The id is 0 if no child is dead, and -1 if there are none.
fn reap(pid: i32, flags: i32, account: &mut ReapedUsage) -> (i32, i32) {
    let mut status = 0;
    // SAFETY: all zeroes is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both places are valid for the answer.
    let pid = unsafe { libc::wait4(pid, &raw mut status, flags | libc::__WALL, &raw mut usage) };
    if pid > 0 {
        account.cpu += nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
        account.peak = account.peak.max(usage.ru_maxrss.unsigned_abs() * 1024);
        // Not by major faults: some of them read nothing.
        account.read_disk |= usage.ru_inblock > 0;
    }
    (pid, status)
}

/// To be called once `child` has ended. Kills the rest, reaps everything, and adds up what it used.
pub(crate) fn finish(child: &Child, scope: Scope, mut account: ReapedUsage) -> Finished {
    let ended = clock::now();
    let is_short = ended.saturating_sub(child.started) < MIN_RUN_FOR_DELAY;
    let run_delay = if is_short { None } else { run_delay(child.pid) };
    let (mut status, mut is_empty) = (0, false);
    if matches!(scope, Scope::Namespace) {
        // To kill all processes, the kernel examines every process of the machine. This is unnecessary if none is left.
        // Every process in this namespace has a chain of parents that ends at this process, its init. When a parent
        // dies, its children pass to a subreaper in that chain or to the init, before the parent can be waited for. So
        // while anything lives, the init has a child, which may be a zombie or have a dead first thread. `__WALL`
        // includes children that send no signal. No child is hidden by a tracer, as programs cannot trace.
        (_, status) = reap(child.pid, 0, &mut account);
        is_empty = reap(-1, libc::WNOHANG, &mut account).0 < 0;
    }
    if !is_empty {
        kill(child, scope);
    }
    let flags = if matches!(scope, Scope::Group) { libc::WNOHANG } else { 0 };
    while !is_empty {
        match reap(-1, flags, &mut account) {
            (0, _) => kill_strays(),
            (-1, _) => is_empty = true,
            (pid, its) if pid == child.pid => status = its,
            _ => {}
        }
    }
    let ReapedUsage { cpu, peak, read_disk } = account;
    Finished { status, cpu, peak, started: child.started, ended, run_delay, read_disk }
}

/// Gives dying processes a moment, and kills processes that left the group, which is possible only without seccomp.
fn kill_strays() {
    std::thread::sleep(Duration::from_micros(200));
    procfs::kill_descendants(std::process::id().cast_signed());
}

fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1_000
}

/// The second number in `/proc/PID/schedstat`.
fn run_delay(pid: i32) -> Option<u64> {
    procfs::text(format!("/proc/{pid}/schedstat")).ok()?.split(' ').nth(1)?.parse().ok()
}
