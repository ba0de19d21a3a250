//! A journal that is removed, moved or replaced while a run is recorded.

use super::*;

/// Records a case, does something to the folder, records the other, and returns the end's journal.
fn disturbed(bench: &Bench, disturb: impl FnOnce(&Path)) -> Journal {
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(1))]).unwrap();
    assert_eq!(recording.written_anew(), None);
    disturb(&bench.path());
    recording.append(&[finished(1, 0, Some(2))]).unwrap();
    assert!(recording.written_anew().is_some(), "it is noticed with the next batch");
    recording.append(&[finished(2, 0, Some(3))]).unwrap();
    let totals = vec![None];
    recording.finish(&RunEnd { stop: None, elapsed: Duration::ZERO, rule: &Rule::Sum, totals }).unwrap()
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
    assert_eq!(journal.written_anew(), Some(&*path));
    drop(journal);
    assert_whole(&Journal::look_file(&path).unwrap().unwrap());
    assert_eq!(std::fs::read(bench.path().join("journal.db")).unwrap(), b"mine");
}

#[test]
fn a_journal_of_its_own_file_is_written_anew() {
    let bench = Bench::new(&["bot"], 1..=2);
    let file = bench.folder.path().join("own.db");
    let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), Retention::All, &bench.record()).unwrap();
    recording.append(&[finished(0, 0, Some(1))]).unwrap();
    std::fs::remove_file(&file).unwrap();
    recording.append(&[finished(1, 0, Some(2))]).unwrap();
    drop(recording);
    assert_eq!(Journal::look_file(&file).unwrap().unwrap().stored_run(RunId(1)).unwrap().cases.len(), 2);
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
