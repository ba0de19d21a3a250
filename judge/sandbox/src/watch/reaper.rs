//! Ends the processes that a program left behind and counts what all of them used.

use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

use crate::confine::launch::Child;
use crate::protocol::shared_memory::StatusPage;
use crate::request::{Context, Fault};
use crate::{clock, process};

/// A run shorter than this, in nanoseconds, is not asked how long it waited for a core: to ask takes a hundredth of that.
const BRIEF: u64 = 1_000_000;

/// Which processes are the run's.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// The program's process group. Seccomp keeps processes in it; without seccomp, some may have left.
    Group,
    /// Every process in this pid namespace, but for this one, its init.
    Namespace,
}

/// What was learnt at the end of a program.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Finished {
    /// As `wait4` gives it.
    pub(crate) status: i32,
    /// CPU time of all that was reaped, in nanoseconds.
    pub(crate) cpu: u64,
    /// The greatest resident size of any reaped process, in bytes.
    pub(crate) peak: u64,
    /// When it started, on the monotonic clock.
    pub(crate) started: u64,
    /// When it ended, on the monotonic clock.
    pub(crate) ended: u64,
    /// How long it waited for a core, in nanoseconds, if the kernel tells and it ran for long enough to be asked for.
    pub(crate) run_delay: Option<u64>,
}

/// What became of a program that was to be started.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Conclusion {
    /// It ran.
    Finished(Finished),
    /// `execve` failed with this error number.
    Refused(i32),
}

impl Finished {
    /// How long the program ran, on the clock.
    pub(crate) fn run_time(&self) -> Duration {
        Duration::from_nanos(self.ended.saturating_sub(self.started))
    }

    /// The same for a program that ended by itself.
    pub(crate) fn exited_run_time(&self) -> Option<Duration> {
        libc::WIFEXITED(self.status).then(|| self.run_time())
    }
}

/// Kills everything of the run that is left, in one step that no fork can outrun.
pub(crate) fn kill(child: &Child, scope: Scope) {
    let targets: &[i32] = match scope {
        // The program itself first: without seccomp, it may have left its group. It is not reaped yet, so that neither id
        // can be anyone else's.
        Scope::Group => &[child.pid, -child.pid],
        // Every process but this one, the init, which has the right to.
        Scope::Namespace => &[-1],
    };
    for &target in targets {
        // SAFETY: a system call without pointers.
        unsafe { libc::kill(target, libc::SIGKILL) };
    }
}

/// Learns of every child's end, and reaps those that the program has orphaned while it still runs: the dead count
/// against a limit on processes.
pub(crate) struct Reaper {
    signals: OwnedFd,
    status_page: Rc<StatusPage>,
}

/// What the reaped have used.
#[derive(Default)]
pub(crate) struct ReapedUsage {
    cpu: u64,
    peak: u64,
}

impl Reaper {
    /// From now on, the end of a child is told by [`Reaper::fd`] instead of a signal.
    pub(crate) fn open(status_page: Rc<StatusPage>) -> Result<Reaper, Fault> {
        let children = process::set(&[libc::SIGCHLD]);
        // SAFETY: the set is valid during both calls. Threads that this one starts later have the signal blocked, too.
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

    /// Reaps orphans until `child` itself is the one that has ended, which it then tells.
    pub(crate) fn tidy(&self, child: &Child, account: &mut ReapedUsage) -> bool {
        let _ = rustix::io::read(&self.signals, &mut [0_u8; 128]);
        loop {
            // SAFETY: all zeroes is a valid `siginfo_t`.
            let mut dead: libc::siginfo_t = unsafe { std::mem::zeroed() };
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
            // SAFETY: the place is valid for the answer, which is about a child if the call succeeds.
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

/// Reaps `pid` (-1: any child) and returns its id and status. The id is 0 if none is dead, -1 if there are no children.
fn reap(pid: i32, flags: i32, account: &mut ReapedUsage) -> (i32, i32) {
    let mut status = 0;
    // SAFETY: all zeroes is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both places are valid for the answer.
    let pid = unsafe { libc::wait4(pid, &raw mut status, flags | libc::__WALL, &raw mut usage) };
    if pid > 0 {
        account.cpu += nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
        account.peak = account.peak.max(usage.ru_maxrss.unsigned_abs() * 1024);
    }
    (pid, status)
}

/// To be called once `child` has ended: kills the rest, reaps everything, and adds up what it used.
pub(crate) fn finish(child: &Child, scope: Scope, mut account: ReapedUsage) -> Finished {
    let ended = clock::now();
    let is_short = ended.saturating_sub(child.started) < BRIEF;
    let run_delay = if is_short { None } else { run_delay(child.pid) };
    let mut status = 0;
    let told = |status: i32, account: ReapedUsage| {
        let ReapedUsage { cpu, peak } = account;
        Finished { status, cpu, peak, started: child.started, ended, run_delay }
    };
    match scope {
        Scope::Group => kill(child, scope),
        // To kill all, the kernel looks at every process that the machine has. It need not where nothing is left, and
        // nothing can hide: every process in this namespace was started by a process in it, and so has a chain of parents
        // that ends at this process, its init. A parent that dies, the program included, hands its children on before
        // it can be waited for: to a subreaper, which is in the chain itself, or to the init. So while anything lives,
        // the init has a child: alive, dead and not waited for, or one whose first thread is dead and another is not.
        // `__WALL` counts children that send no signal; none is hidden by a tracer, as programs cannot trace.
        Scope::Namespace => {
            (_, status) = reap(child.pid, 0, &mut account);
            if reap(-1, libc::WNOHANG, &mut account).0 < 0 {
                return told(status, account);
            }
            kill(child, scope);
        }
    }
    loop {
        let flags = if matches!(scope, Scope::Group) { libc::WNOHANG } else { 0 };
        match reap(-1, flags, &mut account) {
            (0, _) => kill_strays(),
            (-1, _) => break,
            (pid, its) if pid == child.pid => status = its,
            _ => {}
        }
    }
    told(status, account)
}

/// Gives the dying a moment, and kills those that left the group: possible only where there is no seccomp.
fn kill_strays() {
    std::thread::sleep(Duration::from_micros(200));
    for stray in crate::procfs::descendants(std::process::id().cast_signed()) {
        // SAFETY: a system call without pointers, on a descendant of this process.
        unsafe { libc::kill(stray, libc::SIGKILL) };
    }
}

fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1_000
}

/// The second figure of `/proc/PID/schedstat`.
fn run_delay(pid: i32) -> Option<u64> {
    let place = format!("/proc/{pid}/schedstat");
    let file = rustix::fs::open(place, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut text = [0; 64];
    let length = rustix::io::read(file, &mut text).ok()?;
    std::str::from_utf8(&text[..length]).ok()?.split(' ').nth(1)?.parse().ok()
}
