//! The results of the solvers on each test group.

use super::results::Results;
use super::scoreboard::Scoreboard;
use num_rational::BigRational;

/// The results of the solvers on a test group.
#[derive(Debug, Clone, PartialEq)]
pub struct TestGroupResult {
    /// The group's index.
    pub group: usize,
    /// The number of cases of the run in it.
    pub cases: usize,
    /// Their total weight.
    pub weight: BigRational,
    /// In the order of the solvers.
    pub rows: Vec<TestGroupRow>,
}

/// The result of a solver on a test group.
#[derive(Debug, Clone, PartialEq)]
pub struct TestGroupRow {
    /// The number of cases with an accepted answer.
    pub accepted: usize,
    /// The number of cases that were not run.
    pub skipped: usize,
    /// The status of the group.
    pub status: TestGroupStatus,
    /// The sum of weight * points over its cases. `None` if the rule gives none.
    pub points: Option<BigRational>,
}

/// The status of a test group for a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestGroupStatus {
    /// Every case was accepted.
    Earned,
    /// Some cases were accepted, and the group is not lost.
    Partial,
    /// No case that was run was accepted, or the group is all or nothing and a case failed.
    Failed,
    /// No case was run.
    Skipped,
}

impl TestGroupStatus {
    /// All statuses.
    pub const ALL: [Self; 4] = [Self::Earned, Self::Partial, Self::Failed, Self::Skipped];

    /// Returns the name that reports use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Earned => "earned",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// Returns the results on each test group that has cases in the run, in the order of the groups.
#[must_use]
pub fn test_groups(results: &Results<'_>, board: &Scoreboard) -> Vec<TestGroupResult> {
    let cases_of = |group| (0..results.cases.len()).filter(|&case| results.cases[case].group == Some(group)).collect();
    let all = (0..results.groups.len()).map(|group| (group, cases_of(group)));
    all.filter(|(_, cases): &(usize, Vec<usize>)| !cases.is_empty())
        .map(|(group, cases)| TestGroupResult {
            group,
            cases: cases.len(),
            weight: board.weight_of(&cases),
            rows: (0..results.solvers.len()).map(|solver| row(results, board, group, solver, &cases)).collect(),
        })
        .collect()
}

fn row(results: &Results<'_>, board: &Scoreboard, group: usize, solver: usize, cases: &[usize]) -> TestGroupRow {
    let own = &results.solvers[solver];
    let accepted = cases.iter().filter(|&&case| own.scores[case].is_some()).count();
    let skipped = cases.iter().filter(|&&case| !own.has_run(case)).count();
    let has_failures = accepted + skipped < cases.len();
    let status = match accepted {
        accepted if accepted == cases.len() => TestGroupStatus::Earned,
        _ if skipped == cases.len() => TestGroupStatus::Skipped,
        0 => TestGroupStatus::Failed,
        _ if has_failures && results.groups[group].all_or_nothing => TestGroupStatus::Failed,
        _ => TestGroupStatus::Partial,
    };
    TestGroupRow { accepted, skipped, status, points: board.total_over(&board.standings[solver], cases) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Direction, Members, Rule, TestGroup};
    use crate::scoring::{SolverScores, Terms, score};
    use checkers::Score;
    use std::collections::HashSet;

    #[test]
    fn cases_that_were_not_run_are_no_failures() {
        let group = |all_or_nothing| TestGroup {
            name: String::new(),
            weight: None,
            all_or_nothing,
            members: Members::default(),
        };
        let groups = [group(true), group(true), group(false)];
        let cases = [0, 0, 1, 1, 2, 2].map(|group| Terms { group: Some(group), ..Terms::default() });
        let scores = [Some(1), None, None, None, None, None].map(|score: Option<i32>| score.map(Score::from)).to_vec();
        let solvers = [SolverScores { name: String::new(), scores, skipped: HashSet::from([1, 2, 3, 5]) }];
        let results =
            Results { direction: Direction::Max, failure: None, cases: &cases, groups: &groups, solvers: &solvers };
        let found = test_groups(&results, &score(&Rule::Exact, &results).unwrap());
        let rows: Vec<_> = found.iter().map(|group| (group.rows[0].status, group.rows[0].skipped)).collect();
        assert_eq!(rows, [(TestGroupStatus::Partial, 1), (TestGroupStatus::Skipped, 2), (TestGroupStatus::Failed, 1)]);
    }

    #[test]
    fn a_group_is_earned_failed_or_partly_earned() {
        let group = |weight: &str, all_or_nothing| TestGroup {
            name: String::new(),
            weight: Some(weight.parse().unwrap()),
            all_or_nothing,
            members: Members::default(),
        };
        let groups = [group("30", true), group("70", false), group("5", true)];
        let cases = [0, 0, 1, 1].map(|group| Terms { group: Some(group), ..Terms::default() });
        let solver = |scores: [Option<i32>; 4]| SolverScores {
            name: String::new(),
            scores: scores.map(|score| score.map(Score::from)).to_vec(),
            skipped: HashSet::new(),
        };
        let solvers = [solver([Some(1); 4]), solver([Some(1), None, None, Some(1)]), solver([None; 4])];
        let results =
            Results { direction: Direction::Max, failure: None, cases: &cases, groups: &groups, solvers: &solvers };
        let found = test_groups(&results, &score(&Rule::Exact, &results).unwrap());
        let row = |accepted, status, points: i32| TestGroupRow {
            accepted,
            skipped: 0,
            status,
            points: Some(BigRational::from_integer(points.into())),
        };
        let whole = |weight: i32| BigRational::from_integer(weight.into());
        use TestGroupStatus::{Earned, Failed, Partial};
        let expected = [
            (0, 30, vec![row(2, Earned, 30), row(1, Failed, 0), row(0, Failed, 0)]),
            (1, 70, vec![row(2, Earned, 70), row(1, Partial, 35), row(0, Failed, 0)]),
        ];
        let expected =
            expected.map(|(group, weight, rows)| TestGroupResult { group, cases: 2, weight: whole(weight), rows });
        assert_eq!(found, expected);
    }
}
