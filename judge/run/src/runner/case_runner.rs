//! Runs cases in one slot: makes the input, runs the solver, calls the checker.
//!
//! # Order of locks
//! A slot takes its locks in this order, and never one above while it holds one below:
//!
//! 1. `RunSettings::timing_lock`. It is read while a solver runs, and written while one runs alone to be timed again.
//!    Each solver that was submitted holds a read guard until it has ended ([`State::Submitted`]).
//! 2. The locks of others that are held for one call: the result store, the pool of helpers, the running jobs.
//! 3. `RunStopper::cancellers`, held only while a canceller is called.
//!
//! A slot waits for the timing lock only while it holds no guard of it. A waiting writer blocks new readers, so a slot
//! with a guard would wait for itself. [`CaseRunner::wait_to_read_timing`] checks that. Solvers that are submitted
//! ahead take a guard only if it is free at once, and [`CaseRunner::settle_ahead`] gives all of them back before the
//! lock is written.

use super::slots::{Slots, request};
use crate::cases::{Checked, CheckerError, PreparedCase, ReadError, features};
use crate::executor::{Executor, QUEUE};
use crate::interaction::{self, ConverseError, Partner, SolverRun, SolverStart};
use crate::solver;
use judge_problem::verdict::{self, Decision, InteractorDecision, Termination};
use judge_problem::{
    Bytes, Digest, Evidence, Features, FinishedJob, HelperLimits, Invocation, JobId, KnownOutcome, Limits, Outcome,
    Role, Ruling, Verdict, error_chain, tail,
};
use judge_sandbox::{Breach, Execution, Fault, Request, Stdin, Usage};
use parking_lot::RwLockReadGuard;
use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// Works until no job is left, or the run is stopped. Returns the executor, which the caller dismisses after the last result
/// is sent.
pub(super) fn work(
    slots: &Slots<'_>,
    slot: usize,
    executor: Box<dyn Executor>,
    sender: Sender<FinishedJob>,
) -> Box<dyn Executor> {
    slots.settings.leave_cores_to_solvers();
    let mut runner = CaseRunner { slots, slot, executor, open: None, ahead: VecDeque::new(), short_wall: None };
    while let Some(PreparedJob { job, features, task }) = runner.ahead.pop_front().or_else(|| runner.take()) {
        slots.settings.running.start(job);
        let judged = runner.judge(task);
        slots.settings.running.end(job);
        // A cancelled job has no outcome. A resumed run runs it again.
        let Some((outcome, evidence)) = judged else { break };
        // If a helper program was killed because the run stops, its failure does not concern the case.
        if outcome.verdict == Verdict::JudgeError && slots.stopper.stopped.load(Ordering::SeqCst) {
            break;
        }
        if slots.plan.fail_fast && !outcome.is_accepted() {
            // Set here, because this worker would start another case before the dispatcher receives the result.
            slots.stopper.stopped.store(true, Ordering::SeqCst);
        }
        let evidence = Box::new(evidence);
        if sender.blocking_send(FinishedJob { job, outcome, features, evidence }).is_err() {
            break;
        }
    }
    runner.executor
}

/// A program was disturbed if it was ready to run but had no core for this share of its time.
const NOISY_SHARE: f64 = 0.1;

/// Shorter delays are normal scheduling.
const MIN_NOISE: Duration = Duration::from_millis(5);

/// Below this CPU time, a run takes about as long as waking the thread that waits for it.
const SHORT_CPU_TIME: Duration = Duration::from_millis(1);

/// The wall time of a short run may be longer, because checks of other answers may share its core.
const SHORT_WALL_TIME: Duration = Duration::from_millis(4);

/// The waiting thread sleeps no longer than this while short solvers run.
const MAX_PAUSE: Duration = Duration::from_millis(4);

/// A job taken from the plan.
struct PreparedJob<'a> {
    job: JobId,
    /// The features of the case. `None` if there is no input, or if no report shows features.
    features: Option<Arc<Features>>,
    /// `Err` holds the result of a job that needs no run.
    task: Result<Task<'a>, Box<JobResult>>,
}

/// The result of a job.
type JobResult = (Outcome, Evidence);

/// A solver that is to be run.
struct Task<'a> {
    case: Rc<OpenCase>,
    program: &'a Path,
    limits: Limits,
    request: Request,
    state: State<'a>,
}

impl Task<'_> {
    /// Returns whether the solver runs once and without a partner program.
    fn is_plain(&self) -> bool {
        self.is_alone() && self.case.prepared.passes() == 1
    }

    /// Returns whether the solver runs without a partner program.
    fn is_alone(&self) -> bool {
        !matches!(&self.case.prepared, PreparedCase::External(program, _) if program.role != Role::Checker)
    }

    fn is_slightly_slow(&self, execution: &Execution) -> bool {
        execution.usage.cpu > self.limits.cpu.0 && !execution.breaches.contains(&Breach::Cpu)
    }
}

/// The state of a solver's run.
enum State<'a> {
    Waiting,
    /// It was submitted to the executor. Meanwhile, no solver is timed alone.
    Submitted(RwLockReadGuard<'a, ()>),
    Ended(Result<Execution, Fault>),
}

/// A case with its input. With several solvers it is made and read once.
struct OpenCase {
    index: usize,
    input: Arc<[u8]>,
    digest: Digest,
    prepared: PreparedCase,
    features: Option<Arc<Features>>,
}

/// Runs the cases of a slot.
struct CaseRunner<'a> {
    slots: &'a Slots<'a>,
    slot: usize,
    executor: Box<dyn Executor>,
    open: Option<Rc<OpenCase>>,
    /// The next jobs. Jobs whose solvers were submitted come first.
    ahead: VecDeque<PreparedJob<'a>>,
    /// The wall time of the last solver, if it was short.
    short_wall: Option<Duration>,
}

impl<'a> CaseRunner<'a> {
    /// Returns the result of a job; `None` when it was cancelled.
    fn judge(&mut self, task: Result<Task<'a>, Box<JobResult>>) -> Option<JobResult> {
        let mut task = match task {
            Ok(task) => task,
            Err(settled) => return Some(*settled),
        };
        match self.execute(&mut task) {
            Ok(solver_run) => Some(self.finished(&task, solver_run)),
            Err(ConverseError::Sandbox(Fault::Cancelled)) => None,
            Err(error) => {
                // After a fault the executor may be unusable. A new one keeps the fault from other cases.
                if let (ConverseError::Sandbox(_), Some(executor)) = (&error, self.slots.reopen(self.slot)) {
                    self.executor = executor;
                    let tasks = self.ahead.iter_mut().filter_map(|turn| turn.task.as_mut().ok());
                    let submitted = tasks.filter(|task| matches!(task.state, State::Submitted(_)));
                    submitted.for_each(|task| task.state = State::Waiting);
                }
                let evidence = Evidence { input: Some(task.case.digest), ..Evidence::default() };
                Some((Outcome::without_run(Verdict::JudgeError, error_chain(&error)), evidence))
            }
        }
    }

    /// Takes the next job of the plan; `None` when all are taken or the run is stopped.
    fn take(&mut self) -> Option<PreparedJob<'a>> {
        let job = self.slots.next_job()?;
        let task = self.prepare(job);
        let features = self.open.as_ref().filter(|open| open.index == job.case).and_then(|open| open.features.clone());
        Some(PreparedJob { job, features, task })
    }

    /// Prepares a job, or returns its result if it needs no run.
    fn prepare(&mut self, job: JobId) -> Result<Task<'a>, Box<JobResult>> {
        let slots = self.slots;
        let plan = slots.plan;
        let without_run = |verdict, note| Box::new((Outcome::without_run(verdict, note), Evidence::default()));
        let from_store = |KnownOutcome { outcome, stored }, input| {
            Box::new((outcome, Evidence { input: Some(input), stored: Some(stored), ..Evidence::default() }))
        };
        let program = match &plan.solvers[job.solver].invocation {
            Invocation::Program(program) => Ok(program),
            Invocation::Answers(folder) => Err(folder),
            Invocation::CannotStart(why) | Invocation::NotInstalled(why) => {
                return Err(without_run(Verdict::CannotStart, why.clone()));
            }
            Invocation::CompileError(said) => return Err(without_run(Verdict::CompileError, said.clone())),
        };
        // Features are found in the input.
        if !slots.settings.describe
            && let Some((known, input)) = slots.store.kept(job)
        {
            return Err(from_store(known, input));
        }
        let case = self.open(job.case).map_err(|error| without_run(Verdict::JudgeError, error_chain(&error)))?;
        if slots.store.is_active()
            && let Some(known) = slots.store.lookup(job, &case.digest)
        {
            return Err(from_store(known, case.digest));
        }
        let limits = plan.limits_of(job.solver);
        let program = program.map_err(|folder| Box::new(self.check_file(job, &case, folder, limits.output)))?;
        let mut request = request(plan, job.solver, program, &slots.hidden[job.solver], case.input.clone());
        request.limits.cpu = Some(slots.enforced_cpu(&limits));
        Ok(Task { case, program: &program.path, limits, request, state: State::Waiting })
    }

    /// Returns the result of an answer that is a file: nothing runs.
    fn check_file(&self, job: JobId, case: &OpenCase, folder: &Path, limit: Bytes) -> JobResult {
        let evidence = Evidence { input: Some(case.digest), ..Evidence::default() };
        match solver::read_answer(folder, &self.slots.plan.cases.at(job.case).name, limit) {
            Ok(answer) => {
                let outcome = outcome_from_decision(case.prepared.decide(&answer));
                (outcome, Evidence { answer: self.wants_answers().then_some(answer), ..evidence })
            }
            Err((verdict, why)) => (Outcome::without_run(verdict, why), evidence),
        }
    }

    fn wants_answers(&self) -> bool {
        self.slots.store.is_active() || self.slots.plan.hand_over_answers
    }

    /// Makes and reads the input of a case, once for all solvers.
    fn open(&mut self, index: usize) -> Result<Rc<OpenCase>, ReadError> {
        if let Some(open) = self.open.as_ref().filter(|open| open.index == index) {
            return Ok(Rc::clone(open));
        }
        let cases = &self.slots.plan.cases;
        let case = &cases.at(index);
        let input = self.slots.inputs.load_of(cases, case)?;
        let prepared = self.slots.checker.prepare(&input, Some(&case.source))?;
        let rules = &self.slots.plan.problem.features;
        let features = self.slots.settings.describe.then(|| Arc::new(features(rules, &input, &prepared)));
        let digest = Digest::of(&input);
        let open = Rc::new(OpenCase { index, input, digest, prepared, features });
        self.open = Some(Rc::clone(&open));
        Ok(open)
    }

    /// Runs the solver. If it exceeded its CPU limit by up to 10 % while other solvers ran, it runs again alone.
    fn execute(&mut self, task: &mut Task<'a>) -> Result<SolverRun, ConverseError> {
        let mut solver_run = if task.is_plain() {
            SolverRun::new(self.run(task)?, None)
        } else {
            let _neighbours = self.wait_to_read_timing();
            self.perform(task)?
        };
        if task.is_slightly_slow(&solver_run.execution) && self.slots.has_neighbours() {
            self.settle_ahead();
            let _alone = self.slots.settings.timing_lock.write();
            solver_run = self.perform(task)?;
        }
        if task.is_slightly_slow(&solver_run.execution) {
            solver_run.execution.breaches.push(Breach::Cpu);
        }
        Ok(solver_run)
    }

    /// Waits until no solver is timed alone, and prevents that for as long as the guard lives.
    fn wait_to_read_timing(&self) -> RwLockReadGuard<'a, ()> {
        let is_held = |turn: &PreparedJob<'_>| matches!(&turn.task, Ok(Task { state: State::Submitted(_), .. }));
        debug_assert!(!self.ahead.iter().any(is_held), "this slot holds the timing lock already");
        self.slots.settings.timing_lock.read()
    }

    /// Runs a solver without a partner program. Meanwhile the next solver is submitted, if that saves time. Short
    /// solvers are submitted and collected several at a time, because waking this thread for each one would take time
    /// from the core of the next one.
    fn run(&mut self, task: &mut Task<'a>) -> Result<Execution, Fault> {
        if matches!(task.state, State::Waiting) {
            let guard = self.wait_to_read_timing();
            self.executor.submit(&task.request)?;
            task.state = State::Submitted(guard);
        }
        if self.slots.submits_ahead(self.short_wall.is_some()) {
            self.look_ahead();
        }
        let result = match std::mem::replace(&mut task.state, State::Waiting) {
            State::Ended(result) => result,
            State::Submitted(_neighbours) => {
                let pause = self.pause();
                if !pause.is_zero() && !self.executor.is_ready() {
                    std::thread::sleep(pause);
                }
                self.executor.collect()
            }
            State::Waiting => unreachable!("it was submitted"),
        };
        let usage = result.as_ref().ok().map(|execution| &execution.usage);
        let short = usage.filter(|usage| usage.cpu < SHORT_CPU_TIME && usage.wall < SHORT_WALL_TIME);
        self.short_wall = short.map(|usage| usage.wall);
        result
    }

    /// How long to sleep before the first of several short solvers is collected: until two of them are left, so that the
    /// core is never idle.
    fn pause(&self) -> Duration {
        let others = u32::try_from(self.ahead.len().saturating_sub(2)).unwrap_or(u32::MAX);
        (self.short_wall.unwrap_or_default() * others).min(MAX_PAUSE)
    }

    /// Takes the next jobs and submits their solvers.
    fn look_ahead(&mut self) {
        let most = if self.short_wall.is_some() { QUEUE - 1 } else { 1 };
        while self.ahead.len() < most {
            let Some(mut turn) = self.take() else { break };
            self.submit_behind_others(&mut turn);
            self.ahead.push_back(turn);
        }
    }

    /// Submits a solver to run after the earlier ones. Does nothing if an earlier one could not be submitted, or if
    /// another slot waits to time a solver alone.
    fn submit_behind_others(&mut self, turn: &mut PreparedJob<'a>) {
        let waits = |turn: &PreparedJob<'_>| matches!(&turn.task, Ok(Task { state: State::Waiting, .. }));
        let PreparedJob { task: Ok(task), .. } = turn else { return };
        if task.is_plain()
            && !self.ahead.iter().any(waits)
            && let Some(guard) = self.slots.settings.timing_lock.try_read()
            && self.executor.submit(&task.request).is_ok()
        {
            task.state = State::Submitted(guard);
        }
    }

    /// Waits for the ends of all solvers that were submitted.
    fn settle_ahead(&mut self) {
        for turn in &mut self.ahead {
            if let Ok(task) = &mut turn.task
                && matches!(task.state, State::Submitted(_))
            {
                task.state = State::Ended(self.executor.collect());
            }
        }
    }

    /// Runs the solver once, alone or in a conversation.
    fn perform(&mut self, task: &Task<'_>) -> Result<SolverRun, ConverseError> {
        let Task { request, limits, .. } = task;
        let prepared = &task.case.prepared;
        if prepared.passes() > 1 {
            return perform_passes(&mut *self.executor, request, limits, prepared);
        }
        let Some(mut solver_run) = self.converse(request, limits, prepared)? else {
            return Ok(SolverRun::new(self.executor.run(request)?, None));
        };
        if let Some(InteractorDecision::Decided(Decision { ruling: Ruling::Accepted(_), .. })) = solver_run.decision
            && let Some(checked) = prepared.check_written(&solver_run.written).transpose()
        {
            solver_run.decision = Some(decided(checked));
        }
        Ok(solver_run)
    }

    /// Runs the solver in a conversation. `None` if it has no partner.
    fn converse(
        &mut self,
        request: &Request,
        limits: &Limits,
        prepared: &PreparedCase,
    ) -> Result<Option<SolverRun>, ConverseError> {
        let PreparedCase::External(program, case) = prepared else { return Ok(None) };
        let (plan, core) = (self.slots.plan, self.slots.settings.core(self.slot));
        let stopped = &self.slots.stopper.stopped;
        let solver = SolverStart { executor: &mut *self.executor, request, limits, stopped };
        let partner = |time| Partner { program, case, time, core };
        let HelperLimits { interactor, tester, .. } = &plan.problem.helper_limits;
        match program.role {
            Role::Checker => Ok(None),
            Role::Interactor => interaction::converse(solver, partner(interactor.0), plan.transcripts).map(Some),
            Role::Tester => interaction::test(solver, partner(tester.0)).map(Some),
        }
    }

    /// A solver that succeeded has given an answer, right or wrong. The answer is kept if it is wanted.
    fn finished(&self, task: &Task<'_>, solver_run: SolverRun) -> JobResult {
        let SolverRun { execution, decision, transcript, .. } = solver_run;
        let outcome = self.outcome(task, &execution, decision);
        let answered = matches!(outcome.verdict, Verdict::Accepted | Verdict::WrongAnswer | Verdict::JudgeError);
        let answer = (answered && self.wants_answers()).then_some(execution.stdout);
        (outcome, Evidence { input: Some(task.case.digest), answer, stored: None, transcript })
    }

    fn outcome(&self, task: &Task<'_>, execution: &Execution, decision: Option<InteractorDecision>) -> Outcome {
        let Task { program, limits, .. } = task;
        let case = &task.case.prepared;
        let usage = &execution.usage;
        let mut outcome = match (decision, solver::ending(program, execution, limits)) {
            (Some(decision), ending) => match verdict::interactive_verdict(execution, ending, limits, decision) {
                Ok(decision) => outcome_from_decision(case.admit(decision)),
                Err((verdict, note)) => Outcome::without_run(verdict, note),
            },
            (None, Termination::Clean) => outcome_from_decision(case.decide(&execution.stdout)),
            (None, Termination::Failed(verdict, note)) => Outcome::without_run(verdict, note),
        };
        outcome.metrics.add_from_stderr(&self.slots.plan.problem.metrics, &execution.stderr);
        if self.slots.plan.stderr.keeps(outcome.is_accepted()) {
            outcome.stderr = tail(&execution.stderr);
        }
        if outcome.verdict != Verdict::CannotStart {
            outcome.cpu = Some(usage.cpu);
            outcome.wall = Some(usage.wall);
            outcome.memory = usage.memory;
            // A solver and its interactor share a core, so waiting for the core is not a disturbance.
            let run_delay = usage.run_delay.filter(|_| task.is_alone());
            outcome.waited = [run_delay, usage.stolen].into_iter().flatten().reduce(|delay, stolen| delay + stolen);
            outcome.noisy =
                outcome.waited.is_some_and(|waited| waited > MIN_NOISE.max(usage.wall.mul_f64(NOISY_SHARE)));
        }
        outcome
    }
}

/// Returns the outcome of an answer, by the decision of the checker.
pub fn outcome_from_decision(decision: Result<Decision, CheckerError>) -> Outcome {
    match decision {
        Ok(Decision { ruling: Ruling::Accepted(score), metrics }) => {
            Outcome { score: Some(score), metrics, ..Outcome::without_run(Verdict::Accepted, String::new()) }
        }
        Ok(Decision { ruling: Ruling::Rejected(rejection), .. }) => {
            let note = rejection.to_string();
            Outcome { broken: rejection.broken, ..Outcome::without_run(Verdict::WrongAnswer, note) }
        }
        Err(error) => Outcome::without_run(Verdict::JudgeError, error_chain(&error)),
    }
}

/// Runs a solver again on each input that the checker returns, until the checker decides or the solver fails. Each pass has
/// the full limits. The times and the memory are the largest of all passes, and the answer is the last one.
fn perform_passes(
    executor: &mut dyn Executor,
    request: &Request,
    limits: &Limits,
    case: &PreparedCase,
) -> Result<SolverRun, ConverseError> {
    let mut checking = case.begin();
    let mut request = request.clone();
    let mut largest = Usage::default();
    for pass in 1.. {
        let mut execution = executor.run(&request)?;
        largest = larger(&largest, &execution.usage);
        execution.usage = largest.clone();
        let Some(checking) =
            checking.as_mut().filter(|_| verdict::termination(&execution, limits) == Termination::Clean)
        else {
            return Ok(SolverRun::new(execution, None));
        };
        let decision = match checking.check(&execution.stdout) {
            Ok(Checked::Decided(decision)) => decided(Ok(decision)),
            Ok(Checked::NextPass(input)) if pass < case.passes() => {
                request.stdin = Stdin::Bytes(input.into());
                continue;
            }
            Ok(Checked::NextPass(_)) => InteractorDecision::Failed(format!(
                "the checker asks for another run of the solver after {pass}: `validation-passes` is {}",
                case.passes()
            )),
            Err(error) => decided(Err(error)),
        };
        return Ok(SolverRun::new(execution, Some(decision)));
    }
    unreachable!("the passes are counted")
}

fn decided(decision: Result<Decision, CheckerError>) -> InteractorDecision {
    match decision {
        Ok(decision) => InteractorDecision::Decided(decision),
        Err(error) => InteractorDecision::Failed(error_chain(&error)),
    }
}

fn larger(left: &Usage, right: &Usage) -> Usage {
    Usage {
        cpu: left.cpu.max(right.cpu),
        wall: left.wall.max(right.wall),
        memory: left.memory.max(right.memory),
        run_delay: left.run_delay.max(right.run_delay),
        stolen: left.stolen.max(right.stolen),
        ..right.clone()
    }
}
