//! The journal on bad disks, damaged, or of other judges: runs continue, and recorded data stays intact.

use crate::support::require::{Need, skip};
use crate::support::stage::{PLAIN_USER, Stage, is_root, json, run};
use crate::support::{Folder, Said};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A problem whose answers are their own scores, with a solver whose answers are long and always different.
const LONG: &str = r#"
[[problem]]
id = "long"
generator-command = "echo {seed}"
checker-command = "./check {input} {answer}"
seeds = "1-60"
"#;

const RUN: [&str; 5] = ["run", "-p", "long", "-s", "./bot"];

fn fill(folder: &Folder, under: &str, settings: &str) {
    folder.write(&format!("{under}problems.toml"), format!("{settings}{LONG}"));
    folder.script(&format!("{under}check"), "read score rest < \"$2\"; echo $score");
    folder.script(&format!("{under}bot"), "read seed; echo $seed; head -c 9000 /dev/urandom | od -An -tx1");
}

fn long() -> Folder {
    let folder = Folder::new();
    fill(&folder, "", "");
    folder
}

fn file(folder: &Folder) -> PathBuf {
    folder.path().join(".judge/journal.db")
}

fn integrity(file: &Path) -> String {
    let connection = Connection::open(file).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

/// All cases were played and shown, and a message says that they are not recorded, and why.
fn assert_unrecorded(said: &Said, code: i32, why: &str) {
    assert_eq!(said.code, Some(code), "{}", said.stderr);
    assert!(said.stdout.contains("sum 1830"), "{}", said.stdout);
    assert!(said.stderr.contains("warning: ") && said.stderr.contains("recorded: "), "{}", said.stderr);
    assert!(said.stderr.contains(why) && !said.stderr.contains("panicked"), "{}", said.stderr);
}

#[test]
fn a_full_disk_stops_recording_but_not_runs() {
    let Some(stage) = Stage::set() else { return };
    if !is_root() {
        skip(Need::Root, "a disk that is full, which only root can mount");
        return;
    }
    fill(&stage.folder, "work/", "");
    fs::create_dir(stage.path("work/.judge")).unwrap();
    // Files on the small disk disappear with the process that mounted it.
    let script = r#""$0" "$@"; code=$?; cp -r .judge kept; exit $code"#;
    let judge = stage.text("judge");
    let words = [&["/bin/sh", "-c", script, &judge][..], &RUN].concat();
    let said = run(stage.program_launched(&["small-disk", &stage.text("work/.judge")], &words));
    assert_unrecorded(&said, 3, "is no longer recorded");
    assert!(said.stderr.contains("full") && said.stderr.contains("records the rest"), "{}", said.stderr);

    fs::remove_dir(stage.path("work/.judge")).unwrap();
    fs::rename(stage.path("work/kept"), stage.path("work/.judge")).unwrap();
    assert_eq!(integrity(&stage.path("work/.judge/journal.db")), "ok");
    let history = json(stage.judge(&["history", "--json", "-"]));
    let done = history["runs"][0]["done"].as_u64().unwrap();
    assert!((1..60).contains(&done), "{done} of 60 cases found room");
    let resumed = run(stage.judge(&[&RUN[..], &["--resume"]].concat()));
    assert!(resumed.stderr.contains(&format!("continuing run 1: {done} case")), "{}", resumed.stderr);
    assert!(resumed.stdout.contains("sum 1830"), "{}", resumed.stdout);
    let check = run(stage.judge(&["check", "--run", "1"]));
    assert!(check.stdout.contains("60 answers as recorded"), "{}", check.stdout);
}

#[test]
fn a_read_only_folder_allows_runs_and_history() {
    let Some(stage) = Stage::set() else { return };
    fill(&stage.folder, "work/", "");
    assert_eq!(run(stage.judge(&RUN)).code, Some(0));
    let mode = |path: &str, mode| fs::set_permissions(stage.path(path), fs::Permissions::from_mode(mode)).unwrap();
    let before = fs::read(stage.path("work/.judge/journal.db")).unwrap();
    mode("work/.judge/journal.db", 0o444);
    mode("work/.judge", 0o555);
    // To root, everything can be written.
    let user = is_root().then_some(PLAIN_USER);
    assert_unrecorded(&run(stage.judge_as(user, &RUN)), 0, "this run is not recorded");
    assert_eq!(json(stage.judge_as(user, &["history", "--json", "-"]))["runs"].as_array().unwrap().len(), 1);
    mode("work/.judge", 0o755);
    assert!(fs::read(stage.path("work/.judge/journal.db")).unwrap() == before, "something was written to it");
}

#[test]
fn a_run_that_cannot_be_recorded_in_the_named_journal_does_not_start() {
    let folder = long();
    fs::create_dir(folder.path().join("named.db-lock")).unwrap();
    let said = folder.judge(&[&RUN[..], &["--journal", "named.db"]].concat());
    assert_eq!((said.code, &*said.stdout), (Some(3), ""), "{}", said.stderr);
    assert!(said.stderr.contains("error: cannot use the journal's folder"), "{}", said.stderr);
}

#[test]
fn a_broken_journal_is_reported_and_runs_continue() {
    let folder = long();
    assert_eq!(folder.judge(&RUN).code, Some(0));
    let mut bytes = fs::read(file(&folder)).unwrap();
    // The head of the file is as it should be.
    bytes[200..].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(file(&folder), &bytes).unwrap();
    assert_unrecorded(&folder.judge(&RUN), 0, "malformed");
    let said = folder.judge(&["history"]);
    assert!(matches!(said.code, Some(2 | 3)), "{:?} {}", said.code, said.stderr);
    assert!(said.stderr.contains("journal") && said.stderr.contains("malformed"), "{}", said.stderr);

    bytes.truncate(5000);
    fs::write(file(&folder), &bytes).unwrap();
    assert_unrecorded(&folder.judge(&RUN), 0, "malformed");
}

#[test]
fn another_schema_is_untouched_and_a_hint_helps() {
    let folder = long();
    folder.script("bot", "cat");
    assert_eq!(folder.judge(&RUN).code, Some(0));
    for form in [10, 99] {
        let connection = Connection::open(file(&folder)).unwrap();
        connection.execute_batch(&format!("PRAGMA user_version = {form}")).unwrap();
        drop(connection);
        let before = fs::read(file(&folder)).unwrap();
        assert_unrecorded(&folder.judge(&RUN), 0, &format!("unsupported schema version {form}"));
        let said = folder.judge(&["history"]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{}", said.stderr);
        assert!(said.stderr.contains(&format!("unsupported schema version {form}")), "{}", said.stderr);
        assert!(fs::read(file(&folder)).unwrap() == before, "something was written to it");
        let hint = said.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap();
        assert!(folder.judge(&RUN).stderr.contains(hint));
        let moved = Command::new("sh").args(["-c", hint]).current_dir(folder.path()).status().unwrap();
        assert!(moved.success());
        assert_eq!(folder.judge(&RUN).code, Some(0));
        assert_eq!(folder.judge(&["history"]).code, Some(0));
    }
}

#[test]
fn the_oldest_answers_are_dropped_first() {
    let folder = Folder::new();
    // The answers of a run have 1.6 MB, and compress to at least half of it.
    fill(&folder, "", "[journal]\nkeep-answers = \"2 MiB\"\n");
    for _ in 0..3 {
        assert_eq!(folder.judge(&RUN).code, Some(0));
    }
    let kept = |run: &str| {
        let said = folder.judge(&["check", "--run", run]);
        assert_eq!(said.stdout.contains("its answer is no longer stored"), said.code == Some(1), "{}", said.stdout);
        said.code == Some(0)
    };
    assert_eq!([kept("1"), kept("3")], [false, true]);
    let connection = Connection::open(file(&folder)).unwrap();
    let bytes: i64 = connection.query_row("SELECT sum(packed_bytes) FROM answer", [], |row| row.get(0)).unwrap();
    assert!((1 << 19..=2 << 20).contains(&bytes), "{bytes} bytes of answers");
    assert!(fs::metadata(file(&folder)).unwrap().len() < 3 << 20, "the file gives its room back");
}

#[test]
fn best_scores_keep_their_origin_across_three_machines() {
    let (first, second, third) = (long(), long(), long());
    assert_eq!(first.judge(&RUN).code, Some(0));
    let export = |folder: &Folder| {
        let said = folder.judge(&["best", "-p", "long", "--export", "sent.json"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        serde_json::from_slice::<Value>(&fs::read(folder.path().join("sent.json")).unwrap()).unwrap()
    };
    let sent = export(&first);
    for (from, to) in [(&first, &second), (&second, &third)] {
        export(from);
        // There has to be a journal to import into; this solver reaches less.
        to.script("less", "read seed; echo $((seed - 1))");
        assert_eq!(to.judge(&["run", "-p", "long", "-s", "./less"]).code, Some(0));
        let path = from.path().join("sent.json").display().to_string();
        let said = to.judge(&["best", "-p", "long", "--import", &path]);
        assert!(said.stderr.contains("imported 60 better scores"), "{}", said.stderr);
    }
    let arrived = export(&third);
    let origin = |document: &Value| {
        let row =
            |row: &Value| ["case", "score", "solver", "solver_hash", "host", "run", "date"].map(|key| row[key].clone());
        document["best"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(origin(&arrived), origin(&sent));
    assert!(origin(&sent)[0].iter().all(|field| !field.is_null()), "{sent}");
}
