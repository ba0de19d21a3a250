//! Runs one program, without a plan.

use super::RunError;
use super::signals::Signals;
use crate::executor::ExecutorPool;
use judge_sandbox::{Execution, Fault, Request};
use std::thread::Builder;
use tokio::sync::oneshot::channel;

/// Runs one program to its end, or until Ctrl-C (or SIGTERM) ends it: then there is `None`.
///
/// # Errors
/// When the executor fails; whatever the program does is no error.
pub fn run_alone(pool: &dyn ExecutorPool, request: &Request) -> Result<Option<Execution>, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Start)?;
    let _entered = runtime.enter();
    let mut signals = Signals::install().map_err(RunError::Start)?;
    let mut executor = pool.open(None).map_err(RunError::Sandbox)?;
    let canceller = executor.canceller();
    let (sender, mut receiver) = channel();
    let received = std::thread::scope(|scope| {
        // Fails only when the receiver is gone.
        let work = move || drop(sender.send(executor.run(request)));
        Builder::new().spawn_scoped(scope, work).map_err(RunError::Thread)?;
        Ok(runtime.block_on(async {
            tokio::select! {
                result = &mut receiver => return result,
                () = signals.next() => canceller.cancel(),
            }
            receiver.await
        }))
    })?;
    match received {
        Ok(Ok(execution)) => Ok(Some(execution)),
        Ok(Err(Fault::Cancelled)) => Ok(None),
        Ok(Err(fault)) => Err(RunError::Run(fault)),
        Err(_) => Err(RunError::WorkerPanicked),
    }
}
