//! Scores the outcomes of a run.

use checkers::Score;
use judge_problem::plan::Plan;
use judge_problem::scoring::{
    self, CaseTerms, Grouping, InvalidResults, LeaderboardRow, Results, Scoreboard, SolverScores, Terms,
    TestGroupResult,
};
use judge_problem::{CaseSpec, Features, JobId, Outcome, OutcomeGrid, Problem, Rule, Solver, Verdict};
use std::sync::Arc;

/// The points of a run, and the rule that they follow from.
pub struct ScoredRun {
    /// The rule that scores.
    pub rule: Rule,
    /// The points of every solver on every case.
    pub board: Scoreboard,
    /// The solvers by their totals.
    pub leaderboard: Vec<LeaderboardRow>,
    /// What each test group gives.
    pub test_groups: Vec<TestGroupResult>,
    /// Totals by feature, where they were asked for.
    pub grouping: Option<Grouping>,
}

/// Scores a run by its problem's rule, or by the plain sum if the rule needs thresholds and a case has none. `by` is
/// the feature that the cases are grouped by.
pub fn score(
    plan: &Plan,
    outcomes: &OutcomeGrid,
    features: &[Option<Arc<Features>>],
    by: Option<&str>,
) -> Result<ScoredRun, InvalidResults> {
    let rule = rule(plan);
    let problem = &plan.problem;
    let is_plain = plan.cases.are_plain() && problem.test_groups.is_empty();
    let terms: Option<Vec<_>> = (!is_plain).then(|| plan.cases.iter().map(|case| terms(problem, &case)).collect());
    let score = |outcome: Option<Outcome>| outcome.and_then(|outcome| outcome.score);
    let is_skipped = |case: &usize, solver| outcomes.verdict(JobId { case: *case, solver }) == Verdict::Skipped;
    let of_solver = |(place, solver): (usize, &Solver)| SolverScores {
        name: solver.spec.name.clone(),
        scores: outcomes.of_solver(place).map(score).collect(),
        skipped: (0..plan.cases.len()).filter(|case| is_skipped(case, place)).collect(),
    };
    let solvers: Vec<_> = plan.solvers.iter().enumerate().map(of_solver).collect();
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

/// Returns an accepted answer that is worth less than a failure by the rule that a run is scored by. Such scores are of
/// runs under another rule or another `failure`. They count as they are, and failures do not count as something better:
/// a solver with failures then has no total.
pub fn below_failure(plan: &Plan, outcomes: &OutcomeGrid) -> Option<Score> {
    let least = Problem { scoring: rule(plan), ..plan.problem.clone() }.least_score()?;
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
