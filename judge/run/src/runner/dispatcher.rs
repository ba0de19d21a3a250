//! Owns the state of a run: starts the workers, receives every finished job and every signal, decides when to stop.

use super::result::{RunError, RunResult};
use super::settings::RunSettings;
use super::signals::Signals;
use super::slots::Slots;
use super::work::work;
use super::{Handover, ResultStore};
use crate::executor::ExecutorPool;
use judge_problem::plan::Plan;
use judge_problem::{FinishedJob, RunEvent, Stop};
use std::convert::Infallible;
use std::io;
use std::thread::Builder;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, channel};

/// This many finished jobs wait to be stored, and are stored together. More would only pile up their answers.
const BATCH: usize = 64;

/// A finished job waits this long for others. The delay is not visible, and a commit, or to be woken, costs as much for many.
const GATHERING: Duration = Duration::from_millis(16);

/// Runs a plan, as [`PlanRunner::run`](super::PlanRunner::run) says. `signals` are the requests to stop; on the second one,
/// `abort` is called.
pub(super) fn run_plan(
    plan: &Plan,
    settings: &RunSettings,
    pool: &dyn ExecutorPool,
    store: &dyn ResultStore,
    watch: &mut dyn FnMut(&RunEvent),
    signals: impl FnOnce() -> io::Result<Signals>,
    abort: fn(),
) -> Result<RunResult, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Start)?;
    let _entered = runtime.enter();
    let signals = signals().map_err(RunError::Start)?;
    let (sender, receiver) = channel(BATCH);
    let (at_work, leaving) = channel(1);
    let (slots, executors) = Slots::open(plan, settings, pool, store)?;

    std::thread::scope(|scope| {
        let handles = executors.into_iter().enumerate().map(|(slot, executor)| {
            let (slots, sender, at_work) = (&slots, sender.clone(), at_work.clone());
            Builder::new().spawn_scoped(scope, move || {
                let executor = work(slots, slot, executor, sender);
                drop(at_work);
                executor.dismiss();
            })
        });
        // Those that have started end with their next case: the receiver goes with this function.
        let handles: Vec<_> =
            handles.collect::<Result<_, _>>().inspect_err(|_| slots.stop()).map_err(RunError::Thread)?;
        drop((sender, at_work));
        let mut handover = Handover::new(plan, store, watch);
        handover.start();
        let mut dispatcher = Dispatcher { plan, slots: &slots, handover, stop: None, abort };
        runtime.block_on(dispatcher.listen(Finished { jobs: receiver, leaving }, signals));
        let Dispatcher { handover, stop, .. } = dispatcher;
        let outcomes = handover.into_outcomes();
        let panicked = handles.into_iter().any(|handle| handle.join().is_err());
        if panicked { Err(RunError::WorkerPanicked) } else { Ok(RunResult { outcomes, stop }) }
    })
}

/// What comes from the workers.
struct Finished {
    jobs: Receiver<FinishedJob>,
    /// Closed when the last of them has left.
    leaving: Receiver<Infallible>,
}

impl Finished {
    /// Waits for a finished job, and then a moment for others; returns whether there is any. What is in the batch already
    /// stays there when a signal comes in between.
    async fn next_batch(&mut self, batch: &mut Vec<FinishedJob>, gathering: Duration) -> bool {
        if batch.is_empty() && self.jobs.recv_many(batch, BATCH).await == 0 {
            return false;
        }
        if !gathering.is_zero() {
            // The others are taken when the moment is over.
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
    plan: &'a Plan,
    slots: &'a Slots<'a>,
    handover: Handover<'a>,
    stop: Option<Stop>,
    abort: fn(),
}

impl Dispatcher<'_> {
    /// Listens until every worker is done.
    async fn listen(&mut self, mut finished: Finished, mut signals: Signals) {
        let mut batch = Vec::with_capacity(BATCH);
        let gathering = self.gathering();
        loop {
            tokio::select! {
                biased;
                () = signals.next() => self.interrupted(),
                more = finished.next_batch(&mut batch, gathering) => {
                    if !more {
                        return;
                    }
                    let accepted = self.handover.hand_over(&mut batch);
                    if !accepted && self.plan.fail_fast && self.stop.is_none() {
                        self.stop(Stop::FailFast);
                    }
                }
            }
        }
    }

    /// How long a finished job waits for others: not at all where it may end the run.
    fn gathering(&self) -> Duration {
        if self.plan.fail_fast { Duration::ZERO } else { GATHERING }
    }

    fn interrupted(&mut self) {
        if self.stop == Some(Stop::Interrupted) {
            (self.abort)();
            return;
        }
        self.stop(Stop::Interrupted);
    }

    fn stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.slots.stop();
        self.handover.tell(&RunEvent::Stopping(stop));
    }
}
