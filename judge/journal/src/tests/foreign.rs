//! Journals that were crafted: each is refused or read in little time and memory, and nothing in it runs.

use super::*;
use rusqlite::Connection;
use std::path::PathBuf;
use std::time::Instant;

/// Writes a journal of two cases, changes it by these statements, and returns it.
fn crafted(bench: &Bench, name: &str, sql: &str) -> PathBuf {
    let good = bench.path().join("journal.db");
    if !good.exists() {
        bench.run(&[Some(1), Some(2)]);
    }
    let file = bench.folder.path().join(name);
    let good = Connection::open(good).unwrap();
    good.execute("VACUUM INTO ?1", [file.to_str().unwrap()]).unwrap();
    let connection = Connection::open(&file).unwrap();
    connection.execute_batch(sql).unwrap_or_else(|error| panic!("{name}: {error}"));
    file
}

/// What every command reads of a journal, until something cannot be read.
fn read_all(journal: &Journal) -> Result<(), JournalError> {
    let catalogue = Catalogue::built_in(Path::new("/")).unwrap();
    let game = judge_run::command::game_of(catalogue.find("columns").unwrap());
    journal.history(&HistoryFilter::default())?;
    if let Some(run) = journal.newest()? {
        for case in journal.stored_run(run)?.cases.iter() {
            for result in case.results.iter().flatten() {
                result.answer.map(|id| journal.answer(id)).transpose()?;
            }
        }
    }
    journal.best(&game, None)?;
    journal.best_by_input(&game)?;
    Watch::default().look(journal)?;
    Ok(())
}

/// Opens a file in every way, reads all of it, and merges it. Returns the errors.
fn opened(file: &Path) -> Vec<String> {
    let started = Instant::now();
    let into = tempfile::tempdir().unwrap();
    let mut target = Journal::open(into.path()).unwrap();
    let looks = [Journal::look_file, Journal::look_only];
    let looked = looks.map(|look| look(file).and_then(|journal| read_all(&journal.unwrap())));
    let mut errors: Vec<String> = looked.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
    errors.extend(Journal::open_file(file).and_then(|journal| read_all(&journal)).err().map(|error| error.to_string()));
    match merge(&mut target, &[file.to_owned()], Retention::All) {
        Ok(merged) => {
            let read = target.stored_run(merged.run).map(drop);
            read.unwrap_or_else(|error| panic!("{} has damaged the target: {error}", file.display()));
        }
        Err(MergeError::Target(error)) => panic!("the target is blamed for {}: {error}", file.display()),
        Err(error) => errors.push(error.to_string()),
    }
    assert!(errors.iter().all(|error| error.len() < 2000), "{}: a message of any length", file.display());
    assert!(started.elapsed() < Duration::from_secs(5), "{}: {:?}", file.display(), started.elapsed());
    errors
}

/// What makes a file one of another program: something that decides what a query does.
const ALTERED: [(&str, &str); 12] = [
    ("trigger", "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM result; END"),
    (
        "recursive",
        "DROP TABLE tag; CREATE VIEW tag AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 1 AS run, x AS name FROM c",
    ),
    ("view", "ALTER TABLE node RENAME TO node_; CREATE VIEW node AS SELECT * FROM node_"),
    ("other-view", "CREATE VIEW mine AS SELECT * FROM run"),
    ("generated", "ALTER TABLE run ADD COLUMN more TEXT AS (hex(zeroblob(100000000)))"),
    ("expression", "CREATE INDEX i ON run (hex(zeroblob(1000)))"),
    ("partial", "CREATE INDEX i ON entrant (run) WHERE name > 'a'"),
    (
        "virtual",
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING fts5(a)')",
    ),
    ("rowid", "DROP TABLE tag; CREATE TABLE tag (run INTEGER NOT NULL, name TEXT NOT NULL)"),
    (
        "without",
        "DROP TABLE answer_body; CREATE TABLE answer_body (answer INTEGER PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID",
    ),
    ("table", "CREATE TABLE mine (a)"),
    ("missing", "DROP TABLE node"),
];

#[test]
fn a_file_with_other_tables_views_or_triggers_is_refused() {
    let bench = Bench::new(&["bot"], 1..=2);
    for (name, sql) in ALTERED {
        let file = crafted(&bench, name, sql);
        let before = std::fs::read(&file).unwrap();
        let errors = opened(&file);
        assert_eq!(errors.len(), 4, "{name}: {errors:?}");
        assert!(errors.iter().all(|error| error.contains("no judge has made")), "{name}: {errors:?}");
        assert!(std::fs::read(&file).unwrap() == before, "{name}: something was written to it");
    }
}

/// Values that no judge writes, and of which each is refused.
const VALUES: [(&str, &str); 16] = [
    ("length", "UPDATE answer SET bytes = 1 << 60"),
    ("negative-length", "UPDATE answer SET bytes = -1"),
    ("bomb", "UPDATE answer SET bytes = 1 << 31; UPDATE answer_body SET packed = zeroblob(1000)"),
    ("digits", "UPDATE result SET score = printf('%.*c', 5000000, '9')"),
    ("exponent", "UPDATE result SET score = '1e999999999'"),
    ("no-score", "UPDATE result SET score = 'five'"),
    ("long", "UPDATE result SET stderr = hex(zeroblob(20000000))"),
    ("long-command", "UPDATE run SET command = hex(zeroblob(20000000))"),
    ("long-name", "UPDATE game_case SET name = hex(zeroblob(20000000)) WHERE id = 1"),
    ("count", "UPDATE run SET case_count = 9223372036854775807"),
    ("negative-count", "UPDATE run SET case_count = -1"),
    ("negative-memory", "UPDATE result SET memory = -1"),
    ("verdict", "UPDATE result SET verdict = printf('%.*c', 1000000, 'a')"),
    ("tier", "UPDATE run SET tier = 'none'"),
    ("utf-8", "UPDATE run SET command = CAST(x'ff00ff' AS TEXT)"),
    ("utf-8-note", "UPDATE result SET note = CAST(x'ff' AS TEXT)"),
];

#[test]
fn values_that_no_judge_writes_are_damage() {
    let bench = Bench::new(&["bot"], 1..=2);
    for (name, sql) in VALUES {
        let errors = opened(&crafted(&bench, name, sql));
        assert!(errors.len() >= 3, "{name}: {errors:?}");
        assert!(errors.iter().all(|error| error.contains("damaged")), "{name}: {errors:?}");
    }
}

/// Unusual values that may be read, and must not hurt.
const UNUSUAL: [&str; 5] = [
    "UPDATE entrant SET total = printf('%.*c', 5000000, '9'), done = 9223372036854775807 WHERE 0",
    "UPDATE entrant SET total = printf('%.*c', 5000000, '9')",
    "UPDATE run SET elapsed_us = 9223372036854775807, cpu_limit_us = -1, memory_limit = 9223372036854775807",
    "UPDATE result SET note = char(0) || char(27) || ']0;owned', cpu_us = 9223372036854775807, wall_us = -5",
    "UPDATE result SET rank = x''; UPDATE best_result SET rank = zeroblob(100000)",
];

#[test]
fn unusual_values_do_not_hurt() {
    let bench = Bench::new(&["bot"], 1..=2);
    for (number, sql) in UNUSUAL.iter().enumerate() {
        opened(&crafted(&bench, &format!("unusual-{number}"), sql));
    }
}

#[test]
fn broken_pages_are_damage_or_are_read() {
    let bench = Bench::new(&["bot"], 1..=2);
    let good = std::fs::read(crafted(&bench, "good", "")).unwrap();
    let file = bench.folder.path().join("broken");
    for step in [37, 501, 4096, 4099] {
        for first in [100, 200, 4096, 8197] {
            let mut bytes = good.clone();
            bytes.iter_mut().skip(first).step_by(step).for_each(|byte| *byte ^= 0x41);
            std::fs::write(&file, &bytes).unwrap();
            opened(&file);
            let _ = Journal::legible(&file);
        }
    }
}
