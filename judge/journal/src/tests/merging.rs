//! Merged runs: their results, references and labels.

use super::*;
use crate::history::Watch;
use judge_problem::{BestOrigin, BestScore, BestSource, Direction, KnownBest, Labels, Shard};
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;

/// The outcome of a solver on a case is the same in every shard, except for the time.
fn outcome_of(case: usize, solver: usize, place: usize) -> FinishedJob {
    let score = (!(case * 7 + solver).is_multiple_of(5)).then_some((case * 31 + solver * 17) as i64 % 100);
    let FinishedJob { outcome, mut evidence, .. } = finished(case, solver, score);
    evidence.input = Some(input(case));
    FinishedJob { job: JobId { case: place, solver }, outcome, features: None, evidence }
}

/// The results of a run, without the ids of its rows.
fn results(journal: &Journal, run: RunId) -> Vec<String> {
    let stored = journal.stored_run(run).unwrap();
    let answer = |id: Option<i64>| id.map(|id| journal.answer(id).unwrap());
    let outcomes = stored.cases.iter().map(|case| {
        let results: Vec<_> =
            case.results.iter().flatten().map(|result| (result.outcome.clone(), answer(result.answer))).collect();
        format!("{:?} {:?} {results:?}", case.spec, case.input)
    });
    let about = format!("{:?} {:?} {} {}", stored.state, stored.entrants, stored.case_count, stored.provenance.command);
    std::iter::once(about).chain(outcomes).collect()
}

/// A shard that is played step by step.
struct Playing {
    recording: Option<Recording>,
    places: Vec<usize>,
    done: usize,
    file: PathBuf,
}

impl Playing {
    fn start(bench: &Bench, shard: Shard) -> Self {
        let (plan, places) = bench.plan.shard(shard);
        let file = bench.folder.path().join(format!("{}.db", shard.number()));
        let command = format!("judge run -p columns --shard {shard}");
        let record = RunRecord { shard: Some(shard), played: places.len(), command, ..bench.record() };
        let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), &record).unwrap();
        recording.commit_start().unwrap();
        let whole = Part::whole(&plan);
        recording.part = Part { cases: CasePlaces::At(places.clone()), ..whole };
        Self { recording: Some(recording), places, done: 0, file }
    }

    /// Plays some more cases, and ends with the last one.
    fn play(&mut self, cases: usize, solvers: usize) {
        let Some(recording) = &mut self.recording else { return };
        let until = (self.done + cases).min(self.places.len());
        for place in self.done..until {
            let batch: Vec<_> = (0..solvers).map(|solver| outcome_of(self.places[place], solver, place)).collect();
            recording.append(&batch).unwrap();
        }
        self.done = until;
        if until == self.places.len()
            && let Some(recording) = self.recording.take()
        {
            let end = RunEnd {
                stop: None,
                elapsed: Duration::from_millis(5),
                rule: &Rule::Sum,
                decimals: 0,
                totals: vec![None; solvers],
            };
            recording.finish(&end).unwrap();
        }
    }
}

fn whole(bench: &Bench, solvers: usize) -> Vec<String> {
    let mut recording = bench.begin();
    for case in 0..bench.plan.cases.len() {
        let batch: Vec<_> = (0..solvers).map(|solver| outcome_of(case, solver, case)).collect();
        recording.append(&batch).unwrap();
    }
    let run = recording.run();
    close(recording, None, None);
    results(&bench.journal(), run)
}

proptest! {
    #![proptest_config(percent_of_cases(4))]
    #[test]
    #[ignore = "CI: many journals"]
    fn shards_merged_in_any_order_and_while_they_run_are_the_whole(
        solvers in 1..=2_usize,
        cases in 1..=12_u64,
        count in 1..=5_u32,
        // Which shards are merged, after one of them has continued.
        steps in prop::collection::vec((0..5_usize, 1..4_usize, prop::collection::vec(0..5_usize, 1..6)), 0..8),
        order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let bench = Bench::new(&["bot", "rival"][..solvers], 1..=cases);
        let mut shards: Vec<_> =
            (1..=count).map(|number| Playing::start(&bench, Shard::new(number, count).unwrap())).collect();
        let mut into = Journal::open_file(&bench.folder.path().join("all.db")).unwrap();
        for (playing, more, files) in steps {
            shards[playing % count as usize].play(more, solvers);
            let files: Vec<_> = files.iter().map(|file| shards[file % count as usize].file.clone()).collect();
            merge(&mut into, &files, Retention::All).unwrap();
        }
        shards.iter_mut().for_each(|shard| shard.play(usize::MAX / 2, solvers));
        let mut merged = None;
        for shard in order.iter().filter(|shard| **shard < count as usize) {
            merged = Some(merge(&mut into, &[shards[*shard].file.clone()], Retention::All).unwrap());
        }
        let merged = merged.unwrap();
        prop_assert!(merged.is_whole() && merged.gaps(None).is_empty(), "{merged:?}");
        prop_assert_eq!(integrity(&into), "ok");
        prop_assert_eq!(results(&into, merged.run), whole(&bench, solvers));
        prop_assert_eq!(into.history(&HistoryFilter::default()).unwrap().len(), solvers, "it is one run");
    }
}

/// A shard that was played twice counts once. Which of the two counts does not depend on the order.
#[test]
fn of_two_results_of_a_case_the_same_one_stays_whatever_the_order() {
    let bench = Bench::new(&["bot"], 1..=1);
    let file = |name: &str, verdict: Verdict| {
        let path = bench.folder.path().join(name);
        let record = RunRecord { shard: Shard::new(1, 1).ok(), ..bench.record() };
        let mut recording = Recording::begin(Journal::open_file(&path).unwrap(), &record).unwrap();
        let outcome = Outcome { wall: Some(Duration::from_secs(1)), ..Outcome::without_run(verdict, name.to_owned()) };
        recording.append(&[FinishedJob { outcome, ..finished(0, 0, None) }]).unwrap();
        close(recording, None, None);
        path
    };
    let fault = file("fault", Verdict::JudgeError);
    let first = file("first", Verdict::RuntimeError);
    let second = file("second", Verdict::RuntimeError);
    for (number, order) in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]].into_iter().enumerate() {
        let mut into = Journal::open_file(&bench.folder.path().join(format!("{number}.all"))).unwrap();
        let files = [&fault, &first, &second];
        for file in order {
            merge(&mut into, &[files[file].clone()], Retention::All).unwrap();
        }
        let run = into.stored_run(RunId(1)).unwrap();
        let case = run.cases.at(0);
        let outcome = &case.results[0].as_ref().unwrap().outcome;
        assert_eq!((&*outcome.note, run.origins.len()), ("first", 3));
        let mut together = Journal::open_file(&bench.folder.path().join(format!("{number}.once"))).unwrap();
        let merged = merge(&mut together, &order.map(|file| files[file].clone()), Retention::All).unwrap();
        assert_eq!((merged.results, merged.added), (1, 1));
    }
}

#[test]
fn an_edited_shard_is_refused_by_its_name() {
    for (edit, why) in [
        ("UPDATE result SET place = place + 2", "and its run has 2 cases"),
        ("UPDATE run SET shard = -1", "out of range"),
        ("UPDATE run SET played = 1 << 40", "out of range"),
    ] {
        let bench = Bench::new(&["bot"], 1..=2);
        let file = shard_of_two(&bench, 1);
        let journal = Journal::open_file(&file).unwrap();
        journal.connection.execute(edit, []).unwrap();
        drop(journal);
        let mut into = Journal::open_file(&bench.folder.path().join("all.db")).unwrap();
        let refused = merge(&mut into, std::slice::from_ref(&file), Retention::All).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("{} is damaged: ", file.display())) && refused.contains(why), "{refused}");
    }
}

/// A case with a fault is played again, and has another result in the same run.
#[test]
fn an_older_copy_of_a_run_changes_nothing() {
    let bench = Bench::new(&["bot"], 1..=2);
    let [new, old] = ["new.db", "old.db"].map(|name| bench.folder.path().join(name));
    let record = RunRecord { shard: Shard::new(1, 1).ok(), ..bench.record() };
    let mut recording = Recording::begin(Journal::open_file(&new).unwrap(), &record).unwrap();
    let outcome = Outcome::without_run(Verdict::JudgeError, "no disk".to_owned());
    recording.append(&[FinishedJob { outcome, ..finished(0, 0, None) }]).unwrap();
    drop(recording);
    std::fs::copy(&new, &old).unwrap();
    let resumed = Recording::resume(Journal::open_file(&new).unwrap(), &record, &all_inputs).unwrap();
    let Resumption::Found(mut recording, _) = resumed else { panic!("the run is found") };
    recording.append(&[finished(0, 0, Some(7)), finished(1, 0, Some(8))]).unwrap();
    close(*recording, None, Some(15));
    let merged = [("first", [&old, &new]), ("second", [&new, &old])].map(|(name, files)| {
        let mut into = Journal::open_file(&bench.folder.path().join(name)).unwrap();
        for file in files {
            merge(&mut into, std::slice::from_ref(file), Retention::All).unwrap();
        }
        results(&into, RunId(1))
    });
    assert_eq!(merged[0], merged[1]);
    assert!(!merged[0].join(" ").contains("JudgeError"), "{merged:?}");
}

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

/// Every score that was ever recorded, with its solver.
#[derive(Default)]
struct Model {
    scored: Vec<(usize, i64, Option<RunId>)>,
    /// By run: the best score of each case at its start.
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

/// Sets the best known scores of the plan's cases.
fn know(bench: &mut Bench) {
    let known = bench.journal().best_by_input(&game(bench), None).unwrap();
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
    #![proptest_config(percent_of_cases(20))]
    #[test]
    #[ignore = "CI: many journals"]
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
                    // A score that is not better is not kept. If the better one is removed, it does not come back.
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
    #[ignore = "CI: many journals"]
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
            let recording = Recording::begin(Journal::open_file(&file).unwrap(), &record).unwrap();
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
fn of_two_imports_at_once_the_better_score_stays() {
    let bench = Bench::new(&["bot"], 1..=1);
    let mut other = bench.journal();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let worse = scope.spawn(|| bench.journal().import_best(&game(&bench), &[imported(0, 5)]).unwrap());
        std::thread::sleep(Duration::from_millis(200));
        // It ends the open transaction first.
        other.import_best(&game(&bench), &[imported(0, 9)]).unwrap();
        worse.join().unwrap();
    });
    let best = bench.journal().best_by_input(&game(&bench), None).unwrap();
    assert_eq!(best[&input(0)].score, Score::from(9));
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
    assert!(!watch.changes(&journal).unwrap().runs_changed);
    let before = journal.stamp(run).unwrap();
    bench.journal().change_labels(run, |now| *now = labels(&["wide"], "")).unwrap();
    assert!(watch.changes(&journal).unwrap().runs_changed);
    assert_ne!(journal.stamp(run).unwrap(), before);
    assert!(!watch.changes(&journal).unwrap().runs_changed);
}

/// Records one of two shards in a file of its own.
fn shard_of_two(bench: &Bench, number: u32) -> PathBuf {
    let file = bench.folder.path().join(format!("{number}.db"));
    let record = RunRecord { shard: Shard::new(number, 2).ok(), played: 1, ..bench.record() };
    let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), &record).unwrap();
    recording.append(&[finished(number as usize - 1, 0, Some(1))]).unwrap();
    close(recording, None, None);
    file
}

#[test]
fn a_merged_run_has_those_of_its_parts_in_any_order_and_its_own() {
    let bench = Bench::new(&["bot"], 1..=2);
    let part = |number: u32, given: Labels| {
        let file = shard_of_two(&bench, number);
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
        let changed = labels(&["wide", "all"], "third");
        into.change_labels(RunId(1), |labels| *labels = changed.clone()).unwrap();
        merge(&mut into, &files, Retention::All).unwrap();
        assert_eq!(into.labels(RunId(1)).unwrap(), changed, "what was removed does not come back");
        let now: i64 = into.connection.query_row("SELECT edits FROM run", [], |row| row.get(0)).unwrap();
        assert_eq!(now, edits + 1, "merged again, nothing is written");
    }
}

#[test]
fn own_shards_of_the_target_are_merged_too() {
    let bench = Bench::new(&["bot"], 1..=2);
    let files: Vec<PathBuf> = (1..=2).map(|number| shard_of_two(&bench, number)).collect();
    let mut into = Journal::open_file(&files[0]).unwrap();
    for added in [2, 0] {
        let merged = merge(&mut into, &files[1..], Retention::All).unwrap();
        assert_eq!((merged.is_whole(), merged.added, merged.origins.len()), (true, added, 2));
        assert_eq!(merged.gaps(None), []);
    }
}

#[test]
fn a_run_that_goes_on_under_a_relative_rule_gets_a_reference_and_keeps_it() {
    let mut bench = Bench::new(&["bot"], 1..=CASES as u64);
    bench.run(&[Some(9), None, None]);
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(7))]).unwrap();
    let run = recording.run();
    close(recording, Some(Stop::Interrupted), None);
    relative(&mut bench, Direction::Max);
    for imports in [imported(1, 5), imported(2, 5)] {
        bench.journal().import_best(&game(&bench), &[imports]).unwrap();
        know(&mut bench);
        let resumed = Recording::resume(bench.journal(), &bench.record(), &all_inputs).unwrap();
        let Resumption::Found(recording, _) = resumed else { panic!("the run is found") };
        close(*recording, Some(Stop::Interrupted), None);
        let reference = bench.journal().reference(run).unwrap().unwrap();
        let scores = [0, 1, 2].map(|place| reference.at(place).map(|known| known.score));
        assert_eq!(scores, [Some(Score::from(9)), Some(Score::from(5)), None]);
    }
}

#[test]
fn an_older_run_on_other_inputs_is_left_out() {
    let bench = Bench::new(&["bot"], 1..=2);
    let file = bench.folder.path().join("1.db");
    let play = |inputs: usize, cases: std::ops::Range<usize>| {
        let record = RunRecord { shard: Shard::new(1, 1).ok(), ..bench.record() };
        let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), &record).unwrap();
        for case in cases {
            let mut job = finished(case, 0, Some(inputs as i64));
            job.evidence.input = Some(input(inputs + case));
            recording.append(&[job]).unwrap();
        }
        drop(recording);
    };
    // The first run is killed. The second one is killed before it comes to the case that shows its inputs.
    play(10, 0..1);
    play(20, 1..2);
    play(30, 0..2);
    let mut into = bench.journal();
    let merged = merge(&mut into, std::slice::from_ref(&file), Retention::All).unwrap();
    assert_eq!((merged.results, merged.origins.len()), (2, 1));
    let scores = into.stored_run(merged.run).unwrap();
    let score = |case: usize| scores.cases.at(case).results[0].as_ref().unwrap().outcome.score.clone();
    assert_eq!([score(0), score(1)], [Some(Score::from(30)), Some(Score::from(30))]);
}
