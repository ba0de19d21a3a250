//! Clocks: the monotonic one, and the CPU time of any process.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};

/// Nanoseconds on `CLOCK_MONOTONIC`. May be called between `vfork` and `execve`.
pub(crate) fn now() -> u64 {
    in_nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// Nanoseconds of CPU time that this thread has used.
pub(crate) fn own_cpu() -> u64 {
    in_nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// CPU time of all threads of process `pid` together, in nanoseconds; 0 means this process. `None` if it is gone. Every
/// user may read it.
pub(crate) fn cpu_of(pid: i32) -> Option<u64> {
    let clock = (!pid << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the answer.
    let answer = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (answer == 0).then(|| in_nanoseconds(Timespec { tv_sec: time.tv_sec, tv_nsec: time.tv_nsec }))
}

/// Nanoseconds between two timer ticks. At each tick the kernel charges the running task.
pub(crate) fn tick() -> u64 {
    in_nanoseconds(clock_getres(ClockId::MonotonicCoarse))
}

/// `nanoseconds` for `poll`.
pub(crate) fn timespec(nanoseconds: u64) -> Timespec {
    let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    Timespec { tv_sec: seconds.cast_signed(), tv_nsec: rest.cast_signed() }
}

/// `value` in nanoseconds, or the largest number if it does not fit.
pub(crate) fn nanoseconds(value: Duration) -> u64 {
    u64::try_from(value.as_nanos()).unwrap_or(u64::MAX)
}

fn in_nanoseconds(time: Timespec) -> u64 {
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_clock_of_a_process_moves_with_its_work() {
        let pid = std::process::id() as i32;
        let before = cpu_of(pid).unwrap();
        let mut value = 1_u64;
        while cpu_of(pid).unwrap() - before < 5_000_000 {
            value = std::hint::black_box(value.wrapping_mul(3));
        }
        assert!(now() > 0);
        assert_eq!(cpu_of(32_000_000), None);
    }
}
