//! Runs that no judge follows. Test commands replace Slurm's and print what the test needs.

use super::results;
use crate::support::client::Server;
use crate::support::{Folder, Said, of_cases};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const ECHO: &str = r#"
[[problem]]
id = "echo"
generator-command = "echo {seed}"
checker-command = "./check {input} {answer}"
seeds = "1-3"
limits = { cpu = "1s" }
"#;

const DOWN: &str = "down";

/// A user with a run that was left on a cluster.
struct User {
    folder: Folder,
}

impl User {
    fn new() -> Self {
        let folder = Folder::new();
        folder.write("problems.toml", ECHO);
        folder.script("check", "cat \"$2\"");
        folder.script("plain", "cat");
        let here = folder.path().display();
        folder.script("bin/sbatch", &format!("echo sbatch >> {here}/calls; echo 222"));
        folder.script("bin/scancel", &format!("echo scancel \"$@\" >> {here}/calls; echo COMPLETED > {here}/state"));
        folder.script(
            "bin/squeue",
            &format!(
                "echo squeue >> {here}/calls\nstate=$(cat {here}/state)\n\
                 [ $state = {DOWN} ] && {{ echo 'Unable to contact slurm controller (connect failure)' >&2; exit 1; }}\n\
                 case \"$*\" in\n\
                 *%Z*) for folder in {here}/judge-run.*; do echo \"222|$folder\"; done ;;\n\
                 *--jobs=222*) echo \"222|0|$state|n1|None\" ;;\n\
                 esac"
            ),
        );
        let user = Self { folder };
        user.set("PENDING");
        user
    }

    /// A user with a run that waits on the cluster.
    fn with_run() -> Self {
        let user = Self::new();
        let said = user.judge(&[&RUN[..], &["--detach"]].concat());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        user
    }

    fn set(&self, state: &str) {
        self.folder.write("state", state);
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.folder.command(words);
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.folder.path().join("bin").display()));
        command
    }

    fn judge(&self, words: &[&str]) -> Said {
        self.command(words).output().unwrap().into()
    }

    fn json(&self, words: &[&str]) -> Value {
        let said = self.judge(&[words, &["--json", "-"]].concat());
        serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}\n{}\n{}", said.stdout, said.stderr))
    }

    /// How often a command of Slurm was called.
    fn calls(&self, command: &str) -> usize {
        let calls = fs::read_to_string(self.folder.path().join("calls")).unwrap_or_default();
        calls.lines().filter(|line| line.split(' ').next() == Some(command)).count()
    }

    /// The folders of runs.
    fn run_folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("judge-run.")).collect()
    }

    /// Returns whether the task of this number succeeds.
    fn task(&self, number: &str) -> bool {
        let mut task = Command::new("sh");
        task.arg(self.run_folders()[0].join("task.sh"));
        task.env("SLURM_ARRAY_JOB_ID", "222").env("SLURM_ARRAY_TASK_ID", number).status().unwrap().success()
    }

    /// Has a task play the run.
    fn play(&self) {
        assert!(self.task("0"));
        self.set("COMPLETED");
    }

    fn state(&self) -> Value {
        self.json(&["history"])["runs"][0]["state"].clone()
    }

    fn check_complete(&self) {
        assert_eq!(self.state(), "complete");
        assert_eq!(results(&self.json(&["history", "show", "1"])).len(), 3);
        assert_eq!(self.run_folders(), [] as [PathBuf; 0]);
        assert_eq!(self.calls("sbatch"), 1);
    }
}

const RUN: [&str; 7] = ["run", "-p", "echo", "-s", "./plain", "--on", "slurm"];

#[test]
fn a_running_job_is_not_submitted_twice() {
    let user = User::with_run();
    for (state, says) in [
        ("PENDING", "waits on Slurm (job 222)"),
        ("RUNNING", "runs on Slurm (job 222)"),
        ("SUSPENDED", "runs on Slurm (job 222)"),
        ("COMPLETING", "runs on Slurm (job 222)"),
        (DOWN, "may run on Slurm (job 222)"),
    ] {
        user.set(state);
        let row = &user.json(&["history"])["runs"][0];
        assert_eq!((&row["state"], &row["detached"]), (&"detached".into(), &says.into()), "{row}");
        let shown = user.json(&["history", "show", "1"]);
        assert_eq!((&shown["interrupted"], &shown["detached"]), (&false.into(), &says.into()), "{shown}");
        for words in [&["history"][..], &["history", "show", "last"]] {
            let text = user.judge(words).stdout;
            assert!(text.contains(says) && !text.contains("interrupted"), "{text}");
        }
        let resume = user.judge(&[&RUN[..], &["--resume"]].concat());
        let remove = user.judge(&["history", "rm", "1"]);
        for said in [&resume, &remove] {
            assert_eq!(said.code, Some(2), "{}", said.stderr);
            assert!(said.stderr.contains(says) && said.stderr.contains("judge run --attach 1"), "{}", said.stderr);
            assert_eq!(said.stderr.contains("Unable to contact slurm controller"), state == DOWN, "{}", said.stderr);
        }
        assert!(remove.stderr.contains("judge history rm 1 --cancel"), "{}", remove.stderr);
    }
    assert_eq!((user.calls("sbatch"), user.calls("scancel"), user.run_folders().len()), (1, 0, 1));

    // A run that cannot be cancelled stays.
    user.folder.script("bin/scancel", "exit 1");
    assert_eq!(user.judge(&["history", "rm", "1", "--cancel"]).code, Some(3));
    assert_eq!((user.state(), user.run_folders().len()), ("detached".into(), 1));
}

#[test]
fn the_page_shows_the_state_of_a_job() {
    let user = User::with_run();
    let server = Server::of(user.command(&["ui", "--port", "0"]));
    for (state, says) in [("PENDING", "waits on Slurm (job 222)"), ("RUNNING", "runs on Slurm (job 222)")] {
        user.set(state);
        let (rows, run) = (server.json("/api/runs"), server.json("/api/runs/1"));
        for shown in [&rows["runs"][0], &run] {
            assert_eq!((&shown["state"], &shown["detached"]), (&"detached".into(), &says.into()), "{shown}");
        }
    }
    user.play();
    assert_eq!(server.json("/api/runs/1")["detached"], "has ended on Slurm (job 222)");
    assert_eq!(user.judge(&["run", "--attach", "1"]).code, Some(0));
    let run = server.json("/api/runs/1");
    assert_eq!((&run["state"], &run["detached"]), (&"complete".into(), &Value::Null), "{run}");
}

#[test]
fn removing_several_runs_is_all_or_none() {
    let user = User::with_run();
    user.set("RUNNING");
    assert_eq!(user.judge(&["run", "-p", "echo", "-s", "./plain"]).code, Some(0));
    let said = user.judge(&["history", "rm", "2", "1"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert_eq!(user.json(&["history"])["runs"].as_array().unwrap().len(), 2);
    let said = user.judge(&["history", "rm", "2", "1", "--cancel"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(user.json(&["history"])["runs"], Value::Array(Vec::new()));
    assert_eq!((user.calls("scancel"), user.run_folders().len()), (1, 0));
}

#[test]
fn attach_and_resume_collect_results() {
    for collect in [&["run", "--attach", "1"][..], &[&RUN[..], &["--resume"]].concat()] {
        let user = User::with_run();
        user.play();
        let said = user.judge(&["history"]);
        assert!(said.stdout.contains("has ended on Slurm (job 222)"), "{}", said.stdout);
        assert!(said.stderr.contains("collect its results with: judge run --attach 1"), "{}", said.stderr);
        let said = user.judge(collect);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        user.check_complete();
    }
}

#[test]
fn a_failed_task_loses_no_results_of_others() {
    let user = User::with_run();
    user.play();
    let plan = user.run_folders()[0].join("plan.json");
    let text = fs::read(&plan).unwrap();
    fs::write(&plan, "no plan").unwrap();
    assert!(!user.task("1"));
    fs::write(&plan, text).unwrap();
    let said = user.judge(&["run", "--attach", "1"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    user.check_complete();
}

#[test]
fn an_attached_run_reports_what_it_had() {
    let user = User::with_run();
    user.play();
    assert_eq!(user.judge(&["run", "--attach", "1"]).code, Some(0));
    // As if the job had ended before the last case.
    let journal = Connection::open(user.folder.path().join(".judge/journal.db")).unwrap();
    let sql = "UPDATE run SET state = 'open'; DELETE FROM cluster_job; DELETE FROM best_result;
               DELETE FROM result WHERE place >= 2;";
    journal.execute_batch(sql).unwrap();
    drop(journal);
    user.set("PENDING");
    let said = user.judge(&[&RUN[..], &["--detach", "--resume"]].concat());
    assert!(said.code == Some(0) && said.stderr.contains("2 cases are done"), "{}", said.stderr);
    user.play();
    let report = user.json(&["run", "--attach", "last"]);
    assert_eq!(of_cases(&report, "verdict"), [&Value::from("accepted"); 3], "{report}");
}

#[test]
fn reused_results_keep_their_features() {
    let user = User::new();
    user.folder.write("problems.toml", format!("{ECHO}[problem.features]\nN = '^([0-9]+)'\n"));
    assert_eq!(user.judge(&[&RUN[..], &["--detach"]].concat()).code, Some(0));
    user.play();
    let attached = user.json(&["run", "--attach", "1"]);
    let reused = user.json(&[&RUN[..], &["--reuse"]].concat());
    for report in [attached, reused] {
        let features: Vec<&Value> = of_cases(&report, "features").into_iter().map(|features| &features["N"]).collect();
        assert_eq!(features, [1, 2, 3], "{report}");
    }
    assert_eq!(user.calls("sbatch"), 1);
}

#[test]
fn a_judge_killed_late_leaves_collectable_results() {
    let user = User::with_run();
    user.play();
    let cancelling = user.folder.path().join("cancelling");
    user.folder.script("bin/scancel", &format!("touch {}; sleep 60", cancelling.display()));
    let mut judge = user.command(&["run", "--attach", "1"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    while !cancelling.exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    judge.kill().unwrap();
    judge.wait().unwrap();
    assert_eq!((user.state(), user.run_folders().len()), ("detached".into(), 1));
    user.folder.script("bin/scancel", "");
    assert_eq!(user.judge(&["run", "--attach", "1"]).code, Some(0));
    user.check_complete();
}

#[test]
fn a_kill_during_submission_submits_nothing_twice() {
    for collect in [&["run", "--attach", "1"][..], &[&RUN[..], &["--resume"]].concat()] {
        let user = User::new();
        let (here, submitted) = (user.folder.path().display().to_string(), user.folder.path().join("submitted"));
        user.folder
            .script("bin/sbatch", &format!("echo sbatch >> {here}/calls; touch {here}/submitted; sleep 10; echo 222"));
        let mut judge = user.command(&RUN).spawn().unwrap();
        while !submitted.exists() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        judge.kill().unwrap();
        judge.wait().unwrap();
        assert_eq!((user.state(), user.run_folders().len()), ("detached".into(), 1));
        let resume = user.judge(&[&RUN[..], &["--resume"]].concat());
        assert!(resume.code == Some(2) && resume.stderr.contains("waits on Slurm (job 222)"), "{}", resume.stderr);
        user.play();
        let said = user.judge(collect);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        user.check_complete();
    }
}

#[test]
fn a_refused_submission_leaves_no_job() {
    let user = User::new();
    user.folder.script("bin/sbatch", "echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1");
    let said = user.judge(&RUN);
    assert!(said.code == Some(2) && said.stderr.contains("invalid partition"), "{}", said.stderr);
    let said = user.judge(&["run", "--attach", "last"]);
    assert!(said.code == Some(2) && said.stderr.contains("was not run on a cluster"), "{}", said.stderr);
    assert_ne!(user.state(), "detached");
}

#[test]
fn the_run_folder_outlives_an_unrecorded_end() {
    let user = User::with_run();
    user.play();
    let folder = user.run_folders().remove(0);
    // It takes a while to remove.
    for number in 0..20_000 {
        fs::write(folder.join(format!("files/{number}")), "").unwrap();
    }
    let mut judge = user.command(&["run", "--attach", "1"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    while folder.join("plan.json").exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    judge.kill().unwrap();
    judge.wait().unwrap();
    user.check_complete();
}

#[test]
fn remains_of_a_complete_run_are_removed() {
    for look in [&["history"][..], &["history", "show", "1"], &["run", "--attach", "1"], &["history", "rm", "1"]] {
        let user = User::with_run();
        user.play();
        let folder = user.run_folders().remove(0);
        assert_eq!(user.judge(&["run", "--attach", "1"]).code, Some(0));
        fs::create_dir_all(folder.join("results")).unwrap();
        let asked = user.calls("squeue");
        let said = user.judge(look);
        assert!(!folder.exists(), "{look:?}: {}", said.stderr);
        assert_eq!(look[0] == "run", said.stderr.contains("run 1 is complete"), "{}", said.stderr);
        assert_eq!(user.calls("squeue"), asked, "a complete run needs no question");
    }
}

#[test]
fn folders_of_others_are_left_alone() {
    let user = User::with_run();
    user.play();
    let folder = user.run_folders().remove(0);
    assert_eq!(user.judge(&["run", "--attach", "1"]).code, Some(0));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("thesis.tex"), "").unwrap();
    assert_eq!(user.state(), "complete");
    assert!(folder.join("thesis.tex").exists());
}
