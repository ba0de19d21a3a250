//! The walls of one program: limits, user, landlock, seccomp. Assembled here alone, for programs in jails and for bare
//! ones.

pub(crate) mod bpf;
pub(crate) mod calls;
pub(crate) mod fork_gate;
pub(crate) mod identity;
pub(crate) mod landlock;
pub(crate) mod launch;
pub(crate) mod seccomp;

use std::cell::OnceCell;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::thread::set_thread_groups;

use crate::confine::landlock::FileAccess;
use crate::confine::seccomp::FilterCache;
use crate::procfs;
use crate::protocol::FilterBypass;
use crate::protocol::messages::RunSpec;
use crate::protocol::shared_memory::KillTarget;
use crate::request::{Fault, Limits};

/// How the programs of one backend are isolated, from run to run.
#[derive(Clone, Copy)]
pub(crate) struct Isolation {
    /// Whether landlock and seccomp restrict programs; else there are limits only.
    pub(crate) restricted: bool,
    /// No namespaces: programs share processes, users and files with the machine.
    pub(crate) shares_host: bool,
    /// A control group keeps memory.
    pub(crate) has_cgroup: bool,
    /// A control group counts CPU time: programs may execute what they wrote.
    pub(crate) counts_cpu: bool,
    /// Tasks that the kernel's limit on processes counts beside the run's; `None`: that limit cannot be used.
    pub(crate) other_tasks: Option<u64>,
    /// The uid and gid to change to.
    pub(crate) identity: Option<u32>,
    /// What lets this process start another, where a gate asks about new processes.
    pub(crate) bypass: Option<FilterBypass>,
    /// Whether that gate asks about CPU clocks, too.
    pub(crate) asks_for_clocks: bool,
}

/// What the walls are made from: the isolation, and what the program of the moment may reach.
pub(crate) struct ConfinementContext {
    isolation: Isolation,
    kill_target: Option<KillTarget>,
    landlock: i32,
    ruleset: Option<OwnedFd>,
    keep_read_search: bool,
    filters: FilterCache,
    /// Opens the filter that this process has on, and that its programs inherit.
    own_bypass: Option<FilterBypass>,
    /// Whether programs inherit the groups of this process's user.
    has_groups: bool,
    /// What modes close in the system's own folders, once it was looked for: that takes long.
    closed_systems: OnceCell<Vec<PathBuf>>,
}

impl ConfinementContext {
    /// Nothing can be reached yet. Limits that are the same for all programs are this process's own from here.
    /// `kill_target`: where to note the process group to kill.
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
            closed_systems: OnceCell::new(),
        }
    }

    /// Makes what `spec` shows reachable, and `folder`, the working folder or what it is in. `keep_read_search`: whether
    /// the program, as another user, needs [`READ_SEARCH`](crate::confine::identity::READ_SEARCH) to get there.
    pub(crate) fn open_to(
        &mut self,
        spec: &RunSpec,
        folder: (BorrowedFd<'_>, &Path),
        keep_read_search: bool,
    ) -> Result<(), Fault> {
        let Isolation { restricted, shares_host, counts_cpu, .. } = self.isolation;
        let mut hidden = if shares_host { spec.hidden.clone() } else { Vec::new() };
        if keep_read_search && shares_host {
            // One that starts in a folder of its caller's reads there what its caller can.
            match spec.folder {
                Some(_) => hidden.extend_from_slice(self.closed_systems.get_or_init(|| landlock::closed(&[]))),
                None => hidden.extend(landlock::closed(&spec.visible)),
            }
        }
        let reach = FileAccess {
            folder,
            program: &spec.program,
            visible: &spec.visible,
            hidden: &hidden,
            whole_root: !shares_host,
            executes_own: counts_cpu,
        };
        self.ruleset = if restricted && self.landlock > 0 { landlock::ruleset(&reach)? } else { None };
        self.keep_read_search = keep_read_search;
        Ok(())
    }

    /// Puts the filter on this thread, if it is the same for all programs and the kernel lets this thread, and gives up the
    /// groups of this thread's user, if programs are another. What it starts inherits both: to translate the filter for each
    /// takes as long as to start one. Returns what opens it.
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

    /// Whether neither a control group nor a gate knows of new processes and memory.
    fn is_ungated(&self) -> bool {
        !self.isolation.has_cgroup && self.isolation.bypass.is_none()
    }

    /// Neither a pid namespace nor landlock keeps signals in: the filter does, by each program's own process id.
    fn signals_unscoped(&self) -> bool {
        self.isolation.shares_host && self.landlock < landlock::SCOPES_SIGNALS
    }

    /// Where to note the process group to kill.
    pub(crate) fn kill_target(&self) -> Option<&KillTarget> {
        self.kill_target.as_ref()
    }

    /// What the filter has to make up for, for programs with this limit of processes.
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
}

/// The walls of one program, for the child to put on. Every capability goes, but for the passage.
pub(crate) struct Confinement<'a> {
    pub(crate) limits: Vec<ResourceLimit>,
    /// Whether it converses with a program on the same core.
    pub(crate) converses: bool,
    /// The uid and gid to change to.
    pub(crate) identity: Option<u32>,
    /// Whether there are other groups to leave then.
    pub(crate) has_groups: bool,
    /// Whether the program keeps [`READ_SEARCH`](crate::confine::identity::READ_SEARCH) when it becomes another user.
    pub(crate) keep_read_search: bool,
    /// A landlock ruleset.
    pub(crate) landlock: Option<BorrowedFd<'a>>,
    /// A seccomp filter; empty for none, or one that is inherited.
    pub(crate) filter: Vec<libc::sock_filter>,
    /// Where to note the process group to kill.
    pub(crate) kill_target: Option<&'a KillTarget>,
    /// What lets this process start another, if it needs to ask.
    pub(crate) bypass: Option<FilterBypass>,
    /// What opens the filter that is inherited, until the program begins.
    pub(crate) own_bypass: Option<FilterBypass>,
}

impl Confinement<'_> {
    /// The walls for `spec`.
    pub(crate) fn of<'a>(context: &'a ConfinementContext, spec: &RunSpec) -> Confinement<'a> {
        let Isolation { restricted, has_cgroup, other_tasks, identity, bypass, .. } = context.isolation;
        let slack = if bypass.is_some() { fork_gate::SLACK } else { 0 };
        let other_tasks = other_tasks.map(|others| others + slack);
        Confinement {
            converses: spec.converses,
            limits: of(&spec.limits, Accounting { cgroup: has_cgroup, other_tasks }),
            identity,
            has_groups: context.has_groups,
            keep_read_search: context.keep_read_search,
            landlock: context.ruleset.as_ref().map(AsFd::as_fd),
            filter: match restricted && context.own_bypass.is_none() {
                true => context.filters.of(context.rules(spec.limits.processes)),
                false => Vec::new(),
            },
            kill_target: context.kill_target(),
            bypass,
            own_bypass: context.own_bypass,
        }
    }
}

//# The kernel's per-process limits for one run.

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
pub(crate) fn apply_common() {
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
        (libc::RLIMIT_NOFILE, if accounting.cgroup { OPEN_FILES } else { procfs::MAX_DESCRIPTORS }),
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
    use std::time::Duration;

    use super::*;

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
