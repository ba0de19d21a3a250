//! Tests of the runner with an executor without processes: every run ends as a script says.

use super::plan_runner::LocalRunner;
use super::results::{ResultStore, RunResult, StoreLost};
use super::signals::Signals;
use super::slots::RunSettings;
use crate::cases::Inputs;
use crate::executor::{Cancel, Executor, ExecutorPool, QUEUE};
use judge_problem::{
    CaseName, CaseSource, CaseSpec, Catalogue, Digest, Evidence, FinishedJob, Invocation, JobId, KnownOutcome, Outcome,
    Plan, Program, ReadFile, RunEvent, Solver, SolverSpec, Stop, StoredResult, Verdict,
};
use judge_sandbox::{End, Execution, Fault, Gap, Request, Stdin, Tier, Usage};
use parking_lot::{Condvar, Mutex};
use std::collections::{HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::broadcast::{Sender, channel};

/// Columns, where `0` is an answer without moves: valid on every case.
fn plan(cases: u64) -> Plan {
    let problem = Catalogue::built_in(Path::new("/")).unwrap().find("columns").unwrap().clone();
    let invocation =
        Invocation::Program(Program { path: "/bin/none".into(), argv: vec!["none".into()], ..Program::default() });
    let solver = Solver::new(SolverSpec { name: "none".to_owned(), text: "none".to_owned() }, invocation);
    Plan::new(problem, vec![solver], (1..=cases).map(CaseSpec::from_seed).collect())
}

/// A store that notes the sizes of its batches, and fails from one of them on.
struct Notes {
    active: bool,
    known: HashMap<JobId, Outcome>,
    batches: Mutex<Vec<usize>>,
    stored: AtomicUsize,
    fails_at: usize,
    starts: AtomicUsize,
    start_fails: bool,
}

impl Notes {
    fn new(active: bool) -> Self {
        Self {
            active,
            known: HashMap::new(),
            batches: Mutex::default(),
            stored: AtomicUsize::new(0),
            fails_at: usize::MAX,
            starts: AtomicUsize::new(0),
            start_fails: false,
        }
    }
}

impl ResultStore for Notes {
    fn is_active(&self) -> bool {
        self.active
    }

    fn lookup(&self, job: JobId, _input: &Digest) -> Option<KnownOutcome> {
        let outcome = self.known.get(&job)?.clone();
        Some(KnownOutcome { outcome, stored: StoredResult { entrant: 7, place: 0 } })
    }

    fn store_start(&self) -> Result<(), StoreLost> {
        assert!(self.batches.lock().is_empty());
        self.starts.fetch_add(1, Ordering::SeqCst);
        if self.start_fails { Err(StoreLost("disk full".to_owned())) } else { Ok(()) }
    }

    fn store(&self, batch: &[FinishedJob]) -> Result<(), StoreLost> {
        let mut batches = self.batches.lock();
        if batches.len() == self.fails_at {
            return Err(StoreLost("disk full".to_owned()));
        }
        batches.push(batch.len());
        self.stored.fetch_add(batch.len(), Ordering::SeqCst);
        Ok(())
    }
}

/// Runs a plan on cores that are all busy; `react` gets every event and the means to send a signal.
fn run(
    plan: &Plan,
    jobs: usize,
    pool: &ScriptedPool,
    store: &Notes,
    react: impl FnMut(&RunEvent, &Sender<()>),
) -> RunResult {
    run_on(&settings(jobs, false), plan, pool, store, react)
}

fn settings(jobs: usize, spare_cores: bool) -> RunSettings {
    let jobs = NonZeroUsize::new(jobs).unwrap();
    RunSettings {
        jobs,
        cores: Vec::new(),
        claims: Arc::default(),
        spare_cores,
        describe: false,
        running: Arc::default(),
        timing_lock: Arc::default(),
    }
}

fn run_on(
    settings: &RunSettings,
    plan: &Plan,
    pool: &ScriptedPool,
    store: &Notes,
    mut react: impl FnMut(&RunEvent, &Sender<()>),
) -> RunResult {
    let (sender, receiver) = channel(4);
    let runner = LocalRunner::new(pool.clone(), settings.clone(), || {});
    runner.run_until(plan, store, &mut |event| react(event, &sender), Signals::of(receiver)).unwrap()
}

fn verdicts(result: &RunResult) -> Vec<Option<Verdict>> {
    result.outcomes.iter().map(|(_, outcome)| outcome.map(|outcome| outcome.verdict)).collect()
}

fn ignore(_event: &RunEvent, _signals: &Sender<()>) {}

#[test]
fn every_job_has_its_outcome() {
    let pool = ScriptedPool::in_turn(&[Step::Answer("0"), Step::Answer("nonsense"), Step::Exit(3)]);
    let result = run(&plan(4), 1, &pool, &Notes::new(false), ignore);
    let expected = [Verdict::Accepted, Verdict::WrongAnswer, Verdict::RuntimeError, Verdict::Accepted];
    assert_eq!(verdicts(&result), expected.map(Some));
    assert_eq!(result.stop, None);
    assert_eq!(pool.opened(), 1, "one slot, one executor");
}

#[test]
fn a_file_that_was_read_and_kept_is_not_read_again() {
    let mut plan = plan(1);
    let input = Inputs::of(&plan.problem).generate(1).unwrap();
    let in_file = |name: &str| CaseSpec::new(CaseName::from(name), CaseSource::File(Path::new("/nowhere").join(name)));
    plan.cases = ["kept", "not kept"].map(in_file).into_iter().collect();
    let read = |input| ReadFile { hash: Digest::of(b""), input };
    plan.cases.set_read_files(vec![read(Some(input.into())), read(None)]);
    let result = run(&plan, 1, &ScriptedPool::in_turn(&[Step::Answer("0")]), &Notes::new(false), ignore);
    assert_eq!(verdicts(&result), [Verdict::Accepted, Verdict::JudgeError].map(Some));
}

#[test]
fn a_case_that_is_slightly_too_slow_beside_others_runs_again_alone() {
    let plan = plan(8);
    let limit = plan.limits.cpu.0;
    let slow = Step::AfterCpu("0", limit + limit / 20);
    let slow_at_first = move |run: Run| if run.attempt == 0 { slow } else { Step::Answer("0") };
    let pool = ScriptedPool::new(slow_at_first);
    let result = run(&plan, 2, &pool, &Notes::new(false), ignore);
    assert!(verdicts(&result).iter().all(|verdict| *verdict == Some(Verdict::Accepted)));
    assert_eq!(pool.neighbours().len(), 16, "every case ran twice");
    assert!(pool.neighbours().iter().filter(|&&running| running == 1).count() >= 8, "{:?}", pool.neighbours());

    // Without parallel runs, there are no neighbours to blame.
    let pool = ScriptedPool::new(slow_at_first);
    let result = run(&plan, 1, &pool, &Notes::new(false), ignore);
    assert!(verdicts(&result).iter().all(|verdict| *verdict == Some(Verdict::TimeLimit)));
    assert_eq!(pool.neighbours().len(), 8);

    // Too slow alone as well.
    let pool = ScriptedPool::new(move |_| slow);
    let result = run(&plan, 2, &pool, &Notes::new(false), ignore);
    assert!(verdicts(&result).iter().all(|verdict| *verdict == Some(Verdict::TimeLimit)));
}

#[test]
fn a_failed_executor_is_replaced_and_costs_one_case() {
    let pool = ScriptedPool::in_turn(&[Step::Answer("0"), Step::Fail]);
    let result = run(&plan(4), 1, &pool, &Notes::new(false), ignore);
    let expected = [Verdict::Accepted, Verdict::JudgeError, Verdict::Accepted, Verdict::Accepted];
    assert_eq!(verdicts(&result), expected.map(Some));
    assert_eq!(pool.opened(), 2, "a new executor for the slot");
    let note = result.outcomes.get(JobId { case: 1, solver: 0 }).unwrap().note;
    assert!(note.contains("as scripted"), "{note}");
}

#[test]
fn with_spare_cores_the_next_solver_does_not_wait_for_the_check() {
    for spare in [false, true] {
        let steps = [Step::Answer("0"), Step::Answer("nonsense"), Step::Fail, Step::Exit(3)];
        let (pool, store) = (ScriptedPool::in_turn(&steps), Notes::new(true));
        let result = run_on(&settings(1, spare), &plan(6), &pool, &store, ignore);
        let expected =
            [Verdict::Accepted, Verdict::WrongAnswer, Verdict::JudgeError, Verdict::RuntimeError, Verdict::Accepted];
        assert_eq!(verdicts(&result)[..5], expected.map(Some), "the solver behind the fault runs again");
        assert_eq!(pool.opened(), 2);
    }
}

#[test]
fn as_many_solvers_wait_as_the_time_of_the_last_one_asks_for() {
    let most = |spare, fail_fast, cpu| {
        let pool = ScriptedPool::new(move |_| Step::AfterCpu("0", Duration::from_micros(cpu)));
        let plan = Plan { fail_fast, ..plan(30) };
        run_on(&settings(1, spare), &plan, &pool, &Notes::new(false), ignore);
        pool.max_submitted()
    };
    assert_eq!((most(false, false, 500), most(false, false, 5000)), (QUEUE, 1));
    assert_eq!((most(true, false, 500), most(true, false, 5000)), (QUEUE, 2));
    assert_eq!(
        (most(false, true, 500), most(true, true, 500)),
        (1, 1),
        "what may end the run is known before the next solver starts"
    );
}

#[test]
fn a_case_is_timed_alone_with_spare_cores_too() {
    let plan = plan(40);
    let limit = plan.limits.cpu.0;
    let slow_at_first = move |run: Run| match run {
        Run { attempt: 0, turn } if turn % 3 == 0 => Step::AfterCpu("0", limit + limit / 20),
        _ => Step::Answer("0"),
    };
    let pool = ScriptedPool::new(slow_at_first);
    let result = run_on(&settings(3, true), &plan, &pool, &Notes::new(true), ignore);
    assert!(verdicts(&result).iter().all(|verdict| *verdict == Some(Verdict::Accepted)));
    assert!(pool.neighbours().len() > 45, "{:?}", pool.neighbours());
}

#[test]
fn a_signal_ends_a_solver_that_waits_for_another() {
    let pool = ScriptedPool::in_turn(&[Step::Answer("0"), Step::Hang]);
    let result = run_on(&settings(1, true), &plan(50), &pool, &Notes::new(true), |event, signals| {
        if let RunEvent::Finished(_) = event {
            signals.send(()).unwrap();
        }
    });
    assert_eq!((result.stop, result.outcomes.finished().count()), (Some(Stop::Interrupted), 1));
}

#[test]
fn results_are_stored_in_batches_before_they_are_shown() {
    let store = Notes::new(true);
    let mut shown = 0;
    let result = run(&plan(100), 2, &ScriptedPool::in_turn(&[]), &store, |event, _| {
        shown += usize::from(matches!(event, RunEvent::Finished(_)));
        assert!(store.stored.load(Ordering::SeqCst) >= shown, "shown before it was stored");
    });
    assert!(result.outcomes.iter().all(|(_, outcome)| outcome.is_some()));
    let batches = store.batches.lock();
    assert_eq!(batches.iter().sum::<usize>(), 100);
    assert!(batches.len() < 100 && batches.iter().all(|&batch| batch <= 64), "{batches:?}");
}

#[test]
fn a_store_that_fails_is_told_once_and_the_run_goes_on() {
    let store = Notes { fails_at: 1, ..Notes::new(true) };
    let mut lost = Vec::new();
    let result = run(&plan(200), 1, &ScriptedPool::in_turn(&[]), &store, |event, _| {
        if let RunEvent::JournalLost(why) = event {
            lost.push(why.clone());
        }
    });
    assert!(result.outcomes.iter().all(|(_, outcome)| outcome.is_some()));
    assert_eq!(lost, ["disk full"]);
    assert_eq!(store.batches.lock().len(), 1, "it is not tried again");
}

#[test]
fn the_start_is_stored_once_and_nothing_after_it_fails() {
    for start_fails in [false, true] {
        let store = Notes { start_fails, ..Notes::new(true) };
        let mut lost = 0;
        let result = run(&plan(3), 2, &ScriptedPool::in_turn(&[]), &store, |event, _| {
            lost += usize::from(matches!(event, RunEvent::JournalLost(_)));
        });
        assert!(result.outcomes.iter().all(|(_, outcome)| outcome.is_some()));
        let stored = store.stored.into_inner();
        assert_eq!((store.starts.into_inner(), lost, stored), if start_fails { (1, 1, 0) } else { (1, 0, 3) });
    }
}

#[test]
fn known_results_are_not_run_again() {
    let known = Outcome::without_run(Verdict::WrongAnswer, "as before".to_owned());
    let store = Notes { known: HashMap::from([(JobId { case: 1, solver: 0 }, known.clone())]), ..Notes::new(true) };
    let pool = ScriptedPool::in_turn(&[]);
    let mut reused = Vec::new();
    let result = run(&plan(3), 1, &pool, &store, |event, _| {
        if let RunEvent::Finished(finished) = event {
            let Evidence { stored, .. } = &*finished.evidence;
            reused.extend(stored.map(|_| finished.job.case));
        }
    });
    assert_eq!(result.outcomes.get(JobId { case: 1, solver: 0 }), Some(known));
    assert_eq!((reused, pool.neighbours().len()), (vec![1], 2));
}

#[test]
fn fail_fast_starts_no_case_after_a_failure() {
    let plan = Plan { fail_fast: true, ..plan(50) };
    let pool = ScriptedPool::in_turn(&[Step::Answer("0"), Step::Answer("0"), Step::Exit(1)]);
    let result = run(&plan, 1, &pool, &Notes::new(true), ignore);
    assert_eq!(result.stop, Some(Stop::FailFast));
    assert_eq!(pool.neighbours().len(), 3);
    assert_eq!(result.outcomes.finished().count(), 3);
}

#[test]
fn a_signal_ends_running_cases_and_keeps_the_finished_ones() {
    let pool = ScriptedPool::in_turn(&[Step::Answer("0"), Step::Hang, Step::Hang]);
    let mut stopping = Vec::new();
    let result = run(&plan(50), 2, &pool, &Notes::new(true), |event, signals| match event {
        RunEvent::Finished(_) => _ = signals.send(()).unwrap(),
        RunEvent::Stopping(stop) => stopping.push(*stop),
        _ => {}
    });
    assert_eq!((result.stop, stopping), (Some(Stop::Interrupted), vec![Stop::Interrupted]));
    let finished = result.outcomes.finished().count();
    assert!((1..50).contains(&finished), "{finished}");
}

static ABORTED: AtomicUsize = AtomicUsize::new(0);

#[test]
fn the_second_signal_aborts() {
    let (sender, receiver) = channel(4);
    sender.send(()).unwrap();
    sender.send(()).unwrap();
    let pool = ScriptedPool::in_turn(&[Step::Hang]);
    let abort = || {
        ABORTED.fetch_add(1, Ordering::SeqCst);
    };
    let runner = LocalRunner::new(pool, settings(1, false), abort);
    let result = runner.run_until(&plan(3), &Notes::new(false), &mut |_| {}, Signals::of(receiver)).unwrap();
    assert_eq!(result.stop, Some(Stop::Interrupted));
    assert_eq!(ABORTED.load(Ordering::SeqCst), 1);
}

/// How a run ends.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// With this standard output.
    Answer(&'static str),
    /// With this standard output, after this much time, on the processor and on the clock.
    AfterCpu(&'static str, Duration),
    /// With this exit code.
    Exit(i32),
    /// With a fault of the executor.
    Fail,
    /// Only when it is cancelled.
    Hang,
}

/// A run that is about to start, counted from 0.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// How many runs started before it.
    turn: usize,
    /// How many of those had the same standard input.
    attempt: usize,
}

/// A pool whose executors follow one script.
#[derive(Clone)]
struct ScriptedPool(Arc<Script>);

struct Script {
    step: Box<dyn Fn(Run) -> Step + Send + Sync>,
    /// The inputs of the runs that began.
    inputs: Mutex<Vec<Arc<[u8]>>>,
    opened: AtomicUsize,
    /// The most programs that an executor had at once.
    max_submitted: AtomicUsize,
    running: AtomicUsize,
    /// How many programs ran when each run began, itself included.
    neighbours: Mutex<Vec<usize>>,
}

impl ScriptedPool {
    /// Returns a pool with this script.
    fn new(step: impl Fn(Run) -> Step + Send + Sync + 'static) -> Self {
        Self(Arc::new(Script {
            step: Box::new(step),
            inputs: Mutex::default(),
            opened: AtomicUsize::new(0),
            max_submitted: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            neighbours: Mutex::default(),
        }))
    }

    /// Returns a pool whose runs take these steps in turn, and after the last of them answer `0`.
    fn in_turn(steps: &[Step]) -> Self {
        let steps = steps.to_vec();
        Self::new(move |run| steps.get(run.turn).copied().unwrap_or(Step::Answer("0")))
    }

    /// Returns how many executors were opened.
    fn opened(&self) -> usize {
        self.0.opened.load(Ordering::SeqCst)
    }

    /// Returns the most programs that an executor had at once.
    fn max_submitted(&self) -> usize {
        self.0.max_submitted.load(Ordering::SeqCst)
    }

    /// Returns, for each run in the order of their starts, how many programs ran then, itself included.
    fn neighbours(&self) -> Vec<usize> {
        self.0.neighbours.lock().clone()
    }
}

impl ExecutorPool for ScriptedPool {
    fn open(&self, _core: Option<usize>) -> Result<Box<dyn Executor>, Fault> {
        self.0.opened.fetch_add(1, Ordering::SeqCst);
        let (script, cancelled, submitted) = (Arc::clone(&self.0), Arc::default(), VecDeque::new());
        Ok(Box::new(ScriptedExecutor { script, cancelled, submitted }))
    }

    fn tier(&self) -> Tier {
        Tier::Unsafe
    }

    fn gaps(&self) -> &[Gap] {
        &[]
    }
}

struct ScriptedExecutor {
    script: Arc<Script>,
    cancelled: Arc<Cancelled>,
    submitted: VecDeque<Request>,
}

#[derive(Default)]
struct Cancelled {
    is: Mutex<bool>,
    changed: Condvar,
}

impl ScriptedExecutor {
    fn step(&self, request: &Request) -> Result<Execution, Fault> {
        if *self.cancelled.is.lock() {
            return Err(Fault::Cancelled);
        }
        let input = if let Stdin::Bytes(bytes) = &request.stdin { Arc::clone(bytes) } else { Arc::default() };
        let mut inputs = self.script.inputs.lock();
        let run = Run { turn: inputs.len(), attempt: inputs.iter().filter(|earlier| **earlier == input).count() };
        inputs.push(input);
        drop(inputs);
        match (self.script.step)(run) {
            Step::Answer(answer) => Ok(execution(End::Exited(0), answer, Duration::ZERO)),
            Step::AfterCpu(answer, cpu) => Ok(execution(End::Exited(0), answer, cpu)),
            Step::Exit(code) => Ok(execution(End::Exited(code), "", Duration::ZERO)),
            Step::Fail => Err(Fault::HelperGone("as scripted".to_owned())),
            Step::Hang => {
                self.cancelled.changed.wait_while(&mut self.cancelled.is.lock(), |is| !*is);
                Err(Fault::Cancelled)
            }
        }
    }
}

impl Executor for ScriptedExecutor {
    fn submit(&mut self, request: &Request) -> Result<(), Fault> {
        assert!(self.submitted.len() < QUEUE, "too many wait already");
        self.submitted.push_back(request.clone());
        self.script.max_submitted.fetch_max(self.submitted.len(), Ordering::SeqCst);
        Ok(())
    }

    fn collect(&mut self) -> Result<Execution, Fault> {
        let request = self.submitted.pop_front().expect("something was submitted");
        let running = self.script.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.script.neighbours.lock().push(running);
        let result = self.step(&request);
        self.script.running.fetch_sub(1, Ordering::SeqCst);
        result
    }

    fn is_ready(&self) -> bool {
        true
    }

    fn run_until(&mut self, request: &Request, _over: BorrowedFd<'_>) -> Result<Execution, Fault> {
        self.run(request)
    }

    fn canceller(&self) -> Cancel {
        let cancelled = Arc::clone(&self.cancelled);
        Box::new(move || {
            *cancelled.is.lock() = true;
            cancelled.changed.notify_all();
        })
    }
}

fn execution(end: End, answer: &str, cpu: Duration) -> Execution {
    Execution {
        end,
        breaches: Vec::new(),
        usage: Usage { cpu, wall: cpu, ..Usage::default() },
        stdout: answer.as_bytes().to_vec(),
        stderr: Vec::new(),
    }
}
