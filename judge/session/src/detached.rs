//! Runs that continue on a cluster while no judge follows them: how they are shown, and which commands they block.

use crate::{Failure, Result, command_line};
use judge_journal::{Journal, JournalError, RunOrigin};
use judge_problem::{Catalogue, DetachedJob, HistoryRow, JobState, RunId, RunState, StoredRun, error_chain};
use judge_run::runner::RunError;
use judge_slurm::DetachedJobs;

/// The end of the error message when a run cannot be removed because its job continues.
pub const NOT_REMOVED: &str = "nothing was removed";

/// Finds the jobs of recorded runs.
pub struct DetachedRuns<'a> {
    journal: &'a Journal,
    jobs: DetachedJobs,
    /// Whether the remains of a finished run's folder are removed.
    tidies: bool,
}

impl<'a> DetachedRuns<'a> {
    /// Returns the jobs of a journal's runs.
    pub fn new(catalogue: &Catalogue, journal: &'a Journal) -> Self {
        Self { journal, jobs: DetachedJobs::default(), tidies: !catalogue.is_read_only }
    }

    /// Returns the job of a run in this state; `None` if the run has none, is over, or is followed by a judge.
    pub fn find(&mut self, run: RunId, state: RunState) -> Result<Option<DetachedJob>, JournalError> {
        if matches!(state, RunState::Running | RunState::Partial) {
            return Ok(None);
        }
        let Some(job) = self.journal.cluster_job(run)? else { return Ok(None) };
        let is_over = matches!(state, RunState::Complete | RunState::Stopped);
        let found = if is_over { None } else { self.jobs.find(&job) };
        if found.is_none() && self.tidies {
            // If it cannot be removed now, the next command tries again.
            let _ = judge_slurm::remove_folder(&job);
        }
        Ok(found)
    }

    /// Notes the jobs of runs in their rows.
    pub fn mark(&mut self, rows: &mut [HistoryRow]) -> Result<(), JournalError> {
        for of_run in rows.chunk_by_mut(|row, next| row.run == next.run) {
            let detached = self.find(of_run[0].run, of_run[0].state)?;
            for row in of_run.iter_mut().filter(|_| detached.is_some()) {
                row.state = RunState::Detached;
                row.detached.clone_from(&detached);
            }
        }
        Ok(())
    }

    /// Notes the job of a run in it.
    pub fn mark_run(&mut self, run: &mut StoredRun) -> Result<(), JournalError> {
        run.detached = self.find(run.id, run.state)?;
        if run.detached.is_some() {
            run.state = RunState::Detached;
        }
        Ok(())
    }

    /// Fails if a run continues, or may continue. `so` is the end of the message: the action that was not done.
    pub fn check_ended(&mut self, run: RunId, so: &str) -> Result<Option<DetachedJob>> {
        let RunOrigin { command, state, .. } = self.journal.origin_of(run)?.ok_or(JournalError::NoRun(run))?;
        let Some(job) = self.find(run, state)? else { return Ok(None) };
        let attach = attach_command(run, &command).map(|attach| format!("`{attach}` follows it; ")).unwrap_or_default();
        let hint =
            format!("{attach}`{}` cancels it", command_line::at_places(&format!("judge history rm {run} --cancel")));
        let error = match &job.state {
            JobState::Ended => return Ok(Some(job)),
            JobState::Unknown(why) => {
                format!("run {run} {job}, and Slurm does not say whether it does: {so}: {why}")
            }
            JobState::Running | JobState::Pending => format!("run {run} {job}: {so}"),
        };
        Err(Failure::usage(error).with_hint(hint))
    }
}

/// Returns the command that follows a run; `None` if it is not of `judge run`.
fn attach_command(run: RunId, command: &str) -> Option<String> {
    command_line::recorded_run(command).map(|_| command_line::at_places(&format!("judge run --attach {run}")))
}

/// Returns the command that collects the results of a run whose job has ended.
pub fn how_to_collect(run: RunId, job: Option<&DetachedJob>, journal: &Journal) -> Option<String> {
    job.filter(|job| job.state == JobState::Ended)?;
    let attach = attach_command(run, &journal.origin_of(run).ok()??.command)?;
    Some(format!("run {run}: its job has ended; collect its results with: {attach}"))
}

/// Ends a run before it is removed, and removes its folder. Fails if its job continues, unless the job is to be cancelled.
pub fn end(catalogue: &Catalogue, journal: &Journal, run: RunId, cancel: bool) -> Result<()> {
    let Some(job) = journal.cluster_job(run)? else { return Ok(()) };
    let mut runs = DetachedRuns::new(catalogue, journal);
    let is_detached = match cancel {
        true => runs.find(run, journal.origin_of(run)?.ok_or(JournalError::NoRun(run))?.state)?.is_some(),
        false => runs.check_ended(run, NOT_REMOVED)?.is_some(),
    };
    if !is_detached {
        return Ok(());
    }
    if cancel {
        judge_slurm::cancel(&job).map_err(RunError::Cluster)?;
    }
    let failed = |error| format!("cannot remove {}: {}", job.folder.display(), error_chain(&error));
    judge_slurm::remove_folder(&job).map_err(|error| Failure::fault(failed(error)))
}
