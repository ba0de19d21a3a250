//! Runs of many cases in a journal, written by the journal itself without running programs.

use judge_journal::{Journal, Recording, RunEnd, RunRecord};
use judge_problem::{
    CaseList, Catalogue, Digest, Evidence, FinishedJob, Invocation, JOURNAL_FOLDER, JobId, Outcome, Plan, Retention,
    Shard, Solver, SolverSpec, Verdict,
};
use judge_sandbox::Tier;
use std::path::Path;
use std::time::Duration;

/// The problem of the runs. Its scores have no common scale, so the fractions of its relative points have no common
/// denominator.
pub(crate) const PROBLEM: &str = "columns";

/// One case in this number fails.
const FAILING: usize = 50;

/// The cases that are written down at once.
const BATCH: usize = 10_000;

/// Returns the plan of a solver of this name, which is never started.
pub(crate) fn plan(name: &str, cases: CaseList) -> Plan {
    let catalogue = Catalogue::built_in(Path::new("/")).expect("the built-in catalogue is valid");
    let problem = catalogue.find(PROBLEM).expect("it is built in").clone();
    let spec = SolverSpec { name: name.to_owned(), text: format!("./{name}") };
    Plan::new(problem, vec![Solver::new(spec, Invocation::CannotStart(String::new()))], cases)
}

/// Begins the record of a run of a plan.
pub(crate) fn begin(journal: Journal, plan: &Plan, shard: Option<Shard>) -> Recording {
    let name = &plan.solvers[0].spec.name;
    let record = RunRecord {
        generator: String::new(),
        solver_hashes: vec![Digest::of(name.as_bytes())],
        command: format!("judge run -p {PROBLEM} -s ./{name}"),
        shard,
        ..RunRecord::new(plan, Tier::Root, Retention::All)
    };
    Recording::begin(journal, &record).expect("a fresh run")
}

/// Ends the record of a run that was carried through.
pub(crate) fn finish(recording: Recording, plan: &Plan) {
    let end = RunEnd {
        stop: None,
        elapsed: Duration::from_secs(1),
        rule: &plan.problem.scoring,
        decimals: 0,
        totals: vec![None],
    };
    recording.finish(&end).expect("the journal can be written");
}

/// Records a finished run of a solver with this name on the seeds from 1, in the journal of a folder.
pub(crate) fn record(folder: &Path, name: &str, cases: usize) {
    let plan = plan(name, seeds(1, cases));
    let journal = Journal::open(&folder.join(JOURNAL_FOLDER)).expect("a fresh journal");
    let mut recording = begin(journal, &plan, None);
    for first in (0..cases).step_by(BATCH) {
        let batch: Vec<_> = (first..cases.min(first + BATCH)).map(|case| finished(name, case)).collect();
        recording.append(&batch).expect("the journal can be written");
    }
    finish(recording, &plan);
}

/// Returns this many cases, with the seeds from `first` on.
pub(crate) fn seeds(first: u64, cases: usize) -> CaseList {
    let mut list = CaseList::default();
    list.push_seeds(first..=first + cases as u64 - 1);
    list
}

/// An outcome that is as good as any, and always the same of this solver on this case.
fn finished(name: &str, case: usize) -> FinishedJob {
    let mix = |salt: u64| {
        let mixed = (case as u64 + 1).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(salt);
        (mixed ^ (mixed >> 29)).wrapping_mul(1_442_695_040_888_963_407) >> 33
    };
    let salt = name.bytes().map(u64::from).sum();
    let known = |verdict, note: &str| Outcome {
        cpu: Some(Duration::from_micros(500_000 + mix(salt) % 3_000_000)),
        wall: Some(Duration::from_micros(600_000 + mix(salt) % 3_100_000)),
        memory: Some((8 << 20) + mix(salt + 1) % (64 << 20) / 4096 * 4096),
        ..Outcome::without_run(verdict, note.to_owned())
    };
    let outcome = if case % FAILING == FAILING - 1 {
        known(Verdict::WrongAnswer, "line 7, column 3, move 6: the position 12 is out of range")
    } else {
        Outcome { score: Some((mix(salt + 2) % 1_000_000 + 1).into()), ..known(Verdict::Accepted, "") }
    };
    let evidence =
        Box::new(Evidence { input: Some(Digest::of(&case.to_le_bytes())), answer: None, ..Evidence::default() });
    FinishedJob { job: JobId { case, solver: 0 }, outcome, features: None, evidence }
}
