//! The work of one slot: job after job, until there are no more.

use super::case_runner::{CaseRunner, Turn};
use super::slots::Slots;
use crate::executor::Executor;
use judge_problem::{FinishedJob, Verdict};
use std::sync::atomic::Ordering;
use tokio::sync::mpsc::Sender;

/// Works until there are no more jobs, or the run is stopped. Returns the executor: its end takes a moment, which what was
/// sent need not wait for.
pub(super) fn work(
    slots: &Slots<'_>,
    slot: usize,
    executor: Box<dyn Executor>,
    sender: Sender<FinishedJob>,
) -> Box<dyn Executor> {
    slots.leave_cores_to_solvers();
    let mut runner = CaseRunner::new(slots, slot, executor);
    work_on(&mut runner, slots, &sender);
    runner.into_executor()
}

fn work_on(runner: &mut CaseRunner<'_>, slots: &Slots<'_>, sender: &Sender<FinishedJob>) {
    while let Some(Turn { job, features, task }) = runner.next_turn() {
        slots.running().start(job);
        let judged = runner.judge(task);
        slots.running().end(job);
        // A cancelled job has no outcome: it is not finished, and a resumed run does it again.
        let Some((outcome, evidence)) = judged else { return };
        // A helper command that was ended with the run says nothing of the case.
        if outcome.verdict == Verdict::JudgeError && slots.stopped.load(Ordering::SeqCst) {
            return;
        }
        if slots.plan.fail_fast && !outcome.is_accepted() {
            // Before the dispatcher hears of it: this worker would otherwise start another case meanwhile.
            slots.stopped.store(true, Ordering::SeqCst);
        }
        let evidence = Box::new(evidence);
        if sender.blocking_send(FinishedJob { job, outcome, features, evidence }).is_err() {
            return;
        }
    }
}
