//! A run in the journal that consists of one or more parts, for the commands that compare.

use super::failure::Failure;
use super::recorder::{self, JournalOptions, Recorder, RunContext};
use super::score_run;
use judge_journal::{Part, RunEnd};
use judge_problem::plan::Plan;
use judge_problem::scoring::Standing;
use judge_problem::{CaseList, OutcomeGrid, Solver, Stop};
use judge_run::runner::ResultStore;
use judge_run::solver::Toolbox;
use num_rational::BigRational;
use std::time::Instant;

/// A run and its record in the journal, if it is recorded.
pub struct Session {
    recorder: Recorder,
    options: JournalOptions,
    started: Instant,
}

impl Session {
    /// Starts the record of a run.
    pub(crate) fn start(options: JournalOptions, context: &RunContext<'_>) -> Result<Self, Failure> {
        let recorder = Recorder::start(options, context)?;
        // It may be long until anything runs.
        recorder.commit_start();
        Ok(Self { recorder, options, started: Instant::now() })
    }

    /// Adds solvers and cases to the run. `plan` is any plan of it.
    pub(crate) fn grow(&mut self, plan: &Plan, solvers: &[Solver], cases: &CaseList, toolbox: &Toolbox) {
        self.recorder.grow(plan, solvers, cases, toolbox);
    }

    /// Returns the result store for the jobs of this part of the run.
    pub(crate) fn part(&mut self, part: Part) -> &dyn ResultStore {
        self.recorder.start_part(part);
        &self.recorder
    }

    /// Marks the run as a search whose best setting so far is the solver of this place.
    pub fn mark_search(&self, best: usize) {
        self.recorder.mark_search(best);
    }

    /// Takes the cases after the last one with a result out of the run.
    pub fn trim_cases(&self) {
        self.recorder.trim_cases();
    }

    /// Closes the record of the run, which consists of this plan and these outcomes.
    pub fn finish(self, plan: &Plan, outcomes: &OutcomeGrid, stop: Option<Stop>) {
        // There are no totals without cases, or if the rule does not fit the scores.
        let scored = score_run::score(plan, outcomes, &vec![None; plan.cases.len()], None).ok();
        let scored = scored.filter(|_| !plan.cases.is_empty());
        let total = |solver: usize| -> Option<&BigRational> {
            let is_whole = outcomes.of_solver(solver).all(|outcome| outcome.is_some());
            let scored = scored.as_ref().filter(|_| is_whole)?;
            let standing: &Standing = &scored.board.standings[solver];
            scored.board.headline(standing)
        };
        let end = RunEnd {
            stop,
            elapsed: self.started.elapsed(),
            rule: scored.as_ref().map_or(&plan.problem.scoring, |scored| &scored.rule),
            totals: (0..plan.solvers.len()).map(total).collect(),
        };
        let recorded = self.recorder.finish(&end);
        if recorded.is_some() && stop == Some(Stop::Interrupted) {
            let command = recorder::continue_command(self.options.continue_flag);
            judge_report::note(&format!("the finished cases are recorded; continue with: {command}"));
        }
    }
}
