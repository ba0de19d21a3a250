//! The sandbox as an executor.

use super::{Cancel, Executor, ExecutorPool};
use judge_sandbox::{Canceller, DismissedWorkers, Execution, Fault, Gap, Request, Sandbox, Tier, Worker};
use std::os::fd::BorrowedFd;
use std::sync::Arc;

/// Workers of this process that were told to end.
pub(crate) static DISMISSED: DismissedWorkers = DismissedWorkers::new();

/// Waits for the end of all workers that were dismissed. To be called when the process is about to end.
pub fn wait_for_dismissed_workers() {
    DISMISSED.wait();
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
        Self::run_until(self, request, over)
    }

    fn canceller(&self) -> Box<dyn Cancel> {
        Box::new(Self::canceller(self))
    }

    fn dismiss(self: Box<Self>) {
        Self::dismiss(*self, &DISMISSED);
    }
}

impl Cancel for Canceller {
    fn cancel(&self) {
        Self::cancel(self);
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
