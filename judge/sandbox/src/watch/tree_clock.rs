//! The kernel's counter of a whole tree's CPU time, which needs no control group.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};

use crate::api::clock;
use crate::protocol::wire::nanoseconds;

/// A kernel counter of the CPU time of one process and of all its descendants, no matter which process reaps them.
pub(crate) struct TreeClock {
    counter: File,
    /// What the process had used before it was counted, in nanoseconds.
    before: u64,
}

impl TreeClock {
    /// Counts from now on for this process and all that it will start. `None` where the kernel refuses.
    pub(crate) fn open() -> Option<TreeClock> {
        TreeClock::count(0).map(TreeClock::from_fd)
    }

    /// Counts for a process of one thread, which waits, and for all that it will start. What it has used is counted in.
    pub(crate) fn of(thread: i32) -> Option<TreeClock> {
        let counter = TreeClock::count(thread)?;
        Some(TreeClock { counter: counter.into(), before: clock::cpu_of(thread).map_or(0, nanoseconds) })
    }

    /// Has the kernel count for a thread; 0 is the calling one.
    fn count(thread: i32) -> Option<OwnedFd> {
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
        let fd =
            unsafe { libc::syscall(libc::SYS_perf_event_open, attributes.as_ptr(), thread, -1, -1, CLOSE_ON_EXEC) };
        // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
        (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd as i32) })
    }

    /// Has the kernel make ready for such counters. For the first one on the machine, in a second at least, it waits some
    /// milliseconds: here another thread does, before a helper would have to.
    pub(crate) fn make_ready() {
        // Without the thread, the helper waits.
        let _ = std::thread::Builder::new().spawn(TreeClock::open);
    }

    /// One that another process opened.
    pub(crate) fn from_fd(fd: OwnedFd) -> TreeClock {
        TreeClock { counter: fd.into(), before: 0 }
    }

    /// To pass it on.
    pub(crate) fn fd(&self) -> &File {
        &self.counter
    }

    /// In nanoseconds.
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

    #[test]
    fn the_clock_of_a_process_has_what_was_used_before_it_was_opened_and_after() {
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
            crate::require::skip(crate::require::Need::Perf, "perf events are refused");
            return;
        };
        let before = clock.read();
        drop(child.stdin.take());
        // SAFETY: all zeroes is a valid `rusage`.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        let pid = child.id().cast_signed();
        // SAFETY: the place is valid; the child is this test's own, and is waited for here alone.
        assert_eq!(unsafe { libc::wait4(pid, std::ptr::null_mut(), 0, &raw mut usage) }, pid);
        let micros = |time: libc::timeval| (time.tv_sec as u64) * 1_000_000 + time.tv_usec as u64;
        let whole = (micros(usage.ru_utime) + micros(usage.ru_stime)) * 1000;
        let counted = clock.read();
        assert!(before > whole / 4 && before < whole * 3 / 4, "{before} of {whole} ns before");
        assert!(counted > whole * 19 / 20 && counted < whole * 21 / 20 + 5_000_000, "{counted} of {whole} ns");
    }
}
