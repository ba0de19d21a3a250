//! `judge compare --until-decided` on many machines: all cases are there to be taken, and machines take them in their order.
//! Looks go case by case in that order, whatever machine is faster; when it is decided, what is still running is ended.

use super::looks::Looks;
use super::until_decided::{FIRST_BATCH, is_to_be_shown, show, still_playing};
use judge_cli::CompareArgs;
use judge_journal::Part;
use judge_problem::{CaseList, FinishedJob, OutcomeGrid, RunEvent, Solver, Verdict};
use judge_report::IntervalProgress;
use judge_run::runner::EarlyEnd;
use judge_session::failure::Failure;
use judge_session::match_runner::{MatchResult, MatchRunner};

/// Runs all solvers on fresh cases until it is decided.
pub(super) fn until_decided(
    runner: &MatchRunner<'_>,
    early_end: &EarlyEnd,
    solvers: Vec<Solver>,
    args: &CompareArgs,
) -> Result<MatchResult, Failure> {
    let count = solvers.len();
    let cases = runner.fresh_cases_where(&args.cases)?.take(args.max_cases.get()).collect();
    let plan = runner.plan(solvers.clone(), cases)?;
    let nothing = runner.plan(solvers, CaseList::default())?;
    let outcomes = OutcomeGrid::new(0, count);
    let played = MatchResult { plan: nothing, outcomes, inputs: Vec::new(), stop: None };
    let mut session = runner.begin(&played.plan)?;
    runner.grow(&mut session, &[], &plan.cases);
    let outcomes = OutcomeGrid::new(plan.cases.len(), count);
    let coming = MatchResult { plan: plan.clone(), outcomes, inputs: vec![None; plan.cases.len()], stop: None };
    let mut watcher = Watcher {
        args,
        early_end,
        looks: Looks::new(&played, args),
        progress: IntervalProgress::start(plan.job_count()),
        coming,
        next_shown: FIRST_BATCH,
        playing: (0..count).collect(),
        played,
        failure: None,
    };
    let part = Part::whole(&plan);
    let result = runner.play_watched(&mut session, plan, part, &mut |event| watcher.watch(event));
    let Watcher { progress, mut played, failure, .. } = watcher;
    progress.finish();
    played.stop = result?.stop;
    session.trim_cases();
    session.finish(&played.plan, &played.outcomes, played.stop);
    failure.map_or(Ok(played), Err)
}

/// Looks at every case, in order, as soon as it and all before it are finished.
struct Watcher<'a> {
    args: &'a CompareArgs,
    early_end: &'a EarlyEnd,
    looks: Looks<'a>,
    progress: IntervalProgress,
    /// All that is finished.
    coming: MatchResult,
    /// What was looked at.
    played: MatchResult,
    playing: Vec<usize>,
    next_shown: usize,
    failure: Option<Failure>,
}

impl Watcher<'_> {
    fn watch(&mut self, event: &RunEvent) {
        self.progress.watch(event);
        if let RunEvent::Finished(finished) = event {
            let FinishedJob { job, outcome, evidence, .. } = &**finished;
            self.coming.outcomes.set(*job, outcome);
            self.coming.inputs[job.case] = self.coming.inputs[job.case].or(evidence.input);
            if let Err(failure) = self.look() {
                self.failure = Some(failure);
                self.early_end.ask();
            }
        }
    }

    fn look(&mut self) -> Result<(), Failure> {
        let solvers: Vec<usize> = (0..self.coming.plan.solvers.len()).collect();
        while self.playing.len() > 1 && self.failure.is_none() {
            let case = self.played.plan.cases.len();
            let is_next =
                case < self.coming.plan.cases.len() && self.coming.outcomes.of_case(case).all(|of| of.is_some());
            if !is_next {
                return Ok(());
            }
            let is_faulty =
                self.coming.outcomes.of_case(case).flatten().any(|outcome| outcome.verdict == Verdict::JudgeError);
            let wanted = self.playing.clone();
            self.played.add_case(&self.coming, case, &solvers, &wanted);
            self.playing = still_playing(&self.played, wanted, &mut self.looks)?;
            if is_to_be_shown(&self.played, &self.playing, &mut self.next_shown) {
                show(&self.played, self.args, &mut self.progress)?;
            }
            if is_faulty || self.playing.len() == 1 {
                self.playing.truncate(1);
                self.early_end.ask();
            }
        }
        Ok(())
    }
}
