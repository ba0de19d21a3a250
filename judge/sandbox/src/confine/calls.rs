//! The system calls that are restricted, by what happens instead and why; and the flags that are allowed.

use std::ops::RangeInclusive;

use libc::{c_int, c_long};

// Too new for crate libc. The number is the same on every architecture.
const SYS_CACHESTAT: c_long = 451;
const SYS_FCHMODAT2: c_long = 452;
const SYS_MAP_SHADOW_STACK: c_long = 453;
const SYS_STATMOUNT: c_long = 457;
const SYS_LISTMOUNT: c_long = 458;
const SYS_LSM_GET_SELF_ATTR: c_long = 459;
const SYS_LSM_SET_SELF_ATTR: c_long = 460;
const SYS_LSM_LIST_MODULES: c_long = 461;
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_OPEN_TREE_ATTR: c_long = 467;
const SYS_FILE_SETATTR: c_long = 469;
#[cfg(target_arch = "x86_64")]
const SYS_IO_PGETEVENTS: c_long = 333;
#[cfg(target_arch = "aarch64")]
const SYS_IO_PGETEVENTS: c_long = 292;
// Crate libc lacks it for this architecture with musl.
#[cfg(target_arch = "aarch64")]
const SYS_KEXEC_FILE_LOAD: c_long = 294;

/// The first number that this file does not know (Linux 6.18). Calls from here on do not exist.
pub(crate) const UNKNOWN: u32 = 470;

/// Smaller numbers that are not assigned on this architecture, or were not when this was written.
#[cfg(target_arch = "x86_64")]
pub(crate) const UNUSED: &[RangeInclusive<u32>] = &[335..=423];
#[cfg(target_arch = "aarch64")]
pub(crate) const UNUSED: &[RangeInclusive<u32>] = &[244..=259, 295..=423];

/// These calls do not exist for the program. It has another way or can do without.
pub(crate) const ABSENT: &[c_long] = &[
    // The filter cannot inspect their arguments.
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    libc::SYS_bpf,
    SYS_OPEN_TREE_ATTR,
    SYS_FILE_SETATTR,
    // They use resources that all programs of the machine, or of the user, share.
    libc::SYS_io_setup,
    libc::SYS_io_submit,
    libc::SYS_io_getevents,
    SYS_IO_PGETEVENTS,
    libc::SYS_io_cancel,
    libc::SYS_io_destroy,
    // They reveal accesses of other processes to the system's files.
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_rm_watch,
    SYS_CACHESTAT,
    libc::SYS_mincore,
    // The inode number counts the processes of the machine.
    libc::SYS_pidfd_open,
    // Such memory is missing in the figures of processes, or few machines have it.
    libc::SYS_memfd_secret,
    SYS_MAP_SHADOW_STACK,
    // Filters and rules of the program's own use unlimited kernel memory, from a shared pool.
    libc::SYS_seccomp,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    // They reveal something about the machine.
    SYS_STATMOUNT,
    SYS_LISTMOUNT,
    SYS_LSM_GET_SELF_ATTR,
    SYS_LSM_SET_SELF_ATTR,
    SYS_LSM_LIST_MODULES,
    libc::SYS_quotactl_fd,
    libc::SYS_remap_file_pages,
];

#[cfg(target_arch = "x86_64")]
pub(crate) const ABSENT_OLD: &[c_long] = &[libc::SYS_inotify_init, libc::SYS_uselib, libc::SYS_ustat, libc::SYS_sysfs];
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const ABSENT_OLD: &[c_long] = &[];

/// Refused in every tier.
pub(crate) const REFUSED: &[c_long] = &[
    // Other namespaces and file systems.
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
    libc::SYS_fanotify_mark,
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
    libc::SYS_sync,
    libc::SYS_syncfs,
    // Other processes, and objects that outlive a process.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_set_mempolicy_home_node,
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
    // The network: the only sockets are connected pairs. `sendmsg` can name another receiver, and send descriptors,
    // which are in no descriptor table while in transit.
    libc::SYS_socket,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_connect,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    // A higher priority, or another core.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
];

#[cfg(target_arch = "x86_64")]
pub(crate) const REFUSED_OLD: &[c_long] =
    &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt, libc::SYS_kexec_file_load];
#[cfg(target_arch = "aarch64")]
pub(crate) const REFUSED_OLD: &[c_long] = &[SYS_KEXEC_FILE_LOAD];

/// Attributes of files. Access lists use memory that is not counted.
pub(crate) const UNSUPPORTED: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
];

/// Succeed without effect. A lock on one of the system's files is visible to everybody who has the file open, in other
/// sandboxes too, and locks use unlimited kernel memory. Programs lock files that only they use, so a lock without
/// effect suffices. Advice can drop a file's pages from memory, which others notice when they read it. Others can also
/// notice whether a file was written to disk.
pub(crate) const WITHOUT_EFFECT: &[c_long] =
    &[libc::SYS_flock, libc::SYS_fadvise64, libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_sync_file_range];

/// Their first argument is a clock.
pub(crate) const CLOCK_CALLS: &[c_long] =
    &[libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_clock_nanosleep, libc::SYS_timer_create];

/// From here on clocks belong to processes and threads. Each has several kinds.
pub(crate) const CLOCKS_OF_TASKS: u32 = 1 << 31;
pub(crate) const KINDS_OF_CLOCKS: u32 = 7;

/// The first clock of the process or thread with this id; 0 means the caller.
pub(crate) const fn clocks_of(id: u32) -> u32 {
    !id << 3
}

/// The owner of a clock.
pub(crate) const fn owner_of(clock: u32) -> u32 {
    !(clock.cast_signed() >> 3).cast_unsigned()
}

/// These calls fail with EINVAL where no control group charges the memory, because a pipe or a socket keeps the pages,
/// and may keep a huge page for each byte. Programs then read and write instead.
pub(crate) const KEEPS_PAGES: &[c_long] = &[libc::SYS_vmsplice, libc::SYS_tee];

/// The same, unless the target is an output pipe, which the helper empties.
pub(crate) const SENDS_PAGES: &[c_long] = &[libc::SYS_splice, libc::SYS_sendfile];

/// Refused where the program's user owns files of the judge, because landlock does not cover owner, mode and times.
/// Programs may not leave their process group, because the judge kills them through it.
pub(crate) const HOST_SHARED: &[c_long] = &[
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_pidfd_send_signal,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
];

#[cfg(target_arch = "x86_64")]
pub(crate) const HOST_SHARED_OLD: &[c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const HOST_SHARED_OLD: &[c_long] = &[];

const MADV_GUARD_INSTALL: c_int = 102;
const MADV_GUARD_REMOVE: c_int = 103;
const MFD_NOEXEC_SEAL: u32 = 0x08;
const MFD_EXEC: u32 = 0x10;

/// Advice about the program's own memory. Other advice drops, moves or merges pages of files, which other processes
/// notice, or reveals what they have in memory.
pub(crate) const MADVISE_ADVICE: [c_int; 20] = [
    libc::MADV_DONTNEED,
    libc::MADV_FREE,
    libc::MADV_HUGEPAGE,
    libc::MADV_NOHUGEPAGE,
    libc::MADV_NORMAL,
    libc::MADV_RANDOM,
    libc::MADV_SEQUENTIAL,
    libc::MADV_WILLNEED,
    libc::MADV_REMOVE,
    libc::MADV_DONTFORK,
    libc::MADV_DOFORK,
    libc::MADV_DONTDUMP,
    libc::MADV_DODUMP,
    libc::MADV_WIPEONFORK,
    libc::MADV_KEEPONFORK,
    libc::MADV_POPULATE_READ,
    libc::MADV_POPULATE_WRITE,
    libc::MADV_DONTNEED_LOCKED,
    MADV_GUARD_INSTALL,
    MADV_GUARD_REMOVE,
];

/// Kinds of mappings, their placement and filling. Huge pages come from a shared pool, and no process's size includes
/// them.
pub(crate) const MMAP_FLAGS: c_int = libc::MAP_TYPE
    | libc::MAP_FIXED
    | libc::MAP_FIXED_NOREPLACE
    | libc::MAP_ANONYMOUS
    | PLACEMENT_FLAGS
    | libc::MAP_GROWSDOWN
    | libc::MAP_DENYWRITE
    | libc::MAP_EXECUTABLE
    | libc::MAP_LOCKED
    | libc::MAP_NORESERVE
    | libc::MAP_POPULATE
    | libc::MAP_NONBLOCK
    | libc::MAP_STACK
    | libc::MAP_SYNC;

/// `MAP_32BIT` and `MAP_ABOVE4G`.
#[cfg(target_arch = "x86_64")]
const PLACEMENT_FLAGS: c_int = libc::MAP_32BIT | 0x80;
#[cfg(not(target_arch = "x86_64"))]
const PLACEMENT_FLAGS: c_int = 0;

/// How a mapping is moved.
pub(crate) const MREMAP_FLAGS: c_int = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP;

/// For files without a folder. Huge pages are excluded.
pub(crate) const MEMFD_FLAGS: u32 = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL | MFD_EXEC;

/// How data is written. Other flags reveal recent reads, or hide a read.
pub(crate) const RWF_FLAGS: c_int = libc::RWF_HIPRI | libc::RWF_DSYNC | libc::RWF_SYNC | libc::RWF_APPEND;
