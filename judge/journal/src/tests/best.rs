//! Best scores, history and watching.

use super::*;
use judge_problem::{BestOrigin, CaseName, Direction, RunProgress, Shard};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

type Key = (i64, i64);

/// The best results by case and direction, as the journal keeps them.
fn kept(journal: &Journal) -> BTreeMap<(i64, String), Key> {
    let mut statement =
        journal.connection.prepare("SELECT game_case, direction, entrant, place FROM best_result").unwrap();
    let rows = statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// The same, from a scan of all results.
fn looked_up(journal: &Journal) -> BTreeMap<(i64, String), Key> {
    let sql = "SELECT game_case, score, entrant, place FROM result WHERE score IS NOT NULL ORDER BY entrant, place";
    let mut statement = journal.connection.prepare(sql).unwrap();
    let rows = statement
        .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, (row.get(2)?, row.get(3)?))))
        .unwrap();
    let mut best: BTreeMap<(i64, String), (Score, Key)> = BTreeMap::new();
    for row in rows {
        let (case, score, key) = row.unwrap();
        let score: Score = score.parse().unwrap();
        for direction in Direction::ALL {
            let place = (case, direction.name().to_owned());
            let is_better = |(known, _): &(Score, Key)| direction.compare(&score, known).is_gt();
            if best.get(&place).is_none_or(is_better) {
                best.insert(place, (score.clone(), key));
            }
        }
    }
    best.into_iter().map(|(place, (_, key))| (place, key)).collect()
}

#[derive(Debug, Clone)]
enum Step {
    /// A result of a run that is being played; a second one on the same case replaces the first.
    Result {
        run: usize,
        case: usize,
        score: Option<i64>,
    },
    Remove {
        run: usize,
    },
    /// A shard with all cases is played elsewhere with these scores.
    Shard {
        scores: [Option<i64>; 3],
    },
    /// One of them is merged. The result of the run that started first replaces the existing one.
    Merge {
        shard: usize,
    },
}

fn score() -> impl Strategy<Value = Option<i64>> {
    // Few, so that many are equal.
    prop::option::weighted(0.8, -2..=2_i64)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3_usize, 0..3_usize, score()).prop_map(|(run, case, score)| Step::Result { run, case, score }),
        1 => (1..5_usize).prop_map(|run| Step::Remove { run }),
        2 => [score(), score(), score()].prop_map(|scores| Step::Shard { scores }),
        2 => (0..10_usize).prop_map(|shard| Step::Merge { shard }),
    ]
}

/// Plays all cases as a shard of a run, in a journal of its own.
fn play_shard(bench: &Bench, number: usize, scores: &[Option<i64>]) -> PathBuf {
    let file = bench.folder.path().join(format!("{number}.db"));
    let record = RunRecord { shard: Shard::new(1, 1).ok(), ..bench.record() };
    let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), &record).unwrap();
    let batch: Vec<_> = scores.iter().enumerate().map(|(case, score)| finished(case, 0, *score)).collect();
    recording.append(&batch).unwrap();
    close(recording, None, None);
    file
}

proptest! {
    #![proptest_config(percent_of_cases(30))]
    #[test]
    #[ignore = "CI: many journals"]
    fn they_are_those_that_a_look_at_all_results_finds(steps in prop::collection::vec(step(), 1..30)) {
        let bench = Bench::new(&["bot"], 1..=3);
        let mut runs: Vec<Recording> = (0..3).map(|_| {
            let run = bench.begin();
            run.commit_start().unwrap();
            run
        }).collect();
        let mut shards: Vec<PathBuf> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            match step {
                Step::Result { run, case, score } => runs[*run].append(&[finished(*case, 0, *score)]).unwrap(),
                Step::Remove { run } => {
                    let ended = runs[0].run().0 + *run as i64 - 1;
                    if let Some(place) = runs.iter().position(|playing| playing.run().0 == ended) {
                        close(runs.swap_remove(place), None, None);
                        runs.push(bench.begin());
                        runs[2].commit_start().unwrap();
                    }
                    bench.journal().remove(RunId(ended)).ok();
                }
                Step::Shard { scores } => shards.push(play_shard(&bench, number, scores)),
                Step::Merge { shard } => {
                    if let Some(file) = shards.get(shard % shards.len().max(1)) {
                        merge(&mut bench.journal(), std::slice::from_ref(file), Retention::All).unwrap();
                    }
                }
            }
            let journal = bench.journal();
            prop_assert_eq!(kept(&journal), looked_up(&journal), "{:?}", step);
        }
    }
}

/// How many pages the journal's log takes for the cases of one more run.
fn pages_written(bench: &Bench, scores: &[Option<i64>]) -> i64 {
    let journal = bench.journal();
    let log = |mode: &str| -> i64 {
        journal.connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get(1)).unwrap()
    };
    let mut recording = bench.begin();
    recording.commit_start().unwrap();
    log("TRUNCATE");
    let batch: Vec<_> = scores.iter().enumerate().map(|(case, score)| finished(case, 0, *score)).collect();
    recording.append(&batch).unwrap();
    let pages = log("PASSIVE");
    close(recording, None, None);
    pages
}

#[test]
fn a_run_writes_no_more_pages_after_many_others() {
    let bench = Bench::new(&["bot"], 1..=500);
    let scores = vec![Some(5); 500];
    bench.run(&scores);
    let before = pages_written(&bench, &scores);
    for _ in 0..60 {
        bench.run(&scores);
    }
    let after = pages_written(&bench, &scores);
    assert!(before > 0 && after <= before + 3, "{before} pages became {after}");
}

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
    // The second setting was not run.
    recording.append(&[finished(0, 0, Some(1)), finished(0, 2, Some(3))]).unwrap();
    let journal = bench.journal();
    let rows = |searches_as_one| {
        let filter = HistoryFilter { searches_as_one, ..HistoryFilter::default() };
        let rows = journal.history(&filter).unwrap();
        assert_eq!(journal.history_count(&filter).unwrap(), rows.len());
        rows.iter().map(|row| (row.run.0, row.solver.clone(), row.settings)).collect::<Vec<_>>()
    };
    let row = |run, solver: &str, settings| (run, solver.to_owned(), settings);
    let single = |run| ["n=1", "n=2", "n=3"].map(|name| row(run, name, None));
    assert_eq!(rows(true), [&[row(2, "n=3", Some(2))][..], &single(1)].concat());
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
fn a_score_that_equals_an_imported_one_came_later() {
    let (mine, theirs) = (Bench::new(&["bot"], 1..=1), Bench::new(&["rival"], 1..=1));
    theirs.run(&[Some(6)]);
    let game = game(&mine);
    let sent = theirs.journal().best(&game, None).unwrap().scores;
    mine.journal().import_best(&game, &sent).unwrap();
    mine.run(&[Some(6)]);
    let journal = mine.journal();
    assert!(journal.best(&game, None).unwrap().scores[0].imported);
    assert_eq!(journal.best_by_input(&game, None).unwrap()[&input(0)].origin, BestOrigin::Imported("rival".into()));
    let of_case = journal.best_of_case(&game, &CaseName::of_seed(1), input(0), None).unwrap();
    assert_eq!(of_case.map(|(_, solver)| solver).as_deref(), Some("rival"));
}

#[test]
fn the_first_best_of_an_input_counts_under_any_name() {
    let mut bench = Bench::new(&["bot"], 1..=1);
    for (seed, score) in [(1, 1), (2, 5), (1, 5)] {
        bench.plan.cases = std::iter::once(CaseSpec::from_seed(seed)).collect();
        bench.run(&[Some(score)]);
    }
    let best = bench.journal().best_by_input(&game(&bench), None).unwrap();
    assert_eq!(best[&input(0)].origin, BestOrigin::Run(RunId(2), "bot".into()));
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
#[ignore = "CI: a hundred thousand cases"]
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
        let Changes { runs_changed, progress } = watch.changes(&journal).unwrap();
        let shown = |run: &RunProgress| {
            let cases: Vec<_> = run.finished.iter().map(|finished| finished.case.clone()).collect();
            (run.run.0, run.state, run.solvers[0].done, run.solvers[0].accepted, cases.join(" "))
        };
        (runs_changed, progress.iter().map(shown).collect::<Vec<_>>())
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
