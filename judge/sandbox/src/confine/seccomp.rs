//! The system calls that a program may make, as a filter that the kernel runs.

use std::io;

use libc::{BPF_JEQ, BPF_JGE, BPF_JSET, c_int, c_long, sock_filter};
use parking_lot::Mutex;

use crate::confine::bpf::{self, Table, argument, high_half};
use crate::confine::calls;
use crate::process::F_SETSIG;
use crate::protocol::{self, FilterBypass};

/// The gaps that the filter must close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// There are no namespaces: the program shares processes, users and files with the host.
    pub(crate) shares_host: bool,
    /// There is no control group. Memory that no process's size includes would be free.
    pub(crate) uncharged_memory: bool,
    /// No gate decides about calls that may be harmless: shared memory, pages sent from files.
    pub(crate) ungated: bool,
    /// The CPU clocks of the host's other tasks can be read, and no gate checks their owners.
    pub(crate) open_clocks: bool,
    /// The program must not execute what it wrote.
    pub(crate) forbids_written_code: bool,
    /// Neither a pid namespace nor landlock confines signals.
    pub(crate) signals_unscoped: bool,
    /// Landlock does not control truncation.
    pub(crate) truncation_escapes: bool,
    /// A second process is refused.
    pub(crate) single_process: bool,
}

const CLONE_NEW_ANYTHING: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

/// The type of libc's constant depends on the C library.
const RLIMIT_CORE: u32 = 4;

/// Stands for the program's own process id until the id is known. No process has this id.
const OWN_PROCESS: u32 = 0xffff_fff0;

/// The last filter. Consecutive runs mostly have the same rules.
#[derive(Default)]
pub(crate) struct FilterCache(Mutex<Option<(Rules, Vec<sock_filter>)>>);

impl FilterCache {
    /// Returns the filter for `rules`.
    pub(crate) fn of(&self, rules: Rules) -> Vec<sock_filter> {
        let mut made = self.0.lock();
        match &*made {
            Some((known, filter)) if *known == rules => filter.clone(),
            _ => made.insert((rules, filter(rules, None))).1.clone(),
        }
    }
}

/// Installs the filter for `rules` on this thread and all that it will start. `bypass` opens what this thread needs.
pub(crate) fn install(rules: Rules, bypass: FilterBypass) -> io::Result<()> {
    let filter = filter(rules, Some(bypass));
    let program = bpf::program(&filter);
    // SAFETY: the program and its length are valid during the call.
    let answer = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn filter(rules: Rules, bypass: Option<FilterBypass>) -> Vec<sock_filter> {
    let mut table = Table::default();
    table.fail_all(calls::ABSENT, libc::ENOSYS);
    table.fail_all(calls::ABSENT_OLD, libc::ENOSYS);
    for numbers in calls::UNUSED {
        table.fail_unlisted(numbers.clone(), libc::ENOSYS);
    }
    table.fail_all(calls::REFUSED, libc::EPERM);
    table.fail_all(calls::REFUSED_OLD, libc::EPERM);
    table.fail_all(calls::UNSUPPORTED, libc::EOPNOTSUPP);
    table.fail_all(calls::WITHOUT_EFFECT, 0);
    if rules.shares_host {
        table.fail_all(calls::HOST_SHARED, libc::EPERM);
        table.fail_all(calls::HOST_SHARED_OLD, libc::EPERM);
    }
    if rules.uncharged_memory {
        table.fail_all(calls::KEEPS_PAGES, libc::EINVAL);
    }
    if rules.ungated {
        table.fail_all(calls::SENDS_PAGES, libc::EINVAL);
    }
    files(&mut table, rules);
    memory(&mut table, rules);
    attributes(&mut table, rules);
    clocks(&mut table, rules);
    sockets(&mut table);
    processes(&mut table, rules);
    if rules.signals_unscoped {
        signals(&mut table);
    }
    opening(&mut table, rules);
    if let Some(bypass) = bypass {
        allow_own_calls(&mut table, rules, bypass);
    }
    table.compile(calls::UNKNOWN)
}

fn files(table: &mut Table, rules: Rules) {
    const F_NOTIFY: c_int = 1026;
    const F_SETOWN_EX: c_int = 15;
    /// All smaller commands are known. This and the following ones leave a mark on a file that all its users see.
    const F_GET_RW_HINT: u32 = 1035;
    const TIOCSTI: u32 = 0x5412;
    const TIOCSCTTY: u32 = 0x540E;
    const TIOCLINUX: u32 = 0x541C;
    /// The ioctls of terminals, pipes and timers, and the ioctls of every file for close-on-exec and non-blocking.
    const OF_STREAMS: u32 = (b'T' as u32) << 8;
    table.inspect(libc::SYS_fcntl, |code| {
        code.load(argument(1));
        code.fail_if_any(&[libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW].map(unsigned), 0);
        code.fail_if_any(&[libc::F_GETLK, libc::F_OFD_GETLK].map(unsigned), libc::ENOLCK);
        code.fail_if_any(&[libc::F_SETLEASE, F_NOTIFY].map(unsigned), libc::EINVAL);
        code.fail_if(BPF_JGE, F_GET_RW_HINT, libc::EINVAL);
        // The receiver of a file's signals.
        code.fail_if_any(&[libc::F_SETOWN, F_SETOWN_EX, F_SETSIG].map(unsigned), libc::EPERM);
        if rules.uncharged_memory {
            code.fail_if_any(&[unsigned(libc::F_SETPIPE_SZ)], libc::EPERM);
        }
        code.allow_unless(BPF_JEQ, unsigned(libc::F_SETFL));
        code.load(argument(2));
        code.fail_if(BPF_JSET, unsigned(libc::O_DIRECT), libc::EINVAL);
    });
    table.inspect(libc::SYS_ioctl, |code| {
        code.load(argument(1));
        code.fail_if_any(&[TIOCSTI, TIOCLINUX, TIOCSCTTY], libc::EPERM);
        // Other ioctls belong to file systems, sockets and namespaces: attributes and generations (which a file's owner
        // can change even through a read-only descriptor), encryption, shared blocks, identities.
        code.mask(0xff00);
        code.fail_unless(BPF_JEQ, OF_STREAMS, libc::ENOTTY);
    });
    for number in [libc::SYS_preadv2, libc::SYS_pwritev2] {
        table.inspect(number, |code| {
            code.load(argument(5));
            code.fail_if(BPF_JSET, !unsigned(calls::RWF_FLAGS), libc::EOPNOTSUPP);
        });
    }
    table.inspect(libc::SYS_msync, |code| {
        code.load(argument(2));
        code.fail_if(BPF_JSET, unsigned(libc::MS_SYNC), 0);
    });
}

/// Calls that make memory or advise on its use: only known flags are allowed.
fn memory(table: &mut Table, rules: Rules) {
    table.inspect(libc::SYS_mmap, |code| {
        code.load(argument(3));
        code.fail_if(BPF_JSET, !unsigned(calls::MMAP_FLAGS), libc::ENOMEM);
        if rules.ungated {
            code.mask(unsigned(libc::MAP_SHARED | libc::MAP_ANONYMOUS));
            code.fail_if_any(&[unsigned(libc::MAP_SHARED | libc::MAP_ANONYMOUS)], libc::ENOMEM);
        }
    });
    table.inspect(libc::SYS_mremap, |code| {
        code.load(argument(3));
        code.fail_if(BPF_JSET, !unsigned(calls::MREMAP_FLAGS), libc::EINVAL);
    });
    table.inspect(libc::SYS_madvise, |code| {
        code.load(argument(2));
        code.allow_if_any(&calls::MADVISE_ADVICE.map(unsigned));
        code.fail_if(BPF_JGE, 0, libc::EINVAL);
    });
    if rules.uncharged_memory || rules.forbids_written_code {
        // A file without a folder is charged to no process, or could be executed.
        table.fail_all(&[libc::SYS_memfd_create], libc::EPERM);
    } else {
        table.inspect(libc::SYS_memfd_create, |code| {
            code.load(argument(1));
            code.fail_if(BPF_JSET, !calls::MEMFD_FLAGS, libc::EINVAL);
        });
    }
}

/// `prctl`.
fn attributes(table: &mut Table, rules: Rules) {
    const PR_SCHED_CORE: c_int = 62;
    const PR_SET_MEMORY_MERGE: c_int = 67;
    const PR_SET_PTRACER: u32 = 0x5961_6d61;
    const PR_SET_VMA: u32 = 0x5356_4d41;
    /// All smaller ones are known, and the two above.
    const PR_UNKNOWN: u32 = 78;
    table.inspect(libc::SYS_prctl, |code| {
        code.load(argument(0));
        code.allow_if_any(&[PR_SET_PTRACER, PR_SET_VMA]);
        // The first unknown number makes a table of any size in kernel memory.
        code.fail_if(BPF_JGE, PR_UNKNOWN, libc::EINVAL);
        // The last reveals an address in kernel memory.
        let others = [libc::PR_SET_SECCOMP, libc::PR_SET_MM, PR_SET_MEMORY_MERGE, PR_SCHED_CORE];
        code.fail_if_any(&others.map(unsigned), libc::EINVAL);
        if rules.uncharged_memory {
            // Most of a huge page can be given back without being freed.
            code.fail_if_any(&[unsigned(libc::PR_SET_THP_DISABLE)], libc::EPERM);
        }
        if rules.shares_host || rules.uncharged_memory {
            // The watcher must be able to read what the process holds.
            code.fail_if_any(&[unsigned(libc::PR_SET_DUMPABLE)], libc::EPERM);
        }
    });
}

/// Refuses CPU clocks of processes that outlive a program. A program could make such a process use CPU time, and the
/// next program could read the clock. In a jail this process is the init. Elsewhere the gate checks the owner of the
/// clock.
fn clocks(table: &mut Table, rules: Rules) {
    /// `CLOCK_TAI` is the last system-wide clock.
    const SHARED: u32 = 12;
    for number in calls::CLOCK_CALLS {
        table.inspect(*number, |code| {
            code.load(argument(0));
            code.allow_unless(BPF_JGE, SHARED);
            code.fail_unless(BPF_JGE, calls::CLOCKS_OF_TASKS, libc::EINVAL);
            code.allow_if(BPF_JGE, calls::clocks_of(0));
            if rules.open_clocks {
                code.fail_if(BPF_JGE, 0, libc::EINVAL);
            } else if !rules.shares_host {
                code.mask(!calls::KINDS_OF_CLOCKS);
                code.fail_if(BPF_JEQ, calls::clocks_of(1), libc::EINVAL);
            }
        });
    }
}

/// The value of an argument as the filter sees it.
fn unsigned(value: c_int) -> u32 {
    value.cast_unsigned()
}

/// Only pairs of connected sockets are allowed. Datagrams could reach every socket that has a name. Streams and
/// sequential packets always go to the other end. Rust's standard library needs sequential packets to start programs.
fn sockets(table: &mut Table) {
    const SO_RCVTIMEO_NEW: c_int = 66;
    const SO_SNDTIMEO_NEW: c_int = 67;
    table.inspect(libc::SYS_socketpair, |code| {
        code.load(argument(0));
        code.fail_unless(BPF_JEQ, unsigned(libc::AF_UNIX), libc::EAFNOSUPPORT);
        code.load(argument(1));
        code.mask(!unsigned(libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC));
        code.allow_if_any(&[libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(unsigned));
        code.fail_if(BPF_JGE, 0, libc::EPROTONOSUPPORT);
    });
    table.inspect(libc::SYS_sendto, |code| {
        for half in [argument(4), high_half(4)] {
            code.load(half);
            code.fail_unless(BPF_JEQ, 0, libc::EISCONN);
        }
    });
    // Newer options reveal facts about the machine: the number of sockets whose cookie was asked for, the process at
    // the other end, the network.
    table.inspect(libc::SYS_getsockopt, |code| {
        const SO_RXQ_OVFL: u32 = 40;
        code.load(argument(2));
        code.allow_if_any(&[SO_RCVTIMEO_NEW, SO_SNDTIMEO_NEW].map(unsigned));
        code.fail_if(BPF_JGE, SO_RXQ_OVFL, libc::ENOPROTOOPT);
    });
    // Larger buffers and filters use kernel memory.
    table.inspect(libc::SYS_setsockopt, |code| {
        code.load(argument(2));
        let timeouts = [libc::SO_RCVTIMEO, libc::SO_SNDTIMEO, SO_RCVTIMEO_NEW, SO_SNDTIMEO_NEW];
        code.allow_if_any(&timeouts.map(unsigned));
        code.allow_if_any(&[libc::SO_PASSCRED, libc::SO_RCVLOWAT].map(unsigned));
        code.fail_if(BPF_JGE, 0, libc::EPERM);
    });
}

fn processes(table: &mut Table, rules: Rules) {
    table.inspect(libc::SYS_clone, |code| {
        code.load(argument(0));
        code.fail_if(BPF_JSET, CLONE_NEW_ANYTHING, libc::EPERM);
        // The inode number counts the processes of the machine.
        code.fail_if(BPF_JSET, unsigned(libc::CLONE_PIDFD), libc::EINVAL);
        if rules.single_process {
            code.fail_unless(BPF_JSET, unsigned(libc::CLONE_THREAD), libc::EAGAIN);
        }
        if rules.shares_host {
            // A thread with a table of its own would hide its files.
            code.mask(unsigned(libc::CLONE_THREAD | libc::CLONE_FILES));
            code.fail_if(BPF_JEQ, unsigned(libc::CLONE_THREAD), libc::EPERM);
        }
    });
    #[cfg(target_arch = "x86_64")]
    if rules.single_process {
        table.fail_all(&[libc::SYS_fork, libc::SYS_vfork], libc::EAGAIN);
    }
    table.inspect(libc::SYS_personality, |code| {
        code.load(argument(0));
        code.allow_if_any(&[0xffff_ffff]);
        code.fail_unless(BPF_JEQ, 0, libc::EPERM);
    });
    // Only for the caller itself. The limit of core dumps can be read; setting it has no effect.
    table.inspect(libc::SYS_prlimit64, |code| {
        code.load(argument(0));
        code.fail_unless(BPF_JEQ, 0, libc::EPERM);
        code.load(argument(1));
        code.allow_unless(BPF_JEQ, RLIMIT_CORE);
        for half in [argument(2), high_half(2)] {
            code.load(half);
            code.fail_unless(BPF_JEQ, 0, 0);
        }
    });
    table.inspect(libc::SYS_setrlimit, |code| {
        code.load(argument(0));
        code.fail_if(BPF_JEQ, RLIMIT_CORE, 0);
    });
}

/// The program can signal only itself.
fn signals(table: &mut Table) {
    table.fail_all(&[libc::SYS_tkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo], libc::EPERM);
    for number in [libc::SYS_kill, libc::SYS_tgkill] {
        table.inspect(number, |code| {
            code.load(argument(0));
            code.fail_unless(BPF_JEQ, OWN_PROCESS, libc::EPERM);
        });
    }
}

/// Calls that this process makes itself but its programs may not. An init renews the working folder and sends
/// descriptors. A child leads a session, yields its core, and confines itself. Without the bypass they fail.
fn allow_own_calls(table: &mut Table, rules: Rules, bypass: FilterBypass) {
    let (renews_folders, leads_sessions) = (!rules.shares_host, rules.shares_host);
    let calls = [
        (libc::SYS_mount, libc::EPERM, renews_folders),
        (libc::SYS_umount2, libc::EPERM, renews_folders),
        (libc::SYS_sendmsg, libc::EPERM, renews_folders),
        (libc::SYS_setsid, libc::EPERM, leads_sessions),
        (libc::SYS_landlock_restrict_self, libc::ENOSYS, true),
        (libc::SYS_sched_setscheduler, libc::EPERM, true),
    ];
    for (number, errno, _) in calls.into_iter().filter(|(_, _, is_made)| *is_made) {
        table.inspect(number, |code| {
            for (half, value) in [argument(protocol::BYPASS_ARGUMENT), high_half(protocol::BYPASS_ARGUMENT)]
                .into_iter()
                .zip(bypass.halves())
            {
                code.load(half);
                code.fail_unless(BPF_JEQ, value, errno);
            }
        });
    }
}

/// Inserts the program's own process id. Allocates nothing, as a child calls this before `execve`.
pub(crate) fn insert_own_pid(filter: &mut [sock_filter], pid: u32) {
    for instruction in filter {
        if instruction.k == OWN_PROCESS {
            instruction.k = pid;
        }
    }
}

/// Refuses files that never have a name. Such a file uses an inode number, which the next program could see, and leaves
/// no other trace in the folder. The error is the one of file systems that do not support such files. Also refuses
/// direct I/O, which writes a file to disk before it is read.
fn opening(table: &mut Table, rules: Rules) {
    const NAMELESS: u32 = (libc::O_TMPFILE & !libc::O_DIRECTORY) as u32;
    if rules.truncation_escapes {
        table.fail_all(&[libc::SYS_truncate], libc::EPERM);
    }
    let mut flags_of = |number: c_long, index| {
        table.inspect(number, |code| {
            code.load(argument(index));
            code.fail_if(BPF_JSET, NAMELESS, libc::EOPNOTSUPP);
            code.fail_if(BPF_JSET, unsigned(libc::O_DIRECT), libc::EINVAL);
            if rules.truncation_escapes {
                // A file can be truncated by opening it for reading.
                code.mask((libc::O_TRUNC | libc::O_ACCMODE) as u32);
                code.fail_if(BPF_JEQ, libc::O_TRUNC as u32, libc::EPERM);
            }
        });
    };
    flags_of(libc::SYS_openat, 2);
    #[cfg(target_arch = "x86_64")]
    flags_of(libc::SYS_open, 1);
}

#[cfg(test)]
mod tests;
