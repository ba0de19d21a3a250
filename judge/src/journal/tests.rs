//! The journal as a whole: what is recorded comes back, and nothing that can happen to it loses or corrupts it.

#[path = "../../../tests/support/pace.rs"]
mod pace;

use super::*;
use crate::manifest::Catalogue;
use crate::model::{
    BrokenRule, Bytes, CaseSpec, CheckerIdentity, Digest, Evidence, FinishedJob, Game, Invocation, JobId, KnownOutcome,
    Limits, Outcome, Retention, Rule, RunChoice, RunId, RunState, Solver, SolverSpec, Stop, StoredOutcome, Time,
    Verdict,
};
use crate::plan::{Order, Plan};
use checkers::Score;
use judge_sandbox::{Tier, Visible};
use num_rational::BigRational;
use pace::{in_time, patiently, unhurried};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// A plan with these solvers and seeds, and the journal's folder.
struct Bench {
    folder: TempDir,
    plan: Plan,
    checker: CheckerIdentity,
    hashes: Vec<Digest>,
    surroundings: Surroundings,
}

impl Bench {
    fn new(solvers: &[&str], seeds: std::ops::RangeInclusive<u64>) -> Self {
        let catalogue = Catalogue::built_in(Path::new("/")).unwrap();
        let problem = catalogue.find("columns").unwrap().clone();
        let solver = |name: &&str| Solver {
            spec: SolverSpec { name: (*name).to_owned(), text: format!("./{name}") },
            invocation: Invocation::CannotStart(String::new()),
            environment: Vec::new(),
        };
        let plan = Plan {
            limits: problem.limits.clone(),
            problem,
            cases: seeds.map(CaseSpec::from_seed).collect(),
            solvers: solvers.iter().map(solver).collect(),
            environment: vec![("THREADS".to_owned(), "1 2".to_owned())],
            visible: Vec::new(),
            fail_fast: false,
            order: Order::Fixed,
        };
        let surroundings = Surroundings {
            host: "box".to_owned(),
            kernel: "6.1".to_owned(),
            cpu_model: "cpu".to_owned(),
            git_commit: Some("0123456789abcdef".to_owned()),
            git_dirty: Some(true),
        };
        let hashes = solvers.iter().map(|name| Digest::of(name.as_bytes())).collect();
        let checker = crate::command::checker_identity(&plan.problem.checker);
        Self { folder: tempfile::tempdir().unwrap(), plan, checker, hashes, surroundings }
    }

    fn record(&self) -> RunRecord<'_> {
        RunRecord {
            plan: &self.plan,
            checker: &self.checker,
            solver_hashes: &self.hashes,
            command: "judge run -p columns",
            jobs: 2,
            tier: Tier::Root,
            surroundings: &self.surroundings,
        }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(".judge")
    }

    fn journal(&self) -> Journal {
        Journal::open(&self.path()).unwrap()
    }

    fn begin(&self) -> Recording {
        Recording::begin(self.journal(), Retention::All, &self.record()).unwrap()
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
    let end = RunEnd { stop, elapsed: Duration::from_millis(5), rule: &Rule::Sum, totals: vec![total.as_ref()] };
    recording.finish(&end).unwrap();
}

fn input(case: usize) -> Digest {
    Digest::of(format!("input {case}").as_bytes())
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
        evidence: Box::new(Evidence { input: Some(input(case)), answer, stored: None }),
    }
}

fn integrity(journal: &Journal) -> String {
    journal.connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

fn game(bench: &Bench) -> Game {
    crate::command::game_of(&bench.plan.problem)
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
    assert_eq!((&*stored.host, stored.tier, stored.git_dirty), ("box", Tier::Root, Some(true)));
    assert_eq!(stored.entrants[1].hash, bench.hashes[1]);
    assert_eq!(stored.cases[0].spec, bench.plan.cases[0]);
    assert_eq!(stored.cases[0].input, Some(input(0)));
    let result = stored.cases[0].results[0].as_ref().unwrap();
    assert_eq!(result.outcome, first.outcome);
    assert_eq!(journal.answer(result.answer.unwrap()).unwrap(), first.evidence.answer);
    assert!(stored.cases[1].results[0].is_none());
    assert_eq!(stored.cases[1].results[1].as_ref().unwrap().outcome, finished(2, 1, None).outcome);
    assert!(matches!(journal.stored_run(RunId(99)), Err(JournalError::NoRun(RunId(99)))));
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
fn an_interrupted_run_is_continued_and_a_changed_one_is_not() {
    let mut bench = Bench::new(&["bot"], 1..=3);
    let mut recording = bench.begin();
    recording.append(&[finished(0, 0, Some(7))]).unwrap();
    let run = recording.run();
    let second = Recording::resume(bench.journal(), Retention::All, &bench.record());
    assert!(matches!(second, Err(JournalError::StillRunning(found)) if found == run));
    drop(recording);

    let resume = |bench: &Bench| {
        let found = Recording::resume(bench.journal(), Retention::All, &bench.record()).unwrap();
        match found {
            Resumption::Found(recording, known) => Some((recording, known)),
            Resumption::Nothing(_) => None,
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
    assert!(known.lookup(job, &input(1)).is_none(), "another input");
    let KnownOutcome { outcome, stored } = known.lookup(job, &input(0)).unwrap();
    assert_eq!(outcome, finished(0, 0, Some(7)).outcome);
    let evidence = Box::new(Evidence { input: Some(input(0)), answer: None, stored: Some(stored) });
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
    assert!(stored.cases[0].results[0].as_ref().unwrap().answer.is_some(), "its answer is kept");
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
    assert!(earlier.lookup(JobId { case: 1, solver: 0 }, &input(1)).is_none(), "a fault of ours");
    let KnownOutcome { outcome, stored } = earlier.lookup(job, &input(0)).unwrap();
    recording
        .append(&[FinishedJob {
            job,
            outcome,
            features: None,
            evidence: Box::new(Evidence { input: Some(input(0)), answer: None, stored: Some(stored) }),
        }])
        .unwrap();
    let run = recording.run();
    close(recording, None, Some(7));
    let copy = bench.journal().stored_run(run).unwrap().cases[0].results[0].clone().unwrap();
    assert_eq!(bench.journal().answer(copy.answer.unwrap()).unwrap().unwrap(), b"answer Some(7)");

    bench.plan.cases = vec![CaseSpec::from_seed(1), CaseSpec { name: "seed-1#2".into(), ..CaseSpec::from_seed(1) }];
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
    recording.turn_to(Part { solvers: vec![2, 0], first_case: 3 });
    recording.append(&[finished(0, 0, Some(30)), finished(0, 1, Some(40))]).unwrap();
    let run = recording.run();
    close(recording, None, None);
    let stored = bench.journal().stored_run(run).unwrap();
    let names: Vec<&str> = stored.entrants.iter().map(|entrant| &*entrant.name).collect();
    assert_eq!((stored.case_count, names), (4, vec!["first", "second", "third"]));
    let scores = |case: usize| -> Vec<Option<String>> {
        let score = |result: &StoredOutcome| result.outcome.score.as_ref().unwrap().to_string();
        stored.cases[case].results.iter().map(|result| result.as_ref().map(score)).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!((&*stored.cases[0].spec.name.0, scores(0)), ("seed-1", vec![some("10"), some("20"), None]));
    assert_eq!((&*stored.cases[1].spec.name.0, scores(1)), ("seed-4", vec![some("40"), None, some("30")]));
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
    let pages: i64 = recording.connection().query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    recording.connection().execute_batch(&format!("PRAGMA max_page_count = {}", pages + 4)).unwrap();
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
    journal.connection.execute_batch(&format!("DROP TABLE imported_best; {drops} PRAGMA user_version = 1")).unwrap();
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
    assert_eq!(form(&bench.journal()).unwrap(), 4, "opened to be written, it is brought up to date");
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
    old.execute_batch(include_str!("schema/form_2.sql")).unwrap();
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
fn history_tells_totals_failures_and_the_change() {
    let mut bench = Bench::new(&["bot"], 1..=2);
    bench.run(&[Some(1), Some(2)]);
    bench.run(&[Some(5), None]);
    bench.plan.cases.pop();
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
    let filter = |problem, solver, newest| HistoryFilter { problem, solver, newest };
    let count = |filter| journal.history(&filter).unwrap().len();
    assert_eq!(count(filter(Some("columns"), Some("bot"), Some(3))), 3);
    assert_eq!(count(filter(Some("same-game"), None, None)), 0);
    assert_eq!(count(filter(None, Some("other"), None)), 0);
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
    let least = Game { direction: crate::model::Direction::Min, ..game(&bench) };
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
        bench.plan.cases.truncate(1_000);
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
