//! A task: takes pieces of a run and plays them, until there are none.

use super::result_log::ResultLog;
use super::run_folder::{Incarnation, Piece, RunFolder};
use super::slurm::{MAX_TASK_TIME, whole};
use judge_problem::{Plan, RunEvent};
use judge_run::runner::{PlanRunner, Result, RunError};
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time of the pieces that are taken at once, estimated from the last pieces. With less, taking pieces costs more
/// than playing them. With more, other tasks are idle at the end.
const BATCH_TIME: Duration = Duration::from_secs(5);

/// A task takes at most this part of the remaining pieces.
const SHARE: usize = 32;

/// How often a task checks whether the run is over.
const OVER_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a list of pieces is good for.
const LISTED: Duration = Duration::from_secs(5);

/// Takes pieces of the run in a folder and plays them, until there are none, its time is over, or `SIGTERM` comes. `plan` is
/// the plan of the run, without cases.
///
/// # Errors
/// When a piece cannot be read, its results cannot be written, or the run cannot be started.
pub fn work(
    folder: &RunFolder,
    task: &Incarnation,
    plan: &Plan,
    runner: &dyn PlanRunner,
    log: &ResultLog,
) -> Result<()> {
    let over = Arc::new(AtomicBool::new(false));
    watch(folder.clone(), task.clone(), Arc::clone(&over));
    let started = Instant::now();
    let mut pieces = Pieces { folder, task, waiting: Vec::new(), listed: None };
    let mut count = runner.jobs();
    while started.elapsed() < MAX_TASK_TIME && !over.load(Ordering::SeqCst) && !folder.is_over_for(task) {
        let taken = pieces.take(count).map_err(RunError::Start)?;
        let began = Instant::now();
        if taken.is_empty() || !play(plan, &taken, runner, log)? {
            break;
        }
        let of_one = began.elapsed().as_secs_f64() / taken.len() as f64;
        count = whole(BATCH_TIME.as_secs_f64() / of_one.max(0.001)).max(runner.jobs());
    }
    log.finish().map_err(|error| unwritten(&error.to_string()))
}

fn unwritten(why: &str) -> RunError {
    RunError::Start(io::Error::other(format!("cannot write results: {why}")))
}

/// Plays the cases of pieces. Returns whether all were played.
fn play(plan: &Plan, pieces: &[Piece], runner: &dyn PlanRunner, log: &ResultLog) -> Result<bool> {
    let cases = || pieces.iter().flat_map(|piece| &piece.cases);
    log.set_places(cases().map(|case| case.place).collect());
    let plan = Plan { cases: cases().map(super::run_folder::CaseEntry::spec).collect(), ..plan.clone() };
    let mut lost = None;
    let result = runner.run(&plan, log, &mut |event| {
        if let RunEvent::JournalLost(why) = event {
            lost = Some(why.clone());
            end_this_process();
        }
    })?;
    if let Some(why) = lost {
        return Err(unwritten(&why));
    }
    Ok(result.stop.is_none())
}

/// The pieces that are still to be taken.
struct Pieces<'a> {
    folder: &'a RunFolder,
    task: &'a Incarnation,
    /// The free pieces of the last list, the next one last.
    waiting: Vec<String>,
    listed: Option<Instant>,
}

impl Pieces<'_> {
    /// Takes the next pieces: at most `count`, and at most a small part of the remaining ones.
    fn take(&mut self, count: usize) -> io::Result<Vec<Piece>> {
        if self.waiting.is_empty() || self.listed.is_none_or(|listed| listed.elapsed() > LISTED) {
            self.list()?;
        }
        let count = count.min(self.waiting.len().div_ceil(SHARE)).max(1);
        let mut taken = Vec::new();
        while taken.len() < count {
            let Some(name) = self.waiting.pop() else { break };
            if self.folder.claim(&name, self.task)? {
                taken.push(self.folder.piece(&name)?);
            }
        }
        Ok(taken)
    }

    fn list(&mut self) -> io::Result<()> {
        let claimed: HashSet<String> = self.folder.claimed()?.into_iter().collect();
        self.waiting = self.folder.pieces()?;
        self.waiting.retain(|name| !claimed.contains(name));
        self.waiting.reverse();
        self.listed = Some(Instant::now());
        Ok(())
    }
}

/// Ends this task when its run is over, even if the cluster has lost track of it.
fn watch(folder: RunFolder, task: Incarnation, over: Arc<AtomicBool>) {
    let look = move || {
        while !folder.is_over_for(&task) {
            std::thread::sleep(OVER_POLL_INTERVAL);
        }
        over.store(true, Ordering::SeqCst);
        end_this_process();
    };
    // Without it, the task ends with its last piece.
    drop(std::thread::Builder::new().spawn(look));
}

/// Ends this process as Ctrl-C does: running cases end, and finished ones are written.
fn end_this_process() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
}
