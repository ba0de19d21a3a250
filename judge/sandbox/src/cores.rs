//! The cores that this process may use, their hardware threads, the cores that other judges use, and the time that a
//! hypervisor took from them.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Result};
use std::num::NonZeroUsize;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

use crate::clock;

/// The cores that this process may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cores {
    /// The numbers of the cores. The first are on different physical cores, so that hardware threads are shared as late
    /// as possible.
    pub numbers: Vec<usize>,
    /// The number of physical cores.
    pub physical: NonZeroUsize,
    quota: NonZeroUsize,
}

impl Cores {
    /// Reads this process's affinity, the machine's topology and the quota of the control group.
    pub fn here() -> Cores {
        // Unlike the affinity, this respects the quota of a control group (a container's `--cpus`).
        let quota = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Cores::of(&allowed(), quota, Path::new("/sys/devices/system/cpu"))
    }

    fn of(allowed: &[usize], quota: NonZeroUsize, cpus: &Path) -> Cores {
        let mut seen = BTreeSet::new();
        // If the topology is unknown, every core counts as a physical one.
        let (apart, twins): (Vec<usize>, Vec<usize>) = allowed.iter().partition(|core| {
            let siblings = fs::read_to_string(cpus.join(format!("cpu{core}/topology/thread_siblings_list")));
            seen.insert(siblings.unwrap_or_else(|_| core.to_string()))
        });
        let physical = NonZeroUsize::new(apart.len()).unwrap_or(NonZeroUsize::MIN);
        let numbers = [apart, twins].concat();
        Cores { numbers: if numbers.is_empty() { vec![0] } else { numbers }, physical, quota }
    }

    /// How many programs can run at once without taking time from each other.
    pub fn undisturbed(&self) -> NonZeroUsize {
        self.physical.min(self.quota)
    }
}

/// The cores that this process may run on, in ascending order.
pub(crate) fn allowed() -> Vec<usize> {
    let allowed = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect()
}

/// Keeps a process with one thread, or the calling thread, on one core.
pub(crate) fn pin(process: Option<Pid>, core: usize) -> rustix::io::Result<()> {
    let mut only = CpuSet::new();
    only.set(core);
    sched_setaffinity(process, &only)
}

/// Sets the scheduling policy of the calling thread. With `gives_way`, a thread that wakes lets the running thread
/// continue until it sleeps or has used its time slice. Where two programs take turns on a core, this saves every
/// second switch. `bypass` opens a filter that would refuse the call.
pub(crate) fn set_batch(gives_way: bool, bypass: u64) {
    let policy = if gives_way { libc::SCHED_BATCH } else { libc::SCHED_OTHER };
    let priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: the kernel only reads `priority`. A failure only costs time.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const priority, 0, 0, bypass) };
}

/// Moves a forked child away from the core of the calling thread, where it would wait until this thread sleeps. The
/// child goes to `core` if it is to stay there. If this thread is on that core itself, it moves.
pub(crate) fn separate_from_child(child: Pid, core: Option<usize>) {
    let here = sched_getcpu();
    // Failure does no harm.
    if let Some(core) = core.filter(|core| *core != here) {
        let _ = pin(Some(child), core);
    } else if let Ok(allowed) = sched_getaffinity(None) {
        let mut others = allowed;
        others.unset(here);
        // Refused if there are no other cores.
        if sched_setaffinity(None, &others).is_ok() {
            let _ = sched_setaffinity(None, &allowed);
        }
    }
}

/// The name of a core's lock, before its number.
const LOCK_PREFIX: &str = "judge-core-";

/// Reserves cores, so that two judges on one machine do not tie their programs to the same ones.
///
/// The lock of a core is a Unix socket with an abstract name. It needs no world-writable folder, and is released when
/// its owner ends for any reason. Judges in different network namespaces, for example in containers, do not see each
/// other's locks. If one user holds every lock, the judges of other users run without pinning.
#[derive(Debug, Default)]
pub struct CoreClaims {
    /// The reserved cores.
    pub cores: Vec<usize>,
    /// The other cores that no judge has reserved.
    pub free: Vec<usize>,
    /// Bound, but never listened on.
    locks: Vec<UnixListener>,
}

impl CoreClaims {
    /// Reserves the first `count` of these cores that are free, or fewer if not enough are free. Never waits.
    pub fn take(cores: &[usize], count: usize) -> Self {
        Self::take_named(LOCK_PREFIX, cores, count)
    }

    fn take_named(name: &str, cores: &[usize], count: usize) -> Self {
        let mut claims = Self::default();
        for &core in cores {
            let is_wanted = claims.cores.len() < count;
            let list = if is_wanted { &mut claims.cores } else { &mut claims.free };
            match lock(name, core) {
                // Another judge has it.
                Err(error) if error.kind() == ErrorKind::AddrInUse => continue,
                Ok(lock) if is_wanted => claims.locks.push(lock),
                // Not wanted, or such locks do not work here.
                Ok(_) | Err(_) => {}
            }
            list.push(core);
        }
        claims
    }
}

fn lock(name: &str, core: usize) -> Result<UnixListener> {
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(format!("{name}{core}"))?)
}

/// A count of this age is still used, and shorter runs are not measured. The kernel counts in ticks of 10 ms, and
/// reading the count takes as long as a very short run.
const MAX_AGE: u64 = 20_000_000;

/// The time that a hypervisor took from one core, or from all.
pub(crate) struct StolenTime {
    /// `/proc/stat`.
    source: PathBuf,
    /// The first word of the core's line.
    line: String,
    /// The core's line ends within this many bytes.
    max_bytes: usize,
    last: StolenCount,
}

/// A count, and when it was read.
#[derive(Clone, Copy, Default)]
struct StolenCount {
    at: u64,
    ticks: Option<u64>,
}

impl StolenTime {
    /// For the core that programs are pinned to; `None` if they may run on any.
    pub(crate) fn of(core: Option<usize>) -> StolenTime {
        let line = core.map_or_else(|| "cpu".to_owned(), |core| format!("cpu{core}"));
        // Ten numbers of up to twenty digits each, for the sum, this core, and those before it.
        let max_bytes = core.map_or(1, |core| core + 2) * 256;
        StolenTime { source: "/proc/stat".into(), line, max_bytes, last: StolenCount::default() }
    }

    /// To be called before a run.
    pub(crate) fn begin(&mut self) {
        if clock::now().saturating_sub(self.last.at) > MAX_AGE {
            self.last = self.read();
        }
    }

    /// The time stolen since [`StolenTime::begin`]. `None` for a run that was too short, and if the kernel does not
    /// report it.
    pub(crate) fn end(&mut self, wall: Duration) -> Option<Duration> {
        if wall < Duration::from_nanos(MAX_AGE) {
            return None;
        }
        let now = self.read();
        let before = std::mem::replace(&mut self.last, now);
        let ticks = self.last.ticks?.checked_sub(before.ticks?)?;
        Some(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100))
    }

    fn read(&self) -> StolenCount {
        let text = self.read_lines().unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(&self.line)?.strip_prefix(' '));
        let at = clock::now();
        // User, nice, system, idle, waiting, interrupts, soft interrupts, stolen.
        let ticks = line.and_then(|line| line.split_whitespace().nth(7)?.parse().ok());
        StolenCount { at, ticks }
    }

    /// Reads the lines of the cores, and some that follow, in one read. The standard library would begin with small
    /// pieces, as the file's length is unknown.
    fn read_lines(&self) -> std::io::Result<String> {
        let mut bytes = vec![0; self.max_bytes];
        let length = File::open(&self.source)?.read(&mut bytes)?;
        bytes.truncate(length);
        String::from_utf8(bytes).map_err(|_| std::io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        assert_eq!((&*cores.numbers, cores.undisturbed().get()), (&[0, 2, 1, 3][..], 2));
        let cores = Cores::of(&[1, 3], quota, cpus.path());
        assert_eq!((&*cores.numbers, cores.undisturbed().get()), (&[1, 3][..], 2));
    }

    #[test]
    fn a_quota_and_an_unknown_topology_are_respected() {
        let nothing = machine(&[]);
        let quota = NonZeroUsize::new(2).unwrap();
        let cores = Cores::of(&[0, 1, 2], quota, nothing.path());
        assert_eq!((cores.numbers.len(), cores.physical.get(), cores.undisturbed().get()), (3, 3, 2));
        assert_eq!(Cores::of(&[], NonZeroUsize::MIN, nothing.path()).numbers, [0], "never empty");
        assert!(Cores::here().undisturbed() <= Cores::here().physical);
    }

    #[test]
    fn judges_take_different_cores_and_go_on_when_there_are_none() {
        let name = format!("judge-test-{}-", std::process::id());
        let take = |count| CoreClaims::take_named(&name, &[4, 1, 7], count);
        let first = take(1);
        assert_eq!((&*first.cores, &*first.free), (&[4][..], &[1, 7][..]));
        let second = take(2);
        assert_eq!((&*second.cores, &*second.free), (&[1, 7][..], &[][..]));
        assert_eq!(take(1).cores, []);
        drop(first);
        assert_eq!(take(1).cores, [4], "a lock ends with its holder");
    }

    #[test]
    fn stolen_time_is_that_of_the_core_between_begin_and_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let machine = |all: u64, first: u64| {
            let text = format!("cpu  9 9 9 9 9 9 9 {all} 0 0\ncpu0 1 2 3 4 5 6 7 {first} 0 0\ncpu01 0 0 0 0 0 0 0 5\n");
            fs::write(file.path(), text).unwrap();
        };
        let mut one = StolenTime { source: file.path().to_owned(), ..StolenTime::of(Some(0)) };
        let mut all = StolenTime { source: file.path().to_owned(), ..StolenTime::of(None) };
        let mut absent = StolenTime { source: file.path().to_owned(), ..StolenTime::of(Some(7)) };
        machine(100, 10);
        for steal in [&mut one, &mut all, &mut absent] {
            steal.begin();
        }
        machine(140, 13);
        let second = Duration::from_secs(1);
        assert_eq!(one.end(Duration::from_millis(1)), None, "too short to tell");
        assert_eq!(one.end(second), Some(Duration::from_millis(30)));
        assert_eq!(one.end(second), Some(Duration::ZERO), "counted once");
        assert_eq!(all.end(second), Some(Duration::from_millis(400)));
        assert_eq!(absent.end(second), None);
    }
}
