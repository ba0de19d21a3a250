//! Runs plans: the interface of the subcommands, and its implementation on this machine.
//!
//! A dispatcher owns the state of a run: it starts the workers, receives every finished job and every signal, and decides
//! when to stop.

use super::case_runner::work;
use super::results::{Result, ResultSink, ResultStore, RunError, RunResult, Watch};
use super::signals::Signals;
use super::slots::{RunSettings, RunStopper, Slots, request, shows_folders};
use crate::executor::{DISMISSED, ExecutorPool};
use judge_problem::{FinishedJob, Invocation, NodeList, Plan, RunEvent, RunningJobs, Stop};
use judge_sandbox::{Fault, Gap, Sandbox, Tier, Worker};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::sync::oneshot;

/// Runs plans. A subcommand passes a plan and receives events. It does not see where the plan runs.
pub trait PlanRunner {
    /// Runs a plan to its end, or until it is stopped. `watch` gets every event, in the order in which jobs finish, and
    /// gets a finished job only after `store` has stored it.
    ///
    /// The first Ctrl-C (or SIGTERM) ends the running cases and starts no more; the second ends the process at once.
    ///
    /// # Errors
    /// When the run cannot be started. A failure of a single case is an outcome, not an error.
    fn run(&self, plan: &Plan, store: &dyn ResultStore, watch: &mut Watch<'_>) -> Result<RunResult>;

    /// Prepares for a plan in the background, while the caller does other things.
    fn make_ready(&self, _plan: &Plan) {}

    /// Returns a handle that ends a run early, if this runner should get many cases at once and starts them in their
    /// order. `None`: it gets a few cases at a time.
    fn early_end(&self) -> Option<&EarlyEnd> {
        None
    }

    /// Ends each run at this time, as the first Ctrl-C does. Without effect if the cases run on other machines.
    fn end_at(&mut self, _end: Option<Instant>) {}

    /// Returns the engine that runs plans on other machines. `None`: they run on this machine.
    fn engine(&self) -> Option<&'static str> {
        None
    }

    /// Returns the machines of a cluster that have run cases so far. Empty if this machine runs them.
    fn nodes(&self) -> NodeList {
        NodeList::default()
    }

    /// Returns how many solvers run at once.
    fn jobs(&self) -> usize;

    /// Returns the jobs that are running now.
    fn running(&self) -> &Arc<RunningJobs>;

    /// Returns how strongly solvers are isolated.
    fn tier(&self) -> Tier;

    /// Returns the guarantees that the tier does not give.
    fn gaps(&self) -> &[Gap];
}

/// Ends a run early, when its caller needs no more results.
#[derive(Debug, Default)]
pub struct EarlyEnd(AtomicBool);

impl EarlyEnd {
    /// Ends the current run. Unfinished cases are left out.
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns whether [`ask`](Self::ask) was called since the last time.
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }
}

/// Runs plans on this machine: an executor for each slot, each on its own core.
pub struct LocalRunner {
    pool: Box<dyn ExecutorPool>,
    settings: RunSettings,
    abort: fn(),
    end: Option<Instant>,
}

impl LocalRunner {
    /// Returns a runner over these executors. `abort` is called on the second request to stop, and ends the process.
    pub fn new(pool: impl ExecutorPool + 'static, settings: RunSettings, abort: fn()) -> Self {
        Self { pool: Box::new(pool), settings, abort, end: None }
    }

    /// Runs a plan as [`PlanRunner::run`] does, until these signals stop it in place of the process's own.
    ///
    /// # Errors
    /// As [`PlanRunner::run`].
    pub fn run_until(
        &self,
        plan: &Plan,
        store: &dyn ResultStore,
        watch: &mut Watch<'_>,
        signals: Signals,
    ) -> Result<RunResult> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Start)?;
        let (sender, receiver) = channel(BATCH);
        let (at_work, leaving) = channel(1);
        let (slots, executors) = Slots::open(plan, &self.settings, &*self.pool, store)?;

        std::thread::scope(|scope| {
            let handles = executors.into_iter().enumerate().map(|(slot, executor)| {
                let (slots, sender, at_work) = (&slots, sender.clone(), at_work.clone());
                Builder::new().spawn_scoped(scope, move || {
                    let executor = work(slots, slot, executor, sender);
                    drop(at_work);
                    executor.dismiss();
                })
            });
            // The threads that have started end with their next case, because this function drops the receiver.
            let handles: Vec<_> =
                handles.collect::<Result<_, _>>().inspect_err(|_| slots.stopper.stop()).map_err(RunError::Thread)?;
            drop((sender, at_work));
            let mut sink = ResultSink::new(plan, store, watch);
            sink.start();
            let mut dispatcher = Dispatcher { slots: &slots, sink, stop: None, abort: self.abort };
            runtime.block_on(dispatcher.listen(Finished { jobs: receiver, leaving }, signals));
            let Dispatcher { sink, stop, .. } = dispatcher;
            let outcomes = sink.into_outcomes();
            let panicked = handles.into_iter().any(|handle| handle.join().is_err());
            if panicked { Err(RunError::WorkerPanicked) } else { Ok(RunResult { outcomes, stop }) }
        })
    }

    /// Runs a plan of one job on this thread. `begin` gets a handle that stops it; its result is dropped at the end. `None`: it was stopped.
    ///
    /// # Errors
    /// As [`PlanRunner::run`].
    pub fn run_one<T>(
        &self,
        plan: &Plan,
        store: &dyn ResultStore,
        begin: impl FnOnce(RunStopper) -> T,
    ) -> Result<Option<FinishedJob>> {
        let (slots, executors) = Slots::open(plan, &self.settings, &*self.pool, store)?;
        let (sender, mut receiver) = channel(1);
        let _begun = begin(slots.stopper.clone());
        for executor in executors {
            work(&slots, 0, executor, sender.clone()).dismiss();
        }
        Ok(receiver.try_recv().ok())
    }
}

impl PlanRunner for LocalRunner {
    fn make_ready(&self, plan: &Plan) {
        let count = self.jobs().min(plan.job_count());
        let cores: Option<Vec<usize>> = (0..count).map(|slot| self.settings.core(slot)).collect();
        let first = plan.solvers.first().map(|solver| &solver.invocation);
        if let (Some(cores), Some(Invocation::Program(program))) = (cores, first) {
            // The journals in visible folders are found later, when the run's own journal exists.
            let is_known = !shows_folders(program, &plan.visible);
            let first = is_known.then(|| request(plan, 0, program, &[], Arc::from([])));
            self.pool.make_ready(&cores, first.as_ref());
        }
    }

    fn run(&self, plan: &Plan, store: &dyn ResultStore, watch: &mut Watch<'_>) -> Result<RunResult> {
        let signals = Signals::install().map_err(RunError::Start)?;
        self.run_until(plan, store, watch, signals.and_at(self.end))
    }

    fn end_at(&mut self, end: Option<Instant>) {
        self.end = end;
    }

    fn jobs(&self) -> usize {
        self.settings.jobs.get()
    }

    fn running(&self) -> &Arc<RunningJobs> {
        &self.settings.running
    }

    fn tier(&self) -> Tier {
        self.pool.tier()
    }

    fn gaps(&self) -> &[Gap] {
        self.pool.gaps()
    }
}

/// The maximal number of finished jobs that are stored together. More would only keep more answers in memory.
const BATCH: usize = 64;

/// How long a finished job waits for others to be stored with it. The delay is not noticeable, and one commit for many
/// jobs costs as much as for one.
const GATHERING: Duration = Duration::from_millis(16);

/// The channels from the workers.
struct Finished {
    jobs: Receiver<FinishedJob>,
    /// Closed when the last worker has ended.
    leaving: Receiver<Infallible>,
}

impl Finished {
    /// Waits for a finished job, and then a moment for others. Returns whether there is any. A signal in between leaves the
    /// batch as it is.
    async fn next_batch(&mut self, batch: &mut Vec<FinishedJob>, gathering: Duration) -> bool {
        if batch.is_empty() && self.jobs.recv_many(batch, BATCH).await == 0 {
            return false;
        }
        if !gathering.is_zero() {
            // The other jobs are taken when the time is over.
            tokio::select! {
                _ = self.leaving.recv() => {}
                () = tokio::time::sleep(gathering) => {}
            }
            while batch.len() < BATCH
                && let Ok(next) = self.jobs.try_recv()
            {
                batch.push(next);
            }
        }
        true
    }
}

struct Dispatcher<'a> {
    slots: &'a Slots<'a>,
    sink: ResultSink<'a>,
    stop: Option<Stop>,
    abort: fn(),
}

impl Dispatcher<'_> {
    /// Listens until every worker is done.
    async fn listen(&mut self, mut finished: Finished, mut signals: Signals) {
        let mut batch = Vec::with_capacity(BATCH);
        // With `--fail-fast` a finished job does not wait for others, because it may end the run.
        let fails_fast = self.slots.plan.fail_fast;
        let gathering = if fails_fast { Duration::ZERO } else { GATHERING };
        loop {
            tokio::select! {
                biased;
                () = signals.next() => self.interrupted(),
                more = finished.next_batch(&mut batch, gathering) => {
                    if !more {
                        return;
                    }
                    let accepted = self.sink.deliver(&mut batch);
                    if !accepted && fails_fast && self.stop.is_none() {
                        self.stop(Stop::FailFast);
                    }
                }
            }
        }
    }

    fn interrupted(&mut self) {
        match self.stop {
            Some(Stop::Interrupted) => (self.abort)(),
            _ => self.stop(Stop::Interrupted),
        }
    }

    fn stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.slots.stopper.stop();
        self.sink.notify(&RunEvent::Stopping(stop));
    }
}

/// Runs one program in a worker of the sandbox. Returns `None` if Ctrl-C or SIGTERM has ended it.
///
/// # Errors
/// When the sandbox fails. A failure of the program is not an error.
pub fn run_alone<T: Send>(
    sandbox: &Sandbox,
    run: impl FnOnce(&mut Worker) -> Result<T, Fault> + Send,
) -> Result<Option<T>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Start)?;
    let mut signals = Signals::install().map_err(RunError::Start)?;
    let mut worker = sandbox.worker(None).map_err(RunError::Sandbox)?;
    let canceller = worker.canceller();
    let (sender, mut receiver) = oneshot::channel();
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
