//! Files that cannot be read or written: an error names the path, and no verdict suffers.

use crate::support::pace::{awaited, unhurried};
use crate::support::processes::Guarded;
use crate::support::require::{Need, skip};
use crate::support::stage::{PLAIN_USER, Stage, is_root, run, users_and_tiers};
use crate::support::{Said, of_cases};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Two small file systems, a full one and a read-only one, in the mount namespace of a shell that waits for commands.
struct Disks<'a> {
    stage: &'a Stage,
    full: String,
    sealed: String,
}

impl<'a> Disks<'a> {
    /// `None` if there are none; the reason was printed.
    fn make(stage: &'a Stage) -> Option<Disks<'a>> {
        let disks = Disks { stage, full: stage.text("full"), sealed: stage.text("sealed") };
        for folder in [&disks.full, &disks.sealed] {
            std::fs::create_dir(folder).unwrap();
        }
        if disks.run("true", &[]).code != Some(0) {
            skip(if is_root() { Need::Root } else { Need::Userns }, "no file systems of our own can be mounted");
            return None;
        }
        Some(disks)
    }

    /// Runs a shell command with the disks mounted; `"$@"` contains the judge and its arguments.
    fn run(&self, command: &str, arguments: &[&str]) -> Said {
        let Disks { stage, full, sealed } = self;
        let script = format!(
            "mount -t tmpfs -o size=64k none {full} && mkdir {full}/folder && mount -t tmpfs -o ro none {sealed} && \
             {{ cat /dev/zero > {full}/filler 2>/dev/null; cd {}; {command}; }}",
            stage.text("work")
        );
        let user = if is_root() { "-m" } else { "-rm" };
        let mut unshare = Command::new("unshare");
        unshare.args([user, "sh", "-c", &script, "sh"]).arg(stage.path("judge")).args(arguments);
        unshare.env("TMPDIR", stage.path("tmp")).env_remove("GITHUB_STEP_SUMMARY").stdin(Stdio::null());
        unshare.output().unwrap().into()
    }
}

#[test]
fn full_disks_for_reports_name_the_file() {
    let Some(stage) = Stage::together() else { return };
    let Some(disks) = Disks::make(&stage) else { return };
    let (solver, program) = (stage.solver("plain"), stage.text("solver"));
    let judged = ["run", "-p", "columns", "-s", &solver, "--seeds", "1-2", "--json"];

    let report = format!("{}/report.json", disks.full);
    let said = disks.run("\"$@\"", &[&judged[..], &[&report]].concat());
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains(&report) && said.stderr.contains("No space left"), "{}", said.stderr);
    assert!(said.stdout.contains("2 accepted"), "the table stands all the same: {}", said.stdout);

    let report = format!("{}/report.json", disks.sealed);
    let said = disks.run("\"$@\"", &[&judged[..], &[&report]].concat());
    assert_eq!((said.code, &*said.stdout), (Some(2), ""), "before anything runs: {}", said.stderr);
    assert!(said.stderr.contains(&report) && said.stderr.contains("Read-only"), "{}", said.stderr);

    let answer = format!("{}/answer", disks.full);
    let said = disks.run("\"$@\"", &["exec", "--stdout", &answer, "--", &program]);
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains(&answer) && said.stderr.contains("No space left"), "{}", said.stderr);

    let answer = format!("{}/answer", disks.sealed);
    let said = disks.run("\"$@\"", &["exec", "--stdout", &answer, "--", &program]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains(&answer) && said.stderr.contains("Read-only"), "{}", said.stderr);
}

#[test]
fn full_disks_for_journals_never_blame_the_solver() {
    let Some(stage) = Stage::together() else { return };
    let Some(disks) = Disks::make(&stage) else { return };
    let solver = stage.solver("plain");
    let judged = ["run", "-p", "columns", "-s", &solver, "--seeds", "1-2", "--json", "-"];
    for folder in [&disks.full, &disks.sealed] {
        let said = disks.run(&format!("cd {folder}; \"$@\""), &judged);
        let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        assert_eq!(of_cases(&report, "verdict"), ["accepted"; 2], "{}", said.stderr);
        assert!(said.code == Some(0) && said.stderr.contains("journal"), "{folder}: {}", said.stderr);
    }
    if !users_and_tiers(&stage).contains(&(None, "userns".to_owned())) {
        return;
    }
    // Outside the sandbox, where the checker reads the answer from a file.
    let problem = "[[problem]]\nid = \"own\"\ntrusted = true\nchecker-command = \"cat {answer}\"\ngenerator-command = \"true {seed}\"\nseeds = \"1\"\n";
    std::fs::write(stage.path("work").join("problems.toml"), problem).unwrap();
    let judged =
        ["run", "-p", "own", "-s", &solver, "--seeds", "1-2", "--no-journal", "--json", "-", "--tier", "userns"];
    let said = disks.run(&format!("TMPDIR={}/folder \"$@\"", disks.full), &judged);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{}", said.stderr));
    assert_eq!(of_cases(&report, "verdict"), ["judge-error"; 2], "{report}");
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    let note = report["cases"][0]["note"].as_str().unwrap();
    assert!(note.contains("No space left") && note.contains("/full/folder"), "{note}");
}

#[test]
fn unreadable_inputs_are_errors_with_the_file() {
    let Some(stage) = Stage::together() else { return };
    let pipe = stage.text("tmp/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (solver, program) = (stage.solver("plain"), stage.text("solver"));
    let folder = stage.text("tmp");
    for path in [&*pipe, &folder, "/no/such/file"] {
        let said = ended(&stage, &["exec", "--stdin", path, "--", &program]);
        assert_eq!(said.code, Some(2), "{path}: {}", said.stderr);
        assert!(said.stderr.contains(path), "{path}: {}", said.stderr);
        let said = ended(&stage, &["run", "-p", "columns", "-s", &solver, "--no-journal", "--inputs", path]);
        assert_eq!(said.code, Some(2), "{path}: {}", said.stderr);
        assert!(said.stderr.contains(path), "{path}: {}", said.stderr);
    }
    let secret = stage.path("tmp").join("secret");
    std::fs::write(&secret, "6 10\n").unwrap();
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    if !is_root() {
        skip(Need::Root, "a file of another user, which only root can make");
        return;
    }
    let secret = secret.to_str().unwrap();
    let user = Some(PLAIN_USER);
    let said = run(stage.judge_as(user, &["exec", "--stdin", secret, "--", &program]));
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains(secret) && said.stderr.contains("Permission denied"), "{}", said.stderr);
    let said = run(stage.judge_as(user, &["run", "-p", "columns", "-s", &solver, "--no-journal", "--inputs", secret]));
    assert!(said.code == Some(2) || said.code == Some(3), "{}", said.stderr);
    assert!(format!("{}{}", said.stdout, said.stderr).contains(secret), "{}", said.stdout);
}

/// Runs the judge, which must not wait without end.
fn ended(stage: &Stage, arguments: &[&str]) -> Said {
    unhurried("an unreadable input", || soon_ended(stage, arguments)).unwrap()
}

fn soon_ended(stage: &Stage, arguments: &[&str]) -> Said {
    let mut judge = Guarded(stage.judge(arguments).spawn().unwrap());
    let over = awaited(Duration::from_secs(20), &format!("{arguments:?} ends"), || judge.0.try_wait().unwrap());
    let mut texts = [String::new(), String::new()];
    std::io::Read::read_to_string(judge.0.stdout.as_mut().unwrap(), &mut texts[0]).unwrap();
    std::io::Read::read_to_string(judge.0.stderr.as_mut().unwrap(), &mut texts[1]).unwrap();
    let [stdout, stderr] = texts;
    Said { code: over.code(), stdout, stderr }
}
