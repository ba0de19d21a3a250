//! Points, totals and counts of every solver.

use super::points::{CaseWeights, ExactSum, PointList};
use super::results::{CaseScore, InvalidResults, Results, SolverScores};
use super::rule::{failed, points};
use crate::{Aggregate, Direction, GroupAggregate, Rule, TestGroup};
use checkers::Score;
use num_rational::BigRational;
use num_traits::Zero;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

/// The result of a solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The points that count for every case, before its weight. `None` if the rule gives none or the case was not run.
    pub points: Arc<PointList>,
    /// The points of every case itself, without the effect of its test group.
    pub own_points: Arc<PointList>,
    /// The sum of weight * points over the cases that were run. `None` if a case of weight above 0 has no points, or if
    /// no case was run.
    pub total: Option<BigRational>,
    /// The total divided by the weights of *all* cases that were run, so that a failed case lowers it. Also `None` if
    /// all weights are 0.
    pub mean: Option<BigRational>,
    /// The number of cases with an accepted answer.
    pub accepted: usize,
    /// The number of cases that were run and have no accepted answer.
    pub failed: usize,
    /// The number of cases that were not run.
    pub skipped: usize,
}

/// The results of all solvers.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoreboard {
    /// The aggregate that the rule ranks by.
    pub aggregate: Aggregate,
    /// Whether large or small totals are good. For raw scores this is the problem's direction; all other points are
    /// better if larger.
    pub direction: Direction,
    /// The weight of each case in totals and means: its own weight, or its share of its test group's weight.
    pub weights: CaseWeights,
    /// The number of decimals that shows sums of scores exactly. 0 if all scores are integers or the rule sums points.
    pub decimals: u32,
    /// In the order of the solvers.
    pub standings: Vec<Standing>,
}

impl Scoreboard {
    /// Returns the aggregate of a standing that the rule ranks by.
    pub fn headline<'a>(&self, standing: &'a Standing) -> Option<&'a BigRational> {
        match self.aggregate {
            Aggregate::Total => standing.total.as_ref(),
            Aggregate::Mean => standing.mean.as_ref(),
        }
    }

    /// Compares two standings by the aggregate that the rule ranks by, then by fewer failures. The better one is `Greater`.
    pub fn compare(&self, left: &Standing, right: &Standing) -> Ordering {
        let numbers = self.direction.compare_known(self.headline(left), self.headline(right));
        numbers.then(right.failed.cmp(&left.failed))
    }
}

/// Applies a rule to the results of a run.
///
/// # Errors
/// Fails if a row has a wrong length or thresholds are missing.
pub fn score(rule: &Rule, results: &Results<'_>) -> Result<Scoreboard, InvalidResults> {
    results.check(rule)?;
    let direction = if rule.counts_raw_scores() { results.direction } else { Direction::Max };
    let weights = results.weights();
    let members = results.members();
    let standings = results.solvers.iter().map(|row| {
        let own_points = Arc::new(points(rule, results, row));
        let points = match &*members {
            [] => Arc::clone(&own_points),
            members => Arc::new(counted(rule, results, row, direction, &own_points, members)),
        };
        standing(row, &weights, points, own_points)
    });
    let standings = standings.collect();
    let decimals = if rule.counts_raw_scores() { decimals(results, &weights) } else { 0 };
    Ok(Scoreboard { aggregate: rule.aggregate(), direction, weights, decimals, standings })
}

fn decimals(results: &Results<'_>, weights: &CaseWeights) -> u32 {
    let scores = results.solvers.iter().flat_map(|row| &row.scores).filter_map(CaseScore::score).chain(results.failure);
    match scores.map(Score::decimals).max().unwrap_or(0) {
        0 => 0,
        of_scores if weights.are_one() => of_scores,
        of_scores => {
            let of_weights = weights.iter().filter_map(|weight| Some(Score::from_rational(&weight)?.decimals()));
            of_scores + of_weights.max().unwrap_or(0)
        }
    }
}

fn standing(row: &SolverScores, weights: &CaseWeights, points: Arc<PointList>, own_points: Arc<PointList>) -> Standing {
    let played = row.played(0..weights.len());
    let total = total(weights, &points, &played);
    let mean = mean(total.clone(), &weight_of(weights, &played));
    let accepted = row.scores.iter().filter_map(CaseScore::score).count();
    let (failed, skipped) = (played.len() - accepted, weights.len() - played.len());
    Standing { points, own_points, total, mean, accepted, failed, skipped }
}

/// Returns the total weight of some of the cases.
pub(super) fn weight_of(weights: &CaseWeights, cases: &[usize]) -> BigRational {
    if weights.are_one() {
        return BigRational::from_integer(cases.len().into());
    }
    cases.iter().map(|&case| weights.get(case)).collect::<ExactSum>().value()
}

/// Returns the sum of weight * points over cases that were run. `None` if a case of weight above 0 has no points, or if
/// there are no cases.
pub(super) fn total(weights: &CaseWeights, points: &PointList, played: &[usize]) -> Option<BigRational> {
    if played.is_empty() {
        return None;
    }
    let mut total = ExactSum::default();
    for &case in played {
        if weights.are_one() {
            total.add(&points.get(case)?);
            continue;
        }
        let weight = weights.get(case);
        if !weight.is_zero() {
            total.add(&(points.get(case)? * weight));
        }
    }
    Some(total.value())
}

/// Returns a total divided by the weight of its cases. Also `None` if that is 0.
pub(super) fn mean(total: Option<BigRational>, weight: &BigRational) -> Option<BigRational> {
    total.filter(|_| !weight.is_zero()).map(|total| total / weight)
}

/// Applies the test groups: returns the points that count for every case. If a group counts by its worst case, all its
/// cases get the points of that case. If a group is lost, all its cases count as failures. `direction` says which
/// points are good.
pub(super) fn counted(
    rule: &Rule,
    results: &Results<'_>,
    row: &SolverScores,
    direction: Direction,
    own: &PointList,
    members: &[Vec<usize>],
) -> PointList {
    let mut counted = own.clone();
    let failing = results.failing_groups(row);
    for (place, (group, cases)) in results.groups.iter().zip(members).enumerate() {
        let played = row.played(cases.iter().copied());
        let is_lost = group.aggregate == GroupAggregate::AllOrNothing && failing.contains(&place);
        let points = if is_lost || results.blocked_by(place, &failing).is_some() {
            failed(rule, results)
        } else if group.aggregate == GroupAggregate::Min {
            worst(direction, own, &played).and_then(|case| own.get(case))
        } else {
            continue;
        };
        for case in played {
            counted.set(case, points.clone());
        }
    }
    counted
}

/// Returns the first case with the worst points. A case without points is worse than all others.
pub(super) fn worst(direction: Direction, points: &PointList, cases: &[usize]) -> Option<usize> {
    let compare = |left, right| direction.compare_known(points.get(left).as_ref(), points.get(right).as_ref());
    cases.iter().copied().reduce(|worst, case| if compare(case, worst) == Ordering::Less { case } else { worst })
}

impl Results<'_> {
    /// Returns the groups in which the solver failed a case.
    pub(super) fn failing_groups(&self, row: &SolverScores) -> HashSet<usize> {
        let failed = (0..self.cases.len()).filter(|&case| row.scores[case] == CaseScore::Failed);
        failed.filter_map(|case| self.cases.at(case).group).collect()
    }

    /// Returns the first group with a failed case among the direct and indirect dependencies of a group.
    pub(super) fn blocked_by(&self, group: usize, failing: &HashSet<usize>) -> Option<usize> {
        needed_by(self.groups, group).into_iter().find(|needed| failing.contains(needed))
    }
}

/// Returns the direct and indirect dependencies of a group.
pub fn needed_by(groups: &[TestGroup], group: usize) -> Vec<usize> {
    let mut all = Vec::new();
    let mut seen = HashSet::from([group]);
    let mut next: Vec<usize> = groups[group].depends_on.iter().rev().copied().collect();
    while let Some(needed) = next.pop() {
        if seen.insert(needed) {
            all.push(needed);
            next.extend(groups[needed].depends_on.iter().rev());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Members, TestGroup, Thresholds};
    use crate::scoring::results::Terms;
    use crate::scoring::tests::Run;
    use num_bigint::BigInt;

    const MILLION: i64 = 1_000_000;

    fn group(weight: Option<&str>, aggregate: GroupAggregate) -> TestGroup {
        let weight = weight.map(|weight| weight.parse().unwrap());
        TestGroup { name: String::new(), weight, aggregate, depends_on: Vec::new(), members: Members::default() }
    }

    impl Run {
        /// Rows of scores on cases with default terms. `None` is a failure.
        fn new(direction: Direction, rows: &[&[Option<i128>]]) -> Self {
            let solvers = rows.iter().enumerate().map(|(index, row)| SolverScores {
                name: index.to_string(),
                scores: row.iter().map(|score| score.map(Score::from).into()).collect(),
            });
            Self {
                direction,
                failure: direction.failure_by_default(),
                cases: vec![Terms::default(); rows[0].len()],
                groups: Vec::new(),
                solvers: solvers.collect(),
            }
        }

        fn skip(&mut self, solver: usize, cases: &[usize]) {
            cases.iter().for_each(|&case| self.solvers[solver].scores[case] = CaseScore::Skipped);
        }

        fn standings(&self, rule: &Rule) -> Vec<Standing> {
            self.score(rule).standings
        }

        fn totals(&self, rule: &Rule) -> Vec<Option<BigRational>> {
            self.standings(rule).into_iter().map(|standing| standing.total).collect()
        }
    }

    fn ratio(numerator: i64, denominator: i64) -> Option<BigRational> {
        Some(BigRational::new(numerator.into(), denominator.into()))
    }

    fn relative() -> Rule {
        Rule::Relative { scale: MILLION.into() }
    }

    #[test]
    fn sum_and_mean_count_a_failure_as_zero_points_not_as_no_case() {
        let run = Run::new(Direction::Max, &[&[Some(10), None, Some(5)]]);
        let standing = &run.standings(&Rule::Mean)[0];
        assert_eq!((standing.total.clone(), standing.mean.clone()), (ratio(15, 1), ratio(5, 1)));
        assert_eq!((standing.accepted, standing.failed), (2, 1));
    }

    #[test]
    fn a_case_that_was_not_run_is_in_no_total_and_no_mean() {
        let rows: [&[Option<i128>]; 2] = [&[Some(10), None, None, Some(5)], &[Some(20), Some(7), None, None]];
        for direction in [Direction::Max, Direction::Min] {
            let mut run = Run::new(direction, &rows);
            run.skip(0, &[1, 2]);
            run.skip(1, &[2, 3]);
            let standings = run.standings(&Rule::Mean);
            let found: Vec<_> = standings.iter().map(|standing| (&standing.total, &standing.mean)).collect();
            assert_eq!(found, [(&ratio(15, 1), &ratio(15, 2)), (&ratio(27, 1), &ratio(27, 2))]);
            assert_eq!((standings[0].accepted, standings[0].failed), (2, 0));
            // The only solver of a case is the best one.
            let rank = run.standings(&Rule::Rank { scale: BigInt::from(24) });
            assert_eq!(
                rank[0].points.iter().collect::<Vec<_>>(),
                [ratio(if direction == Direction::Max { 12 } else { 24 }, 1), None, None, ratio(24, 1)]
            );
        }
        let mut run = Run::new(Direction::Max, &[&[None, None]]);
        run.skip(0, &[0, 1]);
        assert_eq!(run.standings(&Rule::Mean)[0].mean, None);
        run.solvers[0].scores[1] = CaseScore::Failed;
        assert_eq!(
            (run.standings(&Rule::Mean)[0].mean.clone(), run.standings(&Rule::Mean)[0].failed),
            (ratio(0, 1), 1)
        );
    }

    #[test]
    fn small_scores_have_no_sum_with_a_failure_unless_the_problem_names_a_penalty() {
        let mut run = Run::new(Direction::Min, &[&[Some(10), None], &[Some(10), Some(90)], &[Some(10), Some(300)]]);
        assert_eq!(run.totals(&Rule::Sum), [None, ratio(100, 1), ratio(310, 1)]);
        run.failure = Some(Score::from(200));
        // An accepted 300 is never worse than a failure.
        assert_eq!(run.totals(&Rule::Sum), [ratio(210, 1), ratio(100, 1), ratio(210, 1)]);
        assert_eq!(run.standings(&Rule::Mean)[0].mean, ratio(105, 1));
    }

    #[test]
    fn negative_scores_are_exact_where_the_failure_is_below_them() {
        let mut run = Run::new(Direction::Max, &[&[Some(-5), Some(2)]]);
        assert_eq!(run.totals(&Rule::Sum), [ratio(2, 1)]);
        run.failure = Some(Score::from(-1_000));
        assert_eq!(run.totals(&Rule::Sum), [ratio(-3, 1)]);
        run.failure = None;
        assert_eq!(run.totals(&Rule::Sum), [ratio(-3, 1)]);
    }

    #[test]
    fn exact_counts_accepted_cases_by_weight() {
        let mut run = Run::new(Direction::Max, &[&[Some(0), Some(7), None]]);
        assert_eq!(run.totals(&Rule::Exact), [ratio(2, 1)]);
        run.cases[1].weight = "2.5".parse().unwrap();
        assert_eq!(run.totals(&Rule::Exact), [ratio(7, 2)]);
        assert_eq!(run.standings(&Rule::Exact)[0].mean, ratio(7, 9));
    }

    fn thresholds(direction: Direction, scores: &[i64], points: Option<&[i64]>) -> Thresholds {
        let list = |scores: &[i64]| scores.iter().copied().map(Score::from).collect();
        Thresholds::new(direction, list(scores), points.map(list)).unwrap()
    }

    #[test]
    fn thresholds_with_points_of_their_own_earn_these_and_nothing_below() {
        let mut run = Run::new(Direction::Max, &[&[Some(100), Some(99), Some(50), Some(49), None]]);
        for terms in &mut run.cases {
            terms.thresholds = Some(thresholds(Direction::Max, &[100, 50], Some(&[30, 7])));
        }
        let points = [30, 7, 7, 0, 0].map(|points| ratio(points, 1));
        assert_eq!(run.standings(&"thresholds".parse().unwrap())[0].points.iter().collect::<Vec<_>>(), points);
        let new = |scores: &[i64], points: Option<Vec<Score>>| {
            Thresholds::new(Direction::Max, scores.iter().copied().map(Score::from).collect(), points).is_err()
        };
        assert!(new(&[1], None) && new(&[2, 1], Some(vec![Score::from(1)])) && new(&[], Some(Vec::new())));
        assert!(new(&[1, 2], Some(vec![Score::from(2), Score::from(1)])));
        assert!(new(&[2, 1], Some(vec![Score::from(1), Score::from(2)])));
    }

    #[test]
    fn thresholds_are_reached_by_equality_and_one_point_is_above_zero() {
        let graded = [95, 90, 89, 20, 11, 10, 9, 1, 0, -3].map(|score| Some(i128::from(score)));
        let mut run = Run::new(Direction::Max, &[&graded]);
        for terms in &mut run.cases {
            terms.thresholds = Some(thresholds(Direction::Max, &[90, 80, 70, 60, 50, 40, 30, 20, 10], None));
        }
        let points = [10, 10, 9, 3, 2, 2, 1, 1, 0, 0].map(|points| ratio(points, 1));
        assert_eq!(run.standings(&"thresholds".parse().unwrap())[0].points.iter().collect::<Vec<_>>(), points);
        run.cases[3].thresholds = None;
        let error = score(&"thresholds".parse().unwrap(), &run.results()).unwrap_err().to_string();
        assert_eq!(error, "case 3 has no thresholds, which this scoring rule needs");
    }

    #[test]
    fn thresholds_of_small_scores_are_upper_bounds() {
        let mut run = Run::new(Direction::Min, &[&[Some(10), Some(11), Some(90), Some(91), None]]);
        for terms in &mut run.cases {
            terms.thresholds = Some(thresholds(Direction::Min, &[10, 20, 30, 40, 50, 60, 70, 80, 90], None));
        }
        let points = [10, 9, 2, 1, 0].map(|points| ratio(points, 1));
        assert_eq!(run.standings(&"thresholds".parse().unwrap())[0].points.iter().collect::<Vec<_>>(), points);
    }

    #[test]
    fn relative_to_the_best_of_the_run_or_the_best_known() {
        let mut run = Run::new(Direction::Max, &[&[Some(30), None], &[Some(90), Some(4)]]);
        assert_eq!(run.totals(&relative()), [ratio(MILLION, 3), ratio(2 * MILLION, 1)]);
        run.cases[0].best_known = Some(Score::from(120));
        assert_eq!(run.totals(&relative()), [ratio(MILLION, 4), ratio(3 * MILLION / 4 + MILLION, 1)]);
        // A known best score that was beaten is not the best.
        run.cases[0].best_known = Some(Score::from(60));
        assert_eq!(run.totals(&relative())[0], ratio(MILLION, 3));
    }

    #[test]
    fn relative_where_small_scores_are_good() {
        let run = Run::new(Direction::Min, &[&[Some(30), Some(7)], &[Some(90), Some(7)]]);
        assert_eq!(run.totals(&relative()), [ratio(2 * MILLION, 1), ratio(4 * MILLION, 3)]);
    }

    #[test]
    fn relative_around_zero() {
        let points = |direction, row: [i128; 2]| {
            let run = Run::new(direction, &[&[Some(row[0])], &[Some(row[1])]]);
            run.totals(&Rule::Relative { scale: 100.into() })[0].clone()
        };
        assert_eq!(points(Direction::Max, [0, 0]), ratio(100, 1));
        assert_eq!(points(Direction::Max, [0, 9]), ratio(0, 1));
        assert_eq!(points(Direction::Max, [-4, 9]), ratio(0, 1));
        assert_eq!(points(Direction::Max, [-4, 0]), ratio(0, 1));
        assert_eq!(points(Direction::Max, [-4, -1]), ratio(25, 1));
        assert_eq!(points(Direction::Min, [0, 0]), ratio(100, 1));
        assert_eq!(points(Direction::Min, [8, 0]), ratio(0, 1));
        assert_eq!(points(Direction::Min, [-1, -4]), ratio(25, 1));
        assert_eq!(points(Direction::Min, [3, -4]), ratio(0, 1));
    }

    #[test]
    fn rank_of_four_with_a_tie_and_a_failure() {
        let run = Run::new(Direction::Max, &[&[Some(9)], &[Some(5)], &[Some(5)], &[None]]);
        let rank = Rule::Rank { scale: BigInt::from(24) };
        let rank_topcoder = Rule::RankTopCoder { scale: BigInt::from(24) };
        // AtCoder: 1 - 0/4, 1 - 1.5/4, the same. TopCoder: 3/3, 1.5/3, the same.
        let at_coder = [ratio(24, 1), ratio(15, 1), ratio(15, 1), ratio(0, 1)];
        assert_eq!(run.totals(&rank), at_coder);
        let top_coder = [ratio(24, 1), ratio(12, 1), ratio(12, 1), ratio(0, 1)];
        assert_eq!(run.totals(&rank_topcoder), top_coder);
        let lone = Run::new(Direction::Min, &[&[Some(9)]]);
        assert_eq!(lone.totals(&rank), [ratio(24, 1)]);
        assert_eq!(lone.totals(&rank_topcoder), [ratio(24, 1)]);
    }

    #[test]
    fn log_is_the_mean_logarithm_and_absent_with_a_failure() {
        let run = Run::new(Direction::Max, &[&[Some(50), Some(8)], &[Some(100), Some(2)], &[Some(100), None]]);
        let means: Vec<Option<f64>> = run
            .standings(&Rule::Log)
            .iter()
            .map(|standing| standing.mean.as_ref().and_then(num_traits::ToPrimitive::to_f64))
            .collect();
        assert!((means[0].unwrap() - 0.5_f64.ln() / 2.0).abs() < 1e-15);
        assert!((means[1].unwrap() - 0.25_f64.ln() / 2.0).abs() < 1e-15);
        assert_eq!(means[2], None);
        let small = Run::new(Direction::Min, &[&[Some(50)], &[Some(100)], &[Some(0)]]);
        assert_eq!(small.totals(&Rule::Log), [None, None, None]);
    }

    #[test]
    fn a_group_is_all_or_nothing() {
        let mut run = Run::new(Direction::Max, &[&[Some(1), None, Some(4), Some(8)], &[Some(1); 4]]);
        run.groups = vec![
            group(None, GroupAggregate::Sum),
            group(None, GroupAggregate::AllOrNothing),
            group(None, GroupAggregate::AllOrNothing),
        ];
        run.cases[0].group = Some(1);
        run.cases[1].group = Some(1);
        run.cases[2].group = Some(2);
        run.cases[3].group = Some(0);
        assert_eq!(run.totals(&Rule::Sum), [ratio(12, 1), ratio(4, 1)]);
        assert_eq!(run.totals(&Rule::Exact), [ratio(2, 1), ratio(4, 1)]);
        let standing = &run.standings(&Rule::Sum)[0];
        assert_eq!((standing.accepted, standing.failed), (3, 1));
    }

    #[test]
    fn a_failure_counts_in_a_group_that_is_not_all_or_nothing_as_anywhere() {
        let mut run = Run::new(Direction::Max, &[&[Some(1), None, Some(4)]]);
        run.groups = vec![group(None, GroupAggregate::Sum)];
        run.cases[0].group = Some(0);
        run.cases[1].group = Some(0);
        assert_eq!(run.totals(&Rule::Sum), [ratio(5, 1)]);
    }

    /// Two subtasks of 30 and 70 points, as at an olympiad. The cases of the second one have the weights 1 and 3.
    #[test]
    fn the_weight_of_a_group_is_shared_by_its_cases() {
        let mut run = Run::new(
            Direction::Max,
            &[
                &[Some(5), Some(5), Some(5), Some(5)],
                &[Some(5), None, Some(5), Some(5)],
                &[Some(5), Some(5), None, Some(5)],
            ],
        );
        run.groups = vec![group(Some("30"), GroupAggregate::AllOrNothing), group(Some("70"), GroupAggregate::Sum)];
        for (terms, group) in run.cases.iter_mut().zip([0, 0, 1, 1]) {
            terms.group = Some(group);
        }
        run.cases[3].weight = "3".parse().unwrap();
        let board = run.score(&Rule::Exact);
        assert_eq!(
            board.weights.iter().map(Some).collect::<Vec<_>>(),
            [ratio(15, 1), ratio(15, 1), ratio(35, 2), ratio(105, 2)]
        );
        assert_eq!(run.totals(&Rule::Exact), [ratio(100, 1), ratio(70, 1), ratio(165, 2)]);
        assert_eq!(board.standings[2].mean, ratio(33, 40));
        let second_group = total(&board.weights, &board.standings[2].points, &[2, 3]);
        assert_eq!(second_group, ratio(105, 2));
        assert_eq!(mean(second_group, &weight_of(&board.weights, &[2, 3])), ratio(3, 4));
    }

    #[test]
    fn a_group_whose_cases_weigh_nothing_weighs_nothing() {
        let mut run = Run::new(Direction::Max, &[&[Some(3), Some(4)]]);
        run.groups = vec![group(Some("30"), GroupAggregate::AllOrNothing)];
        run.cases[0] = Terms { weight: "0".parse().unwrap(), group: Some(0), ..Terms::default() };
        assert_eq!(run.totals(&Rule::Sum), [ratio(4, 1)]);
    }

    #[test]
    fn weights_failure_and_groups_together() {
        // The penalty of 200 replaces the failure and, because the group is all-or-nothing, also the 10.
        let mut run = Run::new(Direction::Min, &[&[Some(10), None, Some(40)]]);
        run.failure = Some(Score::from(200));
        run.groups = vec![group(Some("2/3"), GroupAggregate::AllOrNothing)];
        run.cases[0].group = Some(0);
        run.cases[1].group = Some(0);
        run.cases[2].weight = "0.5".parse().unwrap();
        assert_eq!(
            run.totals(&Rule::Sum),
            [ratio(200 * 2, 3).map(|group| group + BigRational::from_integer(20.into()))]
        );
        assert_eq!(run.standings(&Rule::Mean)[0].mean, ratio(460, 3).map(|total| total / ratio(7, 6).unwrap()));
    }

    #[test]
    fn a_scale_scales_the_points() {
        let run = Run::new(Direction::Max, &[&[Some(1)], &[Some(3)]]);
        let thousand = |name: &str| name.parse::<Rule>().unwrap().with_scale(1_000.into());
        assert_eq!(run.totals(&thousand("relative")), [ratio(1_000, 3), ratio(1_000, 1)]);
        assert_eq!(run.totals(&thousand("rank")), [ratio(500, 1), ratio(1_000, 1)]);
        assert_eq!(run.totals(&thousand("rank-topcoder")), [ratio(0, 1), ratio(1_000, 1)]);
    }

    #[test]
    fn scores_beyond_two_to_the_64_and_ten_to_the_40_stay_exact() {
        let huge = 10_i128.pow(38);
        let mut run = Run::new(Direction::Max, &[&[Some(huge + 1), Some(1 << 70)], &[Some(huge), None]]);
        for row in &mut run.solvers {
            // 10^38 + 1 becomes 10^42 + 10^4.
            let score = row.scores[0].score().unwrap().as_integer().unwrap().into_owned();
            row.scores[0] = CaseScore::Accepted(Score::from(score * 10_000));
        }
        let total = run.totals(&Rule::Sum)[0].clone().unwrap();
        let expected: BigInt = BigInt::from(10).pow(42) + 10_000 + (BigInt::from(1) << 70);
        assert_eq!(total, BigRational::from_integer(expected));
        let second = run.totals(&Rule::Relative { scale: 1.into() })[1].clone().unwrap();
        assert_eq!(second, BigRational::new(huge.into(), (huge + 1).into()));
    }

    #[test]
    fn cases_without_weight_do_not_matter() {
        let mut run = Run::new(Direction::Min, &[&[Some(3), None]]);
        run.cases[1].weight = "0".parse().unwrap();
        assert_eq!(run.totals(&Rule::Sum), [ratio(3, 1)]);
        run.cases[0].weight = "0".parse().unwrap();
        assert_eq!(run.standings(&Rule::Sum)[0].mean, None);
    }

    #[test]
    fn results_that_do_not_fit_are_refused() {
        let mut run = Run::new(Direction::Max, &[&[Some(3), Some(4)]]);
        run.cases.pop();
        let error = score(&Rule::Sum, &run.results()).unwrap_err().to_string();
        assert_eq!(error, "solver 0 has 2 results for 1 cases");
    }
}
