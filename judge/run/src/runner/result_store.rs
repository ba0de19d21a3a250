//! What a run needs of a journal: to look up earlier results, and to have new ones stored.

use judge_problem::{ClusterJob, Digest, FinishedJob, JobId, KnownOutcome, Node};

/// Stores results. Workers look results up, each in its own thread; the dispatcher stores them.
pub trait ResultStore: Sync {
    /// Returns whether results are stored at all: only then are inputs hashed and answers handed over.
    fn is_active(&self) -> bool;

    /// Returns the earlier outcome of this job on this input, if it still holds.
    fn lookup(&self, job: JobId, input: &Digest) -> Option<KnownOutcome>;

    /// Returns the outcome that the run itself has of this job, with the hash of its input, if the run goes on from there. The
    /// input need not be made again.
    fn kept(&self, _job: JobId) -> Option<(KnownOutcome, Digest)> {
        None
    }

    /// Stores finished jobs; they are shown only afterwards.
    ///
    /// # Errors
    /// When they cannot be stored. The run goes on, and does not try again.
    fn store(&self, batch: &[FinishedJob]) -> Result<(), StoreLost>;

    /// Returns whether any job may have an earlier outcome: only then are inputs made to look them up.
    fn has_earlier(&self) -> bool {
        false
    }

    /// Returns the machine that an earlier outcome names.
    fn earlier_node(&self, _name: &str) -> Option<Node> {
        None
    }

    /// Stores what the start of the run has left to be stored. The solvers are at work meanwhile.
    ///
    /// # Errors
    /// When it cannot be stored. The run goes on, and stores nothing.
    fn store_start(&self) -> Result<(), StoreLost> {
        Ok(())
    }

    /// Stores where the run goes on, so that another judge can find it.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn store_job(&self, _job: &ClusterJob) -> Result<(), StoreLost> {
        Ok(())
    }

    /// Returns what the user is to be told of the store, once.
    fn notice(&self) -> Option<String> {
        None
    }

    /// Stores a machine that takes part.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn store_node(&self, _node: &Node) -> Result<(), StoreLost> {
        Ok(())
    }
}

/// Results can no longer be stored: why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreLost(pub String);
