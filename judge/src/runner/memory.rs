//! What a run needs of a journal: to be reminded of earlier results, and to have new ones kept.

use crate::model::{Digest, Finished, JobId, Recalled};

/// Remembers results. Workers ask it, each in its own thread; the dispatcher tells it.
pub trait Memory: Sync {
    /// Returns whether there is a point in hashing inputs and handing over answers.
    fn is_there(&self) -> bool;

    /// Returns what became of this job on this input earlier, if that still holds.
    fn recall(&self, job: JobId, input: &Digest) -> Option<Recalled>;

    /// Keeps finished jobs; they are shown only afterwards.
    ///
    /// # Errors
    /// When they cannot be kept. The run goes on, and does not try again.
    fn keep(&self, batch: &[Finished]) -> Result<(), Lost>;
}

/// Results can no longer be kept: why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost(pub String);

/// Remembers nothing.
#[derive(Debug, Clone, Copy)]
pub struct Forgetful;

impl Memory for Forgetful {
    fn is_there(&self) -> bool {
        false
    }

    fn recall(&self, _job: JobId, _input: &Digest) -> Option<Recalled> {
        None
    }

    fn keep(&self, _batch: &[Finished]) -> Result<(), Lost> {
        Ok(())
    }
}
