//! The record of an evaluation in the journal.

use crate::candidate::Candidate;
use crate::evaluator::Evaluator;
use crate::problems::ReadyProblem;
use crate::slots::LeasedPool;
use crate::task::Task;
use judge_journal::RunEnd;
use judge_problem::{FinishedJob, OutcomeGrid, Plan, RunId, Stop};
use judge_run::runner::{LocalRunner, ResultStore, StoreLost};
use judge_session::{Failure, JournalOptions, Recorder, RunContext, restored_run};
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

/// How many jobs are stored at once.
const BATCH: usize = 64;

/// Records a run of a candidate, and returns its number.
pub(crate) fn record(
    evaluator: &Evaluator,
    problem: &ReadyProblem,
    candidate: &Candidate,
    plan: &Plan,
    jobs: &[FinishedJob],
    stop: Option<Stop>,
    elapsed: Duration,
) -> Result<Option<RunId>, Failure> {
    let pool = LeasedPool { slots: Arc::clone(&evaluator.slots), task: Task::new((Reverse(0), 0), None) };
    let runner = LocalRunner::new(pool, evaluator.settings.clone(), || ());
    let context = RunContext::new(&problem.catalogue, plan, &candidate.toolbox, &runner);
    let context = RunContext { language: candidate.language.as_deref(), ..context };
    let mut outcomes = OutcomeGrid::new(plan.cases.len(), 1);
    jobs.iter().for_each(|finished| outcomes.set(finished.job, &finished.outcome));
    let scored = restored_run::score(plan, &outcomes, &[], None)?;
    let lost = |StoreLost(why)| Failure::fault(why);
    let _one_writer = evaluator.journal_lock.lock();
    let recorder = Recorder::start(JournalOptions::RECORDED, &context)?;
    if !recorder.is_active() {
        // The recorder has printed the reason on standard error.
        return Err(Failure::fault("the result cannot be recorded in the journal"));
    }
    recorder.store_start().map_err(lost)?;
    for batch in jobs.chunks(BATCH) {
        recorder.store(batch).map_err(lost)?;
    }
    let end = RunEnd { stop, elapsed, rule: &scored.rule, totals: scored.totals() };
    let run = recorder.finish(&end);
    run.map(Some).ok_or_else(|| Failure::fault("the end of the run cannot be recorded in the journal"))
}
