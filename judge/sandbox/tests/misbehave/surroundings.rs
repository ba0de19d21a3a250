//! Worlds with less in them than this machine: the same test once more as in most containers, and as a root who knows no
//! other user.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter};

use super::plain_user;
use super::require::{Need, skip};

/// `--enter SURROUNDINGS PROGRAM [ARGUMENT…]`: goes on as the program in there.
pub(crate) const ENTER: &str = "--enter";

/// Where a test runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surroundings {
    Machine,
    /// The system calls that make namespaces and mounts are refused.
    Container,
    /// A user namespace whose only user is root, who was the test's user outside.
    Alone,
}

impl Surroundings {
    const ALL: [(&str, Surroundings); 3] =
        [("machine", Surroundings::Machine), ("container", Surroundings::Container), ("alone", Surroundings::Alone)];

    pub(crate) fn named(name: &str) -> Surroundings {
        Surroundings::ALL.into_iter().find(|(known, _)| *known == name).unwrap().1
    }

    fn name(self) -> &'static str {
        Surroundings::ALL.into_iter().find(|(_, known)| *known == self).unwrap().0
    }

    /// What a user is called in there.
    pub(crate) fn user(self, plain: bool) -> String {
        let user = if plain { "plain" } else { "root" };
        if self == Surroundings::Machine { user.to_owned() } else { format!("{user} {}", self.name()) }
    }

    /// Whether a test is worth its time in there.
    pub(crate) fn matters_to(self, test: &str) -> bool {
        match self {
            Surroundings::Machine => true,
            // It makes namespaces itself.
            Surroundings::Container => test != "traces among judges",
            Surroundings::Alone => ["input untouched", "streams by name", "gap of a lone root"].contains(&test),
        }
    }

    fn tiers(self) -> &'static str {
        if self == Surroundings::Container { "bare" } else { "root,userns,bare" }
    }
}

/// See [`ENTER`].
pub(crate) fn enter(words: &[String]) -> ! {
    let entered = match Surroundings::named(&words[0]) {
        Surroundings::Machine => Ok(()),
        Surroundings::Container => refuse(),
        Surroundings::Alone => forget_others(),
    };
    entered.unwrap();
    let error = Command::new(&words[1]).args(&words[2..]).exec();
    panic!("{}: {error}", words[1]);
}

fn refuse() -> io::Result<()> {
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
    succeeded(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
    // SAFETY: as above.
    succeeded(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) })
}

fn forget_others() -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    // SAFETY: a system call without pointers, before this process has a second thread.
    succeeded(unsafe { libc::unshare(libc::CLONE_NEWUSER) })?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

fn succeeded(answer: libc::c_int) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Runs this test again in both, in processes that `begin` as the right user; returns how many failed.
pub(crate) fn repeat(begin: impl Fn() -> Command, programs: &Path, words: &[String], plain: bool) -> usize {
    let alone = begin().args([ENTER, Surroundings::Alone.name(), "/bin/true"]).output().unwrap().status.success();
    if !alone {
        skip(Need::Userns, "user namespaces are refused");
    }
    let worlds = [Surroundings::Container, Surroundings::Alone];
    let own = programs.join(plain_user::OWN);
    let runs = worlds.into_iter().filter(|world| alone || *world != Surroundings::Alone).map(|world| {
        let mut command = begin();
        command.args([ENTER, world.name()]).arg(&own).args(words).arg("--programs").arg(programs);
        command.args(["--tiers", world.tiers(), "--surroundings", world.name()]);
        command.args(plain.then_some(plain_user::PLAIN));
        usize::from(!command.status().unwrap().success())
    });
    runs.sum()
}
