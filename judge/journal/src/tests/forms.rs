//! Files of other forms, of other programs, and in places that cannot be written.

use super::super::schema::FORM;
use super::*;

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
    assert!(Journal::look(&bench.folder.path().join("nothing")).unwrap().is_none());
}

#[test]
fn a_journal_that_cannot_be_written_can_be_read() {
    let bench = Bench::new(&["bot"], 1..=2);
    let run = bench.run(&[Some(1), Some(2)]);
    let mut journal = Journal::open_read_only(&bench.path()).unwrap();
    assert_eq!(journal.stored_run(run).unwrap().cases.len(), 2);
    assert_eq!(journal.history(&HistoryFilter::default()).unwrap().len(), 1);
    assert!(matches!(journal.remove(run), Err(JournalError::Database(_))));
}

#[test]
fn a_journal_of_another_form_is_refused_and_left_alone() {
    let bench = Bench::new(&["bot"], 1..=1);
    bench.run(&[Some(5)]);
    let file = bench.path().join("journal.db");
    for form in [FORM - 1, FORM + 1] {
        bench_form(&file, form);
        let before = std::fs::read(&file).unwrap();
        let is_refused = |result| matches!(result, Err(JournalError::OtherForm { found, .. }) if found == form);
        assert!(is_refused(Journal::open(&bench.path()).map(drop)));
        assert!(is_refused(Journal::look(&bench.path()).map(drop)));
        assert!(is_refused(Journal::look_only(&file).map(drop)));
        assert!(is_refused(Journal::open_file(&file).map(drop)));
        assert!(is_refused(check(std::slice::from_ref(&file)).map_err(|error| match error {
            MergeError::Unusable(mut files) => files.remove(0).error,
            error => panic!("{error}"),
        })));
        assert!(std::fs::read(&file).unwrap() == before, "something was written to it");
    }
}

fn bench_form(file: &Path, form: u32) {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.pragma_update(None, "user_version", form).unwrap();
}

#[test]
fn a_journal_of_its_own_file_has_one_writer_and_no_shared_memory() {
    let bench = Bench::new(&["bot"], 1..=2);
    let file = bench.folder.path().join("3.db");
    let begin = || Recording::begin(Journal::open_file(&file).unwrap(), Retention::All, &bench.record());
    let mut recording = begin().unwrap();
    recording.append(&[finished(0, 0, Some(5))]).unwrap();
    let beside = || {
        let entries = bench.folder.path().read_dir().unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(beside(), ["3.db", "3.db-lock"], "no log, no shared memory");
    assert!(matches!(begin(), Err(JournalError::OtherWriter(RunId(1)))));
    assert!(matches!(
        Recording::resume(Journal::open_file(&file).unwrap(), Retention::All, &bench.record(), &all_inputs),
        Err(JournalError::StillRunning(RunId(1)))
    ));
    let journal = Journal::look_file(&file).unwrap().unwrap();
    let run = journal.stored_run(RunId(1)).unwrap();
    assert_eq!((run.state, run.cases.len()), (RunState::Running, 1), "others read it meanwhile");
    drop(recording);
    assert_eq!(journal.stored_run(RunId(1)).unwrap().state, RunState::Killed);
    assert!(begin().is_ok());
    assert_eq!(beside(), ["3.db"]);
}

#[test]
fn a_half_commit_of_a_killed_writer_is_read_from_a_copy_and_taken_back_by_the_next_writer() {
    let bench = Bench::new(&["bot"], 1..=3);
    let file = bench.folder.path().join("killed.db");
    let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), Retention::All, &bench.record()).unwrap();
    recording.append(&[finished(0, 0, Some(5))]).unwrap();
    // The pages of a commit are written before it is done when the cache is too small for them. Then the machine fails: what
    // is on the disk at that moment is a half commit.
    let connection = recording.connection().unwrap();
    connection.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE result SET note = 'half';").unwrap();
    connection.execute_batch("CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i, randomblob(900) FROM n").unwrap();
    let half = bench.folder.path().join("half.db");
    std::fs::copy(&file, &half).unwrap();
    std::fs::copy(bench.folder.path().join("killed.db-journal"), bench.folder.path().join("half.db-journal")).unwrap();
    let before = std::fs::read(&half).unwrap();

    let journal = Journal::look_file(&half).unwrap().unwrap();
    let run = journal.stored_run(RunId(1)).unwrap();
    assert_eq!((run.cases.len(), integrity(&journal)), (1, "ok".to_owned()));
    assert_eq!(run.cases.at(0).results[0].as_ref().unwrap().outcome.note, "");
    assert_eq!(std::fs::read(&half).unwrap(), before, "the reader wrote nothing");

    let half = Journal::open_file(&half).unwrap();
    let resumed = Recording::resume(half, Retention::All, &bench.record(), &all_inputs).unwrap();
    let Resumption::Found(resumed, known) = resumed else { panic!("the run is there") };
    let check = "PRAGMA integrity_check";
    let found: String = resumed.connection().unwrap().query_row(check, [], |row| row.get(0)).unwrap();
    assert_eq!((known.len(), &*found), (1, "ok"));
    assert!(!bench.folder.path().join("half.db-journal").exists());
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
        assert!(is_refused(Journal::look_file(&path(name)).map(drop)), "{name}");
    }
    assert_eq!(std::fs::read(path("notes")).unwrap(), b"my own notes");
    assert!(Journal::look_file(&path("none")).unwrap().is_none());
}
