//! The kernel's per-process limits for one run.

use std::sync::OnceLock;

use crate::api::request::Limits;
use crate::proc::descriptors;

/// Names a resource: glibc has a type for it, musl none.
#[cfg(target_env = "gnu")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
type Resource = libc::c_int;

/// One resource limit: which, and its value, soft and hard alike.
pub(crate) type ResourceLimit = (Resource, u64);

/// What decides beside the run's own limits.
#[derive(Clone, Copy)]
pub(crate) struct Accounting {
    /// A control group keeps memory and processes.
    pub(crate) cgroup: bool,
    /// The limit on processes counts this many more that are not the run's; `None`: it cannot be used.
    pub(crate) other_tasks: Option<u64>,
}

const OPEN_FILES: u64 = 1024;
const LOCKED_BYTES: u64 = 64 * 1024;
/// Timers and signals in a queue: each holds a piece of the kernel's memory, out of one stock for all of a user's.
const PENDING_SIGNALS: u64 = 1024;

/// The same for all programs, and no hindrance to what starts them.
const SAME_FOR_ALL: [ResourceLimit; 6] = [
    (libc::RLIMIT_CORE, 0),
    (libc::RLIMIT_MEMLOCK, LOCKED_BYTES),
    (libc::RLIMIT_MSGQUEUE, 0),
    (libc::RLIMIT_SIGPENDING, PENDING_SIGNALS),
    (libc::RLIMIT_NICE, 0),
    (libc::RLIMIT_RTPRIO, 0),
];

/// Puts those limits on this process that are the same for all programs: they inherit them.
pub(crate) fn put_on() {
    for (resource, value) in SAME_FOR_ALL {
        let value = value.min(asked(resource).rlim_max);
        let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
        // If it fails, each program gets it.
        // SAFETY: `limit` is valid during the call.
        unsafe { libc::setrlimit(resource, &raw const limit) };
    }
}

/// The limits that a program does not inherit, each no higher than this process's own. From its first call on, nothing
/// may change those.
pub(crate) fn of(limits: &Limits, accounting: Accounting) -> Vec<ResourceLimit> {
    let mut wanted = SAME_FOR_ALL.to_vec();
    wanted.extend([
        (libc::RLIMIT_FSIZE, limits.disk),
        (libc::RLIMIT_NOFILE, if accounting.cgroup { OPEN_FILES } else { descriptors::MOST }),
        (libc::RLIMIT_STACK, limits.memory.unwrap_or(libc::RLIM_INFINITY)),
    ]);
    if let (Some(cpu), None) = (limits.cpu, limits.wall) {
        // For a watcher that was stopped, where time on the clock does not end the run. Not with every run: with this
        // limit, the program's own CPU clock moves in ticks of up to 10 ms.
        wanted.push((libc::RLIMIT_CPU, cpu.as_secs() + 2));
    }
    if let (Some(memory), false) = (limits.memory, accounting.cgroup) {
        wanted.push((libc::RLIMIT_DATA, data_bytes(memory, limits.processes)));
    }
    if let (Some(processes), Some(others), false) = (limits.processes, accounting.other_tasks, accounting.cgroup) {
        wanted.push((libc::RLIMIT_NPROC, u64::from(processes) + others));
    }
    let lowered = wanted.into_iter().map(|(resource, value)| (resource, value.min(own(resource).rlim_max)));
    lowered.filter(|&(resource, value)| (own(resource).rlim_cur, own(resource).rlim_max) != (value, value)).collect()
}

/// Writable private memory. Every thread reserves a stack of the limit's size, so that with threads only the watcher
/// can tell.
fn data_bytes(memory: u64, processes: Option<u32>) -> u64 {
    let stacks = u64::from(processes.unwrap_or(64).clamp(1, 64) - 1);
    memory.saturating_add(memory / 4).saturating_add(8 << 20).saturating_add(memory.saturating_mul(stacks))
}

/// This process's own.
fn own(resource: Resource) -> libc::rlimit {
    const COUNT: usize = 16;
    static KNOWN: OnceLock<[libc::rlimit; COUNT]> = OnceLock::new();
    KNOWN.get_or_init(|| std::array::from_fn(|number| asked(number as Resource)))[resource as usize]
}

fn asked(resource: Resource) -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` is a valid place for the answer.
    unsafe { libc::getrlimit(resource, &raw mut limit) };
    limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_programs_own_clock_stays_exact_where_a_limit_on_the_clock_ends_it() {
        let accounting = Accounting { cgroup: true, other_tasks: None };
        let limited = |wall| {
            let cpu = Some(Duration::from_secs(4));
            let limits = Limits { cpu, wall, memory: None, stdout: 0, stderr: 0, processes: None, disk: 0 };
            of(&limits, accounting).into_iter().find(|(resource, _)| *resource == libc::RLIMIT_CPU)
        };
        assert_eq!(limited(Some(Duration::from_secs(9))), None);
        assert_eq!(limited(None).map(|(_, seconds)| seconds), Some(6));
    }
}
