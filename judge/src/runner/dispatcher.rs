//! Owns the state of a run: starts the workers, hears of every finished job and every signal, decides when to stop.

use super::signals::Signals;
use super::worker::{Shared, work};
use super::{Lost, Memory};
use crate::model::{Finished, Outcome, RunEvent, Stop};
use crate::plan::Plan;
use judge_sandbox::{Fault, Sandbox};
use std::io;
use std::num::NonZeroUsize;
use std::thread::Builder;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, channel};

/// So many finished jobs may wait to be kept, and are kept together. More would only pile up their answers.
const BATCH: usize = 16;

/// So long a finished job waits for others at most: nobody sees the difference, and a commit costs as much for many.
const GATHERING: Duration = Duration::from_millis(4);

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How many solvers run at once.
    pub jobs: NonZeroUsize,
    /// The cores that workers are pinned to, one each in turn; empty: no pinning.
    pub cores: Vec<usize>,
    /// Whether events are to carry the features of their cases.
    pub describe: bool,
}

impl Settings {
    /// Returns the core that the worker in this slot is pinned to.
    pub(super) fn core(&self, slot: usize) -> Option<usize> {
        (!self.cores.is_empty()).then(|| self.cores[slot % self.cores.len()])
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct RunResult {
    /// By place in the plan; `None` for jobs that were not run or not finished.
    pub outcomes: Vec<Option<Outcome>>,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
}

/// A run that could not be started, or not be carried on. Always a fault of ours or of the machine.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No event loop or signal handler to be had.
    #[error("cannot start the run")]
    Start(#[source] io::Error),
    /// A sandbox worker could not be started.
    #[error("cannot start a sandbox worker")]
    Sandbox(#[source] Fault),
    /// No thread for a worker to be had.
    #[error("cannot start a thread for a worker")]
    Thread(#[source] io::Error),
    /// The sandbox failed to run a program that was to be run alone.
    #[error(transparent)]
    Run(Fault),
    /// A worker's thread ended on a panic.
    #[error("a worker of the judge ended on a panic; the cases it had not finished are missing")]
    WorkerPanicked,
}

/// Runs a plan to its end, or until it is stopped. `watch` hears of every event, in the order of finishing, and of a
/// finished job only after `memory` has kept it.
///
/// The first Ctrl-C (or SIGTERM) ends the running cases and starts no more; the second ends the process at once.
///
/// # Errors
/// When the run cannot be started; a single case that goes wrong is an outcome, not an error.
pub fn run(
    plan: &Plan,
    settings: &Settings,
    sandbox: &Sandbox,
    memory: &dyn Memory,
    watch: &mut dyn FnMut(&RunEvent),
) -> Result<RunResult, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Start)?;
    let _entered = runtime.enter();
    let signals = Signals::install().map_err(RunError::Start)?;
    let (sender, receiver) = channel(BATCH);
    let workers = (0..settings.jobs.get().min(plan.job_count()))
        .map(|slot| sandbox.worker(settings.core(slot)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(RunError::Sandbox)?;
    let shared = Shared::new(plan, sandbox, settings, memory, &workers).map_err(RunError::Start)?;

    std::thread::scope(|scope| {
        let handles = workers.into_iter().enumerate().map(|(slot, worker)| {
            let (shared, sender) = (&shared, sender.clone());
            Builder::new().spawn_scoped(scope, move || work(shared, slot, worker, &sender))
        });
        // Those that have started end with their next case: the receiver goes with this function.
        let handles: Vec<_> =
            handles.collect::<Result<_, _>>().inspect_err(|_| shared.stop()).map_err(RunError::Thread)?;
        drop(sender);
        let mut dispatcher = Dispatcher { plan, shared: &shared, memory: Some(memory), stop: None, watch };
        let outcomes = runtime.block_on(dispatcher.listen(receiver, signals));
        let stop = dispatcher.stop;
        let panicked = handles.into_iter().any(|handle| handle.join().is_err());
        if panicked { Err(RunError::WorkerPanicked) } else { Ok(RunResult { outcomes, stop }) }
    })
}

/// Waits for a finished job, and then a moment longer for others; returns whether there is any. What is in the batch
/// already stays there when a signal comes in between.
async fn next_batch(finished: &mut Receiver<Finished>, batch: &mut Vec<Finished>, gathering: Duration) -> bool {
    if batch.is_empty() && finished.recv_many(batch, BATCH).await == 0 {
        return false;
    }
    let moment = tokio::time::sleep(gathering);
    tokio::pin!(moment);
    while batch.len() < BATCH && !gathering.is_zero() {
        tokio::select! {
            biased;
            next = finished.recv() => match next {
                Some(next) => batch.push(next),
                None => break,
            },
            () = &mut moment => break,
        }
    }
    true
}

struct Dispatcher<'a> {
    plan: &'a Plan,
    shared: &'a Shared<'a>,
    /// `None` once it has failed.
    memory: Option<&'a dyn Memory>,
    stop: Option<Stop>,
    watch: &'a mut dyn FnMut(&RunEvent),
}

impl Dispatcher<'_> {
    /// Listens until every worker is done.
    async fn listen(&mut self, mut finished: Receiver<Finished>, mut signals: Signals) -> Vec<Option<Outcome>> {
        let mut outcomes = vec![None; self.plan.job_count()];
        let mut batch = Vec::with_capacity(BATCH);
        let gathering = self.gathering();
        loop {
            tokio::select! {
                biased;
                () = signals.next() => self.interrupted(),
                more = next_batch(&mut finished, &mut batch, gathering) => {
                    if !more {
                        return outcomes;
                    }
                    self.keep(&batch);
                    batch.drain(..).for_each(|finished| self.finished(finished, &mut outcomes));
                }
            }
        }
    }

    /// How long a finished job waits for others to be kept with: not at all where it may end the run.
    fn gathering(&self) -> Duration {
        let shared_cost = self.memory.is_some_and(|memory| memory.is_there()) && !self.plan.fail_fast;
        if shared_cost { GATHERING } else { Duration::ZERO }
    }

    /// Has finished jobs kept before anybody is shown them.
    fn keep(&mut self, batch: &[Finished]) {
        let Some(Err(Lost(why))) = self.memory.map(|memory| memory.keep(batch)) else { return };
        self.memory = None;
        (self.watch)(&RunEvent::JournalLost(why));
    }

    fn finished(&mut self, finished: Finished, outcomes: &mut [Option<Outcome>]) {
        let failed = !finished.outcome.is_accepted();
        let place = self.plan.place(finished.job);
        let event = RunEvent::Finished(finished);
        (self.watch)(&event);
        if let RunEvent::Finished(finished) = event {
            outcomes[place] = Some(finished.outcome);
        }
        if failed && self.plan.fail_fast && self.stop.is_none() {
            self.stop(Stop::FailFast);
        }
    }

    fn interrupted(&mut self) {
        if self.stop == Some(Stop::Interrupted) {
            // The second time, "now" means now. The sandbox's helpers see us go and end what they run.
            std::process::exit(i32::from(crate::model::Exit::Interrupted.code()));
        }
        self.stop(Stop::Interrupted);
    }

    fn stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.shared.stop();
        (self.watch)(&RunEvent::Stopping(stop));
    }
}
