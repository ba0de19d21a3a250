//! Runs the judge as a user does, in a separate folder. Each of the test binaries includes this whole module and uses a
//! part.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod client;
pub(crate) mod documents;
pub(crate) mod large_run;
pub(crate) mod pace;
pub(crate) mod processes;
pub(crate) mod require;
pub(crate) mod scenarios;
pub(crate) mod stage;

use require::{Need, skip};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A temporary folder in which the judge is run.
pub(crate) struct Folder {
    dir: TempDir,
    /// The path of the judge, if it is not the user's.
    pub(crate) programs: Option<String>,
}

/// The judge's output and exit code.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Helpers of a judge or browser that was killed may end a moment later, and write until then.
        let began = Instant::now();
        while std::fs::remove_dir_all(self.path()).is_err_and(|error| error.kind() != ErrorKind::NotFound)
            && began.elapsed() < Duration::from_secs(5)
        {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::Builder::new().prefix("judge-test-").tempdir().unwrap(), programs: None }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        path
    }

    /// Writes an executable shell script.
    pub(crate) fn script(&self, name: &str, body: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(name, format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Returns the judge's command line, to be started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_judge"));
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null()).env_remove("GITHUB_STEP_SUMMARY");
        // Uses neither the user's own settings nor programs that other tests have compiled.
        command
            .env("JUDGE_CACHE", self.path().join(".judge-cache"))
            .env("XDG_CONFIG_HOME", self.path().join(".config"))
            .envs(self.programs.iter().map(|path| ("PATH", path)));
        command
    }

    /// Runs the judge to its end.
    pub(crate) fn judge(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs the judge with `--json -` and returns the report.
    pub(crate) fn json(&self, arguments: &[&str]) -> (Option<i32>, serde_json::Value) {
        let said = self.judge(&[arguments, &["--json", "-"]].concat());
        let report = serde_json::from_str(&said.stdout)
            .unwrap_or_else(|error| panic!("{error} in {}\nstderr: {}", said.stdout, said.stderr));
        (said.code, report)
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Puts a program at another path. A copy is needed on another file system only.
pub(crate) fn link_or_copy(from: &Path, to: &Path) {
    std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(drop)).unwrap();
}

/// Returns the field of every case of a JSON report.
pub(crate) fn of_cases<'a>(report: &'a serde_json::Value, field: &str) -> Vec<&'a serde_json::Value> {
    report["cases"].as_array().unwrap().iter().map(|case| &case[field]).collect()
}

/// A program of a framework, from the environment that `.ci/frameworks` makes. Prints a message if there is none.
pub(crate) fn framework(name: &str, program: &str, need: Need) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let found = target.join("frameworks").join(name).join("bin").join(program);
    if !found.exists() {
        skip(need, format!("there is no {}", found.display()));
        return None;
    }
    Some(found)
}
