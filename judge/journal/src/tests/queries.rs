//! What is asked of many runs: history, best scores, and both over many cases.

use super::*;
use judge_problem::CaseName;

#[test]
fn history_tells_totals_failures_and_the_change() {
    let mut bench = Bench::new(&["bot"], 1..=2);
    bench.run(&[Some(1), Some(2)]);
    bench.run(&[Some(5), None]);
    bench.plan.cases = bench.plan.cases.iter().take(1).collect();
    bench.run(&[Some(50)]);
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, None)]).unwrap();

    let journal = bench.journal();
    let rows = journal.history(&HistoryFilter::default()).unwrap();
    let text = |value: &Option<BigRational>| value.as_ref().map(ToString::to_string);
    let figures: Vec<_> = rows
        .iter()
        .map(|row| (row.run.0, row.state, row.done, row.accepted, text(&row.total), text(&row.change)))
        .collect();
    let (total, change) = (|text: &str| Some(text.to_owned()), |text: &str| Some(text.to_owned()));
    assert_eq!(
        figures,
        [
            (4, RunState::Running, 1, 0, None, None),
            (3, RunState::Complete, 1, 1, total("50"), None),
            (2, RunState::Complete, 2, 1, total("5"), change("2")),
            (1, RunState::Complete, 2, 2, total("3"), None),
        ]
    );
    drop(recording);
    let filter = |problem, solver, newest| HistoryFilter { problem, solver, newest, ..HistoryFilter::default() };
    let count = |filter| journal.history(&filter).unwrap().len();
    assert_eq!(count(filter(Some("columns"), Some("bot"), Some(3))), 3);
    assert_eq!(count(filter(Some("same-game"), None, None)), 0);
    assert_eq!(count(filter(None, Some("other"), None)), 0);
    let with_text = |text| HistoryFilter { text: Some(text), ..HistoryFilter::default() };
    for (text, rows) in [("COLUMNS", 4), ("bot", 4), ("%", 0), ("_", 0), ("3", 1)] {
        let filter = with_text(text);
        assert_eq!(
            (journal.history(&filter).unwrap().len(), journal.history_count(&filter).unwrap()),
            (rows, rows),
            "{text}"
        );
    }
    let page = HistoryFilter { offset: 1, newest: Some(2), ..HistoryFilter::default() };
    let runs: Vec<_> = journal.history(&page).unwrap().iter().map(|row| row.run.0).collect();
    assert_eq!((runs, journal.history_count(&page).unwrap()), (vec![3, 2], 4));
}

#[test]
fn a_search_is_one_row_of_its_best_setting_unless_all_are_asked_for() {
    let bench = Bench::new(&["n=1", "n=2", "n=3"], 1..=2);
    bench.run(&[Some(1), Some(2)]);
    let mut recording = bench.begin();
    recording.mark_search(0).unwrap();
    recording.mark_search(2).unwrap();
    let journal = bench.journal();
    let rows = |searches_as_one| {
        let filter = HistoryFilter { searches_as_one, ..HistoryFilter::default() };
        let rows = journal.history(&filter).unwrap();
        assert_eq!(journal.history_count(&filter).unwrap(), rows.len());
        rows.iter().map(|row| (row.run.0, row.solver.clone(), row.settings)).collect::<Vec<_>>()
    };
    let row = |run, solver: &str, settings| (run, solver.to_owned(), settings);
    let single = |run| ["n=1", "n=2", "n=3"].map(|name| row(run, name, None));
    assert_eq!(rows(true), [&[row(2, "n=3", Some(3))][..], &single(1)].concat());
    assert_eq!(rows(false), [single(2), single(1)].concat());
}

#[test]
fn the_best_is_the_first_of_the_best_either_way() {
    let bench = Bench::new(&["bot"], 1..=3);
    bench.run(&[Some(-5), Some(1 << 40), None]);
    bench.run(&[Some(3), Some(255), None]);
    bench.run(&[Some(3), Some(256), None]);
    let journal = bench.journal();
    let row = |case: &str, score: &str, run| (case.to_owned(), score.to_owned(), run);
    assert_eq!(scores(&journal, &game(&bench)), [row("seed-1", "3", 2), row("seed-2", "1099511627776", 1)]);
    let least = Game { direction: judge_problem::Direction::Min, ..game(&bench) };
    assert_eq!(scores(&journal, &least), [row("seed-1", "-5", 1), row("seed-2", "255", 2)]);
    let mut newer = game(&bench);
    newer.checker.version = 99;
    assert!(scores(&journal, &newer).is_empty(), "another checker's scores");
}

#[test]
fn an_import_takes_the_better_and_keeps_the_origin() {
    let (mine, theirs) = (Bench::new(&["bot"], 1..=3), Bench::new(&["rival"], 1..=3));
    mine.run(&[Some(5), Some(5), None]);
    theirs.run(&[Some(4), Some(6), Some(7)]);
    let game = game(&mine);
    let sent = theirs.journal().best(&game, None).unwrap().scores;
    let mut journal = mine.journal();
    assert_eq!(journal.import_best(&game, &sent).unwrap(), Imported { better: 2, no_better: 1 });
    assert_eq!(journal.import_best(&game, &sent).unwrap(), Imported { better: 0, no_better: 3 });
    let bests = journal.best(&game, None).unwrap().scores;
    let origin: Vec<_> = bests.iter().map(|best| (&*best.solver, best.score.to_string(), best.imported)).collect();
    assert_eq!(
        origin,
        [("bot", "5".to_owned(), false), ("rival", "6".to_owned(), true), ("rival", "7".to_owned(), true)]
    );
    assert_eq!((bests[1].solver_hash, &bests[1].date), (theirs.hashes[0], &sent[1].date));
    journal.remove(RunId(1)).unwrap();
    assert_eq!(journal.best(&game, None).unwrap().scores.len(), 2, "what others sent stays");
}

#[test]
fn the_best_of_a_case_is_that_of_any_solver_or_of_one() {
    let (mine, theirs) = (Bench::new(&["bot"], 1..=3), Bench::new(&["rival"], 1..=3));
    mine.run(&[Some(5), Some(-5), None]);
    mine.run(&[Some(3), Some(-3), None]);
    theirs.run(&[Some(4), Some(6), Some(7)]);
    let game = game(&mine);
    let mut journal = mine.journal();
    let sent = theirs.journal().best(&game, None).unwrap().scores;
    journal.import_best(&game, &sent).unwrap();
    let best = |game: &Game, case: usize, solver| {
        let name = CaseName::of_seed(case as u64 + 1);
        let best = journal.best_of_case(game, &name, input(case), solver).unwrap();
        best.map(|(score, solver)| (score.to_string(), solver))
    };
    let found = |score: &str, solver: &str| Some((score.to_owned(), solver.to_owned()));
    assert_eq!(best(&game, 0, None), found("5", "bot"));
    assert_eq!([best(&game, 1, None), best(&game, 1, Some("bot"))], [found("6", "rival"), found("-3", "bot")]);
    assert_eq!([best(&game, 2, None), best(&game, 2, Some("bot"))], [found("7", "rival"), None]);
    let least = Game { direction: judge_problem::Direction::Min, ..game.clone() };
    assert_eq!(best(&least, 1, None), found("-5", "bot"));
    assert_eq!(journal.best_of_case(&game, &CaseName::of_seed(1), input(1), None).unwrap(), None, "another input");
}

/// The best time of some: other tests keep the machine busy.
fn fastest(work: &dyn Fn() -> usize) -> Duration {
    let time = || {
        let started = std::time::Instant::now();
        assert!(work() > 0);
        started.elapsed()
    };
    (0..5).map(|_| time()).min().unwrap()
}

#[test]
fn a_hundred_thousand_cases_are_looked_through_in_no_time() {
    // One run of many cases, and many runs of the same few.
    let mut bench = Bench::new(&["bot"], 1..=50_000);
    for run in 0..=50 {
        let mut recording = bench.begin();
        let score = |case| (case as i64 * 7919 + run * 104_729) % 5000;
        let batch: Vec<_> = (0..bench.plan.cases.len()).map(|case| finished(case, 0, Some(score(case)))).collect();
        recording.append(&batch).unwrap();
        close(recording, None, Some(run));
        bench.plan.cases = bench.plan.cases.iter().take(1_000).collect();
    }
    let journal = bench.journal();
    let stored: i64 = journal.connection.query_row("SELECT count(*) FROM result", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, 100_000);
    unhurried("a large journal", || assert_fast(&journal, &bench)).unwrap();
}

fn assert_fast(journal: &Journal, bench: &Bench) {
    let history = fastest(&|| journal.history(&HistoryFilter::default()).unwrap().len());
    let best = fastest(&|| journal.best(&game(bench), Some(100)).unwrap().cases);
    // The promise is the optimised program's.
    let limit = patiently(Duration::from_millis(if cfg!(debug_assertions) { 1_000 } else { 200 }));
    in_time(history < limit && best < limit, || format!("history {history:?}, best {best:?}"));
}

#[test]
fn a_watch_tells_each_result_once_in_any_order() {
    let bench = Bench::new(&["bot"], 1..=4);
    bench.run(&[Some(1), Some(1), Some(1), Some(1)]);
    let journal = bench.journal();
    let mut watch = Watch::default();
    let look = |watch: &mut Watch| {
        let Changes { runs_changed, progress } = watch.look(&journal).unwrap();
        let told = |run: &RunProgress| {
            let cases: Vec<_> = run.finished.iter().map(|finished| finished.case.clone()).collect();
            (run.run.0, run.state, run.solvers[0].done, run.solvers[0].accepted, cases.join(" "))
        };
        (runs_changed, progress.iter().map(told).collect::<Vec<_>>())
    };
    assert_eq!(look(&mut watch), (false, Vec::new()), "what has ended is no change");
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(1))]).unwrap();
    assert_eq!(look(&mut watch), (true, vec![(2, RunState::Running, 1, 1, String::new())]));
    recording.append(&[finished(3, 0, None)]).unwrap();
    recording.append(&[finished(1, 0, Some(1))]).unwrap();
    assert_eq!(look(&mut watch), (false, vec![(2, RunState::Running, 3, 2, "seed-2 seed-4".to_owned())]));
    assert_eq!(look(&mut watch), (false, vec![(2, RunState::Running, 3, 2, String::new())]));
    recording.append(&[finished(2, 0, Some(1))]).unwrap();
    let stamp = journal.stamp(RunId(2)).unwrap();
    close(recording, None, Some(3));
    assert_eq!(look(&mut watch), (true, vec![(2, RunState::Complete, 4, 3, "seed-3".to_owned())]));
    assert_eq!(look(&mut watch), (false, Vec::new()));
    assert_ne!(stamp, journal.stamp(RunId(2)).unwrap());
    assert_eq!(journal.stamp(RunId(3)).unwrap(), None);
    // A judge that was killed.
    bench.begin().commit_start().unwrap();
    assert_eq!(look(&mut watch), (true, Vec::new()));
}
