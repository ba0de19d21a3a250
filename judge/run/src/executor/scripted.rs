//! An executor without processes, for tests: every run ends as a script says.

use super::{Cancel, Executor, ExecutorPool, QUEUE};
use judge_sandbox::{End, Execution, Fault, Gap, Request, Stdin, Tier, Usage};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How a run ends.
#[derive(Debug, Clone, Copy)]
pub enum Step {
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
pub struct Run {
    /// How many runs started before it.
    pub turn: usize,
    /// How many of those had the same standard input.
    pub attempt: usize,
}

/// A pool whose executors follow one script.
#[derive(Clone)]
pub struct ScriptedPool(Arc<Script>);

struct Script {
    step: Box<dyn Fn(Run) -> Step + Send + Sync>,
    /// The inputs of the runs that began.
    inputs: Mutex<Vec<Arc<[u8]>>>,
    opened: AtomicUsize,
    /// The most programs that an executor had at once.
    most_submitted: AtomicUsize,
    running: AtomicUsize,
    /// How many programs ran when each run began, itself included.
    neighbours: Mutex<Vec<usize>>,
}

impl ScriptedPool {
    /// Returns a pool with this script.
    pub fn new(step: impl Fn(Run) -> Step + Send + Sync + 'static) -> Self {
        Self(Arc::new(Script {
            step: Box::new(step),
            inputs: Mutex::default(),
            opened: AtomicUsize::new(0),
            most_submitted: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            neighbours: Mutex::default(),
        }))
    }

    /// Returns a pool whose runs take these steps in turn, and after the last of them answer `0`.
    pub fn in_turn(steps: &[Step]) -> Self {
        let steps = steps.to_vec();
        Self::new(move |run| steps.get(run.turn).copied().unwrap_or(Step::Answer("0")))
    }

    /// Returns how many executors were opened.
    pub fn opened(&self) -> usize {
        self.0.opened.load(Ordering::SeqCst)
    }

    /// Returns the most programs that an executor had at once.
    pub fn most_submitted(&self) -> usize {
        self.0.most_submitted.load(Ordering::SeqCst)
    }

    /// Returns, for each run in the order of their starts, how many programs ran then, itself included.
    pub fn neighbours(&self) -> Vec<usize> {
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

impl Cancel for Arc<Cancelled> {
    fn cancel(&self) {
        *self.is.lock() = true;
        self.changed.notify_all();
    }
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
        self.script.most_submitted.fetch_max(self.submitted.len(), Ordering::SeqCst);
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

    fn canceller(&self) -> Box<dyn Cancel> {
        Box::new(Arc::clone(&self.cancelled))
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
