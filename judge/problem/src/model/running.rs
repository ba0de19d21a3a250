//! The jobs that are running now.

use super::JobId;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// The jobs that are running now, for a display of progress. A job takes one slot at a time.
#[derive(Debug, Default)]
pub struct RunningJobs(Mutex<Vec<(JobId, Instant)>>);

impl RunningJobs {
    /// Notes that a job starts.
    pub fn start(&self, job: JobId) {
        self.0.lock().push((job, Instant::now()));
    }

    /// Notes that a job has ended.
    pub fn end(&self, job: JobId) {
        self.0.lock().retain(|(running, _)| *running != job);
    }

    /// Returns the running jobs and how long each has run, the longest first.
    #[must_use]
    pub fn by_age(&self) -> Vec<(JobId, Duration)> {
        let jobs = self.0.lock();
        let mut ages: Vec<_> = jobs.iter().map(|(job, since)| (*job, since.elapsed())).collect();
        ages.sort_by_key(|(_, age)| std::cmp::Reverse(*age));
        ages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_running_job_comes_first_and_ended_ones_are_gone() {
        let running = RunningJobs::default();
        let job = |case| JobId { case, solver: 0 };
        for case in 0..3 {
            running.start(job(case));
            std::thread::sleep(Duration::from_millis(2));
        }
        running.end(job(0));
        let found: Vec<_> = running.by_age().into_iter().map(|(job, _)| job.case).collect();
        assert_eq!(found, [1, 2]);
    }
}
