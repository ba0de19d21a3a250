//! The use of a cluster with Slurm: settings, commands of Slurm, and their errors.

use super::plan_file::WorkerSettings;
use super::run_folder::RunFolder;
use judge_problem::{Exit, Node, NodeList, Plan, Stop, error_chain, quote_words, tail};
use judge_run::command::{self, CommandError, CommandOutput};
use judge_run::runner::{ClusterError, EarlyEnd, Result, RunError, Signals};
use parking_lot::Mutex;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

/// The longest time that a piece may take by the limits.
const PIECE: Duration = Duration::from_secs(60);

/// The minimal number of tasks of a job, if there is a piece for each. A task that finds no piece ends at once.
const MIN_TASKS: usize = 64;

/// The maximal number of tasks of a job: the default of Slurm's `MaxArraySize` is one more.
const MAX_TASKS: usize = 1_000;

/// The maximal number of pieces of a run: a folder with more files is slow.
const MAX_PIECES: usize = 5_000;

/// Up to this number of cases, each case is a piece.
const FEW_CASES: usize = 128;

/// After this time a task takes no further piece, so that other jobs get the node.
pub(super) const MAX_TASK_TIME: Duration = Duration::from_secs(300);

/// How a plan is run with Slurm.
#[derive(Debug, Clone)]
pub struct SlurmSettings {
    /// The folder on the shared file system in which the folder of the run is made.
    pub workdir: PathBuf,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// The required properties of nodes.
    pub constraint: Option<String>,
    /// How often the cases of a lost task run again.
    pub retries: u32,
    /// How long a job may take to be submitted.
    pub submit_wait: Duration,
    /// Whether the run continues without this judge after it was submitted.
    pub detach: bool,
    /// How tasks run it.
    pub worker: WorkerSettings,
}

/// A cluster, as a run uses it.
pub(super) struct Cluster {
    pub(super) settings: SlurmSettings,
    /// Asks the user whether an interrupted run ends, or continues elsewhere.
    pub(super) ask: fn(&mut Signals) -> Stop,
    /// The maximal number of solvers that ran at once.
    pub(super) at_once: AtomicUsize,
    /// The nodes that have taken part.
    pub(super) nodes: Mutex<NodeList>,
    pub(super) early_end: EarlyEnd,
}

impl Cluster {
    pub(super) fn new(settings: SlurmSettings, ask: fn(&mut Signals) -> Stop) -> Self {
        let at_once = AtomicUsize::new(settings.worker.jobs);
        Self { settings, ask, at_once, nodes: Mutex::default(), early_end: EarlyEnd::default() }
    }

    /// Returns the number of cases of a piece, so that a piece takes at most a minute by the limits.
    pub(super) fn piece_size(&self, plan: &Plan, cases: usize) -> usize {
        let by_limits = PIECE.as_secs_f64() * self.settings.worker.jobs as f64 / worst(plan).as_secs_f64().max(1e-6);
        cases.div_ceil(MAX_PIECES).max(whole(by_limits).min(cases.div_ceil(FEW_CASES))).max(1)
    }

    /// Submits enough tasks for the remaining pieces, and returns the id of their job.
    pub(super) fn submit(&self, plan: &Plan, folder: &RunFolder, pieces: usize) -> Result<String> {
        let work = worst(plan).as_secs_f64() * plan.cases.len() as f64 / self.settings.worker.jobs as f64;
        let shifts = whole(work / MAX_TASK_TIME.as_secs_f64());
        let tasks = shifts.max(MIN_TASKS).min(pieces).clamp(1, MAX_TASKS);
        let id = self.submit_tasks(folder, tasks).map_err(RunError::Cluster)?;
        folder.add_job(&id).map_err(|error| unwritable(folder, &error))?;
        Ok(id)
    }

    /// Submits an array job, and returns its id.
    fn submit_tasks(&self, folder: &RunFolder, tasks: usize) -> Result<String, ClusterError> {
        let SlurmSettings { constraint, options, submit_wait, worker, .. } = &self.settings;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut words = vec![
            "sbatch".to_owned(),
            "--parsable".to_owned(),
            "--job-name=judge".to_owned(),
            format!("--array=0-{}", tasks - 1),
            format!("--cpus-per-task={}", worker.jobs),
            "--requeue".to_owned(),
            "--open-mode=append".to_owned(),
            format!("--chdir={}", text(folder.path())),
            format!("--output={}", folder.log_pattern()),
        ];
        words.extend(constraint.as_ref().map(|constraint| format!("--constraint={constraint}")));
        // The user's own options come last and override the others.
        words.extend(options.iter().cloned());
        words.push(text(&folder.script()));
        let output = run(&words, folder.path(), *submit_wait)?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        // With several clusters, `;` and the cluster follow.
        let id = said.split(';').next().unwrap_or_default();
        match output.status.success() && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
            true => Ok(id.to_owned()),
            false => Err(refused(&words, &output)),
        }
    }

    /// Adds a node that takes part, and returns it with the name that the results have.
    pub(super) fn add_node(&self, node: Node) -> Node {
        let name = self.nodes.lock().add(node.clone());
        Node { name, ..node }
    }
}

/// Returns the error of a run folder that cannot be used any more.
pub(super) fn unwritable(folder: &RunFolder, error: &io::Error) -> RunError {
    let what = format!("cannot use the run folder {}: {}", folder.path().display(), error_chain(error));
    let hint =
        "the finished cases are recorded: repair the folder, or name another folder with --workdir, and add --resume";
    RunError::Cluster(ClusterError::new(what, hint, Exit::Fault))
}

/// Returns the whole part of a number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the fraction is to be dropped; a number that does not fit becomes the nearest one that does"
)]
pub(super) fn whole(number: f64) -> usize {
    number as usize
}

/// Returns the longest time that a case may take.
fn worst(plan: &Plan) -> Duration {
    (0..plan.solvers.len()).map(|solver| plan.limits_of(solver).cpu.0).sum()
}

/// Slurm answers faster than this, unless its controller is down.
pub(super) const SLURM_TIMEOUT: Duration = Duration::from_secs(60);

/// How long cancelled tasks may take to end, and how often they are checked.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Messages of Slurm that blame its machines and not the arguments.
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

/// A task of a job, as `squeue` prints it.
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
    /// It has ended, in Slurm's words.
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

/// Returns the tasks of jobs that Slurm still lists, including ended ones.
pub(super) fn tasks(jobs: &[String], timeout: Duration) -> Result<Vec<TaskRow>, ClusterError> {
    let mut rows = Vec::new();
    // One call for each job, because a job that Slurm has forgotten would make the whole call fail.
    for job in jobs {
        let only = format!("--jobs={job}");
        let listed = squeue(&["--array", "--states=all", &only, "--format=%F|%K|%T|%N|%r"], timeout)?;
        rows.extend(listed.lines().filter_map(row));
    }
    Ok(rows)
}

/// Returns the rows that `squeue` prints; none if Slurm has forgotten the job.
fn squeue(options: &[&str], timeout: Duration) -> Result<String, ClusterError> {
    let words: Vec<String> = ["squeue", "--noheader"].iter().chain(options).map(|word| (*word).to_owned()).collect();
    let output = run(&words, Path::new("/"), timeout)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false if String::from_utf8_lossy(&output.stderr).contains("Invalid job id") => Ok(String::new()),
        false => Err(refused(&words, &output)),
    }
}

/// Returns the ids of the jobs that Slurm lists for this folder and that are not recorded. A judge that is killed while it
/// submits a job has recorded no id.
pub(super) fn unrecorded_jobs(
    recorded: &[String],
    folder: &Path,
    timeout: Duration,
) -> Result<Vec<String>, ClusterError> {
    let mut jobs: Vec<String> = Vec::new();
    for line in squeue(&["--me", "--states=all", "--format=%F|%Z"], timeout)?.lines() {
        let Some((id, from)) = line.trim().split_once('|') else { continue };
        if Path::new(from) == folder && !recorded.iter().chain(&jobs).any(|job| job == id) {
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

/// Cancels jobs. Jobs that have ended are not an error.
pub(super) fn cancel(jobs: &[String]) -> Result<(), ClusterError> {
    if jobs.is_empty() {
        return Ok(());
    }
    let words = [&["scancel".to_owned(), "--quiet".to_owned()], jobs].concat();
    run(&words, Path::new("/"), SLURM_TIMEOUT).map(drop)
}

/// Waits until no task of these jobs runs any more. Returns whether all have ended in time.
pub(super) fn wait_for_end(jobs: &[String]) -> Result<bool, ClusterError> {
    let started = Instant::now();
    let is_active = |task: &TaskRow| task.state == TaskState::Running;
    while tasks(jobs, SLURM_TIMEOUT)?.iter().any(is_active) {
        if started.elapsed() > CANCEL_TIMEOUT {
            return Ok(false);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(true)
}

fn run(words: &[String], folder: &Path, timeout: Duration) -> Result<CommandOutput, ClusterError> {
    let all: Vec<OsString> = words.iter().map(OsString::from).collect();
    command::run(&all, folder, timeout).map_err(|error| match &error {
        CommandError::Start { .. } => {
            let hint = "run this where Slurm's commands are, such as on a login node of the cluster";
            ClusterError::new(error_chain(&error), hint, Exit::Usage)
        }
        _ => ClusterError {
            error: format!("{}\nof: {}", error_chain(&error), quote_words(words)),
            hint: None,
            exit: Exit::Fault,
        },
    })
}

/// Returns the error of a command that Slurm refused, with Slurm's own message.
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
    let exit = if is_fault { Exit::Fault } else { Exit::Usage };
    ClusterError::new(format!("Slurm refused: {}\n{said}", quote_words(words)), hint, exit)
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
