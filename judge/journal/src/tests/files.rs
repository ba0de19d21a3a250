//! The journal's file: in another format or of another program, crafted, damaged, in places that cannot be written, and
//! removed during a run.

use super::*;
use crate::error::Result;
use crate::file::{self, Locks, Mode};
use crate::store::SCHEMA_VERSION;
use rusqlite::Connection;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Instant;

/// Opens the journal as one that cannot be written.
fn read_only(bench: &Bench) -> Result<Journal> {
    let path = Journal::path_in(&bench.path());
    Journal::read_only(&path, file::mode(&path)?)
}

#[test]
fn what_is_no_journal_is_refused_and_left_alone() {
    let bench = Bench::new(&["bot"], 1..=1);
    std::fs::create_dir_all(bench.path()).unwrap();
    let file = bench.path().join("journal.db");
    std::fs::write(&file, "my own notes, which are long enough to be no empty database".repeat(20)).unwrap();
    let before = std::fs::read(&file).unwrap();
    assert!(matches!(Journal::open(&bench.path()), Err(JournalError::Open { .. })));
    assert_eq!(std::fs::read(&file).unwrap(), before);

    let blocked = bench.folder.path().join("blocked");
    std::fs::write(&blocked, "").unwrap();
    assert!(matches!(Journal::open(&blocked.join(".judge")), Err(JournalError::Folder { .. })));
    assert!(Journal::open_to_read(&bench.folder.path().join("nothing")).unwrap().is_none());
}

#[test]
fn a_journal_that_cannot_be_written_can_be_read() {
    let bench = Bench::new(&["bot"], 1..=2);
    let run = bench.run(&[Some(1), Some(2)]);
    let mut journal = read_only(&bench).unwrap();
    assert_eq!(journal.stored_run(run).unwrap().cases.len(), 2);
    assert_eq!(journal.history(&HistoryFilter::default()).unwrap().len(), 1);
    assert!(matches!(journal.remove(run), Err(JournalError::Database(_))));
}

#[test]
fn a_journal_of_another_form_is_refused_and_left_alone() {
    let bench = Bench::new(&["bot"], 1..=1);
    bench.run(&[Some(5)]);
    let file = bench.path().join("journal.db");
    for form in [SCHEMA_VERSION - 1, SCHEMA_VERSION + 1] {
        set_schema_version(&file, form);
        let before = std::fs::read(&file).unwrap();
        let is_refused = |result| matches!(result, Err(JournalError::UnsupportedSchema { found, .. }) if found == form);
        assert!(is_refused(Journal::open(&bench.path()).map(drop)));
        assert!(is_refused(Journal::open_to_read(&bench.path()).map(drop)));
        assert!(is_refused(Journal::open_read_only(&file).map(drop)));
        assert!(is_refused(Journal::open_file(&file).map(drop)));
        assert!(is_refused(check(std::slice::from_ref(&file)).map_err(|error| match error {
            MergeError::Unusable(mut files) => files.remove(0).error,
            error => panic!("{error}"),
        })));
        assert!(std::fs::read(&file).unwrap() == before, "something was written to it");
    }
}

fn set_schema_version(file: &Path, form: u32) {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.pragma_update(None, "user_version", form).unwrap();
}

#[test]
fn a_journal_of_its_own_file_has_one_writer_and_no_shared_memory() {
    let bench = Bench::new(&["bot"], 1..=2);
    let file = bench.folder.path().join("3.db");
    let begin = || Recording::begin(Journal::open_file(&file).unwrap(), &bench.record());
    let mut recording = begin().unwrap();
    recording.append(&[finished(0, 0, Some(5))]).unwrap();
    let beside = || {
        let entries = bench.folder.path().read_dir().unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(beside(), ["3.db", "3.db-lock"], "no log, no shared memory");
    assert!(matches!(begin(), Err(JournalError::OtherWriter(Some(RunId(1))))));
    assert!(matches!(
        Recording::resume(Journal::open_file(&file).unwrap(), &bench.record(), &all_inputs),
        Err(JournalError::StillRunning(RunId(1)))
    ));
    let journal = Journal::open_file_to_read(&file).unwrap().unwrap();
    let run = journal.stored_run(RunId(1)).unwrap();
    assert_eq!((run.state, run.cases.len()), (RunState::Running, 1), "others read it meanwhile");
    drop(recording);
    assert_eq!(journal.stored_run(RunId(1)).unwrap().state, RunState::Killed);
    assert!(begin().is_ok());
    assert_eq!(beside(), ["3.db"]);
}

#[test]
fn removing_an_old_run_keeps_the_only_lock() {
    let bench = Bench::new(&["bot"], 1..=2);
    let file = bench.folder.path().join("3.db");
    let begin = || Recording::begin(Journal::open_file(&file).unwrap(), &bench.record());
    close(begin().unwrap(), None, Some(0));
    let running = begin().unwrap();
    running.commit_start().unwrap();
    let mut journal = Journal::open_file(&file).unwrap();
    journal.remove(RunId(1)).unwrap();
    assert_eq!(journal.stored_run(running.run()).unwrap().state, RunState::Running);
    assert!(matches!(begin(), Err(JournalError::OtherWriter(Some(run))) if run == running.run()));
}

#[test]
fn a_refused_judge_keeps_nobody_from_writing() {
    let bench = Bench::new(&["bot"], 1..=2);
    let file = bench.folder.path().join("3.db");
    let open = || Journal::open_file(&file).unwrap();
    let mut recording = Recording::begin(open(), &bench.record()).unwrap();
    recording.connection().unwrap().busy_timeout(Duration::ZERO).unwrap();
    let second = open();
    std::thread::scope(|scope| {
        let refused = scope.spawn(|| Recording::begin(second, &bench.record()));
        while !refused.is_finished() {
            std::thread::sleep(Duration::from_millis(200));
            recording.append(&[finished(0, 0, Some(5))]).unwrap();
        }
        assert!(matches!(refused.join().unwrap(), Err(JournalError::OtherWriter(Some(RunId(1))))));
    });
}

#[test]
fn a_lock_that_cannot_be_written_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    // Every write to this device fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", folder.path().join("run-1.lock")).unwrap();
    let taken = Locks { journal: folder.path().join("journal.db"), mode: Mode::Shared }.take(RunId(1));
    // Another test run may hold the device.
    if !matches!(taken, Err(JournalError::StillRunning(_))) {
        assert!(matches!(taken, Err(JournalError::Folder { .. })), "{taken:?}");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}

#[test]
fn a_copied_file_is_shared_once_nobody_writes() {
    let bench = Bench::new(&["bot"], 1..=2);
    let [file, copy] = [bench.folder.path().join("x.db"), bench.path().join("journal.db")];
    let begin = |journal| Recording::begin(journal, &bench.record());
    close(begin(Journal::open_file(&file).unwrap()).unwrap(), None, Some(0));
    std::fs::create_dir(bench.path()).unwrap();
    std::fs::copy(&file, &copy).unwrap();
    let writer = begin(Journal::open_to_write(&copy, Mode::OneWriter).unwrap()).unwrap();
    writer.commit_start().unwrap();
    let mut journal = bench.journal();
    assert_eq!(journal.stored_run(writer.run()).unwrap().state, RunState::Running);
    assert!(matches!(journal.remove(writer.run()), Err(JournalError::StillRunning(_))));
    assert!(matches!(begin(bench.journal()), Err(JournalError::OtherWriter(_))));
    let read = read_only(&bench).unwrap();
    assert_eq!(read.stored_run(writer.run()).unwrap().state, RunState::Running);
    drop((writer, journal, read));

    let first = begin(Journal::open_file(&copy).unwrap()).unwrap();
    first.commit_start().unwrap();
    let second = begin(bench.journal()).unwrap();
    assert_eq!((first.journal.locks.mode, second.journal.locks.mode), (Mode::Shared, Mode::Shared));
    assert!(!bench.path().join("journal.db-lock").exists());
}

#[test]
fn a_link_to_a_journal_has_the_same_locks() {
    let bench = Bench::new(&["bot"], 1..=2);
    let begin = |journal| Recording::begin(journal, &bench.record());
    let link = bench.folder.path().join("link.db");
    for shared in [false, true] {
        let file = if shared { bench.path().join("journal.db") } else { bench.folder.path().join("x.db") };
        let open = || if shared { bench.journal() } else { Journal::open_file(&file).unwrap() };
        // At first it leads to nothing.
        std::fs::create_dir_all(bench.path()).unwrap();
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let running = begin(if shared { open() } else { Journal::open_file(&link).unwrap() }).unwrap();
        running.commit_start().unwrap();
        let ways = [
            Journal::open_file_to_read(&link),
            Journal::open_read_only(&link),
            Journal::open_file(&link).map(Some),
            Ok(Some(open())),
        ];
        for journal in ways {
            let journal = journal.unwrap().unwrap();
            assert_eq!(journal.stored_run(running.run()).unwrap().state, RunState::Running, "shared: {shared}");
        }
    }
}

#[test]
fn a_half_commit_of_a_killed_writer_is_read_from_a_copy_and_taken_back_by_the_next_writer() {
    let bench = Bench::new(&["bot"], 1..=3);
    let file = bench.folder.path().join("killed.db");
    let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), &bench.record()).unwrap();
    recording.append(&[finished(0, 0, Some(5))]).unwrap();
    // If the cache is too small for the pages of a commit, they are written before the commit ends. Then the machine
    // fails: the disk then contains an incomplete commit.
    let connection = recording.connection().unwrap();
    connection.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE result SET note = 'half';").unwrap();
    connection.execute_batch("CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i, randomblob(900) FROM n").unwrap();
    let half = bench.folder.path().join("half.db");
    std::fs::copy(&file, &half).unwrap();
    std::fs::copy(bench.folder.path().join("killed.db-journal"), bench.folder.path().join("half.db-journal")).unwrap();
    let before = std::fs::read(&half).unwrap();

    let journal = Journal::open_file_to_read(&half).unwrap().unwrap();
    let run = journal.stored_run(RunId(1)).unwrap();
    assert_eq!((run.cases.len(), integrity(&journal)), (1, "ok".to_owned()));
    assert_eq!(run.cases.at(0).results[0].as_ref().unwrap().outcome.note, "");
    assert_eq!(std::fs::read(&half).unwrap(), before, "the reader wrote nothing");

    let half = Journal::open_file(&half).unwrap();
    let resumed = Recording::resume(half, &bench.record(), &all_inputs).unwrap();
    let Resumption::Found(resumed, known) = resumed else { panic!("the run is there") };
    let check = "PRAGMA integrity_check";
    let found: String = resumed.connection().unwrap().query_row(check, [], |row| row.get(0)).unwrap();
    assert_eq!((known.len(), &*found), (1, "ok"));
    assert!(!bench.folder.path().join("half.db-journal").exists());
}

#[test]
fn a_journal_with_any_name_is_only_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"a%25?#\xff\n"));
    drop(Journal::open_file(&path).unwrap());
    assert!(Journal::open_read_only(&path).unwrap().is_some());
}

#[test]
fn what_is_no_journal_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("notes"), "my own notes").unwrap();
    std::fs::create_dir(path("folder")).unwrap();
    let foreign = rusqlite::Connection::open(path("other.db")).unwrap();
    foreign.execute_batch("CREATE TABLE mine (a)").unwrap();
    for name in ["notes", "folder", "other.db"] {
        let is_refused = |result| matches!(result, Err(JournalError::NoJournal { .. }));
        assert!(is_refused(Journal::open_file(&path(name)).map(drop)), "{name}");
        assert!(is_refused(Journal::open_file_to_read(&path(name)).map(drop)), "{name}");
    }
    std::fs::create_dir_all(path(".judge/journal.db")).unwrap();
    for opened in [Journal::open(&path(".judge")).map(drop), Journal::open_to_read(&path(".judge")).map(drop)] {
        assert!(matches!(opened, Err(JournalError::NoJournal { why: "it is a folder", .. })), "{opened:?}");
    }
    assert_eq!(std::fs::read(path("notes")).unwrap(), b"my own notes");
    assert!(Journal::open_file_to_read(&path("none")).unwrap().is_none());
}

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

/// Reads everything that any command reads of a journal, until something cannot be read.
fn read_all(journal: &Journal) -> Result<()> {
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
    journal.best_by_input(&game, None)?;
    Watch::default().changes(journal)?;
    Ok(())
}

/// Opens a file in every way, reads all of it, and merges it. Returns the errors.
fn opened(file: &Path) -> Vec<String> {
    let started = Instant::now();
    let into = tempfile::tempdir().unwrap();
    let mut target = Journal::open(into.path()).unwrap();
    let looks = [Journal::open_file_to_read, Journal::open_read_only];
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

/// Changes that make a file one of another program: each could change the result of a query.
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

/// Values that no judge writes. Each of them is refused.
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
            let _ = Journal::readable_rows(&file);
        }
    }
}

/// Records a case, changes the folder, records the other case, and returns the final journal.
fn disturbed(bench: &Bench, disturb: impl FnOnce(&Path)) -> Journal {
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(1))]).unwrap();
    assert_eq!(recording.journal.rewritten_file, None);
    disturb(&bench.path());
    recording.append(&[finished(1, 0, Some(2))]).unwrap();
    assert!(recording.journal.rewritten_file.is_some(), "it is noticed with the next batch");
    recording.append(&[finished(2, 0, Some(3))]).unwrap();
    let totals = vec![None];
    recording.finish(&RunEnd { stop: None, elapsed: Duration::ZERO, rule: &Rule::Sum, decimals: 0, totals }).unwrap()
}

fn assert_whole(journal: &Journal) {
    assert_eq!((integrity(journal), journal.history(&HistoryFilter::default()).unwrap().len()), ("ok".to_owned(), 2));
    let run = journal.stored_run(RunId(2)).unwrap();
    assert_eq!((run.state, run.cases.len()), (RunState::Complete, 3));
}

#[test]
fn a_journal_that_is_removed_or_moved_in_mid_run_is_written_anew() {
    let disturbances: [fn(&Path); 5] = [
        |folder| std::fs::remove_dir_all(folder).unwrap(),
        |folder| std::fs::rename(folder, folder.with_file_name("away")).unwrap(),
        |folder| std::fs::remove_file(folder.join("journal.db")).unwrap(),
        |folder| std::fs::remove_file(folder.join("journal.db-wal")).unwrap(),
        |folder| std::fs::remove_file(folder.join("journal.db-shm")).unwrap(),
    ];
    for disturb in disturbances {
        let bench = Bench::new(&["bot"], 1..=3);
        bench.run(&[Some(7)]);
        drop(disturbed(&bench, disturb));
        assert_whole(&bench.journal());
        let left = bench.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(!left.collect::<Vec<_>>().iter().any(|name| name.ends_with(".lock")), "a lock stays behind");
    }
}

#[test]
fn what_is_in_the_place_of_a_journal_is_left_alone() {
    let bench = Bench::new(&["bot"], 1..=3);
    bench.run(&[Some(7)]);
    let journal = disturbed(&bench, |folder| {
        std::fs::remove_file(folder.join("journal.db")).unwrap();
        std::fs::write(folder.join("journal.db"), "mine").unwrap();
    });
    let path = bench.path().join("journal-run-2.db");
    assert_eq!(journal.rewritten_file.as_deref(), Some(&*path));
    drop(journal);
    assert_whole(&Journal::open_file_to_read(&path).unwrap().unwrap());
    assert_eq!(std::fs::read(bench.path().join("journal.db")).unwrap(), b"mine");
}

#[test]
fn a_journal_of_its_own_file_is_written_anew() {
    let bench = Bench::new(&["bot"], 1..=2);
    let file = bench.folder.path().join("own.db");
    let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), &bench.record()).unwrap();
    recording.append(&[finished(0, 0, Some(1))]).unwrap();
    std::fs::remove_file(&file).unwrap();
    recording.append(&[finished(1, 0, Some(2))]).unwrap();
    drop(recording);
    assert_eq!(Journal::open_file_to_read(&file).unwrap().unwrap().stored_run(RunId(1)).unwrap().cases.len(), 2);
}

#[test]
fn what_cannot_be_written_anew_is_gone() {
    let bench = Bench::new(&["bot"], 1..=2);
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(1))]).unwrap();
    std::fs::rename(bench.path(), bench.folder.path().join("away")).unwrap();
    std::fs::write(bench.path(), "").unwrap();
    assert!(matches!(recording.append(&[finished(1, 0, Some(2))]), Err(JournalError::Gone { .. })));
}
