//! The cores of the server, each with a warm worker of the sandbox. A request leases one for each case, by rank.

use crate::queue::{Rank, Task};
use judge_run::executor::{Cancel, DISMISSED, Executor, ExecutorPool};
use judge_sandbox::{Canceller, Exchange, Execution, Fault, Gap, OutputFiles, Request, Sandbox, Tier, Worker};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeSet;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The slots of a server.
pub(crate) struct SlotPool {
    sandbox: Arc<Sandbox>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    free: Vec<Slot>,
    /// The requests that wait for a slot. The number distinguishes the waiting threads of a request.
    waiting: BTreeSet<(Rank, u64)>,
    number: u64,
}

/// A core, and the worker on it once it was needed.
struct Slot {
    core: Option<usize>,
    worker: Option<Worker>,
}

impl SlotPool {
    /// Returns a slot for each of these cores. `None`: its programs run on any core.
    pub(crate) fn new(sandbox: Arc<Sandbox>, cores: impl IntoIterator<Item = Option<usize>>) -> Arc<Self> {
        let free = cores.into_iter().map(|core| Slot { core, worker: None }).collect();
        let state = Mutex::new(State { free, ..State::default() });
        Arc::new(Self { sandbox, state, changed: Condvar::new() })
    }

    /// Waits for a slot, the one of this core if it is free. Fails if the task is cancelled meanwhile.
    fn lease(self: &Arc<Self>, task: &Task, core: Option<usize>) -> Result<Lease, Fault> {
        let pool = Arc::clone(self);
        let mut state = self.state.lock();
        let mut hook = None;
        state.number += 1;
        let entry = (task.rank, state.number);
        state.waiting.insert(entry);
        let slot = loop {
            if task.is_cancelled() {
                break None;
            }
            if state.waiting.iter().take(state.free.len()).any(|waiting| *waiting == entry) {
                let same = state.free.iter().rposition(|slot| slot.core == core);
                let place = same.unwrap_or(state.free.len() - 1);
                break Some(state.free.remove(place));
            }
            if hook.is_none() {
                drop(state);
                let pool = Arc::clone(&pool);
                hook = Some(task.on_cancel(move || {
                    // With the lock, so that a thread which is about to wait is not missed.
                    drop(pool.state.lock());
                    pool.changed.notify_all();
                }));
                state = self.state.lock();
                continue;
            }
            self.changed.wait(&mut state);
        };
        state.waiting.remove(&entry);
        drop(state);
        drop(hook);
        let Some(slot) = slot else {
            self.changed.notify_all();
            return Err(Fault::Cancelled);
        };
        let mut lease = Lease { pool, slot };
        if lease.slot.worker.is_none() {
            lease.slot.worker = Some(self.sandbox.worker(lease.slot.core)?);
        }
        Ok(lease)
    }

    /// Whether other requests wait for a slot.
    fn is_wanted(&self) -> bool {
        !self.state.lock().waiting.is_empty()
    }

    /// Runs a compiler in a separate slot.
    pub(crate) fn run_with_files(
        self: &Arc<Self>,
        task: &Task,
        request: &Request,
        exchange: &Exchange,
    ) -> Result<(Execution, OutputFiles), Fault> {
        let mut lease = self.lease(task, None)?;
        let canceller = lease.canceller();
        let hook = task.on_cancel(move || canceller.cancel());
        let result = lease.worker()?.run_with(request.clone(), Some(exchange), None);
        drop(hook);
        if result.is_err() || task.is_cancelled() {
            lease.discard();
        }
        result
    }
}

/// A slot that is released when this is dropped.
struct Lease {
    pool: Arc<SlotPool>,
    slot: Slot,
}

impl Lease {
    fn worker(&mut self) -> Result<&mut Worker, Fault> {
        self.slot.worker.as_mut().ok_or(Fault::Cancelled)
    }

    fn canceller(&self) -> Canceller {
        self.slot.worker.as_ref().expect("a lease has a worker").canceller()
    }

    /// Ends the worker, which is no longer usable. The next lease of the slot starts another.
    fn discard(&mut self) {
        self.slot.worker.take().into_iter().for_each(|worker| worker.dismiss(&DISMISSED));
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let slot = Slot { core: self.slot.core, worker: self.slot.worker.take() };
        self.pool.state.lock().free.push(slot);
        self.pool.changed.notify_all();
    }
}

/// Opens executors that lease a slot for each program.
pub(crate) struct LeasedPool {
    pub(crate) slots: Arc<SlotPool>,
    pub(crate) task: Arc<Task>,
}

impl ExecutorPool for LeasedPool {
    fn open(&self, core: Option<usize>) -> Result<Box<dyn Executor>, Fault> {
        let (slots, task) = (Arc::clone(&self.slots), Arc::clone(&self.task));
        Ok(Box::new(LeasedExecutor { slots, task, core, lease: None, submitted: 0, link: Arc::default() }))
    }

    fn tier(&self) -> Tier {
        self.slots.sandbox.tier()
    }

    fn gaps(&self) -> &[Gap] {
        self.slots.sandbox.gaps()
    }
}

/// Runs programs in leased slots.
struct LeasedExecutor {
    slots: Arc<SlotPool>,
    task: Arc<Task>,
    /// The core that it prefers.
    core: Option<usize>,
    /// Held while programs are submitted.
    lease: Option<Lease>,
    submitted: usize,
    link: Arc<Link>,
}

/// What an executor shares with its cancellers.
#[derive(Default)]
struct Link {
    cancelled: AtomicBool,
    current: Mutex<Option<Canceller>>,
}

impl LeasedExecutor {
    /// Returns the worker, of a new lease if there is none.
    fn worker(&mut self) -> Result<&mut Worker, Fault> {
        if self.link.cancelled.load(Ordering::SeqCst) {
            return Err(Fault::Cancelled);
        }
        if self.lease.is_none() {
            let lease = self.slots.lease(&self.task, self.core)?;
            self.core = lease.slot.core;
            *self.link.current.lock() = Some(lease.canceller());
            self.lease = Some(lease);
            // A cancellation before this line has found no worker.
            if self.link.cancelled.load(Ordering::SeqCst) {
                self.give_back();
                return Err(Fault::Cancelled);
            }
        }
        self.lease.as_mut().ok_or(Fault::Cancelled)?.worker()
    }

    /// Ends the lease. A cancelled worker is not used again.
    fn give_back(&mut self) {
        let mut current = self.link.current.lock();
        *current = None;
        if self.link.cancelled.load(Ordering::SeqCst) {
            self.lease.iter_mut().for_each(Lease::discard);
        }
        drop(current);
        self.lease = None;
        self.submitted = 0;
    }

    fn after<T>(&mut self, result: Result<T, Fault>) -> Result<T, Fault> {
        if result.is_err() {
            self.lease.iter_mut().for_each(Lease::discard);
        }
        if result.is_err() || self.submitted == 0 {
            self.give_back();
        }
        result
    }
}

impl Executor for LeasedExecutor {
    fn submit(&mut self, request: &Request) -> Result<(), Fault> {
        // Programs that are submitted ahead would keep the slot from other requests. Their submitter tries again later.
        if self.submitted > 0 && self.slots.is_wanted() {
            return Err(Fault::Cancelled);
        }
        let submitted = self.worker().and_then(|worker| worker.submit(request));
        match submitted {
            Ok(()) => self.submitted += 1,
            Err(fault) => return self.after(Err(fault)),
        }
        Ok(())
    }

    fn collect(&mut self) -> Result<Execution, Fault> {
        let collected = self.worker().and_then(Worker::collect);
        self.submitted = self.submitted.saturating_sub(1);
        self.after(collected)
    }

    fn is_ready(&self) -> bool {
        self.lease.as_ref().and_then(|lease| lease.slot.worker.as_ref()).is_none_or(Worker::is_ready)
    }

    fn run_until(&mut self, request: &Request, over: BorrowedFd<'_>) -> Result<Execution, Fault> {
        let run = self.worker().and_then(|worker| worker.run_until(request, over));
        self.after(run)
    }

    fn canceller(&self) -> Cancel {
        let link = Arc::clone(&self.link);
        Box::new(move || {
            let current = link.current.lock();
            link.cancelled.store(true, Ordering::SeqCst);
            current.iter().for_each(Canceller::cancel);
        })
    }
}

impl Drop for LeasedExecutor {
    fn drop(&mut self) {
        if self.submitted > 0 {
            self.lease.iter_mut().for_each(Lease::discard);
        }
    }
}
