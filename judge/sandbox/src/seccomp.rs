//! The system calls that a program has no business with, as a filter that the kernel runs.

use libc::{BPF_JEQ, BPF_JSET, c_long, sock_filter};

use crate::bpf::{Table, argument};

/// What the filter has to make up for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// No namespaces: the program shares processes, users and files with everybody.
    pub(crate) shared_world: bool,
    /// No control group: memory that no process's size shows would be free.
    pub(crate) uncharged_memory: bool,
    /// Neither a pid namespace nor landlock keeps the program's signals in.
    pub(crate) signals_escape: bool,
    /// Landlock does not know of truncation yet.
    pub(crate) truncation_escapes: bool,
    /// A second process is refused.
    pub(crate) single_process: bool,
}

/// Not there, as far as the program can tell: it has another way.
const ABSENT: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    libc::SYS_bpf,
];

/// Refused in every tier.
const REFUSED: &[c_long] = &[
    // Other worlds, other file systems.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    // Other processes, and what outlives one.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // The network, whatever the family.
    libc::SYS_socket,
    // A better place in the queue, or another core.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_OLD: &[c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt, libc::SYS_kexec_file_load];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_OLD: &[c_long] = &[];

// Too young for crate libc; the same number on every architecture.
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_FILE_SETATTR: c_long = 469;

/// Changes of a file's attributes by `ioctl`.
const FS_IOC_SETFLAGS: u32 = 0x4008_6602;
const FS_IOC_FSSETXATTR: u32 = 0x401C_5820;

/// Refused where the program's user owns files of ours: landlock does not watch over who owns a file, its mode, times
/// and attributes. Leaving the process group is refused because killing it kills all that is left.
const REFUSED_IN_SHARED_WORLD: &[c_long] = &[
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_pidfd_send_signal,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_IN_SHARED_WORLD_OLD: &[c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_IN_SHARED_WORLD_OLD: &[c_long] = &[];

const CLONE_NEW_ANYTHING: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

/// Stands for the program's own process id until the program's process knows it. No process has this id.
const OWN_PROCESS: u32 = 0xffff_fff0;

const TIOCLINUX: u32 = 0x541C;

/// The filter for `rules`.
pub(crate) fn filter(rules: Rules) -> Vec<sock_filter> {
    let mut table = Table::default();
    table.each(ABSENT, libc::ENOSYS);
    table.each(REFUSED, libc::EPERM);
    table.each(REFUSED_OLD, libc::EPERM);
    if rules.shared_world {
        table.each(REFUSED_IN_SHARED_WORLD, libc::EPERM);
        table.each(REFUSED_IN_SHARED_WORLD_OLD, libc::EPERM);
    }
    if rules.uncharged_memory {
        table.each(&[libc::SYS_memfd_create, libc::SYS_memfd_secret], libc::EPERM);
        table.arguments(libc::SYS_mmap, |code| {
            code.load(argument(3));
            code.mask((libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u32);
            code.when(BPF_JEQ, (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u32, libc::ENOMEM);
        });
        // What waits in a socket; as much as it holds by itself is bounded by the number of descriptors.
        table.arguments(libc::SYS_setsockopt, |code| {
            code.load(argument(2));
            for option in [libc::SO_SNDBUF, libc::SO_SNDBUFFORCE] {
                code.when(BPF_JEQ, option as u32, libc::EPERM);
            }
        });
    }
    processes(&mut table, rules);
    table.arguments(libc::SYS_ioctl, |code| {
        code.load(argument(1));
        for request in [libc::TIOCSTI as u32, TIOCLINUX, libc::TIOCSCTTY as u32, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR] {
            code.when(BPF_JEQ, request, libc::EPERM);
        }
    });
    table.arguments(libc::SYS_personality, |code| {
        code.load(argument(0));
        code.allow_when(0xffff_ffff);
        code.unless(BPF_JEQ, 0, libc::EPERM);
    });
    // The limits of another process.
    table.arguments(libc::SYS_prlimit64, |code| {
        code.load(argument(0));
        code.unless(BPF_JEQ, 0, libc::EPERM);
    });
    if rules.signals_escape {
        signals(&mut table);
    }
    if rules.truncation_escapes {
        truncation(&mut table);
    }
    table.compile()
}

fn processes(table: &mut Table, rules: Rules) {
    table.arguments(libc::SYS_clone, |code| {
        code.load(argument(0));
        code.when(BPF_JSET, CLONE_NEW_ANYTHING, libc::EPERM);
        if rules.single_process {
            code.unless(BPF_JSET, libc::CLONE_THREAD as u32, libc::EAGAIN);
        }
        if rules.shared_world {
            // Files that a thread alone has open would be looked for in vain.
            code.mask((libc::CLONE_THREAD | libc::CLONE_FILES) as u32);
            code.when(BPF_JEQ, libc::CLONE_THREAD as u32, libc::EPERM);
        }
    });
    if rules.shared_world {
        // What a process has open and mapped is to be seen from outside.
        table.arguments(libc::SYS_prctl, |code| {
            code.load(argument(0));
            code.when(BPF_JEQ, libc::PR_SET_DUMPABLE as u32, libc::EPERM);
        });
    }
    #[cfg(target_arch = "x86_64")]
    if rules.single_process {
        table.each(&[libc::SYS_fork, libc::SYS_vfork], libc::EAGAIN);
    }
}

/// Signals reach nobody but oneself.
fn signals(table: &mut Table) {
    table.each(&[libc::SYS_tkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo], libc::EPERM);
    for number in [libc::SYS_kill, libc::SYS_tgkill] {
        table.arguments(number, |code| {
            code.load(argument(0));
            code.unless(BPF_JEQ, OWN_PROCESS, libc::EPERM);
        });
    }
}

/// Puts the program's own process id where the filter asks for it. Allocates nothing: it is called in the child.
pub(crate) fn name_own_process(filter: &mut [sock_filter], pid: u32) {
    for instruction in filter {
        if instruction.k == OWN_PROCESS {
            instruction.k = pid;
        }
    }
}

/// A file can be emptied by opening it for reading.
fn truncation(table: &mut Table) {
    table.each(&[libc::SYS_truncate], libc::EPERM);
    table.each(&[libc::SYS_openat2], libc::ENOSYS);
    let mut flags_of = |number, index| {
        table.arguments(number, |code| {
            code.load(argument(index));
            code.mask((libc::O_TRUNC | libc::O_ACCMODE) as u32);
            code.when(BPF_JEQ, libc::O_TRUNC as u32, libc::EPERM);
        });
    };
    flags_of(libc::SYS_openat, 2);
    #[cfg(target_arch = "x86_64")]
    flags_of(libc::SYS_open, 1);
}

#[cfg(test)]
mod tests {
    use libc::{BPF_ALU, BPF_JGE, BPF_JMP, BPF_LD};

    use super::*;
    use crate::bpf::{ARCHITECTURE, OFFSET_ARCHITECTURE, OFFSET_NUMBER, X32};

    const STRICT: Rules = Rules {
        shared_world: true,
        uncharged_memory: true,
        signals_escape: true,
        truncation_escapes: true,
        single_process: true,
    };

    /// What the filter says: `None` allows. A reading of the same few instructions as the kernel's.
    fn verdict(rules: Rules, architecture: u32, number: u32, arguments: [u64; 6]) -> Option<i32> {
        let code = filter(rules);
        let load = |offset: u32| match offset {
            OFFSET_NUMBER => number,
            OFFSET_ARCHITECTURE => architecture,
            other => arguments[(other as usize - 16) / 8] as u32,
        };
        let (mut at, mut loaded) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = code[at];
            at += 1;
            let holds = match u32::from(code) & 0xf0 {
                BPF_JEQ => loaded == k,
                BPF_JGE => loaded >= k,
                BPF_JSET => loaded & k != 0,
                _ => false,
            };
            match u32::from(code) & 0x07 {
                BPF_LD => loaded = load(k),
                BPF_ALU => loaded &= k,
                BPF_JMP => at += usize::from(if holds { jt } else { jf }),
                _ if k == libc::SECCOMP_RET_ALLOW => return None,
                _ => return Some((k & 0xffff).cast_signed()),
            }
        }
    }

    fn strict(number: c_long, arguments: [u64; 6]) -> Option<i32> {
        verdict(STRICT, ARCHITECTURE, number as u32, arguments)
    }

    #[test]
    fn ordinary_work_is_allowed() {
        for number in [libc::SYS_read, libc::SYS_write, libc::SYS_execve, libc::SYS_exit_group, libc::SYS_socketpair] {
            assert_eq!(strict(number, [0; 6]), None);
        }
        assert_eq!(strict(libc::SYS_clone, [(libc::CLONE_THREAD | libc::CLONE_FILES) as u64; 6]), None);
        assert_eq!(strict(libc::SYS_prctl, [libc::PR_SET_NAME as u64, 0, 0, 0, 0, 0]), None);
        assert_eq!(strict(libc::SYS_mmap, [0, 0, 0, libc::MAP_SHARED as u64, 0, 0]), None);
        assert_eq!(strict(libc::SYS_personality, [0xffff_ffff, 0, 0, 0, 0, 0]), None);
        assert_eq!(strict(libc::SYS_ioctl, [0, libc::TCGETS, 0, 0, 0, 0]), None);
        assert_eq!(strict(libc::SYS_openat, [0, 0, (libc::O_TRUNC | libc::O_WRONLY) as u64, 0, 0, 0]), None);
    }

    #[test]
    fn tricks_are_refused() {
        assert_eq!(strict(libc::SYS_socket, [0; 6]), Some(libc::EPERM));
        assert_eq!(strict(libc::SYS_clone3, [0; 6]), Some(libc::ENOSYS));
        assert_eq!(strict(libc::SYS_clone, [libc::SIGCHLD as u64; 6]), Some(libc::EAGAIN));
        assert_eq!(strict(libc::SYS_clone, [libc::CLONE_THREAD as u64; 6]), Some(libc::EPERM));
        assert_eq!(strict(libc::SYS_prctl, [libc::PR_SET_DUMPABLE as u64, 0, 0, 0, 0, 0]), Some(libc::EPERM));
        let user = (libc::CLONE_NEWUSER | libc::CLONE_THREAD) as u64;
        assert_eq!(strict(libc::SYS_clone, [user; 6]), Some(libc::EPERM));
        let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
        assert_eq!(strict(libc::SYS_mmap, [0, 0, 0, shared, 0, 0]), Some(libc::ENOMEM));
        assert_eq!(strict(libc::SYS_setsockopt, [0, 1, libc::SO_SNDBUF as u64, 0, 0, 0]), Some(libc::EPERM));
        assert_eq!(strict(libc::SYS_setsockopt, [0, 1, libc::SO_PASSCRED as u64, 0, 0, 0]), None);
        assert_eq!(strict(libc::SYS_ioctl, [0, libc::TIOCSTI, 0, 0, 0, 0]), Some(libc::EPERM));
        assert_eq!(strict(libc::SYS_ioctl, [0, libc::TIOCSTI | 1 << 40, 0, 0, 0, 0]), Some(libc::EPERM));
        assert_eq!(strict(libc::SYS_openat, [0, 0, libc::O_TRUNC as u64, 0, 0, 0]), Some(libc::EPERM));
        assert_eq!(strict(libc::SYS_prlimit64, [1, 0, 0, 0, 0, 0]), Some(libc::EPERM));
        assert_eq!(strict(libc::SYS_kill, [1, 9, 0, 0, 0, 0]), Some(libc::EPERM));
        let mut own = filter(STRICT);
        name_own_process(&mut own, 7_777_777);
        assert_eq!(
            own.iter().filter(|instruction| instruction.k == 7_777_777).count(),
            2,
            "kill and tgkill know their own"
        );
    }

    #[test]
    fn every_refused_call_and_no_other_is_refused() {
        let refused = [ABSENT, REFUSED, REFUSED_OLD, REFUSED_IN_SHARED_WORLD, REFUSED_IN_SHARED_WORLD_OLD].concat();
        let extra = [
            libc::SYS_memfd_create,
            libc::SYS_memfd_secret,
            libc::SYS_fork,
            libc::SYS_vfork,
            libc::SYS_tkill,
            libc::SYS_rt_sigqueueinfo,
            libc::SYS_rt_tgsigqueueinfo,
            libc::SYS_truncate,
            libc::SYS_openat2,
            libc::SYS_clone,
            libc::SYS_kill,
            libc::SYS_tgkill,
        ];
        for number in 0..1000 {
            let expected = refused.contains(&number) || extra.contains(&number);
            assert_eq!(strict(number, [0; 6]).is_some(), expected, "call {number}");
        }
    }

    #[test]
    fn other_system_call_tables_are_absent() {
        assert_eq!(verdict(STRICT, 0x4000_0003, 20, [0; 6]), Some(libc::ENOSYS), "32 bits");
        assert_eq!(verdict(STRICT, ARCHITECTURE, X32 | 39, [0; 6]), Some(libc::ENOSYS), "x32");
    }

    #[test]
    fn walls_elsewhere_need_fewer_rules() {
        let none = Rules {
            shared_world: false,
            uncharged_memory: false,
            signals_escape: false,
            truncation_escapes: false,
            single_process: false,
        };
        for number in [libc::SYS_setsid, libc::SYS_fchmod, libc::SYS_memfd_create, libc::SYS_kill, libc::SYS_truncate] {
            assert_eq!(verdict(none, ARCHITECTURE, number as u32, [0; 6]), None);
            assert!(strict(number, [0; 6]).is_some());
        }
        assert_eq!(verdict(none, ARCHITECTURE, libc::SYS_clone as u32, [17; 6]), None);
        assert!(filter(STRICT).len() < 256, "the reach of a jump");
    }
}
