//! The same test as somebody without rights, in no control group of his own and in one.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::delegation::Delegation;
use super::require::{Need, skip};
use super::surroundings;

/// Somebody who is nobody.
pub(crate) const PLAIN_USER: u32 = 65534;

/// `--become-plain [GROUP…] -- PROGRAM [ARGUMENT…]`, started by root: joins the control groups, then goes on as the
/// program, without rights. In version 2 only root may bring a process into somebody's group from outside.
pub(crate) const BECOME: &str = "--become-plain";

/// Tells a process of this test that it is an ordinary user, whoever it believes to be.
pub(crate) const PLAIN: &str = "--plain";
/// What this test is called among the programs.
pub(crate) const OWN: &str = "misbehave-test";

/// See [`BECOME`].
pub(crate) fn become_plain(arguments: &[String]) -> ! {
    let at = arguments.iter().position(|argument| argument == "--").unwrap();
    let (groups, command) = (&arguments[..at], &arguments[at + 1..]);
    for group in groups {
        fs::write(Path::new(group).join("cgroup.procs"), "0").unwrap();
    }
    let error = Command::new(&command[0]).args(&command[1..]).uid(PLAIN_USER).gid(PLAIN_USER).exec();
    panic!("{}: {error}", command[0]);
}

/// A folder that everybody reaches and may run programs from. `Err` says why there is none.
pub(crate) fn public_folder() -> Result<tempfile::TempDir, String> {
    let places = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/run".into(), "/dev/shm".into()];
    for place in &places {
        let Ok(folder) = tempfile::Builder::new().prefix("misbehave").tempdir_in(place) else { continue };
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let program = folder.path().join("try");
        fs::copy("/bin/true", &program).unwrap();
        let mut command = Command::new(&program);
        if rustix::process::geteuid().is_root() {
            command.current_dir("/").uid(PLAIN_USER).gid(PLAIN_USER);
        }
        if command.status().is_ok_and(|status| status.success()) {
            return Ok(folder);
        }
    }
    Err(format!("no folder that an ordinary user can run programs from: tried {places:?}; set TMPDIR to one"))
}

/// Puts this test where everybody can run it.
pub(crate) fn publish(programs: &Path) {
    fs::copy(std::env::current_exe().unwrap(), programs.join(OWN)).unwrap();
}

/// Runs this test again as somebody without rights, then with control groups of that user's own; returns how many
/// failed.
pub(crate) fn repeat(programs: &Path, words: &[String]) -> usize {
    let own = programs.join(OWN);
    let temporary = programs.join("temporary");
    fs::create_dir(&temporary).unwrap();
    chown(&temporary, Some(PLAIN_USER), Some(PLAIN_USER)).unwrap();
    let begin = |delegation: Option<&Delegation>, program: &Path| {
        let mut command = Command::new(&own);
        command.arg(BECOME).args(delegation.map_or(&[][..], Delegation::folders)).arg("--").arg(program);
        command.env("TMPDIR", &temporary).current_dir("/");
        command
    };
    let run = |tiers: &str, delegation: Option<&Delegation>| {
        let mut command = begin(delegation, &own);
        command.args(words).arg("--programs").arg(programs).args(["--tiers", tiers, PLAIN]);
        usize::from(!command.status().unwrap().success())
    };
    let failures =
        run("userns,bare", None) + surroundings::repeat(|program| begin(None, program), programs, words, true);
    match Delegation::to(PLAIN_USER) {
        Ok(delegation) => failures + run("delegated", Some(&delegation)),
        Err(why) => {
            skip(Need::Delegated, format!("as plain with control groups: {why}"));
            failures
        }
    }
}
