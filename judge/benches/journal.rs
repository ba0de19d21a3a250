//! The journal's overhead for each case: the commit before the case is shown. The promise is less than 0.1 ms.

#[allow(dead_code, reason = "it serves other benches and tests as well")]
#[path = "../../tests/support/large_run.rs"]
mod large_run;

use divan::counter::ItemsCount;
use judge_journal::{HistoryFilter, Journal, Recording};
use judge_problem::{BestScores, Catalogue, Digest, Evidence, FinishedJob, JobId, Outcome, Verdict};
use judge_run::command::game_of;
use std::path::Path;
use tempfile::TempDir;

/// Cases in a sample: enough that the log is written back into the file several times.
const CASES: usize = 2000;

fn main() {
    divan::main();
}

/// A recording and the values that keep it alive.
struct OpenRun {
    folder: TempDir,
    recording: Recording,
}

fn open_run() -> OpenRun {
    open_run_of(CASES)
}

fn open_run_of(cases: usize) -> OpenRun {
    let plan = large_run::plan("bot", large_run::seeds(0, cases));
    // In the build folder, not in memory, because users' folders are on disks.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder for the journal");
    let journal = Journal::open(folder.path()).expect("a fresh journal");
    let recording = large_run::begin(journal, &plan, None);
    OpenRun { folder, recording }
}

/// Jewels and shifts, as an answer to `columns` has them: different for every case.
fn answer(case: usize, bytes: usize) -> Vec<u8> {
    let mut state = case as u64 + 1;
    let mut text = Vec::with_capacity(bytes + 8);
    while text.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.extend_from_slice(format!("{} {}\n", (state >> 33) % 12 + 1, (state >> 40) % 3).as_bytes());
    }
    text
}

fn finished(case: usize, bytes: usize) -> FinishedJob {
    let outcome =
        Outcome { score: Some((case as u64).into()), ..Outcome::without_run(Verdict::Accepted, String::new()) };
    let evidence = Box::new(Evidence {
        input: Some(Digest::of(&case.to_le_bytes())),
        answer: Some(answer(case, bytes)),
        ..Evidence::default()
    });
    FinishedJob { job: JobId { case, solver: 0 }, outcome, features: None, evidence }
}

/// One commit for each case: the slowest way, when cases finish one by one.
#[divan::bench(args = [20, 2_000, 40_000], sample_count = 5, sample_size = 1)]
fn a_commit_for_each_case(bencher: divan::Bencher<'_, '_>, bytes: usize) {
    bencher
        .counter(ItemsCount::new(CASES))
        .with_inputs(|| (open_run(), (0..CASES).map(|case| finished(case, bytes)).collect::<Vec<_>>()))
        .bench_local_refs(|(run, cases)| {
            cases.chunks(1).for_each(|case| run.recording.append(case).expect("the journal can be written"));
        });
}

/// Sixteen cases in a commit: when cases finish faster than commits.
#[divan::bench(args = [20, 2_000, 40_000], sample_count = 5, sample_size = 1)]
fn a_commit_for_sixteen_cases(bencher: divan::Bencher<'_, '_>, bytes: usize) {
    bencher
        .counter(ItemsCount::new(CASES))
        .with_inputs(|| (open_run(), (0..CASES).map(|case| finished(case, bytes)).collect::<Vec<_>>()))
        .bench_local_refs(|(run, cases)| {
            cases.chunks(16).for_each(|batch| run.recording.append(batch).expect("the journal can be written"));
        });
}

/// A run of 1,000 cases from start to end, in a journal that already has this many runs of the same cases. The promise
/// is that their number does not matter.
#[divan::bench(args = [1, 500], sample_count = 10, sample_size = 1)]
fn a_run_after_others(bencher: divan::Bencher<'_, '_>, others: usize) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder for the journal");
    let plan = large_run::plan("bot", large_run::seeds(0, 1000));
    let cases: Vec<_> = (0..1000).map(|case| finished(case, 20)).collect();
    let run = || {
        let journal = Journal::open(folder.path()).expect("a journal");
        let mut recording = large_run::begin(journal, &plan, None);
        // As many as a judge commits at once.
        cases.chunks(64).for_each(|batch| recording.append(batch).expect("the journal can be written"));
        large_run::finish(recording, &plan);
    };
    (0..others).for_each(|_| run());
    bencher.counter(ItemsCount::new(1000_usize)).bench_local(run);
}

/// A journal of one run with 100,000 cases, each of them its own best.
fn full_journal() -> (OpenRun, Journal) {
    let mut run = open_run_of(100_000);
    for first in (0..100_000).step_by(1000) {
        let batch: Vec<_> = (first..first + 1000).map(|case| finished(case, 20)).collect();
        run.recording.append(&batch).expect("the journal can be written");
    }
    let journal = Journal::open(run.folder.path()).expect("a journal can be opened twice");
    (run, journal)
}

/// `judge history` with 100,000 stored cases. The promise is less than 200 ms.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn history_of_100_000_cases(bencher: divan::Bencher<'_, '_>) {
    let (_run, journal) = full_journal();
    bencher.bench_local(|| journal.history(&HistoryFilter::default()).expect("the journal can be read").len());
}

/// `judge best` with 100,000 stored cases. The promise is less than 200 ms.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn best_of_100_000_cases(bencher: divan::Bencher<'_, '_>) {
    let (_run, journal) = full_journal();
    let catalogue = Catalogue::built_in(Path::new("/")).expect("the built-in catalogue is valid");
    let game = game_of(catalogue.find(large_run::PROBLEM).expect("it is built in"));
    bencher.bench_local(|| -> BestScores { journal.best(&game, Some(100)).expect("the journal can be read") });
}
