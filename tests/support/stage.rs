//! The environment of these tests: the programs that they run, and a folder that every user can reach.

use crate::support::require::{Need, named, skip};
use crate::support::{Folder, Said, link_or_copy};
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// An ordinary user that no other program runs as.
pub(crate) const PLAIN_USER: u32 = 57_913;

/// A test that measures, or uses up shared resources, runs alone. Others run together.
static TURN: RwLock<()> = RwLock::new(());

/// Waits until this test is alone, which it stays until the value is dropped.
pub(crate) fn turn() -> RwLockWriteGuard<'static, ()> {
    TURN.write()
}

/// Which other tests of a stage may run at the same time, until this is dropped.
enum Turn {
    Alone(RwLockWriteGuard<'static, ()>),
    Together(RwLockReadGuard<'static, ()>),
    Any,
}

/// A folder with the programs in it, and in which the judge is run.
pub(crate) struct Stage {
    pub(crate) folder: Folder,
    _turn: Turn,
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

impl Stage {
    /// Waits until this test is alone. `None` if this machine has no stage; the reason was printed.
    pub(crate) fn set() -> Option<Stage> {
        Stage::with(Turn::Alone(turn()))
    }

    /// Runs beside other tests that neither measure nor use up shared resources.
    pub(crate) fn together() -> Option<Stage> {
        Stage::with(Turn::Together(TURN.read()))
    }

    /// Runs beside all other tests.
    pub(crate) fn beside_others() -> Option<Stage> {
        Stage::with(Turn::Any)
    }

    fn with(turn: Turn) -> Option<Stage> {
        static PROGRAMS: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        let programs = match PROGRAMS.get_or_init(compile) {
            Ok(programs) => programs,
            Err(why) => {
                skip(Need::Cc, why);
                return None;
            }
        };
        let folder = Folder::new();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let judge = Path::new(env!("CARGO_BIN_EXE_judge"));
        let files = ["solver", "launcher", "preload.so"].map(|name| (programs.join(name), name));
        for (from, name) in files.into_iter().chain([(judge.to_owned(), "judge")]) {
            let to = folder.path().join(name);
            link_or_copy(&from, &to);
        }
        for name in ["work", "tmp"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o1777)).unwrap();
        }
        Some(Stage { folder, _turn: turn })
    }

    /// The path of a program, or of the folder `work` or `tmp`.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// The test program in this mode, as `--solver` takes it.
    pub(crate) fn solver(&self, mode: &str) -> String {
        format!("{} {mode}", self.text("solver"))
    }

    fn at_work(&self, program: &str) -> Command {
        let mut command = Command::new(self.path(program));
        command.current_dir(self.path("work")).env("TMPDIR", self.path("tmp")).stdin(Stdio::null());
        command.env_remove("GITHUB_STEP_SUMMARY").stdout(Stdio::piped()).stderr(Stdio::piped());
        // Every user has a separate cache there, or none: no user runs a program that another user has compiled.
        command.env("JUDGE_CACHE", self.path("cache")).env("XDG_CONFIG_HOME", self.path("config"));
        command
    }

    /// The judge, to be started.
    pub(crate) fn judge(&self, arguments: &[&str]) -> Command {
        let mut command = self.at_work("judge");
        command.args(arguments);
        command
    }

    /// The judge, started by the launcher as `how` says.
    pub(crate) fn launched(&self, how: &[&str], arguments: &[&str]) -> Command {
        self.program_launched(how, &[&[&*self.text("judge")], arguments].concat())
    }

    /// A program, started by the launcher as `how` says.
    pub(crate) fn program_launched(&self, how: &[&str], command_line: &[&str]) -> Command {
        let mut command = self.at_work("launcher");
        command.args(how).arg("--").args(command_line);
        command
    }

    /// Like [`Stage::launched`], as this user or as the user of the tests.
    pub(crate) fn judge_as(&self, user: Option<u32>, arguments: &[&str]) -> Command {
        match user {
            None => self.judge(arguments),
            Some(user) => self.launched(&["user", &user.to_string()], arguments),
        }
    }

    /// The entries of the temporary folder, and the control groups of the judge with this id.
    pub(crate) fn leftovers(&self, judge: u32) -> Vec<String> {
        let groups = find("/sys/fs/cgroup".as_ref(), &format!("judge-sandbox.*.{judge}.*"));
        [groups, find(&self.path("tmp"), "judge-sandbox.*")].concat()
    }
}

/// The users and tiers for running the judge.
pub(crate) type Places = fn(&Stage) -> Vec<(Option<u32>, String)>;

/// The users that run the judge in these tests, and the tiers of each. Missing tiers are printed once.
pub(crate) fn users_and_tiers(stage: &Stage) -> Vec<(Option<u32>, String)> {
    static FOUND: OnceLock<Vec<(Option<u32>, String)>> = OnceLock::new();
    let users = if is_root() { vec![None, Some(PLAIN_USER)] } else { vec![None] };
    FOUND.get_or_init(|| users.into_iter().flat_map(|user| tiers_of(stage, user)).collect()).clone()
}

/// The first of them: the strongest tier of the user of the tests.
pub(crate) fn strongest(stage: &Stage) -> Vec<(Option<u32>, String)> {
    users_and_tiers(stage).into_iter().take(1).collect()
}

/// The first and the last of them: properties of both mostly hold for those between.
pub(crate) fn strongest_and_weakest(stage: &Stage) -> Vec<(Option<u32>, String)> {
    let all = users_and_tiers(stage);
    let last = all.len() - 1;
    all.into_iter().enumerate().filter(|(at, _)| [0, last].contains(at)).map(|(_, place)| place).collect()
}

fn tiers_of(stage: &Stage, user: Option<u32>) -> Vec<(Option<u32>, String)> {
    // Control groups are delegated to a user by `tiers.rs`.
    let wanted = if is_root() && user.is_none() { ["root", "userns", "bare"].as_slice() } else { &["userns", "bare"] };
    let report = json(stage.judge_as(user, &["doctor", "--json", "-"]));
    let all = report["tiers"].as_array().unwrap();
    let mut tiers = Vec::new();
    for tier in all {
        let name = tier["tier"].as_str().unwrap();
        if tier["works"] == true {
            tiers.push((user, name.to_owned()));
        } else if wanted.contains(&name) {
            skip(named(name).unwrap(), format!("tier {name} as {user:?}: {}", tier["missing"]));
        }
    }
    assert!(!tiers.is_empty(), "no tier works for {user:?}: {report}");
    tiers
}

/// The tiers that work on this machine for this user, the strongest first. Missing tiers are printed once.
pub(crate) fn tiers() -> Vec<&'static str> {
    static FOUND: OnceLock<Vec<&'static str>> = OnceLock::new();
    let find = || {
        let folder = Folder::new();
        let works = |tier: &&str| folder.judge(&["exec", "--tier", tier, "--", "true"]).code == Some(0);
        let found: Vec<_> = ["root", "delegated", "userns", "bare"].into_iter().filter(works).collect();
        for (tier, need) in [("userns", Need::Userns), ("bare", Need::Bare)] {
            if !found.contains(&tier) {
                skip(need, format!("programs in tier {tier}"));
            }
        }
        found
    };
    FOUND.get_or_init(find).clone()
}

pub(crate) fn run(mut command: Command) -> Said {
    command.output().unwrap().into()
}

/// Runs the judge with a JSON report on standard output.
pub(crate) fn json(mut command: Command) -> serde_json::Value {
    let Output { stdout, stderr, .. } = command.output().unwrap();
    serde_json::from_slice(&stdout).unwrap_or_else(|error| {
        panic!("{error}: {}\nstderr: {}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr))
    })
}

fn find(folder: &Path, pattern: &str) -> Vec<String> {
    let output = Command::new("find").arg(folder).args(["-name", pattern]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn compile() -> Result<PathBuf, String> {
    let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("harness");
    fs::create_dir_all(&programs).map_err(|error| error.to_string())?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/support/stage");
    let wanted: [(&str, &str, &[&str]); 3] = [
        ("solver.c", "solver", &["-static"]),
        ("launcher.c", "launcher", &["-static"]),
        ("preload.c", "preload.so", &["-shared", "-fPIC"]),
    ];
    for (source, program, flags) in wanted {
        let mut command = Command::new("cc");
        command.args(["-std=gnu11", "-O1", "-w"]).args(flags).arg("-o").arg(programs.join(program));
        let output = command.arg(sources.join(source)).output();
        let output = output.map_err(|error| format!("no C compiler: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("cc does not build {source}: {said}"));
        }
        fs::set_permissions(programs.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    Ok(programs)
}
