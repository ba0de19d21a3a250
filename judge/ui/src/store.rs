//! The catalogue, its journal, and the runs that were read last.

use crate::api::Starter;
use crate::reply::Refused;
use crate::shown_run::ShownRun;
use judge_journal::{Journal, JournalError, Stamp};
use judge_problem::{Catalogue, RunId};
use judge_session::{Failure, recorder};
use lru::LruCache;
use parking_lot::Mutex;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The number of runs in memory. A run of a million cases takes a second to read, and some hundred megabytes.
const KEPT: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// The data behind all answers.
pub(super) struct Store {
    pub(super) catalogue: Catalogue,
    /// Starts runs, if pages may do that.
    pub(super) starter: Option<Starter>,
    /// `None` as long as there is none.
    journal: Mutex<Option<Journal>>,
    runs: Mutex<LruCache<RunId, (Stamp, Arc<ShownRun>)>>,
}

impl Store {
    /// Returns the store of a catalogue.
    pub(super) fn new(catalogue: Catalogue, starter: Option<Starter>) -> Result<Self, Failure> {
        let journal = Mutex::new(recorder::open_to_read_if_any(&catalogue)?);
        Ok(Self { catalogue, starter, journal, runs: Mutex::new(LruCache::new(KEPT)) })
    }

    /// Fails if the journal is read-only.
    pub(super) fn check_writable(&self) -> Result<(), Failure> {
        match self.catalogue.is_read_only {
            true => Err(Failure::usage("the journal is only read here: `judge ui` was started with --read-only")),
            false => Ok(()),
        }
    }

    /// Calls a function with the journal, or with `None` while there is no journal.
    pub(super) fn with_journal<T>(
        &self,
        read: impl FnOnce(Option<&Journal>) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let mut journal = self.journal.lock();
        if !journal.as_ref().is_some_and(Journal::is_in_place) {
            *journal = recorder::open_to_read_if_any(&self.catalogue)?;
        }
        read(journal.as_ref())
    }

    /// Returns what a function reads from the journal; its default while there is no journal.
    pub(super) fn read<T: Default>(&self, read: impl FnOnce(&Journal) -> Result<T, Refused>) -> Result<T, Refused> {
        self.with_journal(|journal| journal.map_or_else(|| Ok(T::default()), read))
    }

    /// Returns a run in its current state.
    pub(super) fn run(&self, id: RunId) -> Result<Arc<ShownRun>, Refused> {
        self.with_journal(|journal| {
            let missing = || Refused::from(JournalError::NoRun(id));
            let journal = journal.ok_or_else(missing)?;
            let stamp = journal.stamp(id)?.ok_or_else(missing)?;
            let mut runs = self.runs.lock();
            if let Some((_, run)) = runs.get(&id).filter(|(known, _)| *known == stamp) {
                return Ok(Arc::clone(run));
            }
            runs.pop(&id);
            let run = Arc::new(ShownRun::read(journal, &self.catalogue, id)?);
            runs.put(id, (stamp, Arc::clone(&run)));
            Ok(run)
        })
    }
}
