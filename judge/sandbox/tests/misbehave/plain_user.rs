//! The same test as somebody without rights, in no control group of his own and in one.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::delegation::Delegation;

/// Somebody who is nobody.
const PLAIN_USER: u32 = 65534;

/// `--become-plain [GROUP…] -- PROGRAM [ARGUMENT…]`, started by root: joins the control groups, then goes on as the
/// program, without rights. In version 2 only root may bring a process into somebody's group from outside.
pub(crate) const BECOME: &str = "--become-plain";

/// See [`BECOME`].
pub(crate) fn become_plain(arguments: &[String]) -> ! {
    let at = arguments.iter().position(|argument| argument == "--").unwrap();
    let (groups, command) = (&arguments[..at], &arguments[at + 1..]);
    for group in groups {
        std::fs::write(Path::new(group).join("cgroup.procs"), "0").unwrap();
    }
    let error = Command::new(&command[0]).args(&command[1..]).uid(PLAIN_USER).gid(PLAIN_USER).exec();
    panic!("{}: {error}", command[0]);
}

/// Runs this test again as somebody without rights, then with control groups of that user's own; returns how many
/// failed.
pub(crate) fn repeat(programs: &Path, words: &[String]) -> usize {
    let own = programs.join("misbehave-test");
    std::fs::copy(std::env::current_exe().unwrap(), &own).unwrap();
    let run = |tiers: &str, delegation: Option<&Delegation>| {
        let mut command = Command::new(&own);
        command.arg(BECOME).args(delegation.map_or(&[][..], Delegation::folders)).arg("--");
        command.arg(&own).args(words).arg("--programs").arg(programs).args(["--tiers", tiers]);
        usize::from(!command.current_dir("/").status().unwrap().success())
    };
    let failures = run("userns,bare", None);
    match Delegation::to(PLAIN_USER) {
        Ok(delegation) => failures + run("delegated", Some(&delegation)),
        Err(why) => {
            println!("skipped: as plain with control groups: {why}");
            failures
        }
    }
}
