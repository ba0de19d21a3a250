//! An ordinary user: how to become one, and a folder from which it can run programs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The user without rights.
pub(crate) const PLAIN_USER: u32 = 65534;

/// `--become-plain [GROUP…] -- PROGRAM [ARGUMENT…]`, run by root: joins the control groups, then executes the program
/// without rights. In version 2 only root may move a process into a user's group from outside.
pub(crate) const BECOME: &str = "--become-plain";

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

/// A folder that every user can reach and run programs from. `Err` says why there is none.
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
