//! Files that do not belong together are refused, and nothing is merged.

use super::{BOT, expect, play, sample};
use crate::support::Folder;

/// Expects that a merge is refused with this error and leaves no files.
fn refused(folder: &Folder, files: &[&str], error: &[&str]) {
    let said = expect(folder, &[&["merge", "--into", "into.db"], files].concat(), 2);
    for part in error {
        assert!(said.stderr.contains(part), "{part}: {}", said.stderr);
    }
    assert!(said.stderr.contains("nothing was merged") && said.stdout.is_empty(), "{}", said.stderr);
    assert!(!folder.path().join("into.db").exists());
}

#[test]
fn different_plans_are_refused_with_their_difference() {
    let folder = sample();
    folder.write("a.in", "5\n");
    let of = |name: &str, more: &[&str]| {
        let journal = format!("{name}.db");
        let arguments = [&BOT[..], more, &["--shard", "1/1", "--journal", &journal]].concat();
        let said = folder.judge(&arguments);
        assert!(matches!(said.code, Some(0 | 1)), "{}", said.stderr);
    };
    let file = ["--inputs", "a.in"];
    of("plain", &file);
    of("limits", &[&file[..], &["--cpu", "1s", "--memory", "100MiB"]].concat());
    of("environment", &[&file[..], &["--env", "A=1"]].concat());
    of("cases", &["--inputs", "a.in", "--seeds", "1"]);
    of("solvers", &[&file[..], &["-s", "./rival"]].concat());
    folder.write("a.in", "6\n");
    of("input", &file);
    folder.write("a.in", "5\n");
    folder.script("bot", "cat");
    of("solver", &file);
    folder.script("bot", "read -r n; [ \"$n\" = 7 ] && exit 3; echo \"$n\"");
    folder.script("check", "echo 1");
    of("checker", &file);
    for (name, what) in [
        ("limits", "--cpu: 1s, there "),
        ("limits", "--memory: 100 MiB, there "),
        ("environment", "--env: 'A=1', there none"),
        ("cases", "cases: 2 #"),
        ("solvers", "solver rival: #"),
        ("input", "content of the input files: #"),
        ("solver", "solver bot: #"),
        ("checker", "checker: ./check {input} {answer} #"),
    ] {
        let error = format!("error: {name}.db does not belong with plain.db: ");
        refused(&folder, &["plain.db", &format!("{name}.db")], &[&error, what]);
    }
    // The others are compared with the run of most files.
    std::fs::copy(folder.path().join("plain.db"), folder.path().join("copy.db")).unwrap();
    refused(&folder, &["input.db", "plain.db", "copy.db"], &["error: input.db does not belong with plain.db: "]);
}

#[test]
fn files_that_are_no_journal_are_refused() {
    let folder = sample();
    play(&folder, &BOT, 1, 2);
    let whole = std::fs::read(folder.path().join("1.db")).unwrap();
    folder.write("notes.db", "these are my notes, and no journal");
    folder.write("empty.db", "");
    folder.write("half.db", &whole[..whole.len() / 2 / 4096 * 4096]);
    folder.write("start.db", &whole[..60]);
    folder.write("newer.db", &whole);
    std::fs::create_dir(folder.path().join("folder.db")).unwrap();
    let newer = rusqlite::Connection::open(folder.path().join("newer.db")).unwrap();
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(newer);
    for (file, why) in [
        ("notes.db", "notes.db is no journal: it is no SQLite file"),
        ("empty.db", "empty.db is no journal: it is empty"),
        ("half.db", "half.db is no journal: it is cut off"),
        ("start.db", "start.db is no journal: it is cut off"),
        ("newer.db", "newer.db: unsupported schema version 99"),
        ("folder.db", "folder.db is no journal: it is a folder"),
        ("none.db", "cannot read the journal none.db"),
    ] {
        refused(&folder, &["1.db", file], &[why]);
    }
    refused(&folder, &["1.db", "notes.db", "empty.db"], &["notes.db is no journal", "empty.db is no journal"]);
    let said = expect(&folder, &["merge", "nothing-*.db"], 2);
    assert!(said.stderr.contains("no file matches `nothing-*.db`"), "{}", said.stderr);
    let said = expect(&folder, &["merge", "1.db", "--into", "1.db"], 2);
    assert!(said.stderr.contains("is the journal that is merged into"), "{}", said.stderr);
}

#[test]
fn a_journal_that_is_named_must_be_usable() {
    let folder = sample();
    folder.write("notes", "no journal");
    for (file, why) in [("notes", "is no journal"), ("no/such/1.db", "mkdir -p no/such"), (".", "is a directory")] {
        let said = expect(&folder, &[&BOT[..], &["--journal", file]].concat(), 2);
        assert!(said.stderr.contains(why), "{file}: {}", said.stderr);
    }
    let said = expect(&folder, &["history", "--journal", "none.db"], 2);
    assert!(said.stderr.contains("there is no journal none.db"), "{}", said.stderr);
    let said = expect(&folder, &[&BOT[..], &["--journal", "a.db", "--no-journal"]].concat(), 2);
    assert!(said.stderr.contains("cannot be used with"), "{}", said.stderr);
}
