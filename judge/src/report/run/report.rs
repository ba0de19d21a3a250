//! The report of a run: the value that every format is rendered from.

use crate::model::{DetachedJob, Features, JobId, Labels, Outcome, OutcomeGrid, Provenance, Rule, Stop, Verdict};
use crate::plan::Plan;
use crate::report::text::figures::{points_text, scores_text, verdict_of};
use crate::report::text::reference::Reference;
use crate::scoring::{Grouping, LeaderboardRow, Scoreboard, Standing, TestGroupResult};
use judge_sandbox::Tier;
use num_rational::BigRational;
use std::sync::Arc;
use std::time::Duration;

/// The report of a run.
#[derive(Debug)]
pub struct RunReport<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The outcomes.
    pub outcomes: &'a OutcomeGrid,
    /// The scoring rule.
    pub rule: &'a Rule,
    /// The points by the scoring rule.
    pub scoreboard: &'a Scoreboard,
    /// The solvers by rank.
    pub leaderboard: &'a [LeaderboardRow],
    /// The results on the problem's test groups that have cases in the run.
    pub test_groups: &'a [TestGroupResult],
    /// The features of each case, if they were read.
    pub features: &'a [Option<Arc<Features>>],
    /// The cases in groups, if requested.
    pub grouping: Option<&'a Grouping>,
    /// Whether the table has a row for every case, even if there are many.
    pub every_row: bool,
    /// Why the run ended early, if it did.
    pub stop: Option<Stop>,
    /// Its job, if it goes on on a cluster without a judge.
    pub detached: Option<&'a DetachedJob>,
    /// When, how and where it took place.
    pub provenance: &'a Provenance,
    /// How long it took.
    pub elapsed: Duration,
    /// How many solvers ran at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The gaps of that tier.
    pub gaps: &'a [String],
    /// The user's message, if there is one.
    pub message: Option<&'a str>,
    /// The tags and the note of a recorded run.
    pub labels: &'a Labels,
}

impl RunReport<'_> {
    /// Returns every job with its outcome, in the order of the plan.
    pub fn jobs(&self) -> impl Iterator<Item = (JobId, Option<Outcome>)> {
        self.outcomes.iter()
    }

    /// Returns the jobs that were run, with their outcomes, in the order of the plan.
    pub fn played(&self) -> impl Iterator<Item = (JobId, Outcome)> {
        let finished = self.jobs().filter_map(|(job, outcome)| Some((job, outcome?)));
        finished.filter(|(_, outcome)| outcome.verdict != Verdict::Skipped)
    }

    /// Returns every outcome of one solver, by case.
    pub fn of_solver(&self, solver: usize) -> impl Iterator<Item = Option<Outcome>> {
        self.outcomes.of_solver(solver)
    }

    /// Returns the points of a job as decimal text; `None` if the rule gives none.
    #[must_use]
    pub fn points(&self, job: JobId) -> Option<String> {
        self.scoreboard.standings[job.solver].points.get(job.case).map(|points| self.points_text(&points))
    }

    /// Returns points of cases, or a total or mean of them, as decimal text.
    pub(super) fn points_text(&self, points: &BigRational) -> String {
        scores_text(points, self.scoreboard.decimals)
    }

    /// Returns whether a case weighs more or less than another.
    #[must_use]
    pub fn has_weights(&self) -> bool {
        !self.scoreboard.weights.are_one()
    }

    /// Returns the weight of a case as decimal text.
    #[must_use]
    pub fn weight(&self, case: usize) -> String {
        points_text(&self.scoreboard.weights.get(case))
    }

    /// Returns the number that a solver is ranked by as decimal text; `None` if there is none, as for a sum of costs
    /// with a failure.
    #[must_use]
    pub fn total(&self, solver: usize) -> Option<String> {
        let standing: &Standing = &self.scoreboard.standings[solver];
        self.scoreboard.headline(standing).map(|points| self.points_text(points))
    }

    /// Returns a solver's mean points as decimal text.
    #[must_use]
    pub fn mean(&self, solver: usize) -> Option<String> {
        self.scoreboard.standings[solver].mean.as_ref().map(|points| self.points_text(points))
    }

    /// Returns a solver's mean CPU time, over the cases in which it is known; `None` if they ran on different processors.
    #[must_use]
    pub fn mean_cpu(&self, solver: usize) -> Option<Duration> {
        if self.provenance.nodes.differ() {
            return None;
        }
        let times = self.of_solver(solver).filter_map(|outcome| outcome?.cpu);
        let (sum, count) = times.fold((Duration::ZERO, 0), |(sum, count), time| (sum + time, count + 1));
        sum.checked_div(count)
    }

    /// Returns the number of jobs that were not run.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.outcomes.verdicts().filter(|verdict| *verdict == Verdict::Skipped).count()
    }

    /// Returns the line that counts the jobs that were not run; `None` if there are none.
    #[must_use]
    pub fn skipped_line(&self) -> Option<String> {
        match self.skipped() {
            0 => None,
            1 => Some("1 run was skipped".to_owned()),
            skipped => Some(format!("{skipped} runs were skipped")),
        }
    }

    /// Returns the number of noisy timings.
    #[must_use]
    pub fn noisy(&self) -> usize {
        self.outcomes.finished().filter(|outcome| outcome.noisy).count()
    }

    /// Returns whether most timings are noisy: they are then counted, not marked.
    #[must_use]
    pub fn is_mostly_noisy(&self) -> bool {
        2 * self.noisy() > self.outcomes.finished().count()
    }

    /// Returns the line that counts the noisy timings; `None` unless most are.
    #[must_use]
    pub fn noise_line(&self) -> Option<String> {
        let all = self.outcomes.finished().count();
        self.is_mostly_noisy()
            .then(|| format!("{} of {all} timings are noisy (`judge doctor` shows why)", self.noisy()))
    }

    /// Returns what the points are relative to; `None` under a rule that takes no best score.
    #[must_use]
    pub(in crate::report) fn reference(&self) -> Option<Reference<'_>> {
        Reference::of(self.rule, self.plan, self.outcomes)
    }

    /// Returns how many jobs ended with this verdict; unfinished ones count as skipped.
    #[must_use]
    pub fn count(&self, solver: usize, verdict: Verdict) -> usize {
        self.of_solver(solver).filter(|outcome| verdict_of(outcome.as_ref()) == verdict).count()
    }
}
