//! Shards that are merged in any order, however often and while they still run, are the whole run.

use super::*;
use judge_problem::Shard;
use proptest::prelude::*;
use std::path::PathBuf;

/// What a solver does on a case is the same wherever it is played, but for the time.
fn outcome_of(case: usize, solver: usize, place: usize) -> FinishedJob {
    let score = (!(case * 7 + solver).is_multiple_of(5)).then_some((case * 31 + solver * 17) as i64 % 100);
    let FinishedJob { outcome, mut evidence, .. } = finished(case, solver, score);
    evidence.input = Some(input(case));
    FinishedJob { job: JobId { case: place, solver }, outcome, features: None, evidence }
}

/// The results of a run, without what tells its rows apart.
fn results(journal: &Journal, run: RunId) -> Vec<String> {
    let stored = journal.stored_run(run).unwrap();
    let answer = |id: Option<i64>| id.map(|id| journal.answer(id).unwrap());
    let outcomes = stored.cases.iter().map(|case| {
        let results: Vec<_> =
            case.results.iter().flatten().map(|result| (result.outcome.clone(), answer(result.answer))).collect();
        format!("{:?} {:?} {results:?}", case.spec, case.input)
    });
    let about = format!("{:?} {:?} {} {}", stored.state, stored.entrants, stored.case_count, stored.command);
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
        let record = RunRecord { shard: Some(shard), played: places.len(), command: &command, ..bench.record() };
        let mut recording = Recording::begin(Journal::open_file(&file).unwrap(), Retention::All, &record).unwrap();
        recording.commit_start().unwrap();
        let whole = Part::whole(&plan);
        recording.turn_to(Part { cases: CasePlaces::At(places.clone()), ..whole });
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
            let end =
                RunEnd { stop: None, elapsed: Duration::from_millis(5), rule: &Rule::Sum, totals: vec![None; solvers] };
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
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]
    #[test]
    fn shards_merged_in_any_order_and_while_they_run_are_the_whole(
        solvers in 1..=2_usize,
        cases in 1..=12_u64,
        count in 1..=5_u32,
        // Which shards are merged, after one of them has gone on.
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

/// A shard that was played twice counts once, and which of the two does not depend on the order.
#[test]
fn of_two_results_of_a_case_the_same_one_stays_whatever_the_order() {
    let bench = Bench::new(&["bot"], 1..=1);
    let file = |name: &str, verdict: Verdict| {
        let path = bench.folder.path().join(name);
        let record = RunRecord { shard: Shard::new(1, 1).ok(), ..bench.record() };
        let mut recording = Recording::begin(Journal::open_file(&path).unwrap(), Retention::All, &record).unwrap();
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
    }
}
