//! Shards that are killed, still running, or missing.

use super::{BOT, expect, play, sample};
use crate::support::Folder;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const SLOW: &str = "read -r n; sleep 0.1; echo \"$n\"";

pub(super) fn start(folder: &Folder, arguments: &[&str]) -> Child {
    folder.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// How many results the newest run of a journal has.
pub(super) fn results(folder: &Folder, journal: &str) -> usize {
    let said = folder.judge(&["history", "show", "last", "--json", "-", "--journal", journal]);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap_or_default();
    report["cases"].as_array().map_or(0, Vec::len)
}

pub(super) fn wait_for(folder: &Folder, journal: &str, least: usize) {
    let started = Instant::now();
    while results(folder, journal) < least {
        assert!(started.elapsed() < Duration::from_secs(60), "{journal} has not {least} results");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "long: shards that wait for each other"]
fn a_running_shard_merges_and_a_killed_resumes() {
    let folder = sample();
    folder.script("bot", SLOW);
    let command = [&BOT[..], &["--seeds", "1-60", "--jobs", "1"]].concat();
    play(&folder, &command, 1, 2);
    let second = [&command[..], &["--shard", "2/2", "--journal", "2.db"]].concat();
    let mut judge = start(&folder, &second);
    wait_for(&folder, "2.db", 3);
    let said = expect(&folder, &["merge", "1.db", "2.db", "--into", "all.db"], 0);
    assert!(said.stdout.contains("and is running in "), "{}", said.stdout);
    let shown = expect(&folder, &["history", "--journal", "all.db"], 0).stdout;
    assert!(shown.contains("partial"), "{shown}");

    // A second writer would spoil the file.
    let said = expect(&folder, &second, 2);
    assert!(said.stderr.contains("another judge records run 1 in the same journal"), "{}", said.stderr);

    judge.kill().unwrap();
    judge.wait().unwrap();
    let before = results(&folder, "2.db");
    let said = expect(&folder, &["merge", "2.db", "--into", "all.db"], 0);
    let (_, rest) = said.stdout.split_once("and is killed: ").unwrap_or_else(|| panic!("{}", said.stdout));
    let resume = rest.lines().next().unwrap();
    assert!(resume.starts_with("judge run -p echo") && resume.ends_with(" --resume"), "{resume}");
    let resumed = by_shell(&folder, resume);
    assert!(resumed.contains(&format!("continuing run 1: {before} case")), "{resumed}");
    let said = expect(&folder, &["merge", "2.db", "--into", "all.db"], 0);
    assert!(said.stdout.contains("60 of 60 cases, 2 of 2 shards, complete"), "{}", said.stdout);
    let leftovers: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let is_left = |name: &str| name.contains(".db-");
    assert!(!leftovers.iter().any(|name| is_left(&name.to_string_lossy())), "{leftovers:?}");
}

/// Runs a command that the judge has printed, and returns its output.
fn by_shell(folder: &Folder, command: &str) -> String {
    let bin = folder.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let _ = std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_judge"), bin.join("judge"));
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", command]).current_dir(folder.path()).env("PATH", path);
    let output = shell.env("JUDGE_CACHE", folder.path().join(".judge-cache")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn missing_cases_come_with_their_command() {
    let folder = sample();
    folder.script("bot", "cat");
    let command = [&BOT[..], &["--json", "report.json"]].concat();
    for shard in [1, 3] {
        play(&folder, &command, shard, 4);
    }
    let said = expect(&folder, &["merge", "1.db", "3.db"], 0);
    let missing: Vec<&str> =
        said.stdout.lines().filter_map(|line| line.split_once(" is missing: ")).map(|(_, c)| c).collect();
    assert_eq!(missing.len(), 2, "{}", said.stdout);
    assert_eq!(missing[0], "judge run -p echo -s ./bot --shard 2/4 --journal shard-2-of-4.db");
    let (_, shown) = folder.json(&["history", "show", "last"]);
    assert_eq!(shown["interrupted"], false, "its other cases were not run yet: {shown}");
    for command in missing {
        by_shell(&folder, command);
    }
    let said = expect(&folder, &["merge", "shard-*.db"], 0);
    assert!(said.stdout.contains("12 of 12 cases, 4 of 4 shards, complete"), "{}", said.stdout);
    let (_, history) = folder.json(&["history"]);
    assert_eq!((&history["runs"][0]["state"], history["runs"][0]["done"].as_u64()), (&"complete".into(), Some(12)));
    assert!(history["runs"][0]["total"].is_number() || history["runs"][0]["total"].is_string(), "{history}");
}

#[test]
fn flags_come_before_solvers_behind_two_hyphens() {
    let folder = sample();
    folder.script("bot", "cat");
    let first = ["run", "-p", "echo", "--shard", "1/2", "--journal", "1.db", "--", "./bot"];
    expect(&folder, &first, 0);
    let said = expect(&folder, &["merge", "1.db"], 0);
    let (_, missing) = said.stdout.lines().find_map(|line| line.split_once(" is missing: ")).unwrap();
    assert_eq!(missing, "judge run -p echo --shard 2/2 --journal shard-2-of-2.db -- ./bot");
    by_shell(&folder, missing);
    let said = expect(&folder, &["merge", "shard-*.db"], 0);
    assert!(said.stdout.contains("12 of 12 cases, 2 of 2 shards, complete"), "{}", said.stdout);
}

#[test]
fn a_restarted_task_takes_recorded_results() {
    let folder = sample();
    folder.script("bot", "cat");
    play(&folder, &BOT, 1, 2);
    let journal = rusqlite::Connection::open(folder.path().join("1.db")).unwrap();
    // As another machine would have recorded it.
    let sql = "UPDATE run SET state = 'open', conditions = zeroblob(32), cpu_model = 'another'; UPDATE result SET note = 'there'";
    journal.execute_batch(sql).unwrap();
    drop(journal);
    let again = [&BOT[..], &["--shard", "1/2", "--journal", "1.db", "--resume"]].concat();
    let said = expect(&folder, &again, 0);
    assert!(said.stderr.contains("recorded results of this shard"), "{}", said.stderr);
    play(&folder, &BOT, 2, 2);
    let said = expect(&folder, &["merge", "1.db", "2.db"], 0);
    assert!(said.stdout.contains("12 of 12 cases, 2 of 2 shards, complete"), "{}", said.stdout);
    assert!(said.stdout.contains("it was played on 2 processor models"), "{}", said.stdout);
    let shown = expect(&folder, &["history", "show", "last"], 0).stdout;
    assert!(shown.contains("another, tier ") && shown.contains("times are compared within a model only"), "{shown}");
}
