//! One worker: takes the next job, makes the input, runs the solver, has the answer checked.

use super::request::{hidden, request};
use super::{Memory, Settings};
use crate::cases::{Admitted, FeatureFinder, Inputs, ReadError, Referee};
use crate::command::Stop;
use crate::interaction::{self, ConverseError};
use crate::model::{
    Digest, Evidence, Features, Finished, Invocation, JobId, Outcome, Recalled, Ruling, Solver, Verdict,
};
use crate::plan::Plan;
use crate::solver;
use crate::verdict::{self, Decision, Ending, Settlement};
use judge_sandbox::{Breach, Canceller, Execution, Fault, Request, Sandbox, Worker};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// How much of standard error is shown for a case that failed.
const STDERR_SHOWN: usize = 2000;

/// A program that spent this share of its time without the core that it was ready for was disturbed.
const NOISY_SHARE: f64 = 0.1;

/// Less than this is the ordinary price of being scheduled.
const NOISY_LEAST: Duration = Duration::from_millis(5);

/// What all workers of a run share.
pub(super) struct Shared<'a> {
    plan: &'a Plan,
    sandbox: &'a Sandbox,
    settings: &'a Settings,
    memory: &'a dyn Memory,
    inputs: Inputs,
    referee: Referee,
    /// `None` where nobody wants to know.
    finder: Option<FeatureFinder>,
    next: AtomicUsize,
    stopped: AtomicBool,
    /// Ends the commands of the problem.
    stop_commands: Stop,
    /// By slot: ends what the worker there is running.
    cancellers: Mutex<Vec<Canceller>>,
    /// By solver: what it may not see of what it is shown.
    hidden: Vec<Vec<PathBuf>>,
    /// Read while a solver runs; written while one runs alone, to be timed again without neighbours.
    quiet: RwLock<()>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        sandbox: &'a Sandbox,
        settings: &'a Settings,
        memory: &'a dyn Memory,
        workers: &[Worker],
    ) -> io::Result<Self> {
        let stop_commands = Stop::new()?;
        Ok(Self {
            plan,
            sandbox,
            settings,
            memory,
            inputs: Inputs::of(&plan.problem).stopped_by(&stop_commands),
            referee: Referee::of(&plan.problem).stopped_by(&stop_commands),
            finder: settings.describe.then(|| FeatureFinder::of(&plan.problem)),
            next: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            stop_commands,
            cancellers: Mutex::new(workers.iter().map(Worker::canceller).collect()),
            hidden: plan.solvers.iter().map(|solver| hidden_from(solver, plan)).collect(),
            quiet: RwLock::new(()),
        })
    }

    /// No further jobs are started, and the running ones are ended.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.stop_commands.stop();
        for canceller in self.cancellers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            canceller.cancel();
        }
    }

    fn next_job(&self) -> Option<JobId> {
        if self.stopped.load(Ordering::SeqCst) {
            return None;
        }
        let place = self.next.fetch_add(1, Ordering::SeqCst);
        (place < self.plan.job_count()).then(|| self.plan.turn(place))
    }

    /// The CPU limit that the sandbox enforces. With neighbours a case gets a tenth more: one that ends within that
    /// tenth is timed again alone before it is called too slow.
    fn enforced_cpu(&self) -> Duration {
        let cpu = self.plan.limits.cpu.0;
        if self.settings.jobs.get() > 1 { cpu.saturating_mul(11) / 10 } else { cpu }
    }
}

fn hidden_from(solver: &Solver, plan: &Plan) -> Vec<PathBuf> {
    match &solver.invocation {
        Invocation::Program(program) => hidden(program, &plan.visible),
        Invocation::CannotStart(_) | Invocation::CompileError(_) => Vec::new(),
    }
}

/// Works until there are no more jobs, or the run is stopped.
pub(super) fn work(shared: &Shared<'_>, slot: usize, worker: Worker, sender: &Sender<Finished>) {
    let mut desk = Desk { shared, slot, worker, open: None };
    while let Some(job) = shared.next_job() {
        // A cancelled job has no outcome: it is not finished, and a resumed run does it again.
        let Some((outcome, evidence)) = desk.judge(job) else { return };
        // A command that was ended because all is to end says nothing of the case.
        if outcome.verdict == Verdict::JudgeError && shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        if shared.plan.fail_fast && !outcome.is_accepted() {
            // Before the dispatcher hears of it: this worker would otherwise start another case meanwhile.
            shared.stopped.store(true, Ordering::SeqCst);
        }
        let evidence = Box::new(evidence);
        let features = desk.features(job.case);
        if sender.blocking_send(Finished { job, outcome, features, evidence }).is_err() {
            return;
        }
    }
}

/// A case whose input is at hand: with several solvers it is made and read once.
struct OpenCase {
    index: usize,
    input: Arc<[u8]>,
    /// `None` where nobody remembers it.
    digest: Option<Digest>,
    admitted: Admitted,
    features: Option<Arc<Features>>,
}

/// What a solver did, and what its interactor, if it had one, decided.
struct Performance {
    execution: Execution,
    decision: Option<Decision>,
}

struct Desk<'a> {
    shared: &'a Shared<'a>,
    slot: usize,
    worker: Worker,
    open: Option<OpenCase>,
}

impl Desk<'_> {
    /// Returns what became of a job; `None` when it was cancelled.
    fn judge(&mut self, job: JobId) -> Option<(Outcome, Evidence)> {
        let plan = self.shared.plan;
        let without_run = |verdict, note, input| {
            Some((Outcome::without_run(verdict, note), Evidence { input, ..Evidence::default() }))
        };
        let solver = &plan.solvers[job.solver];
        let program = match &solver.invocation {
            Invocation::Program(program) => program,
            Invocation::CannotStart(why) => return without_run(Verdict::CannotStart, why.clone(), None),
            Invocation::CompileError(said) => return without_run(Verdict::CompileError, said.clone(), None),
        };
        let (input, digest) = match self.open(job.case) {
            Ok(input) => input,
            Err(error) => return without_run(Verdict::JudgeError, in_full(&error), None),
        };
        if let Some(Recalled { outcome, stored }) = digest.and_then(|digest| self.shared.memory.recall(job, &digest)) {
            return Some((outcome, Evidence { input: digest, answer: None, stored: Some(stored) }));
        }
        let hidden = &self.shared.hidden[job.solver];
        let mut request = request(plan, program, &solver.environment, hidden, input);
        request.limits.cpu = Some(self.shared.enforced_cpu());
        match self.execute(&request) {
            Ok(performance) => Some(self.finished(&program.path, performance, digest)),
            Err(ConverseError::Sandbox(Fault::Cancelled)) => None,
            Err(error) => {
                if matches!(error, ConverseError::Sandbox(_)) {
                    self.replace_worker();
                }
                without_run(Verdict::JudgeError, in_full(&error), digest)
            }
        }
    }

    /// Makes and reads the case's input; with several solvers once for all of them.
    fn open(&mut self, index: usize) -> Result<(Arc<[u8]>, Option<Digest>), ReadError> {
        if let Some(open) = self.open.as_ref().filter(|open| open.index == index) {
            return Ok((open.input.clone(), open.digest));
        }
        let input: Arc<[u8]> = self.shared.inputs.load(&self.shared.plan.cases[index])?.into();
        let admitted = self.shared.referee.admit(&input)?;
        let finder = self.shared.finder.as_ref();
        let features = finder.map(|finder| Arc::new(finder.describe(&input, &admitted)));
        let digest = self.shared.memory.is_there().then(|| Digest::of(&input));
        self.open = Some(OpenCase { index, input: input.clone(), digest, admitted, features });
        Ok((input, digest))
    }

    fn features(&self, case: usize) -> Option<Arc<Features>> {
        self.open.as_ref().filter(|open| open.index == case)?.features.clone()
    }

    /// Runs the solver; and again, alone, when it was a little too slow while it had neighbours.
    fn execute(&mut self, request: &Request) -> Result<Performance, ConverseError> {
        let limit = self.shared.plan.limits.cpu.0;
        let is_slightly_slow =
            |execution: &Execution| execution.usage.cpu > limit && !execution.breaches.contains(&Breach::Cpu);
        let mut performance = {
            let _neighbours = self.shared.quiet.read();
            self.perform(request)?
        };
        if is_slightly_slow(&performance.execution) && self.shared.settings.jobs.get() > 1 {
            let _alone = self.shared.quiet.write();
            performance = self.perform(request)?;
        }
        if is_slightly_slow(&performance.execution) {
            performance.execution.breaches.push(Breach::Cpu);
        }
        Ok(performance)
    }

    /// Runs the solver once, by itself or in a conversation.
    fn perform(&mut self, request: &Request) -> Result<Performance, ConverseError> {
        let Some(OpenCase { admitted: Admitted::Interactive { command, input }, .. }) = &self.open else {
            return Ok(Performance { execution: self.worker.run(request)?, decision: None });
        };
        let (limits, stopped) = (&self.shared.plan.limits, &self.shared.stopped);
        let conversation = interaction::converse(&mut self.worker, request, limits, command, input.path(), stopped)?;
        Ok(Performance { execution: conversation.execution, decision: Some(conversation.decision) })
    }

    /// The answer goes along where there is one: a solver that ended well has given its answer, right or wrong.
    fn finished(&self, program: &Path, performance: Performance, input: Option<Digest>) -> (Outcome, Evidence) {
        let Performance { execution, decision } = performance;
        let outcome = self.outcome(program, &execution, decision);
        let answered = matches!(outcome.verdict, Verdict::Accepted | Verdict::WrongAnswer | Verdict::JudgeError);
        let answer = (answered && self.shared.memory.is_there()).then_some(execution.stdout);
        (outcome, Evidence { input, answer, stored: None })
    }

    fn outcome(&self, program: &Path, execution: &Execution, decision: Option<Decision>) -> Outcome {
        let usage = &execution.usage;
        let limits = &self.shared.plan.limits;
        let settlement = match (decision, solver::ending(program, execution, limits)) {
            (Some(decision), ending) => verdict::settle(execution, ending, limits, decision),
            (None, Ending::Clean) => self.ruling(&execution.stdout),
            (None, Ending::Failed(verdict, note)) => Settlement::Failed(verdict, note),
        };
        let mut outcome = settled(settlement);
        if !outcome.is_accepted() {
            outcome.stderr = tail(&execution.stderr);
        }
        if outcome.verdict != Verdict::CannotStart {
            outcome.cpu = Some(usage.cpu);
            outcome.wall = Some(usage.wall);
            outcome.memory = usage.memory;
            let waited = usage.run_delay.unwrap_or_default() + usage.stolen.unwrap_or_default();
            outcome.noisy = waited > NOISY_LEAST && waited > usage.wall.mul_f64(NOISY_SHARE);
        }
        outcome
    }

    fn ruling(&self, answer: &[u8]) -> Settlement {
        match self.open.as_ref().map(|open| open.admitted.rule(answer)) {
            Some(Ok(ruling)) => Settlement::Ruled(ruling),
            Some(Err(error)) => Settlement::Failed(Verdict::JudgeError, in_full(&error)),
            None => Settlement::Failed(Verdict::JudgeError, "the case was closed before its answer came".to_owned()),
        }
    }

    /// After a fault the helper process may be gone; a new one keeps one bad case from spoiling the rest.
    fn replace_worker(&mut self) {
        let Ok(worker) = self.shared.sandbox.worker(self.shared.settings.core(self.slot)) else { return };
        let mut cancellers = self.shared.cancellers.lock().unwrap_or_else(PoisonError::into_inner);
        cancellers[self.slot] = worker.canceller();
        if self.shared.stopped.load(Ordering::SeqCst) {
            cancellers[self.slot].cancel();
        }
        self.worker = worker;
    }
}

fn settled(settlement: Settlement) -> Outcome {
    match settlement {
        Settlement::Ruled(Ruling::Accepted(score)) => {
            Outcome { score: Some(score), ..Outcome::without_run(Verdict::Accepted, String::new()) }
        }
        Settlement::Ruled(Ruling::Rejected { place, reason }) if place.is_empty() => {
            Outcome::without_run(Verdict::WrongAnswer, reason)
        }
        Settlement::Ruled(Ruling::Rejected { place, reason }) => {
            Outcome::without_run(Verdict::WrongAnswer, format!("{place}: {reason}"))
        }
        Settlement::Failed(verdict, note) => Outcome::without_run(verdict, note),
    }
}

/// An error with all its causes, as one line.
fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The last part of a text that may be no text at all.
fn tail(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(STDERR_SHOWN)..]).trim().to_owned()
}
