//! What a run needs of a journal: to look up earlier results, and to have new ones stored.

use crate::model::{Digest, FinishedJob, JobId, KnownOutcome};

/// Stores results. Workers look results up, each in its own thread; the dispatcher stores them.
pub trait ResultStore: Sync {
    /// Returns whether results are stored at all: only then are inputs hashed and answers handed over.
    fn is_active(&self) -> bool;

    /// Returns the earlier outcome of this job on this input, if it still holds.
    fn lookup(&self, job: JobId, input: &Digest) -> Option<KnownOutcome>;

    /// Stores finished jobs; they are shown only afterwards.
    ///
    /// # Errors
    /// When they cannot be stored. The run goes on, and does not try again.
    fn store(&self, batch: &[FinishedJob]) -> Result<(), StoreLost>;
}

/// Results can no longer be stored: why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreLost(pub String);
