//! Runs plans on a cluster with Slurm, and handles runs that no judge follows.

use super::following::{FollowedRun, Tracker, pieces};
use super::plan_file::PlanFile;
use super::run_folder::{CaseEntry, RunFolder};
use super::slurm::{self, Cluster, SlurmSettings, TaskRow, TaskState};
use judge_problem::{
    Catalogue, ClusterJob, DetachedJob, Digest, Evidence, Exit, FinishedJob, JobId, JobState, KnownOutcome, NodeList,
    Plan, RunEvent, RunningJobs, Stop, error_chain,
};
use judge_run::cases::{CaseReader, Inputs};
use judge_run::runner::{
    ClusterError, EarlyEnd, PlanRunner, Result, ResultSink, ResultStore, RunError, RunResult, Signals, Watch,
};
use judge_sandbox::{Gap, Sandbox, Tier};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The engine of the jobs, as stored in the journal.
const ENGINE: &str = "slurm";

/// Runs plans with Slurm: an array job whose tasks take pieces of the plan.
pub struct SlurmRunner {
    cluster: Cluster,
    catalogue: Catalogue,
    sandbox: Arc<Sandbox>,
    /// The folder in which the run continues; `None`: it is new.
    attached: Option<RunFolder>,
    running: Arc<RunningJobs>,
    /// The folder of the last run that has ended. It stays until the end is recorded. If this judge is killed before
    /// that, the run can be resumed.
    ended: Mutex<Option<RunFolder>>,
}

impl Drop for SlurmRunner {
    fn drop(&mut self) {
        self.remove_ended(None);
    }
}

impl SlurmRunner {
    /// Returns a runner for problems of a catalogue. `sandbox` is the sandbox of this machine. `attached` is the folder of a
    /// run that continues. `ask` is called when the run is interrupted, and returns whether it ends or continues elsewhere.
    pub fn new(
        settings: SlurmSettings,
        catalogue: Catalogue,
        sandbox: Arc<Sandbox>,
        attached: Option<RunFolder>,
        ask: fn(&mut Signals) -> Stop,
    ) -> Self {
        let cluster = Cluster::new(settings, ask);
        Self { cluster, catalogue, sandbox, attached, running: Arc::default(), ended: Mutex::default() }
    }

    /// Removes the folder of the run that ended before, and stores this one in its place.
    fn remove_ended(&self, next: Option<RunFolder>) {
        let before = std::mem::replace(&mut *self.ended.lock(), next);
        // If the removal fails, it is tried again when the run is listed.
        drop(before.map(|folder| folder.remove()));
    }

    /// Makes the folder of a run, with everything that its tasks need.
    fn prepare(&self, plan: &Plan, known: &[bool]) -> io::Result<(RunFolder, Tracker)> {
        let folder = RunFolder::make(&self.cluster.settings.workdir)?;
        let fill = || -> io::Result<_> {
            let cases = PlanFile::write(&folder, &self.catalogue, plan, &self.cluster.settings.worker)?;
            let cases: Vec<CaseEntry> = cases.into_iter().filter(|case| !known[case.place]).collect();
            folder.write_script()?;
            let mut tracker = Tracker::new(plan.cases.len(), plan.solvers.len());
            for piece in pieces(&cases, self.cluster.piece_size(plan, cases.len())) {
                tracker.add(folder.add_piece(&piece)?, piece);
            }
            Ok(tracker)
        };
        let tracker = fill().inspect_err(|_| drop(folder.remove()))?;
        Ok((folder, tracker))
    }

    /// Passes on the results that the run has already, and if `reuses`, also results of earlier runs. Returns which cases
    /// need not run.
    fn hand_over_known(
        &self,
        plan: &Plan,
        store: &dyn ResultStore,
        sink: &mut ResultSink<'_>,
        reuses: bool,
    ) -> Vec<bool> {
        if !store.has_earlier() {
            return vec![false; plan.cases.len()];
        }
        let (inputs, reader) = (Inputs::of(&plan.problem), CaseReader::of(&plan.problem));
        let mut known = Vec::new();
        for (case, spec) in plan.cases.iter().enumerate() {
            let mut found = earlier(plan, case, |job| store.kept(job));
            if reuses
                && found.len() < plan.solvers.len()
                && let Ok(input) = inputs.load_of(&plan.cases, &spec)
            {
                let digest = Digest::of(&input);
                found = earlier(plan, case, |job| Some((store.lookup(job, &digest)?, digest)));
            }
            known.push(found.len() == plan.solvers.len());
            self.note_earlier_nodes(&mut found, store, sink);
            if self.cluster.settings.worker.describe && !found.is_empty() {
                let features = reader.describe(&spec).ok().map(|described| Arc::new(described.features));
                found.iter_mut().for_each(|job| job.features.clone_from(&features));
            }
            sink.deliver(&mut found);
        }
        known
    }

    /// The machines of earlier results belong to the run, too.
    fn note_earlier_nodes(&self, found: &mut [FinishedJob], store: &dyn ResultStore, sink: &mut ResultSink<'_>) {
        for outcome in found.iter_mut().map(|job| &mut job.outcome) {
            let node = outcome.node.as_deref().and_then(|name| store.earlier_node(name));
            outcome.node = node.map(|node| {
                let node = self.cluster.add_node(node);
                sink.add_node(&node);
                node.name
            });
        }
    }

    fn follow(
        &self,
        plan: &Plan,
        store: &dyn ResultStore,
        sink: &mut ResultSink<'_>,
        signals: &mut Signals,
    ) -> Result<Option<Stop>> {
        let mut followed = match &self.attached {
            None => {
                let known = self.hand_over_known(plan, store, sink, true);
                if known.iter().all(|known| *known) {
                    return Ok(None);
                }
                let (folder, tracker) = self.prepare(plan, &known).map_err(|error| self.unprepared(&error))?;
                // If this judge is killed while it submits, the folder identifies the job.
                store_job(store, sink, &folder, "");
                FollowedRun::start(&self.cluster, plan, folder, tracker).inspect_err(|_| store.forget_job())?
            }
            Some(folder) => {
                self.hand_over_known(plan, store, sink, false);
                FollowedRun::attach(&self.cluster, plan, folder.clone())?
            }
        };
        let (id, folder) = (followed.last_job(), &followed.folder);
        sink.notify(&RunEvent::Notice(format!("Slurm job {id}, run folder {}", folder.path().display())));
        store_job(store, sink, folder, id);
        if self.cluster.settings.detach {
            return Ok(Some(Stop::Detached));
        }
        let result = followed.follow(sink, signals);
        if !matches!(result, Ok(Some(Stop::Detached))) {
            self.remove_ended(Some(followed.folder.clone()));
        }
        result
    }

    fn unprepared(&self, error: &io::Error) -> RunError {
        let workdir = self.cluster.settings.workdir.display();
        let what = format!("cannot make a run folder in {workdir}: {}", error_chain(error));
        let hint = "--workdir DIR names a folder with room that this machine and all nodes share";
        RunError::Cluster(ClusterError::new(what, hint, Exit::Usage))
    }
}

/// Records where the run continues. `id` is empty before the job is submitted.
fn store_job(store: &dyn ResultStore, sink: &mut ResultSink<'_>, folder: &RunFolder, id: &str) {
    let job = ClusterJob { engine: ENGINE.to_owned(), id: id.to_owned(), folder: folder.path().to_owned() };
    if let Err(lost) = store.store_job(&job) {
        sink.notify(&RunEvent::Notice(format!("warning: the job is not in the journal: {}", lost.0)));
    }
}

/// Returns the earlier results of a case that `find` has, each with the hash of its input.
fn earlier(plan: &Plan, case: usize, find: impl Fn(JobId) -> Option<(KnownOutcome, Digest)>) -> Vec<FinishedJob> {
    let of_solver = |solver| {
        let job = JobId { case, solver };
        let (KnownOutcome { outcome, stored }, input) = find(job)?;
        let evidence = Evidence { input: Some(input), stored: Some(stored), ..Evidence::default() };
        Some(FinishedJob { job, outcome, features: None, evidence: Box::new(evidence) })
    };
    (0..plan.solvers.len()).filter_map(of_solver).collect()
}

impl PlanRunner for SlurmRunner {
    fn run(&self, plan: &Plan, store: &dyn ResultStore, watch: &mut Watch<'_>) -> Result<RunResult> {
        let mut signals = Signals::install().map_err(RunError::Start)?;
        let mut sink = ResultSink::new(plan, store, watch);
        sink.start();
        let stop = if plan.job_count() == 0 { None } else { self.follow(plan, store, &mut sink, &mut signals)? };
        Ok(RunResult { outcomes: sink.into_outcomes(), stop })
    }

    fn early_end(&self) -> Option<&EarlyEnd> {
        Some(&self.cluster.early_end)
    }

    fn engine(&self) -> Option<&'static str> {
        Some(ENGINE)
    }

    fn nodes(&self) -> NodeList {
        self.cluster.nodes.lock().clone()
    }

    fn jobs(&self) -> usize {
        self.cluster.at_once.load(Ordering::SeqCst)
    }

    fn running(&self) -> &Arc<RunningJobs> {
        &self.running
    }

    fn tier(&self) -> Tier {
        // The weakest of the nodes that have taken part.
        self.cluster.nodes.lock().iter().map(|node| node.tier).max().unwrap_or_else(|| self.sandbox.tier())
    }

    fn gaps(&self) -> &[Gap] {
        self.sandbox.gaps()
    }
}

/// How long Slurm may take to answer about a run that is only shown.
const SLURM_TIMEOUT: Duration = Duration::from_secs(5);

/// Queries the jobs of several runs. If the cluster does not answer, it is not queried again.
#[derive(Debug, Default)]
pub struct DetachedJobs {
    /// Why it does not answer.
    silent: Option<String>,
}

impl DetachedJobs {
    /// Returns the state of the job of a run that no judge follows; `None` if the run is over. Slurm is queried only if
    /// the folder of the run exists.
    pub fn find(&mut self, job: &ClusterJob) -> Option<DetachedJob> {
        let folder = RunFolder::at(&job.folder);
        let is_open = match folder.find_open() {
            Ok(false) => return None,
            found => found.is_ok(),
        };
        let (ids, last_asked) = self.tasks(job);
        let (id, state) = match last_asked {
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

    /// Returns the ids of the jobs of a run, and Slurm's answer about their tasks.
    fn tasks(&mut self, job: &ClusterJob) -> (Vec<String>, Result<Vec<TaskRow>, String>) {
        let mut ids = recorded_ids(job);
        let asked = match &self.silent {
            Some(why) => Err(why.clone()),
            None => {
                let unrecorded = slurm::unrecorded_jobs(&ids, &job.folder, SLURM_TIMEOUT);
                let all = unrecorded.map(|unrecorded| ids.extend(unrecorded));
                all.and_then(|()| slurm::tasks(&ids, SLURM_TIMEOUT)).map_err(|error| error.error)
            }
        };
        self.silent = asked.as_ref().err().cloned();
        (ids, asked)
    }
}

/// Cancels the jobs of a run, and waits for their end.
///
/// # Errors
/// When Slurm does not answer, or a task does not end.
pub fn cancel(job: &ClusterJob) -> Result<(), ClusterError> {
    let mut ids = recorded_ids(job);
    ids.extend(slurm::unrecorded_jobs(&ids, &job.folder, slurm::SLURM_TIMEOUT)?);
    slurm::cancel(&ids)?;
    if slurm::wait_for_end(&ids)? {
        return Ok(());
    }
    let what = format!("the tasks of Slurm job {} were cancelled, and have not ended yet", ids.join(", "));
    Err(ClusterError::new(what, "`squeue --me` shows them; try again when they are gone", Exit::Fault))
}

/// Removes the folder of a run that is over, or the rest of it. Anything else at its path is kept.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_folder(job: &ClusterJob) -> io::Result<()> {
    RunFolder::find_remains(&job.folder).map_or(Ok(()), |folder| folder.remove())
}

/// Returns the ids of the jobs of a run, the last one last.
fn recorded_ids(job: &ClusterJob) -> Vec<String> {
    let submitted = RunFolder::at(&job.folder).jobs().unwrap_or_else(|_| vec![job.id.clone()]);
    // They become arguments of a command.
    submitted.into_iter().filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).collect()
}
