//! One start of a task of a job.

use std::fmt;

/// A task of a job, and how often it was started again: what an earlier start has taken, a later one has not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Incarnation {
    /// The id of the job.
    pub job: String,
    /// The number of the task in it.
    pub task: usize,
    /// How often it was started before.
    pub restart: usize,
}

impl Incarnation {
    /// Returns the task that this process is, if it is one of Slurm.
    #[must_use]
    pub fn here() -> Option<Self> {
        let variable = |name: &str| std::env::var(name).ok();
        let number = |name: &str| variable(name)?.parse().ok();
        Some(Self {
            job: variable("SLURM_ARRAY_JOB_ID")?,
            task: number("SLURM_ARRAY_TASK_ID")?,
            restart: number("SLURM_RESTART_COUNT").unwrap_or(0),
        })
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (job, task, restart) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Self { job: job.to_owned(), task, restart }).filter(|_| parts.next().is_none())
    }
}

impl fmt::Display for Incarnation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.job, self.task, self.restart)
    }
}
