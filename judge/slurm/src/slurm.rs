//! The commands of Slurm, and what goes wrong with them.

use judge_problem::{Exit, error_chain, quote_words, tail};
use judge_run::command::{self, CommandError, CommandOutput};
use judge_run::runner::ClusterError;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

/// A question to Slurm is answered in less, unless its controller is gone.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Tasks that are cancelled have this long to end, and are looked at this often.
const ENDING: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(200);

/// What Slurm says where its machines are at fault, and not the arguments.
const FAULTS: [&str; 10] = [
    "unable to contact",
    "socket timed out",
    "munge",
    "authentication",
    "connection refused",
    "temporarily unable",
    "temporarily unavailable",
    "submitlimit",
    "maxsubmit",
    // The limit of jobs of a user or an account (MaxSubmitJobs).
    "violates accounting/qos policy",
];

/// A task of a job, as `squeue` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskRow {
    pub(super) job: String,
    pub(super) task: usize,
    pub(super) state: TaskState,
    pub(super) node: String,
    /// Why it waits.
    pub(super) reason: String,
}

/// The state of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TaskState {
    Pending,
    Running,
    /// It has ended: Slurm's word.
    Ended(String),
}

impl TaskState {
    /// Reads a state; see JOB STATE CODES in squeue(1).
    fn of(word: &str) -> Self {
        match word {
            "PENDING" | "REQUEUED" | "REQUEUE_FED" | "REQUEUE_HOLD" | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => Self::Pending,
            "RUNNING" | "SUSPENDED" | "COMPLETING" | "CONFIGURING" | "RESIZING" | "SIGNALING" | "STAGE_OUT"
            | "STOPPED" => Self::Running,
            ended => Self::Ended(ended.to_owned()),
        }
    }
}

/// What is submitted.
pub(super) struct Submission<'a> {
    pub(super) script: &'a Path,
    pub(super) folder: &'a Path,
    pub(super) log: &'a Path,
    pub(super) tasks: usize,
    pub(super) cpus: usize,
    pub(super) constraint: Option<&'a str>,
    /// The user's own options: they come last, and so they count.
    pub(super) options: &'a [String],
    /// How long it may take.
    pub(super) wait: Duration,
}

/// Submits an array job, and returns its id.
pub(super) fn submit(submission: &Submission<'_>) -> Result<String, ClusterError> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut words = vec![
        "sbatch".to_owned(),
        "--parsable".to_owned(),
        "--job-name=judge".to_owned(),
        format!("--array=0-{}", submission.tasks - 1),
        format!("--cpus-per-task={}", submission.cpus),
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
        format!("--chdir={}", text(submission.folder)),
        format!("--output={}", text(submission.log)),
    ];
    words.extend(submission.constraint.map(|constraint| format!("--constraint={constraint}")));
    words.extend(submission.options.iter().cloned());
    words.push(text(submission.script));
    let output = run(&words, submission.folder, submission.wait)?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    // With several clusters, `;` and the cluster follow.
    let id = said.split(';').next().unwrap_or_default();
    match output.status.success() && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(id.to_owned()),
        false => Err(refused(&words, &output)),
    }
}

/// Returns the tasks of jobs that Slurm still knows, those that have ended among them.
pub(super) fn tasks(jobs: &[String], patience: Duration) -> Result<Vec<TaskRow>, ClusterError> {
    let format = "--format=%F|%K|%T|%N|%r";
    let mut rows = Vec::new();
    // One for each: a job that is forgotten is an error, and hides the others.
    for job in jobs {
        let words = ["squeue", "--noheader", "--array", "--states=all", &format!("--jobs={job}"), format];
        let words = words.map(str::to_owned);
        let output = run(&words, Path::new("/"), patience)?;
        if !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("Invalid job id") {
            continue;
        }
        if !output.status.success() {
            return Err(refused(&words, &output));
        }
        rows.extend(String::from_utf8_lossy(&output.stdout).lines().filter_map(row));
    }
    Ok(rows)
}

/// Returns these ids of jobs and those of the other jobs that Slurm knows and that were submitted from this folder: a judge
/// that is killed while it submits a job records no id.
pub(super) fn with_unrecorded(
    mut jobs: Vec<String>,
    folder: &Path,
    patience: Duration,
) -> Result<Vec<String>, ClusterError> {
    let words = ["squeue", "--noheader", "--me", "--states=all", "--format=%F|%Z"].map(str::to_owned);
    let output = run(&words, Path::new("/"), patience)?;
    if !output.status.success() {
        return Err(refused(&words, &output));
    }
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((id, from)) = line.trim().split_once('|') else { continue };
        if Path::new(from) == folder && !jobs.iter().any(|job| job == id) {
            jobs.push(id.to_owned());
        }
    }
    Ok(jobs)
}

fn row(line: &str) -> Option<TaskRow> {
    let mut fields = line.trim().split('|');
    let (job, task) = (fields.next()?.to_owned(), fields.next()?.parse().ok()?);
    let (state, node) = (TaskState::of(fields.next()?), fields.next()?.to_owned());
    Some(TaskRow { job, task, state, node, reason: fields.next().unwrap_or_default().to_owned() })
}

/// Cancels jobs. Those that have ended are no error.
pub(super) fn cancel(jobs: &[String]) -> Result<(), ClusterError> {
    if jobs.is_empty() {
        return Ok(());
    }
    let words = [&["scancel".to_owned(), "--quiet".to_owned()], jobs].concat();
    run(&words, Path::new("/"), PATIENCE).map(drop)
}

/// Waits until no task of these jobs runs any more. Returns whether all have ended in time.
pub(super) fn wait_for_end(jobs: &[String]) -> Result<bool, ClusterError> {
    let started = Instant::now();
    let is_active = |task: &TaskRow| task.state == TaskState::Running;
    while tasks(jobs, PATIENCE)?.iter().any(is_active) {
        if started.elapsed() > ENDING {
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
    Ok(true)
}

fn run(words: &[String], folder: &Path, patience: Duration) -> Result<CommandOutput, ClusterError> {
    let all: Vec<OsString> = words.iter().map(OsString::from).collect();
    command::run(&all, folder, patience, None).map_err(|error| match &error {
        CommandError::Start { .. } => ClusterError {
            error: error_chain(&error),
            hint: Some("run this where Slurm's commands are, such as on a login node of the cluster".to_owned()),
            exit: Exit::Usage,
        },
        _ => ClusterError {
            error: format!("{}\nof: {}", error_chain(&error), quote_words(words)),
            hint: None,
            exit: Exit::Fault,
        },
    })
}

/// Returns the error of a command that Slurm did not carry out, in its own words.
fn refused(words: &[String], output: &CommandOutput) -> ClusterError {
    let said = tail(&output.stderr);
    let lower = said.to_lowercase();
    let is_fault = FAULTS.iter().any(|fault| lower.contains(fault));
    let said = if said.is_empty() { output.status.to_string() } else { said };
    let hint = match () {
        () if lower.contains("munge") || lower.contains("authentication") => {
            "is munged running here? `munge -n | unmunge`"
        }
        () if lower.contains("partition") => "`sinfo` lists the partitions: --sbatch '--partition=NAME'",
        () if lower.contains("job array") => {
            "`scontrol show config` names the largest array (MaxArraySize): --sbatch '--array=0-99' submits 100 tasks"
        }
        () if is_fault => "`sinfo` and `squeue --me` show whether the cluster answers and what is queued",
        () => "--sbatch 'OPTIONS' sets what this cluster wants; `man sbatch` lists the options",
    };
    ClusterError {
        error: format!("Slurm refused: {}\n{said}", quote_words(words)),
        hint: Some(hint.to_owned()),
        exit: if is_fault { Exit::Fault } else { Exit::Usage },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_squeue_are_read() {
        let row = |line| row(line).unwrap();
        let pending = row("7|3|PENDING||Resources");
        assert_eq!(
            (&*pending.job, pending.task, pending.state, &*pending.reason),
            ("7", 3, TaskState::Pending, "Resources")
        );
        let running = row("7|0|RUNNING|n1|None");
        assert_eq!((running.state, &*running.node), (TaskState::Running, "n1"));
        assert_eq!(row("7|1|NODE_FAIL|n2|None").state, TaskState::Ended("NODE_FAIL".to_owned()));
        assert!(super::row("7|N/A|PENDING|").is_none());
    }
}
