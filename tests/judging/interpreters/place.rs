//! A home and a working folder, and the judge in every tier that works here, as root and as an ordinary user.

use crate::support::Said;
use crate::support::require::{Need, skip};
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// An ordinary user.
pub(crate) const PLAIN_USER: u32 = 65_534;

/// The path on which every program searches for others.
pub(crate) const SYSTEM_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A home and a working folder, which every user may enter.
pub(crate) struct Place {
    folder: TempDir,
}

/// How the judge is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Judge {
    pub(crate) tier: &'static str,
    /// `None`: as this user.
    pub(crate) user: Option<u32>,
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("judge-test-").tempdir().unwrap();
        let place = Self { folder };
        for name in ["", "home", "work", "temp"] {
            fs::create_dir_all(place.path(name)).unwrap();
            let mode = if name.is_empty() { 0o755 } else { 0o777 };
            fs::set_permissions(place.path(name), Permissions::from_mode(mode)).unwrap();
        }
        // The folder of the judge may be closed to other users.
        fs::hard_link(env!("CARGO_BIN_EXE_judge"), place.path("judge"))
            .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_judge"), place.path("judge")).map(drop))
            .unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.folder.path().to_owned() } else { self.folder.path().join(name) }
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    /// Writes an executable file.
    pub(crate) fn script(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.write(name, contents);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Makes a link.
    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    /// A program, run in the folder `work` with this home, and without the environment of the test.
    pub(crate) fn command(&self, user: Option<u32>, program: impl AsRef<std::ffi::OsStr>, path: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.path("home")).env("PATH", path).env("TMPDIR", self.path("temp"));
        command.current_dir(self.path("work")).stdin(Stdio::null());
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        command
    }

    /// `judge exec` with this `PATH`.
    pub(crate) fn exec(&self, judge: Judge, path: &str, words: &[&str]) -> Command {
        let mut command = self.command(judge.user, self.path("judge"), path);
        command.args(["exec", "--tier", judge.tier, "--cpu", "20s", "--wall", "60s", "--memory", "1GiB"]);
        // The judge's own messages are not part of the test.
        command.args(words);
        command
    }

    /// All ways of running the judge that work here.
    pub(crate) fn judges(&self) -> Vec<Judge> {
        static FOUND: OnceLock<Vec<Judge>> = OnceLock::new();
        FOUND.get_or_init(|| self.tried()).clone()
    }

    fn tried(&self) -> Vec<Judge> {
        let mut judges = Vec::new();
        for (tier, need) in [("root", Need::Root), ("userns", Need::Userns), ("bare", Need::Bare)] {
            let other = (is_root() && tier != "root").then_some(Some(PLAIN_USER));
            for user in [None].into_iter().chain(other) {
                let judge = Judge { tier, user };
                let said = said(self.exec(judge, SYSTEM_PATH, &["--", "true"]));
                match said.code {
                    Some(0) => judges.push(judge),
                    _ => skip(need, format!("{judge:?}: {}", said.stderr)),
                }
            }
        }
        judges
    }
}

pub(crate) fn said(mut command: Command) -> Said {
    loop {
        match command.output() {
            // A process that another test's thread has forked still holds a new script open for writing.
            Err(busy) if busy.kind() == ErrorKind::ExecutableFileBusy => thread::sleep(Duration::from_millis(5)),
            output => return output.unwrap().into(),
        }
    }
}

/// The system's own program of this name.
pub(crate) fn installed(name: &str, need: Need) -> Option<PathBuf> {
    let file = Path::new("/usr/bin").join(name);
    if !file.exists() {
        skip(need, format!("there is no {}", file.display()));
    }
    file.exists().then_some(file)
}
