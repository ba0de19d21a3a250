//! The sandbox that setters' programs run in, and its workers that wait for another call.

use super::error::CommandError;
use crate::executor::DISMISSED;
use judge_sandbox::{Options, Sandbox, Worker};
use parking_lot::Mutex;
use std::mem;
use std::sync::Arc;

/// `None` until one is named or needed.
static SANDBOX: Mutex<Option<Arc<Sandbox>>> = Mutex::new(None);

/// Workers that wait for a call and the cores that they stay on, the one that was last used last: it knows the latest program.
static IDLE: Mutex<Vec<(Option<usize>, Worker)>> = Mutex::new(Vec::new());

/// Has setters' programs run in this sandbox. Without one, they run in the strongest that the machine offers.
pub fn use_sandbox(sandbox: &Arc<Sandbox>) {
    change_to(Some(Arc::clone(sandbox)));
}

/// Ends the workers that wait for a call, the sandbox's own included. To be called when the process is about to end: a
/// worker would go by itself a moment later.
pub fn dismiss_workers() {
    change_to(None);
}

/// In one step: whoever needs a sandbox meanwhile has this one or the one before.
fn change_to(sandbox: Option<Arc<Sandbox>>) {
    let _before = mem::replace(&mut *SANDBOX.lock(), sandbox);
    IDLE.lock().drain(..).for_each(|(_, worker)| worker.dismiss(&DISMISSED));
}

/// Returns a worker that runs nothing, and whose programs stay on `core` if one is given.
pub(super) fn take(core: Option<usize>) -> Result<Worker, CommandError> {
    let mut idle = IDLE.lock();
    if let Some(place) = idle.iter().rposition(|(own, _)| *own == core) {
        return Ok(idle.remove(place).1);
    }
    drop(idle);
    Ok(sandbox()?.worker(core)?)
}

/// Takes back a worker whose last run was no fault.
pub(super) fn give_back(worker: Worker, core: Option<usize>) {
    IDLE.lock().push((core, worker));
}

fn sandbox() -> Result<Arc<Sandbox>, CommandError> {
    let mut sandbox = SANDBOX.lock();
    if let Some(sandbox) = &*sandbox {
        return Ok(Arc::clone(sandbox));
    }
    let opened = Arc::new(Sandbox::open(&Options::default())?);
    Ok(Arc::clone(sandbox.insert(opened)))
}
