//! The cores of the server, each with a warm worker of the sandbox. A request leases one for each case, by rank.

use crate::task::{Rank, Task};
use judge_run::executor::{Cancel, Executor, ExecutorPool};
use judge_sandbox::{
    Canceller, DismissedWorkers, Exchange, Execution, Fault, Gap, OutputFiles, Request, Sandbox, Tier, Worker,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

/// Workers that were told to end.
static DISMISSED: DismissedWorkers = DismissedWorkers::new();

/// Waits for the end of all workers that were told to end. To be called before the process ends.
pub(crate) fn wait_for_dismissed_workers() {
    DISMISSED.wait();
}

/// The slots of a server.
pub(crate) struct SlotPool {
    sandbox: Arc<Sandbox>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    free: Vec<Slot>,
    /// The requests that wait for a slot. The number distinguishes the waiting threads of a request.
    waiting: BTreeMap<(Rank, u64), Arc<Waiter>>,
    number: u64,
}

/// A core, and the worker on it once it was needed.
struct Slot {
    core: Option<usize>,
    worker: Option<Worker>,
}

/// A thread that waits for a slot. Whoever gives one back hands it over.
struct Waiter {
    thread: Thread,
    /// What it will run. It starts when the slot is handed over, so that the core does not wait for the thread to wake up.
    request: Option<Request>,
    handed: Mutex<Option<Handed>>,
}

/// A slot, and what came of submitting the waiter's program if there was a worker for it.
struct Handed {
    slot: Slot,
    submitted: Option<Result<(), Fault>>,
}

impl Waiter {
    fn hand_over(&self, mut slot: Slot) {
        let both = self.request.as_ref().zip(slot.worker.as_mut());
        let submitted = both.map(|(request, worker)| worker.submit(request));
        *self.handed.lock() = Some(Handed { slot, submitted });
        self.thread.unpark();
    }
}

impl SlotPool {
    /// Returns a slot for each of these cores. `None`: its programs run on any core.
    pub(crate) fn new(sandbox: Arc<Sandbox>, cores: impl IntoIterator<Item = Option<usize>>) -> Arc<Self> {
        let free = cores.into_iter().map(|core| Slot { core, worker: None }).collect();
        let state = Mutex::new(State { free, ..State::default() });
        Arc::new(Self { sandbox, state })
    }

    /// Waits for a slot, the one of this core if it is free. Returns also whether `request` was submitted to it meanwhile. Fails
    /// if the task is cancelled first.
    fn lease(
        self: &Arc<Self>,
        task: &Task,
        core: Option<usize>,
        request: Option<&Request>,
    ) -> Result<(Lease, bool), Fault> {
        let handed = match self.free_or_wait(task, core, request) {
            Ok(slot) => Handed { slot, submitted: None },
            Err((entry, waiter)) => self.wait(task, entry, &waiter).ok_or(Fault::Cancelled)?,
        };
        let mut lease = Lease { pool: Arc::clone(self), slot: handed.slot };
        if lease.slot.worker.is_none() {
            lease.slot.worker = Some(self.sandbox.worker(lease.slot.core)?);
        }
        match handed.submitted {
            None => Ok((lease, false)),
            Some(Ok(())) => Ok((lease, true)),
            Some(Err(fault)) => {
                lease.discard();
                Err(fault)
            }
        }
    }

    /// Takes a free slot. If there is none, this thread begins to wait for one.
    fn free_or_wait(
        &self,
        task: &Task,
        core: Option<usize>,
        request: Option<&Request>,
    ) -> Result<Slot, ((Rank, u64), Arc<Waiter>)> {
        let mut state = self.state.lock();
        if let Some(last) = state.free.len().checked_sub(1) {
            let same = state.free.iter().rposition(|slot| slot.core == core);
            return Ok(state.free.remove(same.unwrap_or(last)));
        }
        let request = request.cloned();
        let waiter = Arc::new(Waiter { thread: thread::current(), request, handed: Mutex::default() });
        state.number += 1;
        let entry = (task.rank, state.number);
        state.waiting.insert(entry, Arc::clone(&waiter));
        Err((entry, waiter))
    }

    /// Waits until a slot is handed over; `None` if the task is cancelled before.
    fn wait(self: &Arc<Self>, task: &Task, entry: (Rank, u64), waiter: &Waiter) -> Option<Handed> {
        let thread = thread::current();
        let _hook = task.on_cancel(move || thread.unpark());
        loop {
            if let Some(handed) = waiter.handed.lock().take() {
                return Some(handed);
            }
            if task.is_cancelled() && self.state.lock().waiting.remove(&entry).is_some() {
                return None;
            }
            thread::park();
        }
    }

    /// Hands a slot to whoever is next.
    fn give_back(&self, slot: Slot) {
        let mut state = self.state.lock();
        let next = state.waiting.pop_first();
        match next {
            None => state.free.push(slot),
            Some((_, waiter)) => {
                drop(state);
                waiter.hand_over(slot);
            }
        }
    }

    /// Returns how strongly programs are isolated.
    pub(crate) fn tier(&self) -> Tier {
        self.sandbox.tier()
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
        let (mut lease, _) = self.lease(task, None, None)?;
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
        self.pool.give_back(Slot { core: self.slot.core, worker: self.slot.worker.take() });
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
    /// Returns the worker, of a new lease if there is none, and whether `request` was submitted to it meanwhile.
    fn worker(&mut self, request: Option<&Request>) -> Result<(&mut Worker, bool), Fault> {
        if self.link.cancelled.load(Ordering::SeqCst) {
            return Err(Fault::Cancelled);
        }
        let mut is_submitted = false;
        if self.lease.is_none() {
            let (lease, submitted) = self.slots.lease(&self.task, self.core, request)?;
            is_submitted = submitted;
            self.core = lease.slot.core;
            *self.link.current.lock() = Some(lease.canceller());
            self.lease = Some(lease);
            // A cancellation before this line has found no worker.
            if self.link.cancelled.load(Ordering::SeqCst) {
                self.give_back();
                return Err(Fault::Cancelled);
            }
        }
        Ok((self.lease.as_mut().ok_or(Fault::Cancelled)?.worker()?, is_submitted))
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
        let submitted = self.worker(Some(request)).and_then(|(worker, is_submitted)| match is_submitted {
            true => Ok(()),
            false => worker.submit(request),
        });
        match submitted {
            Ok(()) => self.submitted += 1,
            Err(fault) => return self.after(Err(fault)),
        }
        Ok(())
    }

    fn collect(&mut self) -> Result<Execution, Fault> {
        let collected = self.worker(None).and_then(|(worker, _)| worker.collect());
        self.submitted = self.submitted.saturating_sub(1);
        self.after(collected)
    }

    fn is_ready(&self) -> bool {
        self.lease.as_ref().and_then(|lease| lease.slot.worker.as_ref()).is_none_or(Worker::is_ready)
    }

    fn run_until(&mut self, request: &Request, over: BorrowedFd<'_>) -> Result<Execution, Fault> {
        let run = self.worker(None).and_then(|(worker, _)| worker.run_until(request, over));
        self.after(run)
    }

    fn canceller(&self) -> Box<dyn Cancel> {
        Box::new(LeaseCanceller(Arc::clone(&self.link)))
    }
}

impl Drop for LeasedExecutor {
    fn drop(&mut self) {
        if self.submitted > 0 {
            self.lease.iter_mut().for_each(Lease::discard);
        }
    }
}

struct LeaseCanceller(Arc<Link>);

impl Cancel for LeaseCanceller {
    fn cancel(&self) {
        let current = self.0.current.lock();
        self.0.cancelled.store(true, Ordering::SeqCst);
        current.iter().for_each(Canceller::cancel);
    }
}
