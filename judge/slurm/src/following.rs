//! Follows a run on a cluster: reads its tasks' results, tracks finished and lost cases, and ends the run.

use super::result_log::{Entry, LogReader};
use super::run_folder::{CaseEntry, Incarnation, Piece, RunFolder};
use super::slurm::{self, Cluster, TaskRow, TaskState, unwritable};
use judge_problem::{Exit, FinishedJob, JobId, Node, Outcome, Plan, RunEvent, Stop, TaskCounts, Verdict, counted};
use judge_run::runner::{ClusterError, Result, ResultSink, RunError, Signals};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time between two reads of the files.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The time between two calls of Slurm's commands. It grows after a while, to reduce the load on Slurm.
const SLURM_POLL_INTERVAL: Duration = Duration::from_secs(1);
const SLURM_POLL_INTERVAL_LATER: Duration = Duration::from_secs(5);
const SHORT_RUN: Duration = Duration::from_secs(60);

/// A task that has ended counts as lost after this time, because a network file system shows its last results late.
const LOSS_DELAY: Duration = Duration::from_secs(3);

/// If nothing runs for this long, a notice says why.
const WAIT_NOTICE_AFTER: Duration = Duration::from_secs(20);

/// A run that is followed.
pub(super) struct FollowedRun<'a> {
    cluster: &'a Cluster,
    plan: &'a Plan,
    pub(super) folder: RunFolder,
    tracker: Tracker,
    jobs: Vec<String>,
    readers: HashMap<Incarnation, LogReader>,
    /// The name of each task's node.
    nodes: HashMap<Incarnation, String>,
    tasks: Vec<TaskRow>,
    last_asked: Option<Instant>,
    /// When Slurm first did not list a task that has work.
    missing: HashMap<Incarnation, Instant>,
    started: Instant,
    /// When something last ran.
    ran: Instant,
    /// Whether the user was warned that nothing runs, or that Slurm does not answer.
    user_was_warned: bool,
    /// How many jobs in a row have taken no piece.
    fruitless_jobs: u32,
    /// Whether any piece was taken since the last job was submitted.
    piece_taken: bool,
}

impl<'a> FollowedRun<'a> {
    /// Submits a run, and follows it.
    pub(super) fn start(cluster: &'a Cluster, plan: &'a Plan, folder: RunFolder, tracker: Tracker) -> Result<Self> {
        let job = cluster.submit(plan, &folder, tracker.unclaimed()).inspect_err(|_| drop(folder.remove()))?;
        Ok(Self::of(cluster, plan, folder, tracker, vec![job]))
    }

    /// Follows a run that was submitted before.
    pub(super) fn attach(cluster: &'a Cluster, plan: &'a Plan, folder: RunFolder) -> Result<Self> {
        let read = || -> io::Result<_> {
            let mut newest: HashMap<usize, u32> = HashMap::new();
            let mut found: Vec<(String, Piece)> = Vec::new();
            for name in folder.pieces()? {
                let piece = folder.piece(&name)?;
                for case in &piece.cases {
                    let losses = newest.entry(case.place).or_default();
                    *losses = piece.losses.max(*losses);
                }
                found.push((name, piece));
            }
            let mut tracker = Tracker::new(plan.cases.len(), plan.solvers.len());
            for (name, mut piece) in found {
                // Lost cases are in a later piece.
                piece.cases.retain(|case| newest.get(&case.place) == Some(&piece.losses));
                tracker.add(name, piece);
            }
            Ok((tracker, folder.jobs()?))
        };
        let (tracker, mut jobs) = read().map_err(|error| unwritable(&folder, &error))?;
        // If Slurm does not answer, the files of the tasks are still read.
        jobs.extend(slurm::unrecorded_jobs(&jobs, folder.path(), slurm::SLURM_TIMEOUT).unwrap_or_default());
        Ok(Self::of(cluster, plan, folder, tracker, jobs))
    }

    fn of(cluster: &'a Cluster, plan: &'a Plan, folder: RunFolder, tracker: Tracker, jobs: Vec<String>) -> Self {
        Self {
            cluster,
            plan,
            folder,
            tracker,
            jobs,
            readers: HashMap::new(),
            nodes: HashMap::new(),
            tasks: Vec::new(),
            last_asked: None,
            missing: HashMap::new(),
            started: Instant::now(),
            ran: Instant::now(),
            user_was_warned: false,
            fruitless_jobs: 0,
            piece_taken: false,
        }
    }

    pub(super) fn last_job(&self) -> &str {
        self.jobs.last().map_or("", String::as_str)
    }

    /// Follows the run to its end. No task is left afterwards, unless the run continues without this judge.
    pub(super) fn follow(&mut self, sink: &mut ResultSink<'_>, signals: &mut Signals) -> Result<Option<Stop>> {
        let result = self.follow_on(sink, signals);
        if !matches!(result, Ok(Some(Stop::Detached))) {
            self.end(sink);
        }
        result
    }

    fn follow_on(&mut self, sink: &mut ResultSink<'_>, signals: &mut Signals) -> Result<Option<Stop>> {
        loop {
            let mut stop = self.read(sink)?;
            if stop.is_none() && (self.tracker.is_complete() || self.cluster.early_end.take()) {
                return Ok(None);
            }
            if stop.is_none() && signals.is_pending() {
                stop = Some((self.cluster.ask)(signals));
            }
            if let Some(stop) = stop {
                sink.notify(&RunEvent::Stopping(stop));
                return Ok(Some(stop));
            }
            self.check_tasks(sink)?;
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Passes on the results that the tasks have written since the last call.
    fn read(&mut self, sink: &mut ResultSink<'_>) -> Result<Option<Stop>> {
        let failed = |error: io::Error| unwritable(&self.folder, &error);
        for task in self.folder.reporting().map_err(failed)? {
            let path = self.folder.results(&task);
            self.readers.entry(task).or_insert_with(|| LogReader::new(path));
        }
        let mut batch = Vec::new();
        let (mut entries, mut failure) = (Vec::new(), None);
        for (task, reader) in &mut self.readers {
            match reader.read() {
                Ok(found) => entries.extend(found.into_iter().map(|entry| (task.clone(), entry))),
                Err(error) => failure = Some(unwritable(&self.folder, &error)),
            }
        }
        for (task, (entry, answer)) in entries {
            match entry {
                Entry::Began(node) => self.began(task, node, sink),
                Entry::Finished(mut job) => {
                    job.evidence.answer = answer;
                    job.outcome.node = self.nodes.get(&task).cloned();
                    batch.extend(self.tracker.finished(&task, job).into_iter().flatten());
                }
                Entry::Failed { node, error, hint, usage } => {
                    failure = Some(RunError::Cluster(ClusterError {
                        error: format!("task {}_{} on node {node}: {error}", task.job, task.task),
                        hint,
                        exit: if usage { Exit::Usage } else { Exit::Fault },
                    }));
                }
            }
        }
        let accepted = sink.deliver(&mut batch);
        // The results of other tasks are recorded first. If nothing is missing, the failure does not matter.
        if let Some(failure) = failure.filter(|_| !self.tracker.is_complete()) {
            return Err(failure);
        }
        Ok((!accepted && self.plan.fail_fast).then_some(Stop::FailFast))
    }

    fn began(&mut self, task: Incarnation, node: Node, sink: &mut ResultSink<'_>) {
        let node = self.cluster.add_node(node);
        if self.nodes.values().all(|known| *known != node.name) {
            sink.add_node(&node);
        }
        self.nodes.insert(task, node.name);
    }

    /// Checks the tasks: gives up lost ones, and submits new ones if needed.
    fn check_tasks(&mut self, sink: &mut ResultSink<'_>) -> Result<()> {
        let pause = if self.started.elapsed() < SHORT_RUN { SLURM_POLL_INTERVAL } else { SLURM_POLL_INTERVAL_LATER };
        if self.last_asked.is_some_and(|last_asked| last_asked.elapsed() < pause) {
            return Ok(());
        }
        // This comes before the call of Slurm: a task that takes a piece afterwards may be missing in Slurm's answer.
        self.note_claims().map_err(|error| unwritable(&self.folder, &error))?;
        match slurm::tasks(&self.jobs, slurm::SLURM_TIMEOUT) {
            Ok(tasks) => self.tasks = tasks,
            Err(error) => {
                self.last_asked = Some(Instant::now());
                if !std::mem::replace(&mut self.user_was_warned, true) {
                    sink.notify(&RunEvent::Notice(format!("warning: {error}\nthe run is followed without it")));
                }
                return Ok(());
            }
        }
        self.last_asked = Some(Instant::now());
        self.show(sink);
        self.give_up_lost(sink)?;
        self.resubmit(sink)
    }

    fn note_claims(&mut self) -> io::Result<()> {
        self.tracker.tidy();
        for name in self.folder.claimed()? {
            if self.tracker.is_unclaimed(&name) {
                self.tracker.claimed(&name, self.folder.owner(&name)?);
                self.piece_taken = true;
            }
        }
        Ok(())
    }

    fn show(&mut self, sink: &mut ResultSink<'_>) {
        let running = || self.tasks.iter().filter(|task| task.state == TaskState::Running);
        let nodes: BTreeSet<&str> = running().map(|task| &*task.node).collect();
        let pending = self.tasks.iter().filter(|task| task.state == TaskState::Pending);
        let counts = TaskCounts { running: running().count(), pending: pending.clone().count(), nodes: nodes.len() };
        self.cluster.at_once.fetch_max(counts.running * self.cluster.settings.worker.jobs, Ordering::SeqCst);
        sink.notify(&RunEvent::Tasks(counts));
        if counts.running > 0 {
            self.ran = Instant::now();
        } else if let Some(task) = pending.clone().next()
            && self.ran.elapsed() > WAIT_NOTICE_AFTER
            && !std::mem::replace(&mut self.user_was_warned, true)
        {
            sink.notify(&RunEvent::Notice(format!(
                "no task runs yet: Slurm says `{}` (squeue --jobs={})",
                task.reason, task.job
            )));
        }
    }

    /// Returns why a task that has work is gone; `None` if Slurm lists it as running.
    fn why_gone(&self, task: &Incarnation) -> Option<String> {
        let is_later =
            |other: &Incarnation| other.job == task.job && other.task == task.task && other.restart > task.restart;
        let row = self.tasks.iter().find(|row| row.job == task.job && row.task == task.task);
        match row.map(|row| &row.state) {
            None => Some("ended".to_owned()),
            Some(TaskState::Ended(word)) => Some(word.clone()),
            Some(TaskState::Pending) => Some("was requeued".to_owned()),
            Some(TaskState::Running) => self.readers.keys().any(is_later).then(|| "was started again".to_owned()),
        }
    }

    /// Gives the cases of lost tasks to others.
    fn give_up_lost(&mut self, sink: &mut ResultSink<'_>) -> Result<()> {
        let why = |task: Incarnation| self.why_gone(&task).map(|why| (task, why));
        let why_gone: Vec<(Incarnation, String)> = self.tracker.owners().into_iter().filter_map(why).collect();
        self.missing.retain(|task, _| why_gone.iter().any(|(other, _)| other == task));
        let now = Instant::now();
        for (task, why) in why_gone {
            if now.duration_since(*self.missing.entry(task.clone()).or_insert(now)) < LOSS_DELAY {
                continue;
            }
            let loss = self.tracker.lost(&task, self.cluster.settings.retries);
            self.run_again(&task, &why, loss, sink)?;
        }
        Ok(())
    }

    fn run_again(&mut self, task: &Incarnation, why: &str, loss: Loss, sink: &mut ResultSink<'_>) -> Result<()> {
        let cases: usize = loss.again.iter().map(|piece| piece.cases.len()).sum();
        let node = self.nodes.get(task).map_or_else(String::new, |node| format!(" on node {node}"));
        let what = format!("task {}_{}{node}: {why}", task.job, task.task);
        let add = || -> io::Result<Vec<(String, Piece)>> {
            self.folder.revoke(task)?;
            if !self.folder.has_free_space() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            loss.again.into_iter().map(|piece| Ok((self.folder.add_piece(&piece)?, piece))).collect()
        };
        let added = add().map_err(|error| unwritable(&self.folder, &error))?;
        added.into_iter().for_each(|(name, piece)| self.tracker.add(name, piece));
        if cases > 0 {
            let again = if cases == 1 { "runs again" } else { "run again" };
            sink.notify(&RunEvent::Notice(format!("{what}; {} {again}", counted(cases, "case"))));
        }
        let mut batch = Vec::new();
        for case in loss.given_up {
            let note = format!("{what}; the case was lost with {} tasks", self.cluster.settings.retries + 1);
            let outcome = Outcome::without_run(Verdict::JudgeError, note);
            batch.extend((0..self.plan.solvers.len()).map(|solver| FinishedJob {
                job: JobId { case: case.place, solver },
                outcome: outcome.clone(),
                features: None,
                evidence: Box::default(),
            }));
            self.tracker.close(case.place);
        }
        sink.deliver(&mut batch);
        Ok(())
    }

    /// Submits another job when the last one has ended before the run.
    fn resubmit(&mut self, sink: &mut ResultSink<'_>) -> Result<()> {
        let is_active = self.tasks.iter().any(|task| !matches!(task.state, TaskState::Ended(_)));
        let unclaimed = self.tracker.unclaimed();
        if is_active || unclaimed == 0 {
            return Ok(());
        }
        self.fruitless_jobs = if std::mem::take(&mut self.piece_taken) { 0 } else { self.fruitless_jobs + 1 };
        if self.fruitless_jobs > self.cluster.settings.retries {
            return Err(self.fruitless());
        }
        let job = self.cluster.submit(self.plan, &self.folder, unclaimed)?;
        sink.notify(&RunEvent::Notice(format!(
            "Slurm job {job} runs the {} that are left",
            counted(unclaimed, "piece")
        )));
        self.jobs.push(job);
        Ok(())
    }

    fn fruitless(&self) -> RunError {
        let said = self.folder.printed().unwrap_or_else(|| "they printed nothing".to_owned());
        let mut of_last_job = self.tasks.iter().filter(|task| task.job == self.last_job());
        let word = of_last_job.find_map(|task| match &task.state {
            TaskState::Ended(word) => Some(&**word),
            _ => None,
        });
        let (job, word) = (self.last_job(), word.unwrap_or("ended"));
        let what = format!("the tasks of Slurm job {job} end without taking a case ({word})\n{said}");
        let hint = format!("can the nodes read {}? --workdir DIR names a shared folder", self.folder.path().display());
        RunError::Cluster(ClusterError::new(what, hint, Exit::Fault))
    }

    /// Cancels the jobs, and reads the last results of their tasks.
    fn end(&mut self, sink: &mut ResultSink<'_>) {
        if let Err(error) = slurm::cancel(&self.jobs) {
            sink.notify(&RunEvent::Notice(format!("warning: {error}")));
        }
        // If Slurm does not answer, the tasks detect that the folder was removed.
        let _ = slurm::wait_for_end(&self.jobs);
        loop {
            let position = |followed: &Self| followed.readers.values().map(|reader| reader.offset).sum::<u64>();
            let before = position(self);
            let _ = self.read(sink);
            if position(self) == before {
                break;
            }
        }
    }
}

/// The state of all cases of a run. A case is finished when one task has the results of all its solvers, so that
/// compared results come from one machine.
#[derive(Debug)]
pub(super) struct Tracker {
    solvers: usize,
    /// By place in the plan.
    done: Vec<bool>,
    /// The results of cases that are not finished yet, by task.
    partial: HashMap<(Incarnation, usize), Vec<FinishedJob>>,
    /// By name: every piece that is not finished.
    open: BTreeMap<String, OpenPiece>,
}

#[derive(Debug)]
struct OpenPiece {
    piece: Piece,
    owner: Option<Incarnation>,
}

/// The unfinished cases of a lost task.
#[derive(Debug, Default)]
struct Loss {
    /// To be run again.
    again: Vec<Piece>,
    /// Lost too often.
    given_up: Vec<CaseEntry>,
}

impl Tracker {
    /// Returns the tracker of a plan without cases to run.
    pub(super) fn new(cases: usize, solvers: usize) -> Self {
        Self { solvers, done: vec![true; cases], partial: HashMap::new(), open: BTreeMap::new() }
    }

    /// Adds a piece under its name.
    pub(super) fn add(&mut self, name: String, piece: Piece) {
        piece.cases.iter().for_each(|case| self.done[case.place] = false);
        self.open.insert(name, OpenPiece { piece, owner: None });
    }

    /// Returns whether every case is finished.
    fn is_complete(&self) -> bool {
        self.done.iter().all(|done| *done)
    }

    /// Returns how many pieces are waiting to be taken.
    fn unclaimed(&self) -> usize {
        self.open.values().filter(|open| open.owner.is_none()).count()
    }

    /// Returns whether a piece is unfinished and, as far as known, not taken.
    fn is_unclaimed(&self, name: &str) -> bool {
        self.open.get(name).is_some_and(|open| open.owner.is_none())
    }

    /// Records which task took a piece.
    fn claimed(&mut self, name: &str, owner: Incarnation) {
        if let Some(open) = self.open.get_mut(name) {
            open.owner = Some(owner);
        }
    }

    /// Returns the tasks that have taken pieces and not finished them.
    fn owners(&self) -> BTreeSet<Incarnation> {
        self.open.values().filter_map(|open| open.owner.clone()).collect()
    }

    /// Adds a result. Returns the results of its case, once they are complete; each case is returned once.
    fn finished(&mut self, task: &Incarnation, job: FinishedJob) -> Option<Vec<FinishedJob>> {
        let case = job.job.case;
        if job.job.solver >= self.solvers || self.done.get(case).is_none_or(|done| *done) {
            return None;
        }
        let results = self.partial.entry((task.clone(), case)).or_default();
        if results.iter().all(|known| known.job != job.job) {
            results.push(job);
        }
        if results.len() < self.solvers {
            return None;
        }
        let results = self.partial.remove(&(task.clone(), case));
        self.close(case);
        results
    }

    /// Notes that a case needs no result.
    fn close(&mut self, case: usize) {
        self.done[case] = true;
    }

    /// Forgets the pieces that are finished.
    fn tidy(&mut self) {
        let done = &self.done;
        self.open.retain(|_, open| open.piece.cases.iter().any(|case| !done[case.place]));
        self.partial.retain(|(_, case), _| !done[*case]);
    }

    /// Takes the pieces of a lost task from it. Their unfinished cases run again, unless they were lost more than `retries`
    /// times.
    fn lost(&mut self, task: &Incarnation, retries: u32) -> Loss {
        self.tidy();
        let mut loss = Loss::default();
        let (lost, open): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.open).into_iter().partition(|(_, open)| open.owner.as_ref() == Some(task));
        self.open = open;
        for open in lost.into_values() {
            let losses = open.piece.losses + 1;
            let cases: Vec<_> = open.piece.cases.into_iter().filter(|case| !self.done[case.place]).collect();
            if losses > retries {
                loss.given_up.extend(cases);
            } else {
                loss.again.push(Piece { losses, cases });
            }
        }
        loss
    }
}

/// Divides cases into pieces of `size` cases, in order.
pub(super) fn pieces(cases: &[CaseEntry], size: usize) -> Vec<Piece> {
    cases.chunks(size.max(1)).map(|cases| Piece { losses: 0, cases: cases.to_vec() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::{CaseSpec, Evidence};

    fn entries(count: usize) -> Vec<CaseEntry> {
        let case = |place: usize| CaseSpec::from_seed(place as u64);
        (0..count).map(|place| CaseEntry::new(place, &case(place), case(place).source)).collect()
    }

    fn job(case: usize, solver: usize) -> FinishedJob {
        let outcome = Outcome::without_run(Verdict::WrongAnswer, String::new());
        FinishedJob { job: JobId { case, solver }, outcome, features: None, evidence: Box::<Evidence>::default() }
    }

    fn task(restart: usize) -> Incarnation {
        Incarnation { job: "7".to_owned(), task: 3, restart }
    }

    fn tracker(cases: usize, solvers: usize, size: usize) -> Tracker {
        let mut tracker = Tracker::new(cases, solvers);
        for (number, piece) in pieces(&entries(cases), size).into_iter().enumerate() {
            tracker.add(number.to_string(), piece);
        }
        tracker
    }

    #[test]
    fn a_case_is_handed_over_once_and_whole() {
        let mut tracker = tracker(2, 2, 1);
        assert!(tracker.finished(&task(0), job(0, 1)).is_none());
        assert!(tracker.finished(&task(1), job(0, 0)).is_none(), "another task: not on the same machine");
        assert!(tracker.finished(&task(0), job(0, 1)).is_none(), "the same again");
        assert_eq!(tracker.finished(&task(0), job(0, 0)).map(|results| results.len()), Some(2));
        assert!(tracker.finished(&task(1), job(0, 1)).is_none(), "finished before");
        assert!(tracker.finished(&task(1), job(5, 0)).is_none(), "no such case");
        assert!(!tracker.is_complete());
    }

    #[test]
    fn unfinished_cases_of_lost_tasks_run_again() {
        let mut tracker = tracker(6, 1, 3);
        assert_eq!(tracker.unclaimed(), 2);
        tracker.claimed("0", task(0));
        tracker.claimed("1", Incarnation { task: 4, ..task(0) });
        assert!(tracker.finished(&task(0), job(1, 0)).is_some());
        let places = |cases: &[CaseEntry]| cases.iter().map(|case| case.place).collect::<Vec<_>>();
        let Loss { again, given_up } = tracker.lost(&task(0), 1);
        assert_eq!((again.len(), again[0].losses, places(&again[0].cases), given_up.len()), (1, 1, vec![0, 2], 0));
        tracker.add("0.1".to_owned(), again[0].clone());
        tracker.claimed("0.1", task(1));
        let Loss { again, given_up } = tracker.lost(&task(1), 1);
        assert_eq!((again.len(), places(&given_up)), (0, vec![0, 2]));
        assert_eq!(tracker.owners(), BTreeSet::from([Incarnation { task: 4, ..task(0) }]));
        for case in given_up {
            tracker.close(case.place);
        }
        for case in 3..6 {
            assert!(!tracker.is_complete());
            tracker.finished(&Incarnation { task: 4, ..task(0) }, job(case, 0));
        }
        assert!(tracker.is_complete());
        tracker.tidy();
        assert_eq!((tracker.unclaimed(), tracker.owners().len()), (0, 0));
    }
}
