//! The results of the solvers by group of cases: for each value of a feature, and for each test group.

use super::results::{CaseScore, InvalidResults, Results, SolverScores};
use super::scoreboard::{Scoreboard, mean, score, total, weight_of, worst};
use crate::text::named_enum;
use crate::{GroupAggregate, Rule};
use checkers::Score;
use num_rational::BigRational;
use std::collections::{BTreeMap, HashSet};

/// The cases of a run, grouped by a feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouping {
    /// The feature's name.
    pub by: String,
    /// The number of decimals that shows sums of scores exactly, as in [`Scoreboard`].
    pub score_decimals: u32,
    /// The number of decimals that shows sums of points exactly.
    pub point_decimals: u32,
    /// The groups, ordered by value. The cases without the feature come last.
    pub groups: Vec<FeatureGroup>,
}

/// The cases with the same value.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureGroup {
    /// The value. `None` for the cases without the feature.
    pub value: Option<Score>,
    /// The number of cases.
    pub cases: usize,
    /// The result of each solver, in the order of the solvers.
    pub rows: Vec<GroupRow>,
}

/// The result of a solver on a group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupRow {
    /// The number of cases with an accepted answer.
    pub accepted: usize,
    /// The number of cases that were not run.
    pub skipped: usize,
    /// The mean score by the rule `mean`. A failed case lowers it or makes it absent.
    pub mean_score: Option<BigRational>,
    /// The mean points by the rule of the run.
    pub mean_points: Option<BigRational>,
}

/// Groups the cases by value and averages over each group. `values` has an entry for each case.
///
/// # Errors
/// Fails on invalid results, as [`score`] does.
pub fn group_by_feature(
    by: &str,
    values: &[Option<Score>],
    rule: &Rule,
    results: &Results<'_>,
) -> Result<Grouping, InvalidResults> {
    // The absent value is ordered last.
    let mut members: BTreeMap<(bool, Option<&Score>), Vec<usize>> = BTreeMap::new();
    for (case, value) in values.iter().enumerate() {
        members.entry((value.is_none(), value.as_ref())).or_default().push(case);
    }
    let (by_score, by_points) = (score(&Rule::Mean, results)?, score(rule, results)?);
    let groups = members.into_iter().map(|((_, value), cases)| {
        let row = |(solver, own): (usize, &SolverScores)| {
            let played = own.played(cases.iter().copied());
            GroupRow {
                accepted: accepted(own, &cases),
                skipped: cases.len() - played.len(),
                mean_score: mean_over(&by_score, solver, &played),
                mean_points: mean_over(&by_points, solver, &played),
            }
        };
        let rows = results.solvers.iter().enumerate().map(row).collect();
        FeatureGroup { value: value.cloned(), cases: cases.len(), rows }
    });
    let (score_decimals, point_decimals) = (by_score.decimals, by_points.decimals);
    Ok(Grouping { by: by.to_owned(), score_decimals, point_decimals, groups: groups.collect() })
}

/// Returns the mean points of a solver over cases that it ran on.
fn mean_over(board: &Scoreboard, solver: usize, played: &[usize]) -> Option<BigRational> {
    let total = total(&board.weights, &board.standings[solver].points, played);
    mean(total, &weight_of(&board.weights, played))
}

/// Returns how many of these cases have an accepted answer.
fn accepted(own: &SolverScores, cases: &[usize]) -> usize {
    cases.iter().filter(|&&case| matches!(own.scores[case], CaseScore::Accepted(_))).count()
}

/// The results of the solvers on a test group.
#[derive(Debug, Clone, PartialEq)]
pub struct TestGroupResult {
    /// The group's index.
    pub group: usize,
    /// The number of its cases in the run.
    pub cases: usize,
    /// Their total weight.
    pub weight: BigRational,
    /// The results, in the order of the solvers.
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
    /// The worst case, if the group counts by its worst case.
    pub worst: Option<usize>,
    /// The group with a failed case that makes this group count as failed.
    pub blocked_by: Option<usize>,
}

named_enum! {
    /// The status of a test group for a solver.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TestGroupStatus {
        /// Every case was accepted.
        Earned = "earned",
        /// Some cases were accepted, and the group is not lost.
        Partial = "partial",
        /// No case was accepted, or a case failed in a group that counts by its worst case or is all-or-nothing.
        Failed = "failed",
        /// A case of a group that it depends on failed.
        Blocked = "blocked",
        /// No case was run.
        Skipped = "skipped",
    }
}

/// Returns the results for each test group with cases in the run, in the order of the groups.
pub fn test_groups(results: &Results<'_>, board: &Scoreboard) -> Vec<TestGroupResult> {
    let failing: Vec<_> = results.solvers.iter().map(|own| results.failing_groups(own)).collect();
    let all = results.members().into_iter().enumerate();
    all.filter(|(_, cases)| !cases.is_empty())
        .map(|(group, cases)| TestGroupResult {
            group,
            cases: cases.len(),
            weight: weight_of(&board.weights, &cases),
            rows: (0..results.solvers.len())
                .map(|solver| test_group_row(results, board, group, (solver, &failing[solver]), &cases))
                .collect(),
        })
        .collect()
}

fn test_group_row(
    results: &Results<'_>,
    board: &Scoreboard,
    group: usize,
    (solver, failing): (usize, &HashSet<usize>),
    cases: &[usize],
) -> TestGroupRow {
    let own = &results.solvers[solver];
    let played = own.played(cases.iter().copied());
    let (accepted, skipped) = (accepted(own, cases), cases.len() - played.len());
    let has_failures = accepted < played.len();
    let blocked_by = results.blocked_by(group, failing);
    let status = match accepted {
        _ if skipped == cases.len() => TestGroupStatus::Skipped,
        _ if blocked_by.is_some() => TestGroupStatus::Blocked,
        accepted if accepted == cases.len() => TestGroupStatus::Earned,
        0 => TestGroupStatus::Failed,
        _ if has_failures && results.groups[group].is_lost_by_a_failure() => TestGroupStatus::Failed,
        _ => TestGroupStatus::Partial,
    };
    let standing = &board.standings[solver];
    let counts_by_worst = results.groups[group].aggregate == GroupAggregate::Min && blocked_by.is_none();
    let worst = worst(board.direction, &standing.own_points, &played).filter(|_| counts_by_worst);
    let points = total(&board.weights, &standing.points, &played);
    TestGroupRow { accepted, skipped, status, points, worst, blocked_by }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::results::{CaseTerms, Terms};
    use crate::scoring::scoreboard::score;
    use crate::{Direction, Members, TestGroup};
    use checkers::Score;

    fn solver<const CASES: usize>(scores: [Option<i32>; CASES]) -> SolverScores {
        let scores = scores.map(|score| score.map(Score::from).into()).to_vec();
        SolverScores { name: String::new(), scores }
    }

    #[test]
    fn each_group_has_its_own_means() {
        let solvers = [solver([Some(10), Some(7), None, Some(1)]), solver([Some(20), Some(7), Some(4), Some(1)])];
        let cases = vec![Terms::default(); 4];
        let failure = Score::from(0);
        let failure = Some(&failure);
        let results = Results {
            direction: Direction::Max,
            failure,
            cases: CaseTerms::Each(&cases),
            groups: &[],
            solvers: &solvers,
        };
        let values = [Some(Score::from(5)), None, Some(Score::from(5)), Some(Score::from(-3))];
        let Grouping { by, groups, .. } = group_by_feature("N", &values, &Rule::Exact, &results).unwrap();
        assert_eq!(by, "N");
        let value = |group: &FeatureGroup| group.value.as_ref().map(ToString::to_string);
        assert_eq!(groups.iter().map(value).collect::<Vec<_>>(), [Some("-3".to_owned()), Some("5".to_owned()), None]);
        assert_eq!(groups.iter().map(|group| group.cases).collect::<Vec<_>>(), [1, 2, 1]);
        let ratio = |numerator: i32, denominator: i32| Some(BigRational::new(numerator.into(), denominator.into()));
        assert_eq!(
            groups[1].rows,
            [
                GroupRow { accepted: 1, skipped: 0, mean_score: ratio(5, 1), mean_points: ratio(1, 2) },
                GroupRow { accepted: 2, skipped: 0, mean_score: ratio(12, 1), mean_points: ratio(1, 1) },
            ]
        );
    }

    fn group(weight: Option<&str>, aggregate: GroupAggregate) -> TestGroup {
        TestGroup {
            name: String::new(),
            weight: weight.map(|weight| weight.parse().unwrap()),
            aggregate,
            depends_on: Vec::new(),
            members: Members::default(),
        }
    }

    #[test]
    fn cases_that_were_not_run_are_no_failures() {
        let groups = [GroupAggregate::AllOrNothing, GroupAggregate::AllOrNothing, GroupAggregate::Sum];
        let groups = groups.map(|aggregate| group(None, aggregate));
        let cases = [0, 0, 1, 1, 2, 2].map(|group| Terms { group: Some(group), ..Terms::default() });
        let mut solvers = [solver([Some(1), None, None, None, None, None])];
        [1, 2, 3, 5].into_iter().for_each(|case: usize| solvers[0].scores[case] = CaseScore::Skipped);
        let results = Results {
            direction: Direction::Max,
            failure: None,
            cases: CaseTerms::Each(&cases),
            groups: &groups,
            solvers: &solvers,
        };
        let found = test_groups(&results, &score(&Rule::Exact, &results).unwrap());
        let rows: Vec<_> = found.iter().map(|group| (group.rows[0].status, group.rows[0].skipped)).collect();
        assert_eq!(rows, [(TestGroupStatus::Partial, 1), (TestGroupStatus::Skipped, 2), (TestGroupStatus::Failed, 1)]);
    }

    #[test]
    fn a_group_is_earned_failed_or_partly_earned() {
        let whole = GroupAggregate::AllOrNothing;
        let groups = [("30", whole), ("70", GroupAggregate::Sum), ("5", whole)];
        let groups = groups.map(|(weight, aggregate)| group(Some(weight), aggregate));
        let cases = [0, 0, 1, 1].map(|group| Terms { group: Some(group), ..Terms::default() });
        let solvers = [solver([Some(1); 4]), solver([Some(1), None, None, Some(1)]), solver([None; 4])];
        let results = Results {
            direction: Direction::Max,
            failure: None,
            cases: CaseTerms::Each(&cases),
            groups: &groups,
            solvers: &solvers,
        };
        let found = test_groups(&results, &score(&Rule::Exact, &results).unwrap());
        let row = |accepted, status, points: i32| TestGroupRow {
            accepted,
            skipped: 0,
            status,
            points: Some(BigRational::from_integer(points.into())),
            worst: None,
            blocked_by: None,
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
