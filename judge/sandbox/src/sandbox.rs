//! Chooses a tier by trying what works here, and opens workers.

use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;

use crate::cgroup::site::{Site, kill_and_remove};
use crate::confine::fork_gate::{ForkGate, GateScope};
use crate::confine::{identity, landlock};
use crate::helper::{HELPER, KEEPER};
use crate::namespace::init::PidCounter;
use crate::namespace::mounts::SOCKET_ADDRESSES;
use crate::process::{OWN_EXECUTABLE, in_child};
use crate::protocol::messages::Settings;
use crate::request::{End, Fault, Limits, Request};
use crate::scratch::{self, disk, ramdisk};
use crate::supervisor::{self, SUPERVISOR};
use crate::sweeper::SWEEPER;
use crate::tier::{Gap, Options, Tier, TierChoice};
use crate::tier_cache::{CachedTier, TierCache};
use crate::watch::gauges::TreeClock;
use crate::watch::memory_meter::UNCOUNTED;
use crate::worker::Worker;
use crate::{cores, names};

/// The sandbox could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The tier that was asked for does not work here.
    #[error("tier `{tier}` is not available here: {why}")]
    Unavailable {
        /// The tier asked for.
        tier: Tier,
        /// What is missing.
        why: String,
    },
    /// Something that every tier needs has run out. A weaker tier might need less of it, but this machine offers more.
    #[error("the sandbox cannot be tried: {why}")]
    Shortage {
        /// What failed.
        why: String,
    },
    /// No tier that isolates works here, and limits alone are not allowed.
    #[error("no isolation mechanism is available: {why}")]
    Nothing {
        /// What is missing.
        why: String,
    },
}

/// A sandbox of one tier. It hands out workers, which run programs.
pub struct Sandbox {
    context: WorkerContext,
    gaps: Vec<Gap>,
    /// Workers that are not handed out yet: the one that tried the tier, and prepared ones.
    waiting: Mutex<Vec<Worker>>,
}

impl Sandbox {
    /// Chooses the tier, by trying or from the cache, and removes the files and control groups of killed judges.
    ///
    /// # Errors
    /// When the tier asked for, or every tier that isolates, is not available.
    pub fn open(options: &Options) -> Result<Sandbox, OpenError> {
        let executable = options.helper.clone().unwrap_or_else(|| OWN_EXECUTABLE.into());
        let scratch = options.scratch.clone().unwrap_or_else(scratch::temporary);
        let cache = TierCache::for_options(options, &executable, &scratch);
        let cache = cache.as_ref();
        if let Some(cache) = cache
            && let Some(CachedTier { tier, site, gaps }) = cache.load()
        {
            let context = WorkerContext { tier, executable, scratch, site, cache: Some(cache.file.clone()) };
            return Ok(from_cache(context, gaps, options.all_cores).swept());
        }
        let try_tier = |tier| try_tier(tier, &executable, &scratch, cache);
        let found = match options.tier {
            TierChoice::Forced(tier) => try_tier(tier).map_err(|TierError { why, shortage }| match shortage {
                true => OpenError::Shortage { why },
                false => OpenError::Unavailable { tier, why },
            })?,
            TierChoice::Auto => strongest(options.allow_unsafe, try_tier)?,
        };
        if let Some(cache) = cache {
            let site = found.context.site.clone();
            cache.store(&CachedTier { tier: found.tier(), site, gaps: found.gaps.clone() });
        }
        Ok(found.swept())
    }

    /// Removes stale files, folders and control groups. Entries that cannot be removed stay, because their processes may
    /// still be dying.
    fn swept(self) -> Sandbox {
        for path in names::stale_in(&self.context.scratch) {
            let _ = std::fs::remove_file(&path).or_else(|_| disk::remove(&path));
        }
        for parent in self.context.site.iter().flat_map(Site::parents) {
            for path in names::stale_in(parent) {
                kill_and_remove(&path);
            }
        }
        self
    }

    /// The tier in use.
    pub fn tier(&self) -> Tier {
        self.context.tier
    }

    /// What this tier does not guarantee on this machine.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Starts a worker for each of these cores that has no idle one, and lets it prepare for `request`, if one is
    /// given. This takes some milliseconds, and the caller can do other work meanwhile. [`worker`](Self::worker) hands
    /// these workers out.
    pub fn make_ready(&self, cores: &[usize], request: Option<&Request>) {
        let mut waiting = self.waiting.lock();
        for &core in cores {
            if !waiting.iter().any(|worker| worker.core() == Some(core))
                && let Ok(worker) = self.context.worker(Some(core))
            {
                waiting.push(worker);
            }
        }
        let is_meant = |worker: &&mut Worker| worker.core().is_some_and(|core| cores.contains(&core));
        for worker in waiting.iter_mut().filter(is_meant) {
            request.into_iter().for_each(|request| worker.make_ready(request));
        }
    }

    /// Starts a worker, or hands out one that waits. Its programs stay on `core`, if one is given.
    ///
    /// # Errors
    /// When its helper process cannot be started.
    pub fn worker(&self, core: Option<usize>) -> Result<Worker, Fault> {
        self.take_waiting(core).map_or_else(|| self.context.worker(core), Ok)
    }

    /// A waiting worker for this core, or for all. A caller that wants one for all cores does not need the others, so
    /// those end.
    fn take_waiting(&self, core: Option<usize>) -> Option<Worker> {
        let mut waiting = self.waiting.lock();
        if core.is_none() {
            waiting.retain(|worker| worker.core().is_none());
        }
        let place = waiting.iter().position(|worker| worker.core() == core)?;
        Some(waiting.remove(place))
    }
}

fn strongest(allow_unsafe: bool, try_tier: impl Fn(Tier) -> Result<Sandbox, TierError>) -> Result<Sandbox, OpenError> {
    let mut reasons = Vec::new();
    for tier in Tier::ALL.into_iter().filter(|tier| *tier != Tier::Unsafe || allow_unsafe) {
        match try_tier(tier) {
            Ok(found) => return Ok(found),
            Err(TierError { why, shortage: true }) => {
                return Err(OpenError::Shortage { why: format!("{tier}: {why}") });
            }
            Err(TierError { why, .. }) => reasons.push(format!("{tier}: {why}")),
        }
    }
    Err(OpenError::Nothing { why: reasons.join("; ") })
}

/// The only argument of a process that reports what a program in a tier can see.
const SELF_TEST: &str = "--judge-sandbox-self-test";

/// Exit codes of a self-test that sees `/proc`: without socket addresses, and with them.
const HAS_PROC: i32 = 33;
const SEES_ADDRESSES: i32 = 34;

/// Turns this process into a helper, if it was started to be one, and then never returns. A program that uses this
/// crate must call this first in `main`: each process of the sandbox is the calling program, executed again with an
/// argument that names its role.
pub fn become_helper_if_asked() {
    supervisor::become_stub_if_asked();
    let mut arguments = std::env::args_os().skip(1);
    let (Some(argument), None) = (arguments.next(), arguments.next()) else { return };
    if let Some(role) = [HELPER, KEEPER, SUPERVISOR, SWEEPER].into_iter().find(|role| argument == role.argument) {
        std::process::exit(role.run());
    }
    if argument == SELF_TEST {
        std::process::exit(self_test());
    }
}

fn self_test() -> i32 {
    match (Path::new("/proc/self/exe").exists(), File::open(SOCKET_ADDRESSES).is_ok()) {
        (false, _) => 0,
        (true, false) => HAS_PROC,
        (true, true) => SEES_ADDRESSES,
    }
}

/// What workers of a tier need.
struct WorkerContext {
    tier: Tier,
    executable: PathBuf,
    scratch: PathBuf,
    site: Option<Site>,
    /// The cache entry that says that the tier works. It is removed when a worker fails.
    cache: Option<PathBuf>,
}

impl WorkerContext {
    fn worker(&self, core: Option<usize>) -> Result<Worker, Fault> {
        let settings = Settings {
            tier: self.tier,
            core,
            site: self.site.clone(),
            scratch: self.scratch.clone(),
            name: names::unique("worker"),
            keeper_link: None,
        };
        Worker::start(&self.executable, settings, self.cache.clone())
    }
}

/// Why a tier is not available.
pub(crate) struct TierError {
    pub(crate) why: String,
    /// Whether a resource that every tier needs has run out: files, processes, memory.
    pub(crate) shortage: bool,
}

impl From<&str> for TierError {
    fn from(why: &str) -> TierError {
        TierError { why: why.to_owned(), shortage: false }
    }
}

/// Starts a worker of `tier` and runs a program in it. Returns the reason if that does not work.
pub(crate) fn try_tier(
    tier: Tier,
    executable: &Path,
    scratch: &Path,
    cache: Option<&TierCache>,
) -> Result<Sandbox, TierError> {
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
    let site =
        if tier.has_cgroup() { Some(Site::find().map_err(|why| TierError { why, shortage: false })?) } else { None };
    let cache = cache.map(|cache| cache.file.clone());
    let context = WorkerContext { tier, executable: executable.to_owned(), scratch: scratch.to_owned(), site, cache };
    // A worker on one core needs no perf event. For the first perf event the kernel waits some milliseconds.
    let core = cores::allowed().first().copied();
    // Namespaces that are forbidden give the error of a full disk, too.
    let is_full =
        |fault: &Fault| matches!(fault, Fault::System { source, .. } if source.kind() == ErrorKind::StorageFull);
    let is_shortage = |fault: &Fault| fault.is_shortage() || !tier.has_namespaces() && is_full(fault);
    let error = |fault: Fault| TierError { why: explain(&fault), shortage: is_shortage(&fault) };
    let mut worker = start_self_test(&context, core).map_err(error)?;
    // While the helper runs the program, which takes some milliseconds.
    let mut gaps = gaps(&context);
    let seen = worker.collect().map_err(error)?.end;
    if tier.has_namespaces() {
        gaps.extend(proc_gap(&seen));
    }
    Ok(Sandbox { context, gaps, waiting: Mutex::new(vec![worker]) })
}

/// A tier that is known to work. Its first worker starts now, while the caller does other things.
fn from_cache(context: WorkerContext, gaps: Vec<Gap>, all_cores: bool) -> Sandbox {
    let core = if all_cores { None } else { cores::allowed().first().copied() };
    let first = context.worker(core).ok();
    // After the worker, which starts sooner while this process has only one thread.
    if !context.tier.has_namespaces() {
        TreeClock::make_ready();
    }
    Sandbox { context, gaps, waiting: Mutex::new(first.into_iter().collect()) }
}

/// Starts a worker, and in it the helper's executable, which reports whether it sees a `/proc`. The program may be
/// unable to reach the executable. That is no failure of the tier.
fn start_self_test(context: &WorkerContext, core: Option<usize>) -> Result<Worker, Fault> {
    let program = std::fs::canonicalize(&context.executable).unwrap_or_else(|_| context.executable.clone());
    let limits = Limits {
        cpu: Some(Duration::from_secs(5)),
        wall: Some(Duration::from_secs(10)),
        memory: Some(256 << 20),
        stdout: 4096,
        stderr: 4096,
        processes: Some(1),
        disk: 1 << 20,
    };
    let argv = vec!["self-test".into(), SELF_TEST.into()];
    let request = Request { argv, ..Request::new(program, limits) };
    let mut worker = context.worker(core)?;
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
fn gaps(context: &WorkerContext) -> Vec<Gap> {
    let tier = context.tier;
    let mut gaps = Vec::new();
    let mut gap = |what, meaning: &str| gaps.push(Gap { what: Cow::Borrowed(what), meaning: meaning.to_owned() });
    accounting_gaps(tier, context.site.as_ref(), &mut gap);
    if tier.has_namespaces() {
        namespace_gaps(&mut gap);
    } else {
        host_gaps(tier, &mut gap);
    }
    gaps
}

/// What is counted less exactly than by a control group on a kernel with all features.
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

/// What a self-test in a jail has found wrong with its `/proc`.
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

/// Whether the kernel supports the fork gate. Tried in a child, as a filter cannot be removed.
fn has_fork_gate() -> bool {
    // SAFETY: the closure allocates and makes system calls.
    unsafe { in_child(|| ForkGate::install(GateScope::default()).is_some()) }
}

fn host_gaps(tier: Tier, gap: &mut impl FnMut(&'static str, &str)) {
    let sharing = match tier {
        Tier::Unsafe => "programs share the machine's process ids and file system",
        _ => {
            "programs share the machine's process ids and file system: they can learn which files and processes \
             exist, and the sizes and times of files, but cannot read, change or signal them"
        }
    };
    gap("namespaces", sharing);
    let own_identity = identity::is_available();
    let in_memory = scratch::can_be_memory(own_identity);
    if !in_memory {
        gap("disk", "files in the working folder are limited one by one; their sum is checked every few milliseconds");
    }
    if !own_identity {
        gap("user", "programs run as your own user; the number of processes is watched, not refused by the kernel");
    }
    if tier == Tier::Unsafe {
        gap("isolation", "programs are not isolated: they can read, change and kill whatever your user can");
        return;
    }
    if !in_memory || !ramdisk::can_ignore_readings() {
        gap("times of reading", "when a file was last read is noted, and earlier programs may have read it");
    }
    if landlock::version() < landlock::KNOWS_TRUNCATION {
        gap("landlock 3", "landlock is old: a filter refuses to open files for truncation instead");
    }
    if landlock::version() < landlock::SCOPES_SIGNALS {
        gap("landlock 6", "landlock is old: programs can signal themselves only, not even their own children");
    }
}
