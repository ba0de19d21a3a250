//! A run of the journal that is played in one or more parts, by the commands that compare.

use super::failure::Failure;
use super::recorder::{self, Circumstances, Journaling, Wishes};
use super::score_run;
use crate::journal::{Closing, Part};
use crate::model::{CaseSpec, Outcome, Solver, Stop};
use crate::plan::Plan;
use crate::report;
use crate::runner::Memory;
use crate::scoring::Standing;
use crate::solver::Toolbox;
use num_rational::BigRational;
use std::time::Instant;

/// A run of the journal, or of none if nobody wants one.
pub(crate) struct Session {
    journaling: Journaling,
    wishes: Wishes,
    started: Instant,
}

impl Session {
    /// Starts the record of a run.
    pub(crate) fn start(wishes: Wishes, circumstances: &Circumstances<'_>) -> Result<Self, Failure> {
        let journaling = Journaling::start(wishes, circumstances)?;
        Ok(Self { journaling, wishes, started: Instant::now() })
    }

    /// Adds solvers and cases to the run. `plan` is one of it, whoever plays in it.
    pub(crate) fn grow(&mut self, plan: &Plan, solvers: &[Solver], cases: &[CaseSpec], toolbox: &Toolbox) {
        self.journaling.grow(plan, solvers, cases, toolbox);
    }

    /// Returns what remembers the jobs of this part of the run.
    pub(crate) fn part(&mut self, part: Part) -> &dyn Memory {
        self.journaling.turn_to(part);
        &self.journaling
    }

    /// Closes the record of the run, which is this plan with these outcomes.
    pub(crate) fn finish(self, plan: &Plan, outcomes: &[Option<Outcome>], stop: Option<Stop>) {
        // Without cases, or where the rule does not fit the scores, there is nothing to be summed up.
        let scored = score_run::score(plan, outcomes, &vec![None; plan.cases.len()], None).ok();
        let scored = scored.filter(|_| !plan.cases.is_empty());
        let total = |solver: usize| -> Option<&BigRational> {
            let is_whole = outcomes.iter().skip(solver).step_by(plan.solvers.len()).all(Option::is_some);
            let scored = scored.as_ref().filter(|_| is_whole)?;
            let standing: &Standing = &scored.board.standings[solver];
            scored.board.headline(standing)
        };
        let closing = Closing {
            stop,
            elapsed: self.started.elapsed(),
            rule: scored.as_ref().map_or(&plan.problem.scoring, |scored| &scored.rule),
            totals: (0..plan.solvers.len()).map(total).collect(),
        };
        let recorded = self.journaling.finish(&closing);
        if recorded.is_some() && stop == Some(Stop::Interrupted) {
            let command = recorder::going_on(self.wishes.going_on);
            report::note(&format!("what was finished is in the journal; start from it with: {command}"));
        }
    }
}
