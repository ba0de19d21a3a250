//! The confinement of a program: limits, user, landlock, seccomp. It is assembled here for all tiers.

pub(crate) mod bpf;
pub(crate) mod calls;
pub(crate) mod fork_gate;
pub(crate) mod identity;
pub(crate) mod landlock;
pub(crate) mod launch;
pub(crate) mod seccomp;

use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::thread::set_thread_groups;

use crate::confine::landlock::FileAccess;
use crate::confine::seccomp::FilterCache;
use crate::process::NO_CORE_DUMP;
use crate::procfs;
use crate::protocol::FilterBypass;
use crate::protocol::messages::RunSpec;
use crate::protocol::shared_memory::KillTarget;
use crate::request::{Fault, Limits};

/// How the programs of a backend are isolated.
#[derive(Clone, Copy)]
pub(crate) struct Isolation {
    /// Whether landlock and seccomp restrict programs. Otherwise there are only limits.
    pub(crate) restricted: bool,
    /// There are no namespaces: programs share processes, users and files with the host.
    pub(crate) shares_host: bool,
    /// A control group limits memory.
    pub(crate) has_cgroup: bool,
    /// A control group counts CPU time. Then programs may execute what they wrote.
    pub(crate) counts_cpu: bool,
    /// Tasks that are not the run's but count for `RLIMIT_NPROC`; `None` if that limit cannot be used.
    pub(crate) other_tasks: Option<u64>,
    /// The uid and gid to change to.
    pub(crate) identity: Option<u32>,
    /// Lets this process start another one past the fork gate.
    pub(crate) bypass: Option<FilterBypass>,
    /// Whether the gate also decides about CPU clocks.
    pub(crate) asks_for_clocks: bool,
}

/// What the confinement is made from: the isolation, and what the current program may access.
pub(crate) struct ConfinementContext {
    isolation: Isolation,
    /// The process group that the keeper kills.
    pub(crate) kill_target: Option<KillTarget>,
    landlock: i32,
    ruleset: Option<OwnedFd>,
    /// Whether programs keep [`READ_SEARCH`](crate::confine::identity::READ_SEARCH) when they become another user.
    keep_read_search: bool,
    filters: FilterCache,
    /// Opens the filter of this process, which its programs inherit.
    own_bypass: Option<FilterBypass>,
    /// Whether programs inherit the groups of this process's user.
    has_groups: bool,
    /// Paths in the system's own folders that file modes close to others. Finding them takes long.
    closed_systems: Option<Vec<PathBuf>>,
}

impl ConfinementContext {
    /// Nothing can be accessed yet. Limits that are the same for all programs become this process's own.
    pub(crate) fn new(isolation: Isolation, kill_target: Option<KillTarget>) -> ConfinementContext {
        apply_common();
        let (landlock, filters) = (landlock::version(), FilterCache::default());
        ConfinementContext {
            isolation,
            kill_target,
            landlock,
            ruleset: None,
            keep_read_search: false,
            filters,
            own_bypass: None,
            has_groups: true,
            closed_systems: None,
        }
    }

    /// Gives access to everything that `spec` shows, and to `folder`, which is the working folder or its parent.
    /// `keep_read_search`: the program, as another user, needs [`READ_SEARCH`](crate::confine::identity::READ_SEARCH)
    /// to get there. Ends early if `is_cancelled`.
    pub(crate) fn give_access_to(
        &mut self,
        spec: &RunSpec,
        folder: (BorrowedFd<'_>, &Path),
        keep_read_search: bool,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Fault> {
        let Isolation { restricted, shares_host, counts_cpu, .. } = self.isolation;
        let mut hidden = if shares_host { spec.hidden.clone() } else { Vec::new() };
        if keep_read_search && shares_host {
            // A program that starts in a folder of its caller's has its caller's read access there.
            match spec.folder {
                Some(_) => {
                    if self.closed_systems.is_none() {
                        self.closed_systems = Some(landlock::closed(&[], is_cancelled)?);
                    }
                    hidden.extend(self.closed_systems.iter().flatten().cloned());
                }
                None => hidden.extend(landlock::closed(&spec.visible, is_cancelled)?),
            }
        }
        let (whole_root, executes_own) = (!shares_host, counts_cpu);
        let reach = FileAccess { folder, spec, hidden: &hidden, whole_root, executes_own };
        self.ruleset = if restricted && self.landlock > 0 { landlock::ruleset(&reach)? } else { None };
        self.keep_read_search = keep_read_search;
        Ok(())
    }

    /// Installs the filter on this thread, if it is the same for all programs and the kernel allows it, and drops the
    /// groups of this thread's user if programs have another one. Children inherit both. Translating the filter for
    /// each takes as long as starting one. Returns what opens the filter.
    pub(crate) fn share_filter(&mut self) -> Option<FilterBypass> {
        if !self.isolation.restricted || self.is_ungated() || self.signals_unscoped() {
            return None;
        }
        if self.isolation.identity.is_some() {
            self.has_groups = set_thread_groups(&[]).is_err();
        }
        let bypass = FilterBypass::random().ok()?;
        self.own_bypass = seccomp::install(self.rules(None), bypass).ok().map(|()| bypass);
        self.own_bypass
    }

    /// Whether neither a control group nor a gate controls new processes and memory.
    fn is_ungated(&self) -> bool {
        !self.isolation.has_cgroup && self.isolation.bypass.is_none()
    }

    /// Whether neither a pid namespace nor landlock confines signals. Then the filter does, by each program's own
    /// process id.
    fn signals_unscoped(&self) -> bool {
        self.isolation.shares_host && self.landlock < landlock::SCOPES_SIGNALS
    }

    /// The gaps that the filter must close, for programs with this limit of processes.
    fn rules(&self, processes: Option<u32>) -> seccomp::Rules {
        let Isolation { shares_host, has_cgroup, counts_cpu, asks_for_clocks, .. } = self.isolation;
        let ungated = self.is_ungated();
        seccomp::Rules {
            shares_host,
            uncharged_memory: !has_cgroup,
            ungated,
            open_clocks: shares_host && (ungated || !asks_for_clocks),
            forbids_written_code: !counts_cpu,
            signals_unscoped: self.signals_unscoped(),
            truncation_escapes: shares_host && self.landlock < landlock::KNOWS_TRUNCATION,
            single_process: ungated && processes == Some(1),
        }
    }

    /// The limits that a program does not inherit.
    ///
    /// # Errors
    /// This process's own limits are below those of the program.
    fn limits_of(&self, limits: &Limits) -> Result<Vec<ResourceLimit>, Fault> {
        let Isolation { has_cgroup, other_tasks, bypass, .. } = self.isolation;
        let slack = if bypass.is_some() { fork_gate::SLACK } else { 0 };
        resource_limits(limits, has_cgroup, other_tasks.map(|others| others + slack))
    }

    /// The seccomp filter of a program with this limit of processes. Empty if there is none, or if it is inherited.
    fn filter_of(&self, processes: Option<u32>) -> Vec<libc::sock_filter> {
        let is_needed = self.isolation.restricted && self.own_bypass.is_none();
        if is_needed { self.filters.of(self.rules(processes)) } else { Vec::new() }
    }
}

/// The type of a resource: glibc has one, musl has none.
#[cfg(target_env = "gnu")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
type Resource = libc::c_int;

/// A resource, and its limit, soft and hard alike.
pub(crate) type ResourceLimit = (Resource, u64);

const OPEN_FILES: u64 = 1024;
const LOCKED_BYTES: u64 = 64 * 1024;
/// Queued timers and signals. Each holds kernel memory, from one pool for all of a user's processes.
const PENDING_SIGNALS: u64 = 1024;

/// The same for all programs, and harmless for processes that start programs.
const SAME_FOR_ALL: [ResourceLimit; 6] = [
    (libc::RLIMIT_CORE, NO_CORE_DUMP),
    (libc::RLIMIT_MEMLOCK, LOCKED_BYTES),
    (libc::RLIMIT_MSGQUEUE, 0),
    (libc::RLIMIT_SIGPENDING, PENDING_SIGNALS),
    (libc::RLIMIT_NICE, 0),
    (libc::RLIMIT_RTPRIO, 0),
];

/// Applies the limits that are the same for all programs to this process. Programs inherit them.
fn apply_common() {
    for (resource, value) in SAME_FOR_ALL {
        let value = value.min(read_limit(resource).rlim_max);
        let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
        // If this fails, each program sets the limit.
        // SAFETY: `limit` is valid during the call.
        unsafe { libc::setrlimit(resource, &raw const limit) };
    }
}

/// The limits that a program does not inherit, each no higher than this process's own. After the first call, nothing
/// may change this process's limits. `has_cgroup`: a control group limits memory and processes.
///
/// # Errors
/// This process's own limits are below those of the program.
fn resource_limits(limits: &Limits, has_cgroup: bool, other_tasks: Option<u64>) -> Result<Vec<ResourceLimit>, Fault> {
    check_own_limits(limits)?;
    let mut wanted = SAME_FOR_ALL.to_vec();
    let cpu = match (limits.cpu, limits.wall) {
        // Ends the program if its watcher was stopped and there is no limit on elapsed time. Runs with a limit on
        // elapsed time do not get this limit: it makes the program's own CPU clock advance in ticks of up to 10 ms.
        (Some(cpu), None) => cpu.as_secs() + 2,
        _ => libc::RLIM_INFINITY,
    };
    let data = limits.memory.filter(|_| !has_cgroup).map(|memory| data_bytes(memory, limits.processes));
    let tasks = limits.processes.zip(other_tasks).filter(|_| !has_cgroup);
    wanted.extend([
        (libc::RLIMIT_FSIZE, limits.disk),
        (libc::RLIMIT_NOFILE, if has_cgroup { OPEN_FILES } else { procfs::MAX_DESCRIPTORS }),
        (libc::RLIMIT_STACK, limits.memory.unwrap_or(libc::RLIM_INFINITY)),
        (libc::RLIMIT_CPU, cpu),
        (libc::RLIMIT_AS, libc::RLIM_INFINITY),
        (libc::RLIMIT_DATA, data.unwrap_or(libc::RLIM_INFINITY)),
        (libc::RLIMIT_NPROC, tasks.map_or(libc::RLIM_INFINITY, |(own, others)| u64::from(own) + others)),
    ]);
    let lowered = wanted.into_iter().map(|(resource, value)| (resource, value.min(own_limit(resource).rlim_max)));
    Ok(lowered
        .filter(|&(resource, value)| (own_limit(resource).rlim_cur, own_limit(resource).rlim_max) != (value, value))
        .collect())
}

/// Fails if a program would meet a limit of this process before its own.
fn check_own_limits(limits: &Limits) -> Result<(), Fault> {
    // At the same second, the kernel might end it first.
    let seconds = limits.cpu.map(|cpu| cpu.as_secs() + 1);
    let needed = [
        (libc::RLIMIT_CPU, seconds, "`ulimit -t` (CPU time)", "s"),
        (libc::RLIMIT_AS, limits.memory, "`ulimit -v` (address space)", "bytes"),
        (libc::RLIMIT_DATA, limits.memory, "`ulimit -d` (writable memory)", "bytes"),
    ];
    for (resource, needed, name, unit) in needed {
        let own = own_limit(resource).rlim_max;
        if needed.is_some_and(|needed| own < needed) {
            let needed = needed.unwrap_or_default();
            return Err(Fault::OwnLimit(format!(
                "{name} of the judge is {own} {unit}, and a program may need {needed}"
            )));
        }
    }
    Ok(())
}

/// The limit for writable private memory. Every thread reserves a stack of the limit's size, so with threads only the
/// watcher can enforce the limit.
fn data_bytes(memory: u64, processes: Option<u32>) -> u64 {
    let stacks = u64::from(processes.unwrap_or(64).clamp(1, 64) - 1);
    memory.saturating_add(memory / 4).saturating_add(8 << 20).saturating_add(memory.saturating_mul(stacks))
}

/// This process's own limit. Read once, as it does not change.
fn own_limit(resource: Resource) -> libc::rlimit {
    const COUNT: usize = 16;
    static KNOWN: OnceLock<[libc::rlimit; COUNT]> = OnceLock::new();
    KNOWN.get_or_init(|| std::array::from_fn(|number| read_limit(Resource::try_from(number).unwrap_or_default())))
        [resource as usize]
}

fn read_limit(resource: Resource) -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` is valid for the answer.
    unsafe { libc::getrlimit(resource, &raw mut limit) };
    limit
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_programs_own_clock_stays_exact_where_a_limit_on_the_clock_ends_it() {
        let limited = |wall| {
            let cpu = Some(Duration::from_secs(4));
            let limits = Limits { cpu, wall, memory: None, stdout: 0, stderr: 0, processes: None, disk: 0 };
            let set = resource_limits(&limits, true, None).unwrap();
            set.into_iter().find(|(resource, _)| *resource == libc::RLIMIT_CPU)
        };
        assert_eq!(limited(Some(Duration::from_secs(9))), None);
        assert_eq!(limited(None).map(|(_, seconds)| seconds), Some(6));
    }
}
