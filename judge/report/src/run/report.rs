//! The report of a run: the value that every format is rendered from.

use crate::compare::report::limit;
use crate::run::metrics::Pareto;
use crate::text::{Reference, best_score, scores_text, verdict_of, weight_text};
use judge_problem::scoring::ScoredRun;
use judge_problem::{
    DetachedJob, Direction, Features, JobId, Labels, Outcome, OutcomeGrid, Plan, Provenance, RowKey, RowOrder, Stop,
    Verdict, counted,
};
use judge_sandbox::Tier;
use num_rational::BigRational;
use num_traits::Zero;
use std::sync::Arc;
use std::time::Duration;

/// The report of a run.
#[derive(Debug)]
pub struct RunReport<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The outcomes.
    pub outcomes: &'a OutcomeGrid,
    /// The points, totals and ranks.
    pub scored: &'a ScoredRun,
    /// The features of each case, if they were read.
    pub features: &'a [Option<Arc<Features>>],
    /// The measures of the table of non-dominated solvers, if it was requested.
    pub pareto: Option<&'a Pareto>,
    /// Whether the table has a row for every case, even if there are many.
    pub every_row: bool,
    /// The order of the rows, if the user chose one; otherwise the plan's order.
    pub order: Option<RowOrder>,
    /// Why the run ended early, if it did.
    pub stop: Option<Stop>,
    /// Its job, if it continues on a cluster without a judge.
    pub detached: Option<&'a DetachedJob>,
    /// When, how and where it took place.
    pub provenance: &'a Provenance,
    /// How long it took.
    pub elapsed: Duration,
    /// How many solvers ran at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The gaps of that tier. `None` for a past run: they were those of its machine.
    pub gaps: Option<&'a [String]>,
    /// The user's message, if there is one.
    pub message: Option<&'a str>,
    /// The tags and the note of a recorded run.
    pub labels: &'a Labels,
}

impl RunReport<'_> {
    /// Returns the jobs that have an outcome, in the order of the plan.
    pub(crate) fn finished(&self) -> impl Iterator<Item = (JobId, Outcome)> {
        self.outcomes.iter().filter_map(|(job, outcome)| Some((job, outcome?)))
    }

    /// Returns the jobs that were run, with their outcomes, in the order of the plan.
    pub(crate) fn played(&self) -> impl Iterator<Item = (JobId, Outcome)> {
        self.finished().filter(|(_, outcome)| outcome.verdict != Verdict::Skipped)
    }

    /// Returns the jobs that machine-readable reports list: all jobs in the order of the plan, or the chosen number of
    /// jobs in the chosen order.
    pub(crate) fn chosen_jobs(&self) -> Box<dyn Iterator<Item = (JobId, Option<Outcome>)> + '_> {
        let Some(order) = self.order else { return Box::new(self.outcomes.iter()) };
        Box::new(self.ordered_played().take(limit(order)).map(|(job, outcome)| (job, Some(outcome))))
    }

    /// Returns the jobs that were run, in the order that the user chose, or else in the order of the plan.
    pub(crate) fn ordered_played(&self) -> Box<dyn Iterator<Item = (JobId, Outcome)> + '_> {
        match &self.order {
            Some(order) => Box::new(self.sorted(order, self.played()).into_iter()),
            None => Box::new(self.played()),
        }
    }

    /// Returns all jobs in the order of the plan. If the user chose an order, jobs that were run come first, in that order.
    pub(crate) fn ordered_jobs(&self) -> Box<dyn Iterator<Item = (JobId, Option<Outcome>)> + '_> {
        if self.order.is_none() {
            return Box::new(self.outcomes.iter());
        }
        let played = self.ordered_played().map(|(job, outcome)| (job, Some(outcome)));
        let skipped = self.outcomes.iter().filter(|(_, outcome)| verdict_of(outcome.as_ref()) == Verdict::Skipped);
        Box::new(played.chain(skipped))
    }

    /// Returns jobs in an order.
    pub(crate) fn sorted(
        &self,
        order: &RowOrder,
        jobs: impl Iterator<Item = (JobId, Outcome)>,
    ) -> Vec<(JobId, Outcome)> {
        order.sorted(jobs.map(|(job, outcome)| (self.badness(order.key, job, &outcome), (job, outcome))).collect())
    }

    /// Returns a number that is larger for a worse job; `None` if it has no such value.
    fn badness(&self, key: RowKey, job: JobId, outcome: &Outcome) -> Option<BigRational> {
        match key {
            RowKey::Points if !outcome.is_accepted() && self.scored.rule.counts_raw_scores() => None,
            RowKey::Points => Some(downwards(self.case_points(job)?, self.scored.board.direction)),
            RowKey::Lost => self.lost(job),
            RowKey::Score | RowKey::Cpu | RowKey::Memory => outcome_badness(key, outcome, self.plan.problem.direction),
        }
    }

    fn case_points(&self, job: JobId) -> Option<BigRational> {
        self.scored.board.standings[job.solver].points.get(job.case)
    }

    /// Returns the line that says how the rows are sorted; `None` in the order of the plan.
    pub(crate) fn order_line(&self) -> Option<String> {
        let order = self.order?;
        let first = if order.best_first { "best first" } else { "worst first" };
        let to_what = match order.key {
            RowKey::Lost if self.scored.rule.max_points().is_some() => " to the most points of a case",
            RowKey::Lost => " to the best score",
            _ => "",
        };
        Some(format!("sorted by {}{to_what}, {first}", order.key.name()))
    }

    /// Returns the maximal points of a case, before its weight; `None` under a rule without such a maximum.
    pub(crate) fn max_points(&self, case: usize) -> Option<BigRational> {
        self.plan.cases.max_points(case, &self.scored.rule)
    }

    /// Returns the points of a job as the table shows them: `8 of 10` where the maximum differs from case to case.
    pub(crate) fn points_of_most(&self, job: JobId) -> Option<String> {
        let points = self.points(job)?;
        let most = self.max_points(job.case).filter(|_| self.scored.rule.needs_thresholds());
        Some(most.map(|most| format!("{points} of {}", self.points_text(&most))).unwrap_or(points))
    }

    /// Returns whether the rows show the loss against the best result.
    pub(crate) fn shows_lost(&self) -> bool {
        self.order.is_some_and(|order| order.key == RowKey::Lost)
    }

    /// Returns the points that the job lost, times the weight of the case. This is the distance to the maximal points
    /// of a case, or from its own score to the best known one under a rule that adds up scores. `None` if the job has no
    /// points, or no score of the case is known.
    pub(crate) fn lost(&self, job: JobId) -> Option<BigRational> {
        let points = self.case_points(job)?;
        let lost = match self.max_points(job.case) {
            Some(most) => most - points,
            None if self.scored.rule.has_reference() => -points,
            None => {
                let direction = self.plan.problem.direction;
                let best = best_score(self.plan, self.outcomes, job.case)?.to_rational();
                // In a test group the points may be those of another case. A failure has points only.
                let score = self.outcomes.get(job)?.score.map(|score| score.to_rational());
                let own = match score {
                    Some(score) => direction.better(score, points),
                    None => points,
                };
                let gap = match direction {
                    Direction::Max => best - own,
                    Direction::Min => own - best,
                };
                gap.max(BigRational::zero())
            }
        };
        Some(lost * self.scored.board.weights.get(job.case))
    }

    /// Returns the points of a job as decimal text; `None` if the rule gives none.
    pub fn points(&self, job: JobId) -> Option<String> {
        self.case_points(job).map(|points| self.points_text(&points))
    }

    /// Returns points of cases, or a total or mean of them, as decimal text.
    pub(crate) fn points_text(&self, points: &BigRational) -> String {
        scores_text(points, self.scored.board.decimals)
    }

    /// Returns whether a case weighs more or less than another.
    pub(crate) fn has_weights(&self) -> bool {
        !self.scored.board.weights.are_one()
    }

    /// Returns the weight of a case as decimal text.
    pub(crate) fn weight(&self, case: usize) -> String {
        weight_text(&self.scored.board.weights.get(case))
    }

    /// Returns the number that a solver is ranked by as decimal text; `None` if there is none, as for a sum of costs
    /// with a failure.
    pub(crate) fn total(&self, solver: usize) -> Option<String> {
        self.scored.board.headline(&self.scored.board.standings[solver]).map(|points| self.points_text(points))
    }

    /// Returns a solver's mean points as decimal text.
    pub(crate) fn mean(&self, solver: usize) -> Option<String> {
        self.scored.board.standings[solver].mean.as_ref().map(|points| self.points_text(points))
    }

    /// Returns a solver's mean CPU time, over the cases in which it is known; `None` if they ran on different processors.
    pub(crate) fn mean_cpu(&self, solver: usize) -> Option<Duration> {
        if self.provenance.nodes.differ() {
            return None;
        }
        let times = self.outcomes.of_solver(solver).filter_map(|outcome| outcome?.cpu);
        let (sum, count) = times.fold((Duration::ZERO, 0), |(sum, count), time| (sum + time, count + 1));
        sum.checked_div(count)
    }

    /// Returns lines about the order of the rows, the skipped cases, the noise of the timings, and the reference of the
    /// points.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        let reference = self.reference().map(|reference| reference.line());
        [self.order_line(), self.skipped_line(), self.noise_line(), reference].into_iter().flatten()
    }

    /// Returns the line that counts the jobs that were not run; `None` if there are none.
    fn skipped_line(&self) -> Option<String> {
        let skipped = self.outcomes.verdicts().filter(|verdict| *verdict == Verdict::Skipped).count();
        let were = if skipped == 1 { "was" } else { "were" };
        (skipped > 0).then(|| format!("{} {were} skipped", counted(skipped, "run")))
    }

    /// Returns the number of noisy timings.
    pub(crate) fn noisy(&self) -> usize {
        self.outcomes.finished().filter(|outcome| outcome.noisy).count()
    }

    /// Returns whether most timings are noisy. They are then counted, not marked.
    pub(crate) fn is_mostly_noisy(&self) -> bool {
        2 * self.noisy() > self.outcomes.finished().count()
    }

    /// Returns the line that counts the noisy timings; `None` unless most timings are noisy.
    fn noise_line(&self) -> Option<String> {
        let all = self.outcomes.finished().count();
        self.is_mostly_noisy()
            .then(|| format!("{} of {all} timings are noisy (`judge doctor` shows why)", self.noisy()))
    }

    /// Returns the reference that the points are relative to; `None` under a rule without best scores.
    pub(crate) fn reference(&self) -> Option<Reference> {
        Reference::of(&self.scored.rule, self.plan, self.outcomes)
    }
}

/// Returns a number that is larger for a worse outcome, by the score, the CPU time or the memory; `None` if it has no such
/// value.
pub(crate) fn outcome_badness(key: RowKey, outcome: &Outcome, direction: Direction) -> Option<BigRational> {
    match key {
        RowKey::Score => Some(downwards(outcome.score.as_ref()?.to_rational(), direction)),
        RowKey::Cpu => Some(BigRational::from_integer(outcome.cpu?.as_nanos().into())),
        RowKey::Memory => Some(BigRational::from_integer(outcome.memory?.into())),
        RowKey::Points | RowKey::Lost => None,
    }
}

/// Returns a number that is larger where this one is worse.
fn downwards(number: BigRational, direction: Direction) -> BigRational {
    if direction == Direction::Max { -number } else { number }
}
