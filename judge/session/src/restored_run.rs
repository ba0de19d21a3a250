//! Restores a recorded run to the form that reports are made from, without running anything.

use crate::{FromJournal, ReferenceScores, Result, RunOutputs, command_line};
use checkers::Score;
use judge_cli::ReportArgs;
use judge_problem::scoring::{
    self, CaseScore, CaseTerms, InvalidResults, Results, ScoredRun, SolverScores, Terms, TestGroupStatus,
};
use judge_problem::{
    BestOrigin, CaseSpec, Catalogue, Features, FinishedJob, Invocation, KnownBest, Outcome, OutcomeGrid, Plan, Problem,
    Rule, RunState, Solver, SolverSpec, Stop, StoredEntrant, StoredRun, Verdict, Weight,
};
use judge_report::RunReport;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// A recorded run, in the form of a fresh one.
pub struct RestoredRun {
    /// The plan of the run.
    pub plan: Plan,
    /// Its outcomes.
    pub outcomes: OutcomeGrid,
    /// The features of each case; `None` if its input was not read.
    pub features: Vec<Option<Arc<Features>>>,
    /// Whether planned cases may be missing in its plan, because they were not run.
    pub lacks_cases: bool,
}

impl RestoredRun {
    /// Restores a recorded run. Its cases have the weights and thresholds of the current catalogue, and the best known
    /// scores from its start.
    pub fn of(run: &StoredRun, catalogue: &Catalogue) -> Result<Self> {
        let problem = catalogue.find(&run.problem)?;
        let Some(source) = &run.reference else {
            let reference =
                ReferenceScores::open(catalogue, problem, Some(run), Some(Path::new("problem")), FromJournal::No)?;
            return Ok(Self::relative_to(run, problem, &reference));
        };
        let mut restored = Self::with_current_terms(run, problem);
        let Plan { problem, cases, .. } = &mut restored.plan;
        problem.best = source.clone();
        let stored = run.cases.specs().iter().map(|stored| stored.best);
        *cases = cases.iter().zip(stored).map(|(case, best)| CaseSpec { best, ..case }).collect();
        Ok(restored)
    }

    /// Restores a recorded run, to be scored by this problem's rule relative to these best scores.
    pub fn relative_to(run: &StoredRun, problem: &Problem, reference: &ReferenceScores) -> Self {
        let mut restored = Self::with_current_terms(run, problem);
        let Plan { problem, cases, .. } = &mut restored.plan;
        problem.best = reference.source.clone();
        reference.apply_to_recorded(problem.direction, cases, run.cases.inputs());
        let outcomes = &restored.outcomes;
        let is_own = |place: usize, best: &KnownBest| {
            matches!(best.origin, BestOrigin::Run(of, _) if of == run.id)
                && outcomes.of_case(place).flatten().any(|outcome| outcome.score.as_ref() == Some(&best.score))
        };
        let with_others = |(place, case): (usize, CaseSpec)| {
            let best = case.best.filter(|best| !is_own(place, best));
            CaseSpec { best, ..case }
        };
        *cases = cases.iter().enumerate().map(with_others).collect();
        restored
    }

    fn with_current_terms(run: &StoredRun, problem: &Problem) -> Self {
        let spec = |entrant: &StoredEntrant| SolverSpec { name: entrant.name.clone(), text: entrant.command.clone() };
        let solvers = run.entrants.iter().map(|entrant| recorded_solver(spec(entrant))).collect();
        let terms = problem.cases.terms_by_source();
        let cases = run.cases.specs().iter().map(|case| terms.case(case.name, case.source)).collect();
        let limits = run.limits.clone();
        // A server's command line does not have the limits of its requests.
        let case_flags = command_line::recorded_case_flags(&run.provenance.command);
        let case_flags = command_line::with_limits(&case_flags, &problem.limits, &limits);
        let plan = Plan { limits, case_flags, ..Plan::new(problem.clone(), solvers, cases) };
        let outcomes = run.cases.outcomes().clone();
        let lacks_cases = run.state != RunState::Complete && run.cases.len() < run.case_count;
        Self { features: vec![None; plan.cases.len()], plan, outcomes, lacks_cases }
    }

    /// Scores the run by the problem's rule. `by` is the feature that the cases are grouped by.
    pub fn score(&self, by: Option<&str>) -> Result<ScoredRun, InvalidResults> {
        let mut scored = score(&self.plan, &self.outcomes, &self.features, by)?;
        let rows = scored.test_groups.iter_mut().flat_map(|group| &mut group.rows);
        for row in rows.filter(|row| self.lacks_cases && row.status == TestGroupStatus::Earned) {
            row.status = TestGroupStatus::Partial;
        }
        Ok(scored)
    }

    /// Returns the report of the run.
    pub fn report<'a>(&'a self, run: &'a StoredRun, scored: &'a ScoredRun, every_row: bool) -> RunReport<'a> {
        RunReport {
            plan: &self.plan,
            outcomes: &self.outcomes,
            scored,
            features: &self.features,
            pareto: None,
            every_row,
            order: None,
            stop: match run.state {
                RunState::Complete => None,
                RunState::Stopped => Some(Stop::FailFast),
                RunState::Running | RunState::Detached | RunState::Partial => Some(Stop::Detached),
                RunState::Killed | RunState::Interrupted => Some(Stop::Interrupted),
            },
            detached: run.detached.as_ref(),
            provenance: &run.provenance,
            elapsed: run.elapsed,
            jobs: run.jobs,
            tier: run.tier,
            gaps: None,
            message: run.message.as_deref(),
            labels: &run.labels,
        }
    }
}

/// Returns whether a solver had another total at the end of the run: the scoring has changed since.
pub fn is_rescored(run: &StoredRun, scored: &ScoredRun) -> bool {
    let mut totals = run.entrants.iter().zip(scored.totals());
    totals.any(|(then, now)| then.total.is_some() && then.total.as_ref() != now)
}

/// Writes every requested report, as at the end of a run.
pub fn publish(report: &RunReport<'_>, args: &ReportArgs) -> Result<()> {
    let mut outputs = RunOutputs::check(args)?.open()?;
    for (job, outcome) in report.outcomes.iter() {
        let Some(outcome) = outcome else { continue };
        let finished = FinishedJob { job, outcome, features: None, evidence: Box::default() };
        outputs.finished(report.plan, &finished, report.features[job.case].as_deref());
    }
    outputs.publish(report)
}

/// Returns a solver that is known by its results only.
pub(crate) fn recorded_solver(spec: SolverSpec) -> Solver {
    let why = "a recorded run is not run again".to_owned();
    Solver::new(spec, Invocation::CannotStart(why))
}

/// Scores a run by its problem's rule, or by the plain sum if the rule needs thresholds and a case has none. `by` is
/// the feature that the cases are grouped by; without it, `features` may be empty.
pub fn score(
    plan: &Plan,
    outcomes: &OutcomeGrid,
    features: &[Option<Arc<Features>>],
    by: Option<&str>,
) -> Result<ScoredRun, InvalidResults> {
    let rule = rule(plan);
    let problem = &plan.problem;
    let is_plain = plan.cases.are_plain() && problem.test_groups.is_empty();
    let mut terms: Option<Vec<_>> = (!is_plain).then(|| plan.cases.iter().map(|case| terms(problem, &case)).collect());
    let score = |outcome: Option<Outcome>| match outcome {
        None | Some(Outcome { verdict: Verdict::Skipped, .. }) => CaseScore::Skipped,
        Some(outcome) => outcome.score.into(),
    };
    let of_solver = |(place, solver): (usize, &Solver)| SolverScores {
        name: solver.spec.name.clone(),
        scores: outcomes.of_solver(place).map(score).collect(),
    };
    let solvers: Vec<_> = plan.solvers.iter().enumerate().map(of_solver).collect();
    terms.iter_mut().for_each(|terms| weigh_only_run(terms, problem, &solvers));
    let results = Results {
        direction: problem.direction,
        failure: problem.failure.as_ref().filter(|_| below_failure(plan, outcomes).is_none()),
        cases: terms.as_deref().map_or(CaseTerms::Plain(plan.cases.len()), CaseTerms::Each),
        groups: &problem.test_groups,
        solvers: &solvers,
    };
    let board = scoring::score(&rule, &results)?;
    let grouping = by.map(|by| {
        let value = |features: &Option<Arc<Features>>| features.as_ref()?.get(by).cloned();
        scoring::group_by_feature(by, &features.iter().map(value).collect::<Vec<_>>(), &rule, &results)
    });
    Ok(ScoredRun {
        leaderboard: scoring::leaderboard(&results, &board),
        test_groups: scoring::test_groups(&results, &board),
        grouping: grouping.transpose()?,
        board,
        rule,
    })
}

/// Divides the weight that a test group shares among its cases that were run, because the record of an unfinished run has
/// no others. A group without such cases keeps its weights.
fn weigh_only_run(terms: &mut [Terms], problem: &Problem, solvers: &[SolverScores]) {
    let is_run = |case: usize| solvers.iter().any(|solver| solver.has_run(case));
    let shares = |group: &usize| problem.test_groups[*group].shared_weight().is_some();
    let run = terms.iter().enumerate().filter(|(case, _)| is_run(*case));
    let groups: HashSet<usize> = run.filter_map(|(_, terms)| terms.group).filter(shares).collect();
    for (case, terms) in terms.iter_mut().enumerate() {
        if terms.group.is_some_and(|group| groups.contains(&group)) && !is_run(case) {
            terms.weight = Weight::zero();
        }
    }
}

/// Returns an accepted answer whose score is worse than a failure by the rule that a run is scored by. Such scores come
/// from runs under another rule or another `failure`. They count unchanged. A failure must not count as better, so a
/// solver with failures has no total.
pub fn below_failure(plan: &Plan, outcomes: &OutcomeGrid) -> Option<Score> {
    let least = Problem { scoring: rule(plan), ..plan.problem.clone() }.min_score()?;
    outcomes.scores().filter(|score| *score < least).min()
}

/// Returns the rule that a run is scored by.
pub fn rule(plan: &Plan) -> Rule {
    let without_thresholds = plan.cases.iter().any(|case| case.thresholds.is_none());
    let own = &plan.problem.scoring;
    if own.needs_thresholds() && without_thresholds { Rule::Sum } else { own.clone() }
}

fn terms(problem: &Problem, case: &CaseSpec) -> Terms {
    Terms {
        weight: case.weight.clone(),
        group: problem.test_group_of(case),
        best_known: case.best.as_ref().map(|best| best.score.clone()),
        thresholds: case.thresholds.clone(),
    }
}
