//! Tries the tiers: whether one works here, and what does not hold in it.

use parking_lot::Mutex;
use std::borrow::Cow;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::api::child::in_child;
use crate::api::execution::{End, Fault};
use crate::api::names;
use crate::api::request::{Limits, Request, Sink, Stdin};
use crate::api::tier::{Gap, Tier};
use crate::cgroup::site::Site;
use crate::confine::fork_gate::{Also, ForkGate};
use crate::confine::identity;
use crate::confine::landlock;
use crate::entry::{HAS_PROC, SEES_ADDRESSES, SELF_TEST};
use crate::helper::settings::Settings;
use crate::memory::Memory;
use crate::namespace::pid_counter::PidCounter;
use crate::proc::cores;
use crate::scratch::{folder, own_mounts};
use crate::watch::memory_meter::UNCOUNTED;
use crate::watch::tree_clock::TreeClock;
use crate::worker::Worker;

/// What workers of a tier need.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    pub(crate) executable: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) site: Option<Site>,
    /// What it was recalled from, or is remembered in: to be forgotten when a worker fails.
    pub(crate) memory: Option<PathBuf>,
}

/// A tier that works.
pub(crate) struct Found {
    pub(crate) ground: Ground,
    pub(crate) gaps: Vec<Gap>,
    /// Workers until they are handed out: the one that has shown it, and those that were made ready.
    pub(crate) waiting: Mutex<Vec<WaitingWorker>>,
}

/// A worker that was not handed out yet.
pub(crate) struct WaitingWorker {
    pub(crate) worker: Worker,
    /// Where its programs stay, if anywhere.
    pub(crate) core: Option<usize>,
}

/// Why a tier is not available.
pub(crate) struct Unfit {
    pub(crate) why: String,
    /// What is missing is something that every tier needs: files, processes, memory.
    pub(crate) shortage: bool,
}

impl From<&str> for Unfit {
    fn from(why: &str) -> Unfit {
        Unfit { why: why.to_owned(), shortage: false }
    }
}

/// Tries `tier`: a worker is started and runs a program. `Err` says why that did not work.
pub(crate) fn attempt(tier: Tier, executable: &Path, scratch: &Path, memory: Option<&Memory>) -> Result<Found, Unfit> {
    let root = rustix::process::geteuid().is_root();
    if tier == Tier::Root && !root {
        return Err("it needs root".into());
    }
    if tier == Tier::Delegated && root {
        return Err("it is for ordinary users: root uses tier `root`".into());
    }
    if tier == Tier::Bare && landlock::version() == 0 {
        return Err("the kernel has no landlock, or landlock is disabled".into());
    }
    let site = if tier.has_cgroup() { Some(Site::find().map_err(|why| Unfit { why, shortage: false })?) } else { None };
    let memory = memory.map(|memory| memory.file().to_owned());
    let ground = Ground { executable: executable.to_owned(), scratch: scratch.to_owned(), site, memory };
    // On one core it needs no perf event, for the first of which the kernel waits some milliseconds.
    let core = cores::allowed().first().copied();
    let unfit = |fault: Fault| Unfit { why: explain(&fault), shortage: fault.is_shortage() };
    let mut worker = start_self_test(tier, &ground, core).map_err(unfit)?;
    // Looked for while the helper runs it, which takes some milliseconds.
    let mut gaps = gaps(tier, &ground);
    let seen = worker.collect().map_err(unfit)?.end;
    if tier.has_namespaces() {
        gaps.extend(proc_gap(&seen));
    }
    Ok(Found { ground, gaps, waiting: Mutex::new(vec![WaitingWorker { worker, core }]) })
}

/// A tier that is known to work. Its first worker starts now, which takes a moment, while the caller does other things.
pub(crate) fn recalled(tier: Tier, ground: Ground, gaps: Vec<Gap>, all_cores: bool) -> Found {
    let core = if all_cores { None } else { cores::allowed().first().copied() };
    let first = worker(tier, &ground, core).ok().map(|worker| WaitingWorker { worker, core });
    // After the worker, which starts sooner while this process has no other thread.
    if !tier.has_namespaces() {
        TreeClock::make_ready();
    }
    Found { ground, gaps, waiting: Mutex::new(first.into_iter().collect()) }
}

/// A worker of this tier.
pub(crate) fn worker(tier: Tier, ground: &Ground, core: Option<usize>) -> Result<Worker, Fault> {
    let settings = Settings {
        tier,
        core: core.map(|core| core as u64),
        site: ground.site.clone(),
        scratch: ground.scratch.clone(),
        name: names::unique("worker"),
        leash: None,
    };
    Worker::start(&ground.executable, settings, ground.memory.clone())
}

/// Starts a worker, and the helper's executable as a program of the tier, which tells whether it sees a `/proc`. The
/// executable may be out of reach for the program, which is no fault of the tier.
fn start_self_test(tier: Tier, ground: &Ground, core: Option<usize>) -> Result<Worker, Fault> {
    let program = std::fs::canonicalize(&ground.executable).unwrap_or_else(|_| ground.executable.clone());
    let request = Request {
        argv: vec![OsString::from("self-test"), SELF_TEST.into()],
        program,
        environment: Vec::new(),
        stdin: Stdin::Empty,
        limits: Limits {
            cpu: Some(Duration::from_secs(5)),
            wall: Some(Duration::from_secs(10)),
            memory: Some(256 << 20),
            stdout: 4096,
            stderr: 4096,
            processes: Some(1),
            disk: 1 << 20,
        },
        visible: Vec::new(),
        hidden: Vec::new(),
        folder: None,
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    };
    let mut worker = worker(tier, ground, core)?;
    worker.submit(&request)?;
    Ok(worker)
}

/// A fault and its causes in one line.
fn explain(fault: &Fault) -> String {
    let mut text = fault.to_string();
    let mut cause = fault.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// What a tier that works does not guarantee.
fn gaps(tier: Tier, ground: &Ground) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut gap = |what, meaning: &str| gaps.push(Gap { what: Cow::Borrowed(what), meaning: meaning.to_owned() });
    accounting_gaps(tier, ground.site.as_ref(), &mut gap);
    if tier.has_namespaces() {
        namespace_gaps(&mut gap);
    } else {
        shared_world_gaps(tier, &mut gap);
    }
    gaps
}

/// What is counted less well than by a control group with all that a kernel offers.
fn accounting_gaps(tier: Tier, site: Option<&Site>, gap: &mut impl FnMut(&'static str, &str)) {
    if site.is_none() {
        gap(
            "control group",
            &format!(
                "memory is watched every few milliseconds instead of being refused by the kernel: a program can exceed its \
                 limit for that long, a short peak of several processes can go unseen, and about {} MiB can stay hidden in \
                 the kernel's own memory",
                UNCOUNTED >> 20
            ),
        );
    }
    if site.is_none_or(|site| site.pids.is_none()) && !has_fork_gate() {
        gap(
            "process counter",
            "the limit on processes holds, but a program that it stopped cannot be told from one that failed by itself",
        );
    }
    let counts_cpu = site.is_some_and(|site| site.cpu.is_some());
    if !counts_cpu && TreeClock::open().is_none() {
        gap("tree clock", "the CPU time of a program with several processes may be too low if some of them end unseen");
    }
    if !counts_cpu && tier != Tier::Unsafe {
        gap(
            "execution",
            "a program cannot execute what it wrote: such a process could hide its CPU time from the kernel",
        );
    }
}

fn namespace_gaps(gap: &mut impl FnMut(&'static str, &str)) {
    if rustix::process::geteuid().is_root() && !identity::is_available() {
        gap(
            "user",
            "programs run as your own user, since this process cannot become another: they can read whatever only your \
             user may read in the folders that they see",
        );
    }
    if PidCounter::find().is_none() {
        gap("process ids", "a program can tell from its process id how many processes earlier programs have started");
    }
    if landlock::version() == 0 {
        gap("landlock", "files are protected by mounts and permissions alone, without a second layer");
    }
}

/// What a self-test in a jail has found to be amiss with its `/proc`.
fn proc_gap(seen: &End) -> Option<Gap> {
    let (what, meaning) = match seen {
        End::Exited(HAS_PROC) => return None,
        End::Exited(SEES_ADDRESSES) => (
            "addresses",
            "a program can tell where in the kernel's memory its sockets are, which depends on the sockets of earlier ones",
        ),
        _ => ("/proc", "programs see no /proc: some interpreters do not start without it"),
    };
    Some(Gap { what: Cow::Borrowed(what), meaning: meaning.to_owned() })
}

/// Whether the kernel asks about new processes, tried in a child: what is installed stays.
fn has_fork_gate() -> bool {
    // SAFETY: the closure allocates and makes system calls.
    unsafe { in_child(|| ForkGate::install(Also::default()).is_some()) }
}

fn shared_world_gaps(tier: Tier, gap: &mut impl FnMut(&'static str, &str)) {
    gap(
        "namespaces",
        "programs share the machine's process ids and file system: they can learn which files and processes \
         exist, and the sizes and times of files, but cannot read, change or signal them",
    );
    let own_identity = identity::is_available();
    let in_memory = folder::can_be_memory(own_identity);
    if !in_memory {
        gap("disk", "files in the working folder are limited one by one; their sum is checked every few milliseconds");
    }
    if !own_identity {
        gap("user", "programs run as your own user; the number of processes is watched, not refused by the kernel");
    }
    if tier == Tier::Unsafe {
        gap("walls", "programs are not isolated: they can read, change and kill whatever your user can");
        return;
    }
    if !in_memory || !own_mounts::can_ignore_readings() {
        gap("times of reading", "when a file was last read is noted, and earlier programs may have read it");
    }
    if landlock::version() < landlock::KNOWS_TRUNCATION {
        gap("landlock 3", "landlock is old: a filter refuses to open files for truncation instead");
    }
    if landlock::version() < landlock::SCOPES_SIGNALS {
        gap("landlock 6", "landlock is old: programs can signal themselves only, not even their own children");
    }
}
