//! Runs cases in one slot: makes the input, runs the solver, has the answer checked.

use super::passes::{self, Performance};
use super::request::request;
use super::slots::Slots;
use crate::cases::{CheckerError, PreparedCase, ReadError};
use crate::executor::Executor;
use crate::interaction::{self, ConverseError, Partner, Trial};
use crate::model::{
    Digest, Evidence, Features, FinishedJob, Invocation, JobId, KnownOutcome, Limits, Outcome, Ruling, Verdict,
    error_chain, tail,
};
use crate::solver;
use crate::verdict::{self, Ending, InteractiveVerdict, InteractorDecision};
use judge_sandbox::{Breach, Execution, Fault, Request};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// A program that spent this share of its time without the core that it was ready for was disturbed.
const NOISY_SHARE: f64 = 0.1;

/// Less than this is the ordinary price of being scheduled.
const NOISY_LEAST: Duration = Duration::from_millis(5);

/// Works until there are no more jobs, or the run is stopped.
pub(super) fn work(slots: &Slots<'_>, slot: usize, executor: Box<dyn Executor>, sender: &Sender<FinishedJob>) {
    let mut runner = CaseRunner { slots, slot, executor, open: None };
    while let Some(job) = slots.next_job() {
        slots.running().start(job);
        let judged = runner.judge(job);
        slots.running().end(job);
        // A cancelled job has no outcome: it is not finished, and a resumed run does it again.
        let Some((outcome, evidence)) = judged else { return };
        // A helper command that was ended with the run says nothing of the case.
        if outcome.verdict == Verdict::JudgeError && slots.stopped.load(Ordering::SeqCst) {
            return;
        }
        if slots.plan.fail_fast && !outcome.is_accepted() {
            // Before the dispatcher hears of it: this worker would otherwise start another case meanwhile.
            slots.stopped.store(true, Ordering::SeqCst);
        }
        let evidence = Box::new(evidence);
        let features = runner.features(job.case);
        if sender.blocking_send(FinishedJob { job, outcome, features, evidence }).is_err() {
            return;
        }
    }
}

/// A case whose input is at hand: with several solvers it is made and read once.
struct OpenCase {
    index: usize,
    input: Arc<[u8]>,
    /// `None` if results are not stored.
    digest: Option<Digest>,
    prepared: PreparedCase,
    features: Option<Arc<Features>>,
}

struct CaseRunner<'a> {
    slots: &'a Slots<'a>,
    slot: usize,
    executor: Box<dyn Executor>,
    open: Option<OpenCase>,
}

impl CaseRunner<'_> {
    /// Returns what became of a job; `None` when it was cancelled.
    fn judge(&mut self, job: JobId) -> Option<(Outcome, Evidence)> {
        let plan = self.slots.plan;
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
            Err(error) => return without_run(Verdict::JudgeError, error_chain(&error), None),
        };
        if let Some(KnownOutcome { outcome, stored }) = digest.and_then(|digest| self.slots.store.lookup(job, &digest))
        {
            return Some((outcome, Evidence { input: digest, answer: None, stored: Some(stored) }));
        }
        let hidden = &self.slots.hidden[job.solver];
        let limits = plan.limits_of(job.solver);
        let mut request = request(plan, job.solver, program, hidden, input);
        request.limits.cpu = Some(self.slots.enforced_cpu(&limits));
        match self.execute(&request, &limits) {
            Ok(performance) => Some(self.finished(&program.path, &limits, performance, digest)),
            Err(ConverseError::Sandbox(Fault::Cancelled)) => None,
            Err(error) => {
                // After a fault the executor may be unusable; a new one keeps one bad case from spoiling the rest.
                if let (ConverseError::Sandbox(_), Some(executor)) = (&error, self.slots.reopen(self.slot)) {
                    self.executor = executor;
                }
                without_run(Verdict::JudgeError, error_chain(&error), digest)
            }
        }
    }

    /// Makes and reads the case's input; with several solvers once for all of them.
    fn open(&mut self, index: usize) -> Result<(Arc<[u8]>, Option<Digest>), ReadError> {
        if let Some(open) = self.open.as_ref().filter(|open| open.index == index) {
            return Ok((open.input.clone(), open.digest));
        }
        let case = &self.slots.plan.cases.at(index);
        let input: Arc<[u8]> = self.slots.inputs.load(case)?.into();
        let prepared = self.slots.checker.prepare(&input, Some(&case.source))?;
        let finder = self.slots.finder.as_ref();
        let features = finder.map(|finder| Arc::new(finder.describe(&input, &prepared)));
        let digest = self.slots.store.is_active().then(|| Digest::of(&input));
        self.open = Some(OpenCase { index, input: input.clone(), digest, prepared, features });
        Ok((input, digest))
    }

    fn features(&self, case: usize) -> Option<Arc<Features>> {
        self.open.as_ref().filter(|open| open.index == case)?.features.clone()
    }

    /// Runs the solver; and again, alone, when it was a little too slow while it had neighbours.
    fn execute(&mut self, request: &Request, limits: &Limits) -> Result<Performance, ConverseError> {
        let limit = limits.cpu.0;
        let is_slightly_slow =
            |execution: &Execution| execution.usage.cpu > limit && !execution.breaches.contains(&Breach::Cpu);
        let mut performance = {
            let _neighbours = self.slots.quiet.read();
            self.perform(request, limits)?
        };
        if is_slightly_slow(&performance.execution) && self.slots.has_neighbours() {
            let _alone = self.slots.quiet.write();
            performance = self.perform(request, limits)?;
        }
        if is_slightly_slow(&performance.execution) {
            performance.execution.breaches.push(Breach::Cpu);
        }
        Ok(performance)
    }

    /// Runs the solver once, by itself or in a conversation.
    fn perform(&mut self, request: &Request, limits: &Limits) -> Result<Performance, ConverseError> {
        let stopped = &self.slots.stopped;
        let Some(OpenCase { prepared, .. }) = &self.open else {
            return Ok(Performance { execution: self.executor.run(request)?, decision: None });
        };
        if prepared.passes() > 1 {
            return passes::perform(&mut *self.executor, request, limits, prepared);
        }
        let helper_limits = &self.slots.plan.problem.helper_limits;
        let conversation = match prepared {
            PreparedCase::Interactive { interactor, case, .. } => {
                let (interactor, protocol) = (interactor.program(), interactor.protocol());
                let (input, expected) = (&case.input, case.expected.as_deref());
                let decision_time = helper_limits.interactor.0;
                let partner = Partner { interactor, protocol, input, expected, decision_time };
                interaction::converse(&mut *self.executor, request, limits, partner, stopped)?
            }
            PreparedCase::Tested { tester, case, seed, .. } => {
                let (tester, input, expected) = (&tester.program, case.input.path()?, case.expected.as_deref());
                let trial = Trial { tester, input, expected, seed: *seed, patience: helper_limits.tester.0 };
                interaction::test(&mut *self.executor, request, limits, trial, stopped)?
            }
            _ => return Ok(Performance { execution: self.executor.run(request)?, decision: None }),
        };
        let decision = match conversation.decision {
            InteractorDecision::Decided(Ruling::Accepted(score)) => {
                passes::decided(prepared.check_written(&conversation.written), Ruling::Accepted(score))
            }
            decision => decision,
        };
        Ok(Performance { execution: conversation.execution, decision: Some(decision) })
    }

    /// The answer goes along where there is one: a solver that ended well has given its answer, right or wrong.
    fn finished(
        &self,
        program: &Path,
        limits: &Limits,
        performance: Performance,
        input: Option<Digest>,
    ) -> (Outcome, Evidence) {
        let Performance { execution, decision } = performance;
        let outcome = self.outcome(program, limits, &execution, decision);
        let answered = matches!(outcome.verdict, Verdict::Accepted | Verdict::WrongAnswer | Verdict::JudgeError);
        let wanted = self.slots.store.is_active() || self.slots.plan.hand_over_answers;
        let answer = (answered && wanted).then_some(execution.stdout);
        (outcome, Evidence { input, answer, stored: None })
    }

    fn outcome(
        &self,
        program: &Path,
        limits: &Limits,
        execution: &Execution,
        decision: Option<InteractorDecision>,
    ) -> Outcome {
        let usage = &execution.usage;
        let mut outcome = match (decision, solver::ending(program, execution, limits)) {
            (Some(decision), ending) => match verdict::interactive_verdict(execution, ending, limits, decision) {
                InteractiveVerdict::Decided(ruling) => self.ruled(|case| case.admit(ruling)),
                InteractiveVerdict::Failed(verdict, note) => Outcome::without_run(verdict, note),
            },
            (None, Ending::Clean) => self.ruled(|case| case.check(&execution.stdout)),
            (None, Ending::Failed(verdict, note)) => Outcome::without_run(verdict, note),
        };
        if self.slots.plan.stderr.keeps(outcome.is_accepted()) {
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

    /// Returns the outcome of a ruling on the open case.
    fn ruled(&self, ruling: impl FnOnce(&PreparedCase) -> Result<Ruling, CheckerError>) -> Outcome {
        match self.open.as_ref().map(|open| ruling(&open.prepared)) {
            Some(Ok(ruling)) => ruled(ruling),
            Some(Err(error)) => Outcome::without_run(Verdict::JudgeError, error_chain(&error)),
            None => {
                Outcome::without_run(Verdict::JudgeError, "the case was closed before its answer arrived".to_owned())
            }
        }
    }
}

fn ruled(ruling: Ruling) -> Outcome {
    match ruling {
        Ruling::Accepted(score) => {
            Outcome { score: Some(score), ..Outcome::without_run(Verdict::Accepted, String::new()) }
        }
        Ruling::Rejected(rejection) => {
            let note = rejection.to_string();
            Outcome { broken: rejection.broken, ..Outcome::without_run(Verdict::WrongAnswer, note) }
        }
    }
}
