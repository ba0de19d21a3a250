//! Tags and notes: changed, found, watched, carried over and merged.

use super::super::watch::Watch;
use super::*;
use judge_problem::{Labels, Shard};
use std::path::PathBuf;

fn labels(tags: &[&str], note: &str) -> Labels {
    Labels { tags: tags.iter().map(|tag| tag.parse().unwrap()).collect(), note: note.parse().ok() }
}

#[test]
fn they_are_what_they_were_changed_to_and_go_with_the_run() {
    let bench = Bench::new(&["bot", "rival"], 1..=1);
    let runs = [bench.run(&[Some(1)]), bench.run(&[Some(2)])];
    let mut journal = bench.journal();
    let wanted = labels(&["wide", "best"], "a beam\nof 300");
    let now = journal.change_labels(runs[0], |labels| *labels = wanted.clone()).unwrap();
    assert_eq!(now, wanted);
    assert_eq!(journal.stored_run(runs[0]).unwrap().labels, wanted);
    let rows = journal.history(&HistoryFilter::default()).unwrap();
    let of_rows: Vec<_> = rows.iter().map(|row| (row.run, row.labels.clone())).collect();
    let none = Labels::default();
    assert_eq!(
        of_rows,
        [(runs[1], none.clone()), (runs[1], none.clone()), (runs[0], wanted.clone()), (runs[0], wanted)]
    );

    let many = labels(
        &(0..21).map(|tag| format!("tag-{tag}")).collect::<Vec<_>>().iter().map(|tag| &**tag).collect::<Vec<_>>(),
        "",
    );
    let refused = journal.change_labels(runs[0], |labels| *labels = many);
    assert!(matches!(refused, Err(JournalError::ManyTags(RunId(1)))));
    assert_eq!(journal.labels(runs[0]).unwrap().tags.len(), 2);
    assert!(matches!(journal.change_labels(RunId(9), |_| {}), Err(JournalError::NoRun(RunId(9)))));

    journal.remove(runs[0]).unwrap();
    let left: i64 = journal.connection.query_row("SELECT count(*) FROM tag", [], |row| row.get(0)).unwrap();
    assert_eq!((left, journal.labels(runs[0]).unwrap()), (0, none));
}

#[test]
fn runs_are_found_by_them() {
    let bench = Bench::new(&["bot"], 1..=1);
    let run = bench.run(&[Some(1)]);
    bench.run(&[Some(2)]);
    let mut journal = bench.journal();
    journal.change_labels(run, |now| *now = labels(&["wide", "best"], "100% of it")).unwrap();
    let count =
        |filter: HistoryFilter<'_>| (journal.history(&filter).unwrap().len(), journal.history_count(&filter).unwrap());
    for (tag, found) in [("wide", 1), ("best", 1), ("wid", 0), ("%", 0)] {
        assert_eq!(count(HistoryFilter { tag: Some(tag), ..HistoryFilter::default() }), (found, found), "{tag}");
    }
    for (text, found) in [("WIDE", 1), ("100% of", 1), ("columns", 2), ("narrow", 0)] {
        assert_eq!(count(HistoryFilter { text: Some(text), ..HistoryFilter::default() }), (found, found), "{text}");
    }
}

#[test]
fn what_another_program_wrote_is_no_label() {
    let bench = Bench::new(&["bot"], 1..=1);
    let run = bench.run(&[Some(1)]);
    let journal = bench.journal();
    journal.connection.execute("UPDATE run SET note = 'a' || char(27) || 'b'", []).unwrap();
    journal.connection.execute("INSERT INTO tag VALUES (1, 'two words'), (1, 'one')", []).unwrap();
    assert_eq!(journal.labels(run).unwrap(), labels(&["one"], ""));
}

#[test]
fn a_change_is_seen_by_those_who_look() {
    let bench = Bench::new(&["bot"], 1..=1);
    let run = bench.run(&[Some(1)]);
    let (journal, mut watch) = (bench.journal(), Watch::default());
    assert!(!watch.look(&journal).unwrap().runs_changed);
    let before = journal.stamp(run).unwrap();
    bench.journal().change_labels(run, |now| *now = labels(&["wide"], "")).unwrap();
    assert!(watch.look(&journal).unwrap().runs_changed);
    assert_ne!(journal.stamp(run).unwrap(), before);
    assert!(!watch.look(&journal).unwrap().runs_changed);
}

#[test]
fn a_merged_run_has_those_of_its_parts_in_any_order_and_its_own() {
    let bench = Bench::new(&["bot"], 1..=2);
    let part = |number: u32, given: Labels| {
        let file = bench.folder.path().join(format!("{number}.db"));
        let record = RunRecord { shard: Shard::new(number, 2).ok(), played: 1, ..bench.record() };
        let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), Retention::All, &record).unwrap();
        recording.append(&[finished(number as usize - 1, 0, Some(1))]).unwrap();
        close(recording, None, None);
        Journal::open_file(&file).unwrap().change_labels(RunId(1), |labels| *labels = given).unwrap();
        file
    };
    let files = [part(1, labels(&["wide"], "z\n\nfirst")), part(2, labels(&["wide", "node-2"], "second"))];
    for order in [[0, 1], [1, 0]] {
        let into = bench.folder.path().join(format!("all-{}.db", order[0]));
        let mut into = Journal::open_file(&into).unwrap();
        let mut merged = |files: &[PathBuf]| {
            let run = merge(&mut into, files, Retention::All).unwrap().run;
            into.labels(run).unwrap()
        };
        merged(&[files[order[0]].clone()]);
        let all = labels(&["wide", "node-2"], "first\n\nsecond\n\nz");
        assert_eq!(merged(&[files[order[1]].clone()]), all);
        let edits: i64 = into.connection.query_row("SELECT edits FROM run", [], |row| row.get(0)).unwrap();
        into.change_labels(RunId(1), |labels| labels.tags.extend(["all".parse().unwrap()])).unwrap();
        merge(&mut into, &files, Retention::All).unwrap();
        assert_eq!(into.labels(RunId(1)).unwrap(), labels(&["wide", "node-2", "all"], "first\n\nsecond\n\nz"));
        let now: i64 = into.connection.query_row("SELECT edits FROM run", [], |row| row.get(0)).unwrap();
        assert_eq!(now, edits + 1, "merged again, nothing is written");
    }
}
