//! A run of the journal that is played in one or more parts, by the commands that compare.

use super::arena::Arena;
use super::failure::Failure;
use super::journaling::{self, Circumstances, Journaling, Wishes};
use super::points;
use crate::journal::{Closing, Part};
use crate::model::{CaseSpec, Outcome, Solver, Stop};
use crate::plan::Plan;
use crate::report;
use crate::runner::ResultStore;
use crate::scoring::Standing;
use num_rational::BigRational;
use std::time::Instant;

/// A run of the journal, or of none if nobody wants one.
pub(super) struct Session {
    journaling: Journaling,
    wishes: Wishes,
    started: Instant,
}

impl Session {
    /// Starts the record of a run with the solvers and cases of this plan.
    pub(super) fn start(wishes: Wishes, arena: &Arena<'_>, plan: &Plan) -> Result<Self, Failure> {
        let circumstances = Circumstances {
            catalogue: arena.catalogue,
            plan,
            toolbox: &arena.toolbox,
            jobs: arena.runner.jobs(),
            tier: arena.runner.tier().name(),
        };
        let journaling = Journaling::start(wishes, &circumstances)?;
        Ok(Self { journaling, wishes, started: Instant::now() })
    }

    /// Adds solvers and cases to the run.
    pub(super) fn grow(&mut self, arena: &Arena<'_>, solvers: &[Solver], cases: &[CaseSpec]) {
        self.journaling.grow(arena.template(), solvers, cases, &arena.toolbox);
    }

    /// Returns what remembers the jobs of this part of the run.
    pub(super) fn part(&mut self, part: Part) -> &dyn ResultStore {
        self.journaling.turn_to(part);
        &self.journaling
    }

    /// Closes the record of the run, which is this plan with these outcomes.
    pub(super) fn finish(self, plan: &Plan, outcomes: &[Option<Outcome>], stop: Option<Stop>) {
        // Without cases, or where the rule does not fit the scores, there is nothing to be summed up.
        let scored = points::score(plan, outcomes, &vec![None; plan.cases.len()], None).ok();
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
            let command = journaling::going_on(self.wishes.going_on);
            report::note(&format!("what was finished is in the journal; start from it with: {command}"));
        }
    }
}
