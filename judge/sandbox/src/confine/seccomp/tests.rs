//! Tests of filters, by an interpreter like the kernel's.

use Verdict::{Allowed, Fails};
use libc::{BPF_ALU, BPF_JA, BPF_JGE, BPF_JMP, BPF_LD, c_long};

use super::*;
use crate::confine::bpf::{ARCHITECTURE, OFFSET_ARCHITECTURE, OFFSET_NUMBER};

const STRICT: Rules = Rules {
    shares_host: true,
    uncharged_memory: true,
    ungated: true,
    open_clocks: true,
    forbids_written_code: true,
    signals_unscoped: true,
    truncation_escapes: true,
    single_process: true,
};

const MILD: Rules = Rules {
    shares_host: false,
    uncharged_memory: false,
    ungated: false,
    open_clocks: false,
    forbids_written_code: false,
    signals_unscoped: false,
    truncation_escapes: false,
    single_process: false,
};

/// What happens to a call.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Allowed,
    /// It fails with this error number; 0 means success without effect.
    Fails(i32),
}

/// Interprets the few instructions that filters use.
fn read(code: &[sock_filter], architecture: u32, number: u32, arguments: [u64; 6]) -> Verdict {
    let load = |offset: u32| match offset {
        OFFSET_NUMBER => number,
        OFFSET_ARCHITECTURE => architecture,
        other => {
            let place = other as usize - 16;
            (arguments[place / 8] >> (8 * (place % 8))) as u32
        }
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
            BPF_JMP if u32::from(code) & 0xf0 == BPF_JA => at += k as usize,
            BPF_JMP => at += usize::from(if holds { jt } else { jf }),
            _ if k == libc::SECCOMP_RET_ALLOW => return Allowed,
            _ => return Fails((k & 0xffff).cast_signed()),
        }
    }
}

fn under(rules: Rules, number: c_long, arguments: [u64; 6]) -> Verdict {
    read(&filter(rules, None), ARCHITECTURE, number as u32, arguments)
}

fn strict(number: c_long, arguments: [u64; 6]) -> Verdict {
    under(STRICT, number, arguments)
}

/// Arguments with `value` at `index`.
fn at(index: usize, value: u64) -> [u64; 6] {
    let mut arguments = [0; 6];
    arguments[index] = value;
    arguments
}

const STREAM: u64 = libc::SOCK_STREAM as u64;

#[test]
fn ordinary_work_is_allowed() {
    for number in [libc::SYS_read, libc::SYS_write, libc::SYS_execve, libc::SYS_exit_group, libc::SYS_epoll_ctl] {
        assert_eq!(strict(number, [0; 6]), Allowed);
    }
    assert_eq!(strict(libc::SYS_clone, at(0, (libc::CLONE_THREAD | libc::CLONE_FILES) as u64)), Allowed);
    assert_eq!(strict(libc::SYS_mmap, at(3, libc::MAP_SHARED as u64)), Allowed);
    assert_eq!(strict(libc::SYS_mmap, at(3, (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64)), Allowed);
    assert_eq!(strict(libc::SYS_personality, at(0, 0xffff_ffff)), Allowed);
    assert_eq!(strict(libc::SYS_ioctl, at(1, libc::TCGETS)), Allowed);
    assert_eq!(strict(libc::SYS_ioctl, at(1, libc::FIONREAD)), Allowed);
    assert_eq!(strict(libc::SYS_openat, at(2, (libc::O_TRUNC | libc::O_WRONLY) as u64)), Allowed);
    for flags in [0, libc::SOCK_NONBLOCK, libc::SOCK_CLOEXEC, libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC] {
        assert_eq!(strict(libc::SYS_socketpair, [1, STREAM | flags as u64, 0, 0, 0, 0]), Allowed);
    }
    assert_eq!(strict(libc::SYS_sendto, [3, 4096, 5, 0, 0, 0]), Allowed, "send");
    assert_eq!(strict(libc::SYS_setsockopt, at(2, libc::SO_PASSCRED as u64)), Allowed);
    for command in [libc::F_DUPFD_CLOEXEC, libc::F_GETFL, libc::F_SETFL, libc::F_GETPIPE_SZ, libc::F_GET_SEALS] {
        assert_eq!(strict(libc::SYS_fcntl, at(1, command as u64)), Allowed);
    }
    assert_eq!(strict(libc::SYS_prctl, at(0, libc::PR_SET_NAME as u64)), Allowed);
}

#[test]
fn tricks_are_refused() {
    assert_eq!(strict(libc::SYS_clone3, [0; 6]), Fails(libc::ENOSYS));
    assert_eq!(strict(libc::SYS_clone, at(0, libc::SIGCHLD as u64)), Fails(libc::EAGAIN));
    let user = (libc::CLONE_NEWUSER | libc::CLONE_THREAD) as u64;
    assert_eq!(strict(libc::SYS_clone, at(0, user)), Fails(libc::EPERM));
    assert_eq!(strict(libc::SYS_clone, at(0, libc::CLONE_THREAD as u64)), Fails(libc::EPERM), "descriptors of its own");
    assert_eq!(strict(libc::SYS_prctl, at(0, libc::PR_SET_DUMPABLE as u64)), Fails(libc::EPERM));
    let watched = Rules { uncharged_memory: true, ..MILD };
    assert_eq!(under(watched, libc::SYS_prctl, at(0, libc::PR_SET_DUMPABLE as u64)), Fails(libc::EPERM));
    assert_eq!(under(MILD, libc::SYS_prctl, at(0, libc::PR_SET_DUMPABLE as u64)), Allowed);
    for request in [libc::TIOCSTI, libc::TIOCSTI | 1 << 40, libc::TIOCSCTTY] {
        assert_eq!(strict(libc::SYS_ioctl, at(1, request)), Fails(libc::EPERM));
    }
    let of_files = [0x4008_6602, 0x401C_5820, 0xC050_6617, 0x8008_7601, 0x4008_7602, 0x4004_9409];
    let of_others = [0x8901, 0x8902, 0x8910, 0xb701, 0xff0b, 0];
    for request in of_files.into_iter().chain(of_others) {
        assert_eq!(under(MILD, libc::SYS_ioctl, at(1, request)), Fails(libc::ENOTTY), "{request:x}");
    }
    assert_eq!(strict(libc::SYS_openat, at(2, libc::O_TRUNC as u64)), Fails(libc::EPERM));
    assert_eq!(strict(libc::SYS_prlimit64, at(0, 1)), Fails(libc::EPERM));
    let core = u64::from(RLIMIT_CORE);
    for new in [4096, 1 << 40] {
        assert_eq!(under(MILD, libc::SYS_prlimit64, [0, core, new, 0, 0, 0]), Fails(0));
    }
    assert_eq!(under(MILD, libc::SYS_prlimit64, [0, core, 0, 4096, 0, 0]), Allowed);
    assert_eq!(under(MILD, libc::SYS_setrlimit, at(0, core)), Fails(0));
    assert_eq!(under(MILD, libc::SYS_setrlimit, at(0, core + 1)), Allowed);
    assert_eq!(strict(libc::SYS_kill, [1, 9, 0, 0, 0, 0]), Fails(libc::EPERM));
    let filters = FilterCache::default();
    let mut own = filters.of(STRICT);
    insert_own_pid(&mut own, 7_777_777);
    assert_eq!(
        own.iter().filter(|instruction| instruction.k == 7_777_777).count(),
        2,
        "kill and tgkill know their own"
    );
}

#[test]
fn every_new_file_has_a_name() {
    let flags = |flags: c_int| at(2, flags as u64);
    for rules in [STRICT, MILD] {
        for mode in [libc::O_RDWR, libc::O_WRONLY | libc::O_CLOEXEC | libc::O_EXCL] {
            let answer = under(rules, libc::SYS_openat, flags(libc::O_TMPFILE | mode));
            assert_eq!(answer, Fails(libc::EOPNOTSUPP), "{mode:o}");
        }
        assert_eq!(under(rules, libc::SYS_openat, flags(libc::O_DIRECTORY | libc::O_CLOEXEC)), Allowed, "a folder");
        assert_eq!(under(rules, libc::SYS_openat, flags(libc::O_CREAT | libc::O_EXCL | libc::O_RDWR)), Allowed);
        assert_eq!(under(rules, libc::SYS_openat2, [0; 6]), Fails(libc::ENOSYS), "its flags are out of sight");
        #[cfg(target_arch = "x86_64")]
        assert_eq!(under(rules, libc::SYS_open, at(1, libc::O_TMPFILE as u64)), Fails(libc::EOPNOTSUPP));
    }
}

#[test]
fn no_socket_leads_anywhere() {
    for rules in [STRICT, MILD] {
        for kind in [libc::SOCK_STREAM, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC] {
            assert_eq!(under(rules, libc::SYS_socketpair, [1, kind as u64, 0, 0, 0, 0]), Allowed, "{kind}");
        }
        for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC] {
            let pair = under(rules, libc::SYS_socketpair, [1, kind as u64, 0, 0, 0, 0]);
            assert_eq!(pair, Fails(libc::EPROTONOSUPPORT), "{kind}");
        }
        let other = under(rules, libc::SYS_socketpair, [libc::AF_TIPC as u64, STREAM, 0, 0, 0, 0]);
        assert_eq!(other, Fails(libc::EAFNOSUPPORT));
        for address in [4096, 1 << 32, 0x7fff_0000_0000] {
            assert_eq!(under(rules, libc::SYS_sendto, at(4, address)), Fails(libc::EISCONN), "{address:#x}");
        }
        for option in [libc::SO_TYPE, libc::SO_ERROR, libc::SO_PEERCRED, libc::SO_DOMAIN, 66, 67] {
            assert_eq!(under(rules, libc::SYS_getsockopt, at(2, option as u64)), Allowed, "{option}");
        }
        for option in [libc::SO_COOKIE, 71, 77, 78, 1000] {
            assert_eq!(under(rules, libc::SYS_getsockopt, at(2, option as u64)), Fails(libc::ENOPROTOOPT), "{option}");
        }
        for option in [libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_SNDBUFFORCE, libc::SO_ATTACH_FILTER] {
            assert_eq!(under(rules, libc::SYS_setsockopt, at(2, option as u64)), Fails(libc::EPERM), "{option}");
        }
    }
}

#[test]
fn locks_hold_nothing_and_tell_nothing() {
    for rules in [STRICT, MILD] {
        let fcntl = |command: i32| under(rules, libc::SYS_fcntl, at(1, command as u64));
        assert_eq!(under(rules, libc::SYS_flock, [0; 6]), Fails(0));
        assert_eq!(under(rules, libc::SYS_fadvise64, at(3, libc::POSIX_FADV_DONTNEED as u64)), Fails(0));
        for command in [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW] {
            assert_eq!(fcntl(command), Fails(0));
        }
        assert_eq!([fcntl(libc::F_GETLK), fcntl(libc::F_OFD_GETLK)], [Fails(libc::ENOLCK), Fails(libc::ENOLCK)]);
        for command in [libc::F_SETLEASE, 1026, 1035, 1038, 1048, 5000] {
            assert_eq!(fcntl(command), Fails(libc::EINVAL), "{command}");
        }
        assert_eq!(fcntl(libc::F_SETOWN), Fails(libc::EPERM));
        let set = |flags: c_int| under(rules, libc::SYS_fcntl, [3, libc::F_SETFL as u64, flags as u64, 0, 0, 0]);
        assert_eq!([set(libc::O_NONBLOCK), set(libc::O_DIRECT)], [Allowed, Fails(libc::EINVAL)]);
        assert_eq!(under(rules, libc::SYS_openat, at(2, libc::O_DIRECT as u64)), Fails(libc::EINVAL));
    }
}

#[test]
fn memory_that_nothing_counts_is_refused_or_asked_for() {
    for kind in [libc::MAP_SHARED, libc::MAP_SHARED_VALIDATE] {
        let shared = at(3, (kind | libc::MAP_ANONYMOUS) as u64);
        assert_eq!(strict(libc::SYS_mmap, shared), Fails(libc::ENOMEM));
        assert_eq!(under(MILD, libc::SYS_mmap, shared), Allowed);
    }
    let huge = at(3, (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_HUGETLB) as u64);
    assert_eq!(
        [strict(libc::SYS_mmap, huge), under(MILD, libc::SYS_mmap, huge)],
        [Fails(libc::ENOMEM), Fails(libc::ENOMEM)]
    );
    let asked = Rules { ungated: false, ..STRICT };
    for (numbers, when_asked) in [(calls::KEEPS_PAGES, Fails(libc::EINVAL)), (calls::SENDS_PAGES, Allowed)] {
        for &number in numbers {
            assert_eq!([strict(number, [0; 6]), under(MILD, number, [0; 6])], [Fails(libc::EINVAL), Allowed]);
            assert_eq!(under(asked, number, [0; 6]), when_asked);
        }
    }
    let larger_pipe = at(1, libc::F_SETPIPE_SZ as u64);
    assert_eq!(strict(libc::SYS_fcntl, larger_pipe), Fails(libc::EPERM));
    assert_eq!(under(MILD, libc::SYS_fcntl, larger_pipe), Allowed);
    assert_eq!(strict(libc::SYS_prctl, at(0, libc::PR_SET_THP_DISABLE as u64)), Fails(libc::EPERM));
    for rules in [STRICT, MILD] {
        assert_eq!(under(rules, libc::SYS_prctl, at(0, libc::PR_SET_SECCOMP as u64)), Fails(libc::EINVAL));
        for option in [78, 79, 1000, u64::MAX] {
            assert_eq!(under(rules, libc::SYS_prctl, at(0, option)), Fails(libc::EINVAL), "{option}");
        }
        assert_eq!(under(rules, libc::SYS_prctl, at(0, 0x5356_4d41)), Allowed, "names of mappings");
        assert_eq!(under(rules, libc::SYS_prctl, at(0, 62)), Fails(libc::EINVAL), "cookies of cores are addresses");
    }
}

#[test]
fn memory_is_made_and_used_in_known_ways_alone() {
    for rules in [STRICT, MILD] {
        let call = |number, index, flags: u64| under(rules, number, at(index, flags));
        for advice in [4, 8, 14, 3, 22, 24, 102] {
            assert_eq!(call(libc::SYS_madvise, 2, advice), Allowed, "{advice}");
        }
        for advice in [12, 13, 20, 21, 25, 26, 100, 101, 104, u64::MAX] {
            assert_eq!(call(libc::SYS_madvise, 2, advice), Fails(libc::EINVAL), "{advice}");
        }
        for flags in [0x22, 0x4022, 0x2_0022, 0x10_0022, 0x8002, 0x62, 0x2012] {
            assert_eq!(call(libc::SYS_mmap, 3, flags), Allowed, "{flags:#x}");
        }
        for flags in [0x4_0022, 21 << 26 | 0x4_0022, 0x400_0022, 1 << 31 | 2] {
            assert_eq!(call(libc::SYS_mmap, 3, flags), Fails(libc::ENOMEM), "{flags:#x}");
        }
        assert_eq!([call(libc::SYS_mremap, 3, 3), call(libc::SYS_mremap, 3, 8)], [Allowed, Fails(libc::EINVAL)]);
        for number in [libc::SYS_mincore, libc::SYS_memfd_secret, libc::SYS_pidfd_open, 453] {
            assert_eq!(call(number, 0, 0), Fails(libc::ENOSYS), "{number}");
        }
        for number in [libc::SYS_preadv2, libc::SYS_pwritev2] {
            assert_eq!([call(number, 5, 0), call(number, 5, 0x17)], [Allowed, Allowed]);
            for flag in [0x08, 0x40, 0x80, 0x100, 1 << 31] {
                assert_eq!(call(number, 5, flag), Fails(libc::EOPNOTSUPP), "{flag:#x}");
            }
        }
        assert_eq!([call(libc::SYS_msync, 2, 4), call(libc::SYS_msync, 2, 1)], [Fails(0), Allowed]);
    }
    for flags in [0x1, 0x2, 0xb, 0x13] {
        assert_eq!(under(MILD, libc::SYS_memfd_create, at(1, flags)), Allowed, "{flags:#x}");
    }
    for flags in [0x4, 0x5, 21 << 26 | 4, 0x20] {
        assert_eq!(under(MILD, libc::SYS_memfd_create, at(1, flags)), Fails(libc::EINVAL), "{flags:#x}");
    }
}

#[test]
fn the_clock_of_another_is_refused_or_asked_for() {
    let clock = |task: i32, kind: i32| u64::from(((!task << 3) | kind).cast_unsigned());
    let bare = Rules { open_clocks: false, ..STRICT };
    for &number in calls::CLOCK_CALLS {
        for rules in [STRICT, bare, MILD] {
            let call = |clock| under(rules, number, at(0, clock));
            for shared in 0..12 {
                assert_eq!(call(shared), Allowed, "{shared}");
            }
            for kind in 0..8 {
                assert_eq!(call(clock(0, kind)), Allowed, "its own, kind {kind}");
            }
            for unknown in [12, 16, 23, 0x7fff_ffff] {
                assert_eq!(call(unknown), Fails(libc::EINVAL), "{unknown}");
            }
        }
        for (task, kind) in (0..8).flat_map(|kind| [1, 2, 77, 4_000_000].map(|task| (task, kind))) {
            let call = |rules| under(rules, number, at(0, clock(task, kind)));
            let in_jail = if task == 1 { Fails(libc::EINVAL) } else { Allowed };
            assert_eq!(
                [call(STRICT), call(bare), call(MILD)],
                [Fails(libc::EINVAL), Allowed, in_jail],
                "{task} {kind}"
            );
            assert_eq!(calls::owner_of(clock(task, kind) as u32), task.cast_unsigned());
        }
    }
}

#[test]
fn every_refused_call_and_no_other_is_refused() {
    let refused = [
        calls::ABSENT,
        calls::ABSENT_OLD,
        calls::REFUSED,
        calls::REFUSED_OLD,
        calls::UNSUPPORTED,
        calls::WITHOUT_EFFECT,
        calls::KEEPS_PAGES,
        calls::SENDS_PAGES,
        calls::HOST_SHARED,
        calls::HOST_SHARED_OLD,
    ]
    .concat();
    // With all arguments zero.
    let extra = [
        libc::SYS_fork,
        libc::SYS_vfork,
        libc::SYS_tkill,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_truncate,
        libc::SYS_clone,
        libc::SYS_kill,
        libc::SYS_tgkill,
        libc::SYS_memfd_create,
        libc::SYS_ioctl,
        libc::SYS_socketpair,
        libc::SYS_setsockopt,
    ];
    let code = filter(STRICT, None);
    for number in 0..1000_u32 {
        let call = c_long::from(number);
        let unknown = number >= calls::UNKNOWN || calls::UNUSED.iter().any(|unused| unused.contains(&number));
        let expected = unknown || refused.contains(&call) || extra.contains(&call);
        let verdict = read(&code, ARCHITECTURE, number, [0; 6]);
        assert_eq!(verdict != Allowed, expected, "call {number}: refused, or in a list, but not both");
        assert!(!unknown || verdict == Fails(libc::ENOSYS), "call {number} does not exist");
    }
}

#[test]
fn calls_that_are_not_known_are_absent() {
    for rules in [STRICT, MILD] {
        for number in [335, 400, 423, 467, 469, 470, 471, 600, 0x3fff_ffff, u32::MAX] {
            assert_eq!(read(&filter(rules, None), ARCHITECTURE, number, [0; 6]), Fails(libc::ENOSYS), "{number}");
        }
        assert_eq!(read(&filter(rules, None), ARCHITECTURE, 462, [0; 6]), Allowed, "mseal");
    }
}

#[test]
fn other_system_call_tables_are_absent() {
    for rules in [STRICT, MILD] {
        assert_eq!(read(&filter(rules, None), 0x4000_0003, 20, [0; 6]), Fails(libc::ENOSYS), "32 bits");
        assert_eq!(read(&filter(rules, None), ARCHITECTURE, 0x4000_0000 | 39, [0; 6]), Fails(libc::ENOSYS), "x32");
    }
}

#[test]
fn other_isolation_needs_fewer_rules() {
    for number in [libc::SYS_setsid, libc::SYS_fchmod, libc::SYS_memfd_create, libc::SYS_kill, libc::SYS_truncate] {
        assert_eq!(under(MILD, number, [0; 6]), Allowed);
        assert_ne!(strict(number, [0; 6]), Allowed);
    }
    assert_eq!(under(MILD, libc::SYS_clone, at(0, 17)), Allowed);
    assert_eq!(under(MILD, libc::SYS_clone, at(0, 17 | libc::CLONE_PIDFD as u64)), Fails(libc::EINVAL));
    let foreign = Rules { forbids_written_code: true, ..MILD };
    assert_eq!(under(foreign, libc::SYS_memfd_create, [0; 6]), Fails(libc::EPERM), "it could be executed");
}

#[test]
fn every_comparison_reaches_its_goal() {
    for rules in [STRICT, MILD] {
        let code = filter(rules, None);
        let tree = code.iter().filter(|instruction| u32::from(instruction.code) == BPF_JMP | BPF_JGE | libc::BPF_K);
        assert!(tree.count() < 255, "the reach of a jump");
        assert!(code.len() < 4096, "the kernel's own limit");
    }
}

#[test]
fn the_bypass_opens_a_few_calls_and_nothing_else() {
    let of_a_child = [libc::SYS_landlock_restrict_self, libc::SYS_sched_setscheduler];
    let of_an_init = [libc::SYS_mount, libc::SYS_umount2, libc::SYS_sendmsg];
    is_all_that_a_bypass_opens(&[&of_an_init[..], &of_a_child].concat(), MILD);
    is_all_that_a_bypass_opens(&[&[libc::SYS_setsid][..], &of_a_child].concat(), STRICT);
}

fn is_all_that_a_bypass_opens(own: &[c_long], rules: Rules) {
    let bypass = FilterBypass::random().unwrap();
    let (closed, opened) = (filter(rules, None), filter(rules, Some(bypass)));
    let guess = |number: u64| at(5, number);
    let right = FilterBypass::argument(Some(bypass));
    for number in 0..512 {
        for wrong in [0, !right, right ^ 1, right ^ 1 << 32, right.rotate_left(32)] {
            if wrong != right {
                let same = read(&closed, ARCHITECTURE, number, guess(wrong));
                assert_eq!(read(&opened, ARCHITECTURE, number, guess(wrong)), same, "{number}");
            }
        }
        let is_own = own.contains(&c_long::from(number));
        let expected = if is_own { Allowed } else { read(&closed, ARCHITECTURE, number, guess(right)) };
        assert_eq!(read(&opened, ARCHITECTURE, number, guess(right)), expected, "{number}");
        assert_eq!(read(&opened, 0x4000_0003, number, guess(right)), Fails(libc::ENOSYS), "32 bits");
    }
}
