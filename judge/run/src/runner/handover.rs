//! Hands the results of a run over: to the journal, and then to the observer.

use super::{ResultStore, StoreLost};
use judge_problem::plan::Plan;
use judge_problem::{FinishedJob, Node, OutcomeGrid, RunEvent};

/// Hands the results of a run over.
pub struct Handover<'a> {
    /// `None` once it has failed.
    store: Option<&'a dyn ResultStore>,
    watch: &'a mut dyn FnMut(&RunEvent),
    outcomes: OutcomeGrid,
}

impl<'a> Handover<'a> {
    /// Starts before the first result.
    pub fn new(plan: &'a Plan, store: &'a dyn ResultStore, watch: &'a mut dyn FnMut(&RunEvent)) -> Self {
        Self { store: Some(store), watch, outcomes: OutcomeGrid::new(plan.cases.len(), plan.solvers.len()) }
    }

    /// Tells the watcher of an event.
    pub fn tell(&mut self, event: &RunEvent) {
        (self.watch)(event);
    }

    /// Stores the start of the run.
    pub fn start(&mut self) {
        self.note(self.store.map(ResultStore::store_start));
    }

    fn note(&mut self, stored: Option<Result<(), StoreLost>>) {
        if let Some(Err(StoreLost(why))) = stored {
            self.store = None;
            self.tell(&RunEvent::JournalLost(why));
        }
    }

    /// Stores a machine that takes part.
    pub fn add_node(&mut self, node: &Node) {
        if let Some(Err(StoreLost(why))) = self.store.map(|store| store.store_node(node)) {
            self.tell(&RunEvent::Notice(format!("warning: node {} is not in the journal: {why}", node.name)));
        }
    }

    /// Stores finished jobs, and then shows them. A job that has its result keeps it. Returns whether all were accepted.
    pub fn hand_over(&mut self, batch: &mut Vec<FinishedJob>) -> bool {
        batch.retain(|finished| !self.outcomes.has(finished.job));
        self.note(self.store.map(|store| store.store(batch)));
        if let Some(notice) = self.store.and_then(ResultStore::notice) {
            self.tell(&RunEvent::Notice(notice));
        }
        let mut accepted = true;
        for finished in batch.drain(..) {
            accepted &= finished.outcome.is_accepted();
            self.outcomes.set(finished.job, &finished.outcome);
            (self.watch)(&RunEvent::Finished(Box::new(finished)));
        }
        accepted
    }

    /// Returns the outcomes.
    #[must_use]
    pub fn into_outcomes(self) -> OutcomeGrid {
        self.outcomes
    }
}
