//! Runs one program, without a plan: a compiler, or what the user names.

use super::RunError;
use super::signals::Signals;
use crate::executor::DISMISSED;
use judge_sandbox::{Fault, Sandbox, Worker};
use std::thread::Builder;
use tokio::sync::oneshot::channel;

/// Has a worker of the sandbox run one program to its end, or until Ctrl-C (or SIGTERM) ends it: then there is `None`.
///
/// # Errors
/// When the sandbox fails. A failure of the program is not an error.
pub fn run_alone<T: Send>(
    sandbox: &Sandbox,
    run: impl FnOnce(&mut Worker) -> Result<T, Fault> + Send,
) -> Result<Option<T>, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Start)?;
    let _entered = runtime.enter();
    let mut signals = Signals::install().map_err(RunError::Start)?;
    let mut worker = sandbox.worker(None).map_err(RunError::Sandbox)?;
    let canceller = worker.canceller();
    let (sender, mut receiver) = channel();
    let received = std::thread::scope(|scope| {
        let work = move || {
            // Fails only when the receiver is gone.
            let _ = sender.send(run(&mut worker));
            worker.dismiss(&DISMISSED);
        };
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
        Ok(Ok(came)) => Ok(Some(came)),
        Ok(Err(Fault::Cancelled)) => Ok(None),
        Ok(Err(fault)) => Err(RunError::Run(fault)),
        Err(_) => Err(RunError::WorkerPanicked),
    }
}
