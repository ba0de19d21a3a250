//! Files of other forms, of other programs, and in places that cannot be written.

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

/// As the judge of that time left it.
fn back_to_form_1(journal: &Journal) {
    let columns = ["line", "column", "move", "rule"];
    let drops: String = columns.map(|name| format!("ALTER TABLE result DROP COLUMN broken_{name};")).concat();
    let message = "ALTER TABLE run DROP COLUMN message;";
    journal
        .connection
        .execute_batch(&format!("DROP TABLE imported_best; {drops} {message} PRAGMA user_version = 1"))
        .unwrap();
}

#[test]
fn a_journal_of_an_older_form_that_cannot_be_written_can_be_read() {
    let bench = Bench::new(&["bot"], 1..=2);
    let run = bench.run(&[Some(1), None]);
    let journal = bench.journal();
    back_to_form_1(&journal);
    drop(journal);
    let mut journal = Journal::open_read_only(&bench.path()).unwrap();
    let cases = journal.stored_run(run).unwrap().cases;
    let outcome = |case: usize| &cases[case].results[0].as_ref().unwrap().outcome;
    assert_eq!(outcome(0), &finished(0, 0, Some(1)).outcome);
    let rejected = finished(1, 0, None).outcome;
    assert_eq!(outcome(1), &Outcome { broken: BrokenRule::default(), ..rejected }, "that judge did not record it");
    assert!(journal.best(&game(&bench), None).is_ok());
    assert!(matches!(journal.remove(run), Err(JournalError::Database(_))));
    drop(journal);
    let form =
        |journal: &Journal| journal.connection.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0));
    assert_eq!(form(&bench.journal()).unwrap(), 5, "opened to be written, it is brought up to date");
}

#[test]
fn an_older_form_is_brought_up_to_date_and_a_newer_one_refused() {
    let bench = Bench::new(&["bot"], 1..=1);
    let run = bench.run(&[Some(5)]);
    let journal = bench.journal();
    back_to_form_1(&journal);
    drop(journal);
    let mut journal = bench.journal();
    assert_eq!(journal.stored_run(run).unwrap().cases.len(), 1);
    let mine = journal.best(&game(&bench), None).unwrap().scores;
    assert_eq!(journal.import_best(&game(&bench), &mine).unwrap(), Imported { better: 0, no_better: 1 });
    journal.connection.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(journal);
    assert!(matches!(Journal::open(&bench.path()), Err(JournalError::Newer { found: 99, .. })));
    assert!(matches!(Journal::look(&bench.path()), Err(JournalError::Newer { found: 99, .. })));
}

#[test]
fn the_results_of_a_journal_of_form_2_are_still_found() {
    let mut bench = Bench::new(&["bot"], 1..=2);
    std::fs::create_dir_all(bench.path()).unwrap();
    let old = rusqlite::Connection::open(bench.path().join("journal.db")).unwrap();
    old.execute_batch(include_str!("../schema/form_2.sql")).unwrap();
    drop(old);

    bench.plan.problem.id = "number".to_owned();
    bench.checker = CheckerIdentity { name: "true {input} #af1349b9f5".to_owned(), version: 0 };
    bench.plan.limits = Limits {
        cpu: Time(Duration::from_millis(1250)),
        wall: Time(Duration::from_micros(500_500)),
        memory: Bytes(64 << 20),
        output: Bytes(1_000_000),
        processes: 8,
    };
    let score = |bench: &Bench| {
        let mut known = Known::of(&bench.plan);
        bench.begin().add_earlier(0, &mut known).unwrap();
        let found = known.lookup(JobId { case: 0, solver: 0 }, &input(0));
        found.map(|found| found.outcome.score.unwrap().to_string())
    };
    // Of run 3, which is newer than run 1. Run 2 had other conditions: its score was 6.
    assert_eq!(score(&bench).as_deref(), Some("7"));
    bench.journal().remove(RunId(3)).unwrap();
    assert_eq!(score(&bench).as_deref(), Some("5"));
    bench.journal().remove(RunId(1)).unwrap();
    assert_eq!(score(&bench), None);
    // What run 2 saw is not recorded: its key has no equal today.
    bench.plan.visible = vec![Visible { path: "/opt/data".into(), writable: true }];
    assert_eq!(score(&bench), None);
    assert_eq!(bench.journal().stored_run(RunId(2)).unwrap().cases.len(), 2);
}
