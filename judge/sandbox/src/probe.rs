//! Tries the tiers: whether one works here, and what does not hold in it.

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
use crate::confine::fork_gate::ForkGate;
use crate::confine::identity;
use crate::confine::landlock;
use crate::entry::{HAS_PROC, SELF_TEST};
use crate::helper::settings::Settings;
use crate::namespace::pid_counter::PidCounter;
use crate::scratch::folder;
use crate::watch::memory_meter::UNCOUNTED;
use crate::watch::tree_clock::TreeClock;
use crate::worker::{Worker, capture_file};

/// What workers of a tier need.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    pub(crate) executable: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) site: Option<Site>,
}

/// A tier that works.
pub(crate) struct Found {
    pub(crate) ground: Ground,
    pub(crate) gaps: Vec<Gap>,
}

/// Why a tier is not to be had.
pub(crate) struct Unfit {
    pub(crate) why: String,
    /// Not the tier is missing, but something that every tier needs: files, processes, memory.
    pub(crate) shortage: bool,
}

impl From<&str> for Unfit {
    fn from(why: &str) -> Unfit {
        Unfit { why: why.to_owned(), shortage: false }
    }
}

/// Tries `tier`: a worker is started and runs a program. `Err` says why that did not work.
pub(crate) fn attempt(tier: Tier, executable: &Path, scratch: &Path) -> Result<Found, Unfit> {
    let root = rustix::process::geteuid().is_root();
    if tier == Tier::Root && !root {
        return Err("it needs root".into());
    }
    if tier == Tier::Delegated && root {
        return Err("it is for ordinary users: root has tier `root`".into());
    }
    if tier == Tier::Bare && landlock::version() == 0 {
        return Err("the kernel has no landlock, or it is not switched on".into());
    }
    let site = if tier.has_cgroup() { Some(Site::find().map_err(|why| Unfit { why, shortage: false })?) } else { None };
    let ground = Ground { executable: executable.to_owned(), scratch: scratch.to_owned(), site };
    let has_proc =
        self_test(tier, &ground).map_err(|fault| Unfit { why: explain(&fault), shortage: fault.is_shortage() })?;
    let gaps = gaps(tier, &ground, has_proc);
    Ok(Found { ground, gaps })
}

/// A worker of this tier.
pub(crate) fn worker(tier: Tier, ground: &Ground, core: Option<usize>) -> Result<Worker, Fault> {
    let settings = Settings {
        tier,
        core: core.map(|core| core as u64),
        site: ground.site.clone(),
        scratch: ground.scratch.clone(),
        name: names::unique("worker"),
        stdout: capture_file()?,
        stderr: capture_file()?,
        leash: None,
    };
    Worker::start(&ground.executable, settings)
}

/// Runs our own executable inside of the walls; whether it saw a `/proc`. It may be out of reach in there, which says
/// nothing against the walls.
fn self_test(tier: Tier, ground: &Ground) -> Result<bool, Fault> {
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
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    };
    Ok(worker(tier, ground, None)?.run(&request)?.end == End::Exited(HAS_PROC))
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

/// What does not hold in a tier that works.
fn gaps(tier: Tier, ground: &Ground, has_proc: bool) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut gap = |what, meaning: &str| gaps.push(Gap { what, meaning: meaning.to_owned() });
    if ground.site.is_none() {
        gap(
            "control group",
            &format!(
                "memory is watched every few milliseconds instead of being refused by the kernel: a program can pass its \
                 limit for that long, a short peak of several processes can go unseen, and some {} MiB can stay hidden in \
                 the kernel's own memory",
                UNCOUNTED >> 20
            ),
        );
    }
    let counts_processes = ground.site.as_ref().is_some_and(|site| site.pids.is_some());
    if !counts_processes && !has_fork_gate() {
        gap(
            "process counter",
            "a program that starts too many processes is stopped, but not told from one that fails or copes",
        );
    }
    if ground.site.as_ref().is_none_or(|site| site.cpu.is_none()) && TreeClock::open().is_none() {
        gap(
            "tree clock",
            "the CPU time of a program with several processes may be counted too low, when they end unseen",
        );
    }
    if tier != Tier::Unsafe && ground.site.as_ref().is_none_or(|site| site.cpu.is_none()) {
        gap(
            "execution",
            "a program cannot execute what it wrote itself: the kernel could be kept from counting its CPU time",
        );
    }
    if tier.has_namespaces() {
        if rustix::process::geteuid().is_root() && !identity::is_available() {
            gap(
                "user",
                "programs run as your own user, since this process can become no other: what your user alone may read in \
                 the folders that they see, they read as well",
            );
        }
        if !has_proc {
            gap("/proc", "programs see no /proc: some interpreters do not start without it");
        }
        if PidCounter::find().is_none() {
            gap(
                "process ids",
                "a program can tell from its process id how many processes the programs before it have started",
            );
        }
        if landlock::version() == 0 {
            gap("landlock", "the file system's walls are mounts and permissions alone, without a second line");
        }
    } else {
        shared_world_gaps(tier, &mut gap);
    }
    gaps
}

/// Whether the kernel asks about new processes, tried in a child: what is installed stays.
fn has_fork_gate() -> bool {
    // SAFETY: the closure allocates and makes system calls.
    unsafe { in_child(|| ForkGate::install(false).is_some()) }
}

fn shared_world_gaps(tier: Tier, gap: &mut impl FnMut(&'static str, &str)) {
    gap(
        "namespaces",
        "programs share the machine's process ids and file system: they can learn that a file or a process exists, \
         though not read, change or signal it",
    );
    let own_identity = identity::is_available();
    if !folder::can_be_memory(own_identity) {
        gap(
            "disk",
            "files in the working folder are limited one by one, their sum is looked at every few milliseconds",
        );
    }
    if !own_identity {
        gap("user", "programs run as your own user; the number of processes is watched, not refused by the kernel");
    }
    if tier == Tier::Unsafe {
        gap("walls", "there are none: programs can read, change and kill whatever your user can");
        return;
    }
    if landlock::version() < landlock::KNOWS_TRUNCATION {
        gap("landlock 3", "an old landlock: opening files so that they are emptied is refused by a filter instead");
    }
    if landlock::version() < landlock::SCOPES_SIGNALS {
        gap("landlock 6", "an old landlock: programs can signal nobody but themselves, their own children included");
    }
}
