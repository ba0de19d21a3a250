//! The interface between a run and the sandbox: an executor runs one program at a time.
//!
//! The sandbox implements it. Tests of the runner implement it with scripted results, without any process.

use judge_sandbox::{DismissedWorkers, Execution, Fault, Gap, Request, Sandbox, Tier, Worker};
use std::os::fd::BorrowedFd;
use std::sync::Arc;

/// The dismissed workers of this process. It waits for them before it ends.
pub static DISMISSED: DismissedWorkers = DismissedWorkers::new();

/// The number of programs that can be submitted before the first of them is collected.
pub const QUEUE: usize = Worker::QUEUE;

/// Runs programs, one at a time.
pub trait Executor: Send {
    /// Runs a program to its end.
    ///
    /// # Errors
    /// [`Fault::Cancelled`] after it was cancelled. Every other fault is the executor's own, never the program's. After a
    /// fault the executor may be unusable.
    fn run(&mut self, request: &Request) -> Result<Execution, Fault> {
        self.submit(request)?;
        self.collect()
    }

    /// Submits a program without waiting for its end. Up to [`QUEUE`] programs can be submitted at once. Each starts
    /// when the one before has ended, whether or not that one was collected.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn submit(&mut self, request: &Request) -> Result<(), Fault>;

    /// Waits for the end of the program that was submitted first.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn collect(&mut self) -> Result<Execution, Fault>;

    /// Returns whether [`collect`](Self::collect) would not have to wait.
    fn is_ready(&self) -> bool;

    /// Runs a program that is needed only until `over` becomes readable: times count up to then, and afterwards the
    /// program gets a short grace period before it is killed. Interactive problems run their solvers this way.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn run_until(&mut self, request: &Request, over: BorrowedFd<'_>) -> Result<Execution, Fault>;

    /// Returns a function that cancels this executor.
    fn canceller(&self) -> Cancel;

    /// Ends it. It may clean up in the background.
    fn dismiss(self: Box<Self>) {}
}

/// Cancels an executor from any thread: kills the running program, if any. Its run, and each later one of the executor, is
/// [`Fault::Cancelled`].
pub type Cancel = Box<dyn Fn() + Send + Sync>;

/// Opens executors, one for each slot of a run.
pub trait ExecutorPool: Sync {
    /// Returns a new executor whose programs stay on `core`, if one is given.
    ///
    /// # Errors
    /// When it cannot be started.
    fn open(&self, core: Option<usize>) -> Result<Box<dyn Executor>, Fault>;

    /// Prepares in the background for later calls of [`open`](Self::open) for these cores, and for `request`, if there
    /// is one.
    fn make_ready(&self, _cores: &[usize], _request: Option<&Request>) {}

    /// Returns how strongly programs are isolated.
    fn tier(&self) -> Tier;

    /// Returns the guarantees that the tier does not give on this machine.
    fn gaps(&self) -> &[Gap];
}

impl Executor for Worker {
    fn submit(&mut self, request: &Request) -> Result<(), Fault> {
        Self::submit(self, request)
    }

    fn collect(&mut self) -> Result<Execution, Fault> {
        Self::collect(self)
    }

    fn is_ready(&self) -> bool {
        Self::is_ready(self)
    }

    fn run_until(&mut self, request: &Request, over: BorrowedFd<'_>) -> Result<Execution, Fault> {
        Ok(self.run_with(request.clone(), None, Some(over))?.0)
    }

    fn canceller(&self) -> Cancel {
        let canceller = Self::canceller(self);
        Box::new(move || canceller.cancel())
    }

    fn dismiss(self: Box<Self>) {
        Self::dismiss(*self, &DISMISSED);
    }
}

/// Compilers use the same sandbox.
impl ExecutorPool for Arc<Sandbox> {
    fn open(&self, core: Option<usize>) -> Result<Box<dyn Executor>, Fault> {
        Ok(Box::new(self.worker(core)?))
    }

    fn make_ready(&self, cores: &[usize], request: Option<&Request>) {
        Sandbox::make_ready(self, cores, request);
    }

    fn tier(&self) -> Tier {
        Sandbox::tier(self)
    }

    fn gaps(&self) -> &[Gap] {
        Sandbox::gaps(self)
    }
}
