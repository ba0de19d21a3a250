//! A run that no judge follows: what becomes of its job, and how it is cancelled and removed.

use super::run_folder::RunFolder;
use super::slurm::{self, TaskRow, TaskState};
use judge_problem::{ClusterJob, DetachedJob, Exit, JobState};
use judge_run::runner::ClusterError;
use std::io;
use std::time::Duration;

/// How long Slurm is asked about a run that is only looked at.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks for the jobs of several runs. A cluster that does not answer is asked once.
#[derive(Debug, Default)]
pub struct DetachedJobs {
    /// Why it does not answer.
    silent: Option<String>,
}

impl DetachedJobs {
    /// Returns what becomes of the job of a run that no judge follows; `None` if the run is over. Slurm is asked only
    /// where the folder of the run is there.
    pub fn find(&mut self, job: &ClusterJob) -> Option<DetachedJob> {
        let folder = RunFolder::at(&job.folder);
        let is_open = match folder.find_open() {
            Ok(false) => return None,
            found => found.is_ok(),
        };
        let (ids, asked) = self.tasks(job);
        let (id, state) = match asked {
            Err(why) => (None, JobState::Unknown(why)),
            Ok(tasks) => {
                let find = |state| tasks.iter().find(|task| task.state == state).map(|task| task.job.clone());
                match (find(TaskState::Running), find(TaskState::Pending)) {
                    (Some(id), _) => (Some(id), JobState::Running),
                    (None, Some(id)) => (Some(id), JobState::Pending),
                    (None, None) if is_open => (None, JobState::Ended),
                    (None, None) => return None,
                }
            }
        };
        let id = id.or_else(|| ids.last().cloned()).unwrap_or_default();
        Some(DetachedJob { engine: job.engine.clone(), id, state })
    }

    /// Returns the ids of the jobs of a run, and what Slurm says of their tasks.
    fn tasks(&mut self, job: &ClusterJob) -> (Vec<String>, Result<Vec<TaskRow>, String>) {
        if let Some(why) = &self.silent {
            return (recorded_ids(job), Err(why.clone()));
        }
        let ids = submitted_ids(job, PATIENCE);
        let asked = ids.and_then(|ids| Ok((slurm::tasks(&ids, PATIENCE)?, ids)));
        match asked {
            Ok((tasks, ids)) => (ids, Ok(tasks)),
            Err(error) => {
                self.silent = Some(error.error.clone());
                (recorded_ids(job), Err(error.error))
            }
        }
    }
}

/// Cancels the jobs of a run, and waits for their end.
///
/// # Errors
/// When Slurm does not answer, or a task does not end.
pub fn cancel(job: &ClusterJob) -> Result<(), ClusterError> {
    let ids = submitted_ids(job, slurm::PATIENCE)?;
    slurm::cancel(&ids)?;
    if slurm::wait_for_end(&ids)? {
        return Ok(());
    }
    Err(ClusterError {
        error: format!("the tasks of Slurm job {} were cancelled, and have not ended yet", ids.join(", ")),
        hint: Some("`squeue --me` shows them; try again when they are gone".to_owned()),
        exit: Exit::Fault,
    })
}

/// Removes the folder of a run that is over, or what is left of it. Anything else at its path is left alone.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_folder(job: &ClusterJob) -> io::Result<()> {
    RunFolder::left(&job.folder).map_or(Ok(()), |folder| folder.remove())
}

/// Returns the ids of the jobs of a run, the last one last.
fn submitted_ids(job: &ClusterJob, patience: Duration) -> Result<Vec<String>, ClusterError> {
    slurm::with_unrecorded(recorded_ids(job), &job.folder, patience)
}

fn recorded_ids(job: &ClusterJob) -> Vec<String> {
    let submitted = RunFolder::at(&job.folder).jobs().unwrap_or_else(|_| vec![job.id.clone()]);
    // They become words of a command.
    submitted.into_iter().filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).collect()
}
