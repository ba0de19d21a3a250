//! The best results are those that a look at all results finds, whatever was written, replaced, deleted and merged.

use super::*;
use judge_problem::{Direction, Shard};
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

/// The same, from a look at all results.
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
    /// One of them is merged; what started first replaces what is there.
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
    let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), Retention::All, &record).unwrap();
    let batch: Vec<_> = scores.iter().enumerate().map(|(case, score)| finished(case, 0, *score)).collect();
    recording.append(&batch).unwrap();
    close(recording, None, None);
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
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
