//! The kernel's counter of a whole tree's CPU time, which needs no control group.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};

/// A kernel counter of the CPU time of one process and of all its descendants, no matter which process reaps them.
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
        // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
        (fd >= 0).then(|| TreeClock(File::from(unsafe { OwnedFd::from_raw_fd(fd as i32) })))
    }

    /// Has the kernel make ready for such counters. For the first one on the machine, in a second at least, it waits some
    /// milliseconds: here another thread does, before a helper would have to.
    pub(crate) fn make_ready() {
        // Without the thread, the helper waits.
        let _ = std::thread::Builder::new().spawn(TreeClock::open);
    }

    /// One that another process opened.
    pub(crate) fn from_fd(fd: OwnedFd) -> TreeClock {
        TreeClock(File::from(fd))
    }

    /// To pass it on.
    pub(crate) fn fd(&self) -> &File {
        &self.0
    }

    /// In nanoseconds.
    pub(crate) fn read(&self) -> u64 {
        let mut value = [0; 8];
        (&self.0).read_exact(&mut value).map_or(0, |()| u64::from_le_bytes(value))
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
}
