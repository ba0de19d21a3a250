//! What a run is scored relative to is what a look at everything would have found when it started, and stays so.

use super::*;
use judge_problem::{BestOrigin, BestScore, BestSource, Direction, KnownBest, Shard};
use proptest::prelude::*;
use std::collections::HashMap;

const CASES: usize = 3;

#[derive(Debug, Clone)]
enum Step {
    /// A run that starts when everything before has ended.
    Run([Option<i64>; CASES]),
    Remove(usize),
    /// The best scores of others.
    Import(usize, i64),
}

fn score() -> impl Strategy<Value = Option<i64>> {
    // Few, so that many are equal; on both sides of 0.
    prop::option::weighted(0.8, -3..=3_i64)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => [score(), score(), score()].prop_map(Step::Run),
        1 => (0..6_usize).prop_map(Step::Remove),
        1 => (0..CASES, -3..=3_i64).prop_map(|(case, score)| Step::Import(case, score)),
    ]
}

/// Everything that was ever scored, and by whom.
#[derive(Default)]
struct Model {
    scored: Vec<(usize, i64, Option<RunId>)>,
    /// By run: what was the best of each case when it started.
    frozen: HashMap<RunId, Vec<Option<i64>>>,
}

impl Model {
    fn best(&self, direction: Direction, case: usize) -> Option<i64> {
        let scores = self.scored.iter().filter(|(of, ..)| *of == case).map(|(_, score, _)| *score);
        match direction {
            Direction::Max => scores.max(),
            Direction::Min => scores.min(),
        }
    }
}

/// Gives the cases of the plan their best known scores.
fn know(bench: &mut Bench) {
    let known = bench.journal().best_by_input(&game(bench)).unwrap();
    let with_best = |(place, case)| CaseSpec { best: known.get(&input(place)).cloned(), ..case };
    bench.plan.cases = bench.plan.cases.iter().enumerate().map(with_best).collect();
}

fn relative(bench: &mut Bench, direction: Direction) {
    bench.plan.problem.scoring = "relative".parse().unwrap();
    bench.plan.problem.direction = direction;
}

fn imported(case: usize, score: i64) -> BestScore {
    BestScore {
        case: CaseSpec::from_seed(case as u64 + 1).name,
        input: input(case),
        score: score.into(),
        solver: "theirs".into(),
        solver_hash: Digest::of(b"theirs"),
        host: "elsewhere".into(),
        run: RunId(1),
        date: "2026-01-01T00:00:00.000Z".into(),
        imported: true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn a_reference_is_the_best_known_at_the_start(max: bool, steps in prop::collection::vec(step(), 1..12)) {
        let direction = if max { Direction::Max } else { Direction::Min };
        let mut bench = Bench::new(&["bot"], 1..=CASES as u64);
        relative(&mut bench, direction);
        bench.journal();
        let mut model = Model::default();
        let mut runs: Vec<RunId> = Vec::new();
        for step in steps {
            match step {
                Step::Run(scores) => {
                    know(&mut bench);
                    let frozen = (0..CASES).map(|case| model.best(direction, case)).collect();
                    let run = bench.run(&scores);
                    let scored = scores.iter().enumerate().filter_map(|(case, score)| Some((case, (*score)?, Some(run))));
                    model.scored.extend(scored);
                    model.frozen.insert(run, frozen);
                    runs.push(run);
                }
                Step::Remove(place) if place < runs.len() => {
                    let run = runs.remove(place);
                    bench.journal().remove(run).unwrap();
                    model.scored.retain(|(.., of)| *of != Some(run));
                    model.frozen.remove(&run);
                }
                Step::Remove(_) => {}
                Step::Import(case, score) => {
                    let imports = [imported(case, score)];
                    let found = bench.journal().import_best(&game(&bench), &imports).unwrap();
                    // What is no better is not kept: once the better one is removed, it is not there.
                    model.scored.extend((found.better > 0).then_some((case, score, None)));
                }
            }
            let journal = bench.journal();
            for (run, frozen) in &model.frozen {
                let reference = journal.reference(*run).unwrap().unwrap();
                for (place, best) in frozen.iter().enumerate() {
                    let known = reference.at(place).map(|known| known.score);
                    prop_assert_eq!(known, best.map(Score::from), "case {} of run {}", place, run);
                }
                let stored = journal.stored_run(*run).unwrap();
                prop_assert!(stored.cases.specs().iter().enumerate().all(|(place, case)| case.best == reference.at(place)));
            }
        }
    }

    #[test]
    fn shards_are_merged_to_one_reference_in_any_order(scores in prop::collection::vec((0..CASES, -2..=2_i64, any::<bool>()), 0..8)) {
        let mut bench = Bench::new(&["bot"], 1..=CASES as u64);
        relative(&mut bench, Direction::Max);
        let mut files = Vec::new();
        for (number, (place, score, is_own)) in scores.iter().enumerate() {
            let origin = if *is_own { BestOrigin::Problem } else { BestOrigin::Run(RunId(7), "beam".into()) };
            let mut plan = bench.plan.clone();
            let with_best = |(case, spec)| {
                let best = (case == *place).then(|| KnownBest { score: (*score).into(), origin: origin.clone() });
                CaseSpec { best, ..spec }
            };
            plan.cases = plan.cases.iter().enumerate().map(with_best).collect();
            let file = bench.folder.path().join(format!("{number}.db"));
            let record = RunRecord { plan: &plan, shard: Shard::new(1, 1).ok(), ..bench.record() };
            let recording = Recording::begin(Journal::open_file(&file).unwrap(), Retention::All, &record).unwrap();
            close(recording, None, None);
            files.push(file);
        }
        let merged = |name: &str, files: &[std::path::PathBuf]| {
            let mut journal = Journal::open_file(&bench.folder.path().join(name)).unwrap();
            for file in files {
                merge(&mut journal, std::slice::from_ref(file), Retention::All).unwrap();
            }
            journal.newest().unwrap().map(|run| journal.reference(run).unwrap().unwrap())
        };
        let forwards = merged("forwards.db", &files);
        files.reverse();
        prop_assert_eq!(&forwards, &merged("backwards.db", &files));
        for (place, score, _) in scores {
            let best = forwards.as_ref().unwrap().at(place).unwrap();
            prop_assert!(best.score >= Score::from(score));
            prop_assert!(!matches!(best.origin, BestOrigin::Run(..)), "a number of another journal");
        }
    }
}

#[test]
fn a_rule_that_takes_no_best_score_has_no_reference() {
    let mut bench = Bench::new(&["bot"], 1..=CASES as u64);
    let run = bench.run(&[Some(1), None, None]);
    assert_eq!(bench.journal().reference(run).unwrap(), None);
    relative(&mut bench, Direction::Max);
    know(&mut bench);
    let run = bench.run(&[Some(1), None, None]);
    let reference = bench.journal().reference(run).unwrap().unwrap();
    assert_eq!((&reference.source, reference.scores.len()), (&BestSource::Known, 1));
    assert_eq!(reference.at(0).unwrap().origin, BestOrigin::Run(RunId(1), "bot".into()));
    bench.journal().remove(run).unwrap();
    let left: i64 =
        bench.journal().connection.query_row("SELECT count(*) FROM known_best", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "it goes with its run");
}
