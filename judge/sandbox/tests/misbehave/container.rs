//! The same test once more as in most containers: the system calls that make namespaces and mounts are refused.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter};

/// `--in-container PROGRAM [ARGUMENT…]`: goes on as the program.
pub(crate) const ENTER: &str = "--in-container";
/// What tells the program so.
pub(crate) const INSIDE: &str = "--contained";

/// See [`ENTER`].
pub(crate) fn enter(command: &[String]) -> ! {
    const REFUSED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    const ABSENT: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    const FIRST_ARGUMENT: u32 = 16;
    let statement = |code: u32, k: u32| sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let skip =
        |code: u32, k: u32, unless: u8| sock_filter { code: (BPF_JMP | code | BPF_K) as u16, jt: 0, jf: unless, k };
    let mut filter = vec![statement(BPF_LD | BPF_W | BPF_ABS, 0)];
    for call in [libc::SYS_unshare, libc::SYS_setns, libc::SYS_mount, libc::SYS_fsopen] {
        filter.extend([skip(BPF_JEQ, call as u32, 1), statement(BPF_RET | BPF_K, REFUSED)]);
    }
    // Its flags are behind a pointer; libraries have another way.
    filter.extend([skip(BPF_JEQ, libc::SYS_clone3 as u32, 1), statement(BPF_RET | BPF_K, ABSENT)]);
    filter.extend([
        skip(BPF_JEQ, libc::SYS_clone as u32, 3),
        statement(BPF_LD | BPF_W | BPF_ABS, FIRST_ARGUMENT),
        skip(BPF_JSET, libc::CLONE_NEWUSER as u32 | libc::CLONE_NEWNS as u32, 1),
        statement(BPF_RET | BPF_K, REFUSED),
        statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW),
    ]);
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the filter is valid memory during the calls.
    let refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) != 0
    };
    assert!(!refused, "{}", std::io::Error::last_os_error());
    let error = Command::new(&command[0]).args(&command[1..]).exec();
    panic!("{}: {error}", command[0]);
}

/// Runs this test again in there, as this user; returns how many failed.
pub(crate) fn repeat(programs: &Path, words: &[String]) -> usize {
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new(&own);
    command.arg(ENTER).arg(&own).args(words).arg("--programs").arg(programs).args(["--tiers", "bare", INSIDE]);
    usize::from(!command.status().unwrap().success())
}
