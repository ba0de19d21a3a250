//! The journal as a whole: recorded data can be read back, and no event loses or corrupts it.

use super::*;
use checkers::Score;
use judge_problem::{
    BrokenRule, Bytes, CaseSource, CaseSpec, Catalogue, CheckerIdentity, Digest, Evidence, FinishedJob, Game,
    Invocation, JobId, KnownOutcome, Machine, Outcome, Plan, Retention, Rule, RunChoice, RunId, RunState, Solver,
    SolverSpec, Stop, StoredOutcome, Verdict,
};
use judge_sandbox::Tier;
use num_rational::BigRational;
use pace::{in_time, patiently, unhurried};
use proptest::test_runner::Config as ProptestConfig;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

mod best;
mod files;
mod identity;
mod merging;
#[path = "../../../../tests/support/pace.rs"]
mod pace;

/// A share of the usual random cases, for tests whose cases write whole journals. Each night has ten times as many.
fn percent_of_cases(percent: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: (usual.cases * percent / 100).max(1), ..usual }
}

/// A plan with these solvers and seeds, and the journal's folder.
struct Bench {
    folder: TempDir,
    plan: Plan,
    checker: CheckerIdentity,
    generator: String,
    hashes: Vec<Digest>,
    surroundings: Surroundings,
}

impl Bench {
    fn new(solvers: &[&str], seeds: std::ops::RangeInclusive<u64>) -> Self {
        let catalogue = Catalogue::built_in(Path::new("/")).unwrap();
        let problem = catalogue.find("columns").unwrap().clone();
        let solver = |name: &&str| {
            let spec = SolverSpec { name: (*name).to_owned(), text: format!("./{name}") };
            Solver::new(spec, Invocation::CannotStart(String::new()))
        };
        let cases = seeds.map(CaseSpec::from_seed).collect();
        let plan = Plan {
            environment: vec![("THREADS".to_owned(), "1 2".to_owned())],
            ..Plan::new(problem, solvers.iter().map(solver).collect(), cases)
        };
        let surroundings = Surroundings {
            machine: Machine { host: "box".to_owned(), kernel: "6.1".to_owned(), cpu_model: "cpu".to_owned() },
            git_commit: Some("0123456789abcdef".to_owned()),
            git_dirty: Some(true),
        };
        let hashes = solvers.iter().map(|name| Digest::of(name.as_bytes())).collect();
        let checker = judge_run::command::checker_identity(&plan.problem.checker);
        let generator = "generator-0".to_owned();
        Self { folder: tempfile::tempdir().unwrap(), plan, checker, generator, hashes, surroundings }
    }

    fn record(&self) -> RunRecord<'_> {
        RunRecord {
            checker: self.checker.clone(),
            generator: self.generator.clone(),
            solver_hashes: self.hashes.clone(),
            command: "judge run -p columns".to_owned(),
            jobs: 2,
            surroundings: self.surroundings.clone(),
            ..RunRecord::new(&self.plan, Tier::Root, Retention::All)
        }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(".judge")
    }

    fn journal(&self) -> Journal {
        Journal::open(&self.path()).unwrap()
    }

    fn begin(&self) -> Recording {
        Recording::begin(self.journal(), &self.record()).unwrap()
    }

    /// A whole run of the first solver with these scores, `None` for a wrong answer.
    fn run(&self, scores: &[Option<i64>]) -> RunId {
        let mut recording = self.begin();
        let batch: Vec<_> = scores.iter().enumerate().map(|(case, score)| finished(case, 0, *score)).collect();
        recording.append(&batch).unwrap();
        let run = recording.run();
        let total: i64 = scores.iter().flatten().sum();
        close(recording, None, Some(total));
        run
    }
}

fn close(recording: Recording, stop: Option<Stop>, total: Option<i64>) {
    let total = total.map(|total| BigRational::from_integer(total.into()));
    let end =
        RunEnd { stop, elapsed: Duration::from_millis(5), rule: &Rule::Sum, decimals: 0, totals: vec![total.as_ref()] };
    recording.finish(&end).unwrap();
}

fn input(case: usize) -> Digest {
    Digest::of(format!("input {case}").as_bytes())
}

/// Every case has the input that it had.
fn all_inputs(cases: &[CaseSpec]) -> Vec<Option<Digest>> {
    let of_case = |case: &CaseSpec| match case.source {
        CaseSource::Seed(seed) => Some(input(seed as usize - 1)),
        CaseSource::File(_) | CaseSource::Made(_) => None,
    };
    cases.iter().map(of_case).collect()
}

fn broken_rule() -> BrokenRule {
    let [line, column, step] = [1, 2, 3].map(NonZeroUsize::new);
    BrokenRule { line, column, step, rule: Some("no".to_owned()) }
}

fn finished(case: usize, solver: usize, score: Option<i64>) -> FinishedJob {
    let outcome = match score {
        Some(score) => Outcome {
            score: Some(Score::from(score)),
            cpu: Some(Duration::from_micros(1234)),
            wall: Some(Duration::from_micros(5678)),
            memory: Some(1 << 40),
            noisy: true,
            waited: Some(Duration::from_micros(91)),
            metrics: "moves=117 share=0.25".to_owned().into(),
            ..Outcome::without_run(Verdict::Accepted, String::new())
        },
        None => Outcome {
            broken: broken_rule(),
            ..Outcome::without_run(Verdict::WrongAnswer, "line 1, column 2, move 3: no".to_owned())
        },
    };
    let answer = Some(format!("answer {score:?}").into_bytes());
    FinishedJob {
        job: JobId { case, solver },
        outcome,
        features: None,
        evidence: Box::new(Evidence { input: Some(input(case)), answer, stored: None, ..Evidence::default() }),
    }
}

fn integrity(journal: &Journal) -> String {
    journal.connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

fn game(bench: &Bench) -> Game {
    judge_run::command::game_of(&bench.plan.problem)
}

fn scores(journal: &Journal, game: &Game) -> Vec<(String, String, i64)> {
    let bests = journal.best(game, None).unwrap().scores.into_iter();
    bests.map(|best| (best.case.to_string(), best.score.to_string(), best.run.0)).collect()
}

#[test]
fn what_is_recorded_comes_back() {
    let bench = Bench::new(&["old", "new"], 1..=3);
    let mut recording = bench.begin();
    let huge: Score = "123456789012345678901234567890".parse().unwrap();
    let mut first = finished(0, 0, Some(7));
    first.outcome.score = Some(huge.clone());
    first.evidence.answer = Some(b"3 1\n".repeat(5000));
    recording.append(&[first.clone(), finished(0, 1, Some(-5))]).unwrap();
    recording.append(&[finished(2, 1, None)]).unwrap();
    let run = recording.run();
    drop(recording);

    let journal = bench.journal();
    assert_eq!(journal.choose(RunChoice::Last).unwrap(), run);
    let stored = journal.stored_run(run).unwrap();
    assert_eq!((stored.state, stored.case_count, stored.cases.len()), (RunState::Killed, 3, 2));
    assert_eq!((&*stored.problem, &*stored.checker.name, stored.checker.version > 0), ("columns", "columns", true));
    assert_eq!((&stored.limits, &*stored.environment), (&bench.plan.limits, "'THREADS=1 2'"));
    assert_eq!((&*stored.provenance.machine.host, stored.tier, stored.git_dirty), ("box", Tier::Root, Some(true)));
    assert_eq!(stored.entrants[1].hash, bench.hashes[1]);
    assert_eq!(stored.cases.at(0).spec, bench.plan.cases.at(0));
    assert_eq!(stored.cases.at(0).input, Some(input(0)));
    let result = stored.cases.at(0).results[0].clone().unwrap();
    assert_eq!(result.outcome, first.outcome);
    assert_eq!(journal.answer(result.answer.unwrap()).unwrap(), first.evidence.answer);
    assert!(stored.cases.at(1).results[0].is_none());
    assert_eq!(stored.cases.at(1).results[1].as_ref().unwrap().outcome, finished(2, 1, None).outcome);
    assert!(matches!(journal.stored_run(RunId(99)), Err(JournalError::NoRun(RunId(99)))));
}

#[test]
fn the_next_run_removes_the_locks_of_killed_runs() {
    let bench = Bench::new(&["bot"], 1..=1);
    let start = || {
        let recording = bench.begin();
        recording.commit_start().unwrap();
        recording
    };
    drop(start());
    let running = start();
    let [killed, held] = [1, 2].map(|run| bench.path().join(format!("run-{run}.lock")));
    std::fs::write(&killed, "1").unwrap();
    drop(start());
    assert!(!killed.exists() && held.exists());
    assert_eq!(bench.journal().stored_run(running.run()).unwrap().state, RunState::Running);
}

#[test]
fn a_run_is_in_the_journal_once_its_start_is_committed() {
    let bench = Bench::new(&["bot"], 1..=1);
    let other = bench.journal();
    let last = || other.choose(RunChoice::Last);
    let recording = bench.begin();
    assert!(matches!(last(), Err(JournalError::NoRunYet)));
    drop(recording);
    assert!(matches!(last(), Err(JournalError::NoRunYet)), "one that was given up leaves nothing");
    assert!(!bench.path().join("run-1.lock").exists());

    let recording = bench.begin();
    recording.commit_start().unwrap();
    assert_eq!(last().unwrap(), recording.run());
    recording.commit_start().unwrap();
    drop(recording);

    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(7))]).unwrap();
    assert_eq!(last().unwrap(), recording.run(), "a result brings the start with it");
}

#[test]
fn equal_answers_are_stored_once() {
    let bench = Bench::new(&["bot"], 1..=2);
    bench.run(&[Some(3), Some(3)]);
    bench.run(&[Some(3), Some(4)]);
    let count: i64 = bench.journal().connection.query_row("SELECT count(*) FROM answer", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 2);
}

#[test]
fn a_disowned_run_is_neither_continued_nor_reused() {
    let bench = Bench::new(&["bot"], 1..=2);
    let reusable = || {
        let mut known = Known::of(&bench.plan);
        bench.begin().add_earlier(0, &mut known).unwrap();
        known.len()
    };
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(7))]).unwrap();
    assert_eq!(reusable(), 1);
    recording.disown().unwrap();
    close(recording, Some(Stop::Interrupted), None);
    assert_eq!(reusable(), 0);
    let resumed = Recording::resume(bench.journal(), &bench.record(), &all_inputs).unwrap();
    assert!(matches!(resumed, Resumption::Nothing(..)));
}

/// A second judge waits for the lock until the first one has followed the run to its end.
#[test]
fn a_run_that_is_over_is_not_followed() {
    let bench = Bench::new(&["bot"], 1..=1);
    let run = bench.run(&[Some(7)]);
    let followed = Recording::reattach(bench.journal(), &bench.record(), run);
    assert!(matches!(followed, Err(JournalError::Over(found, RunState::Complete)) if found == run));
}

#[test]
fn an_interrupted_run_is_continued_and_a_changed_one_is_not() {
    let mut bench = Bench::new(&["bot"], 1..=3);
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(7))]).unwrap();
    let run = recording.run();
    let second = Recording::resume(bench.journal(), &bench.record(), &all_inputs);
    assert!(matches!(second, Err(JournalError::StillRunning(found)) if found == run));
    drop(recording);

    let resume = |bench: &Bench| {
        let found = Recording::resume(bench.journal(), &bench.record(), &all_inputs).unwrap();
        match found {
            Resumption::Found(recording, known) => Some((recording, known)),
            Resumption::Elsewhere(..) | Resumption::Nothing(..) => None,
        }
    };
    let (hashes, limits, cases) = (bench.hashes.clone(), bench.plan.limits.clone(), bench.plan.cases.clone());
    bench.hashes = vec![Digest::of(b"another binary")];
    assert!(resume(&bench).is_none());
    bench.hashes = hashes;
    bench.plan.limits.memory = Bytes(1);
    assert!(resume(&bench).is_none());
    bench.plan.limits = limits;
    bench.plan.cases.push(CaseSpec::from_seed(4));
    assert!(resume(&bench).is_none());
    bench.plan.cases = cases;

    let (mut again, known) = resume(&bench).expect("the run is found");
    assert_eq!((again.run(), known.len()), (run, 1));
    let job = JobId { case: 0, solver: 0 };
    let (KnownOutcome { outcome, stored }, kept) = known.kept(job).unwrap();
    assert_eq!(kept, input(0));
    assert_eq!(outcome, finished(0, 0, Some(7)).outcome);
    let evidence =
        Box::new(Evidence { input: Some(input(0)), answer: None, stored: Some(stored), ..Evidence::default() });
    again
        .append(&[
            FinishedJob { job, outcome, features: None, evidence },
            finished(1, 0, Some(8)),
            finished(2, 0, None),
        ])
        .unwrap();
    close(*again, None, Some(15));
    let stored = bench.journal().stored_run(run).unwrap();
    assert_eq!((stored.state, stored.cases.len()), (RunState::Complete, 3));
    assert!(stored.cases.at(0).results[0].as_ref().unwrap().answer.is_some(), "its answer is kept");
    assert!(resume(&bench).is_none(), "it is done");
}

#[test]
fn equal_results_of_other_runs_are_used_again_but_not_faults_nor_repetitions() {
    let mut bench = Bench::new(&["bot"], 1..=3);
    let mut fault = finished(1, 0, None);
    fault.outcome.verdict = Verdict::JudgeError;
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(7)), fault]).unwrap();
    close(recording, None, None);

    let known = |bench: &Bench| {
        let recording = bench.begin();
        let mut known = Known::of(&bench.plan);
        recording.add_earlier(0, &mut known).unwrap();
        (recording, known)
    };
    let (mut recording, earlier) = known(&bench);
    let job = JobId { case: 0, solver: 0 };
    assert_eq!(earlier.len(), 1);
    assert!(earlier.lookup(JobId { case: 1, solver: 0 }, &input(1)).is_none(), "a fault of the judge");
    let KnownOutcome { outcome, stored } = earlier.lookup(job, &input(0)).unwrap();
    recording
        .append(&[FinishedJob {
            job,
            outcome,
            features: None,
            evidence: Box::new(Evidence {
                input: Some(input(0)),
                answer: None,
                stored: Some(stored),
                ..Evidence::default()
            }),
        }])
        .unwrap();
    let run = recording.run();
    close(recording, None, Some(7));
    let copy = bench.journal().stored_run(run).unwrap().cases.at(0).results[0].clone().unwrap();
    assert_eq!(bench.journal().answer(copy.answer.unwrap()).unwrap().unwrap(), b"answer Some(7)");

    bench.plan.cases = [CaseSpec::from_seed(1)].into_iter().collect();
    bench.plan.cases.push(CaseSpec { name: "seed-1#2".into(), ..CaseSpec::from_seed(1) });
    let repeated = known(&bench).1;
    assert!(repeated.lookup(job, &input(0)).is_some());
    assert!(repeated.lookup(JobId { case: 1, solver: 0 }, &input(0)).is_none(), "the second time is measured");
    bench.plan.environment.clear();
    assert!(known(&bench).1.is_empty(), "another environment");
}

#[test]
fn a_run_grows_by_solvers_and_cases_and_each_job_finds_its_place() {
    let bench = Bench::new(&["first", "second"], 1..=2);
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(10)), finished(0, 1, Some(20))]).unwrap();
    let late = Bench::new(&["third"], 3..=4);
    recording.grow(&late.plan.solvers, &late.hashes, &late.plan.cases).unwrap();
    recording.part = Part { solvers: vec![2, 0], cases: CasePlaces::From(3) };
    recording.append(&[finished(0, 0, Some(30)), finished(0, 1, Some(40))]).unwrap();
    let run = recording.run();
    close(recording, None, None);
    let stored = bench.journal().stored_run(run).unwrap();
    let names: Vec<&str> = stored.entrants.iter().map(|entrant| &*entrant.name).collect();
    assert_eq!((stored.case_count, names), (4, vec!["first", "second", "third"]));
    let scores = |case: usize| -> Vec<Option<String>> {
        let score = |result: &StoredOutcome| result.outcome.score.as_ref().unwrap().to_string();
        stored.cases.at(case).results.iter().map(|result| result.as_ref().map(score)).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!((&*stored.cases.at(0).spec.name.0, scores(0)), ("seed-1", vec![some("10"), some("20"), None]));
    assert_eq!((&*stored.cases.at(1).spec.name.0, scores(1)), ("seed-4", vec![some("40"), None, some("30")]));
}

#[test]
fn a_solver_that_is_in_a_run_twice_is_run_again_the_second_time() {
    let bench = Bench::new(&["bot"], 1..=1);
    bench.run(&[Some(7)]);
    let mut twice = Bench::new(&["bot", "again"], 1..=1);
    (twice.folder, twice.hashes[1]) = (bench.folder, twice.hashes[0]);
    let recording = twice.begin();
    let mut known = Known::of(&twice.plan);
    recording.add_earlier(0, &mut known).unwrap();
    let recalled = [0, 1].map(|solver| known.lookup(JobId { case: 0, solver }, &input(0)).is_some());
    assert_eq!(recalled, [true, false]);
}

#[test]
fn a_full_disk_loses_nothing_that_was_recorded() {
    let bench = Bench::new(&["bot"], 1..=500);
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(1))]).unwrap();
    let connection = recording.connection().unwrap();
    let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    connection.execute_batch(&format!("PRAGMA max_page_count = {}", pages + 4)).unwrap();
    let error = (1..500).find_map(|case| {
        let mut next = finished(case, 0, Some(1));
        next.evidence.answer = Some(Digest::of(&[case as u8]).0.repeat(20 + case));
        recording.append(&[next]).err().map(|error| (case, error))
    });
    let (failed, error) = error.expect("the disk is full at some time");
    let JournalError::Database(cause) = &error else { panic!("{error}") };
    assert!(cause.to_string().contains("full"), "{cause}");
    let run = recording.run();
    drop(recording);
    let journal = bench.journal();
    assert_eq!(integrity(&journal), "ok");
    assert_eq!(journal.stored_run(run).unwrap().cases.len(), failed);
}

#[test]
fn two_judges_at_once_record_everything() {
    let bench = Bench::new(&["bot"], 1..=100);
    let runs: Vec<RunId> = std::thread::scope(|scope| {
        let judge = || {
            let mut recording = bench.begin();
            (0..100).for_each(|case| recording.append(&[finished(case, 0, Some(case as i64))]).unwrap());
            recording.run()
        };
        let judges: Vec<_> = (0..3).map(|_| scope.spawn(judge)).collect();
        judges.into_iter().map(|judge| judge.join().unwrap()).collect()
    });
    let journal = bench.journal();
    assert_eq!(integrity(&journal), "ok");
    assert!(runs.iter().all(|run| journal.stored_run(*run).unwrap().cases.len() == 100));
}

#[test]
fn the_oldest_answers_go_first() {
    let bench = Bench::new(&["bot"], 1..=2);
    let (old, new) = (bench.run(&[Some(1), Some(2)]), bench.run(&[Some(2), Some(3)]));
    let mut journal = bench.journal();
    let kept = |journal: &Journal, run| -> Vec<bool> {
        let cases = journal.stored_run(run).unwrap().cases;
        cases.iter().map(|case| case.results[0].as_ref().unwrap().answer.is_some()).collect()
    };
    let bytes = "answer Some(2)".len() as u64 * 2;
    journal.apply_retention(Retention::UpTo(Bytes(bytes))).unwrap();
    assert_eq!((kept(&journal, old), kept(&journal, new)), (vec![false, true], vec![true, true]));
    journal.apply_retention(Retention::UpTo(Bytes(0))).unwrap();
    assert_eq!((kept(&journal, old), kept(&journal, new)), (vec![false, false], vec![false, false]));
    let bodies: i64 = journal.connection.query_row("SELECT count(*) FROM answer_body", [], |row| row.get(0)).unwrap();
    assert_eq!(bodies, 0);
}

#[test]
fn once_there_are_too_many_answers_an_eighth_is_made_free() {
    let bench = Bench::new(&["bot"], 1..=1);
    let mut state = 1_u64;
    let mut random_byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let mut run = || {
        let mut job = finished(0, 0, Some(1));
        job.evidence.answer = Some((0..1 << 20).map(|_| random_byte()).collect());
        let record = RunRecord { retention: Retention::UpTo(Bytes(9 << 20)), ..bench.record() };
        let mut recording = Recording::begin(bench.journal(), &record).unwrap();
        recording.append(&[job]).unwrap();
        close(recording, None, None);
        bench.journal().connection.query_row("SELECT count(*) FROM answer", [], |row| row.get(0)).unwrap()
    };
    let kept: Vec<u64> = (0..12).map(|_| run()).collect();
    assert_eq!(kept, [1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 9, 8]);
}

#[test]
fn a_forgotten_run_leaves_nothing_behind_that_is_its_own() {
    let bench = Bench::new(&["bot"], 1..=2);
    let (first, second) = (bench.run(&[Some(1), Some(9)]), bench.run(&[Some(1)]));
    let mut journal = bench.journal();
    journal.remove(first).unwrap();
    let count = |table: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        bench.journal().connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    for table in ["run", "entrant", "result", "game_case", "answer", "answer_body"] {
        assert_eq!(count(table), 1, "{table}");
    }
    assert!(matches!(journal.remove(first), Err(JournalError::NoRun(_))));
    let running = bench.begin();
    assert!(matches!(journal.remove(running.run()), Err(JournalError::StillRunning(_))));
    assert_eq!(scores(&journal, &game(&bench)), [("seed-1".to_owned(), "1".to_owned(), second.0)]);
}

#[test]
fn a_removed_run_gives_its_space_back() {
    let bench = Bench::new(&["bot"], 1..=1);
    let mut recording = bench.begin();
    let mut job = finished(0, 0, Some(1));
    // Hashes do not become smaller when they are compressed.
    job.evidence.answer = Some((0..10_000_u32).flat_map(|number| Digest::of(&number.to_le_bytes()).0).collect());
    recording.append(&[job]).unwrap();
    let run = recording.run();
    close(recording, None, Some(1));
    let mut journal = bench.journal();
    journal.remove(run).unwrap();
    let free: i64 = journal.connection.query_row("PRAGMA freelist_count", [], |row| row.get(0)).unwrap();
    assert!(free < 3, "{free} pages");
}

#[test]
fn old_answers_are_dropped_while_another_judge_writes() {
    let bench = Bench::new(&["bot"], 1..=1);
    bench.run(&[Some(1)]);
    let other = bench.journal();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let dropping = scope.spawn(|| bench.journal().apply_retention(Retention::UpTo(Bytes(0))));
        std::thread::sleep(Duration::from_millis(200));
        other.connection.execute_batch("COMMIT").unwrap();
        dropping.join().unwrap().unwrap();
    });
}

#[test]
fn changes_are_between_totals_by_equal_terms() {
    let mut bench = Bench::new(&["bot"], 1..=2);
    let change = |bench: &Bench, scores: &[Option<i64>]| {
        bench.run(scores);
        let rows = bench.journal().history(&HistoryFilter::default()).unwrap();
        rows[0].change.as_ref().map(ToString::to_string)
    };
    assert_eq!(change(&bench, &[Some(1), Some(2)]), None);
    assert_eq!(change(&bench, &[Some(2), Some(2)]), Some("1".to_owned()));
    let heavy = CaseSpec { weight: "3".parse().unwrap(), ..CaseSpec::from_seed(2) };
    bench.plan.cases = [CaseSpec::from_seed(1), heavy].into_iter().collect();
    assert_eq!(change(&bench, &[Some(4), Some(2)]), None, "another weight");
    bench.plan.problem.failure = Some(Score::from(-5));
    assert_eq!(change(&bench, &[Some(5), Some(2)]), None, "another cost of a failure");
    assert_eq!(change(&bench, &[Some(7), Some(2)]), Some("2".to_owned()));
}

#[test]
fn impossible_numbers_are_damage() {
    let bench = Bench::new(&["bot"], 1..=2);
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(7))]).unwrap();
    drop(recording);
    let change = |sql: &str| bench.journal().connection.execute_batch(sql).unwrap();
    change("UPDATE result SET place = 99");
    let resumed = Recording::resume(bench.journal(), &bench.record(), &all_inputs);
    assert!(resumed.is_err_and(|error| error.is_damage()));
    bench.run(&[Some(1), Some(2)]);
    change("UPDATE entrant SET accepted = 99");
    assert!(bench.journal().history(&HistoryFilter::default()).is_err_and(|error| error.is_damage()));
}
