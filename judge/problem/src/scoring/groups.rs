//! The results of the solvers on the cases of each value of a feature.

use super::results::{InvalidResults, Results};
use super::scoreboard::{Scoreboard, score};
use crate::model::{Number, Rule};
use num_rational::BigRational;
use std::collections::BTreeMap;

/// The cases of a run, grouped by a feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouping {
    /// The feature's name.
    pub by: String,
    /// The decimals that show sums of scores, and of points, exactly, as in [`Scoreboard`].
    pub score_decimals: u32,
    /// The same of points.
    pub point_decimals: u32,
    /// By value; the cases without the feature come last.
    pub groups: Vec<FeatureGroup>,
}

/// The cases with the same value.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureGroup {
    /// The value; `None` for the cases without one.
    pub value: Option<Number>,
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
    /// The mean score by the rule `mean`: a failed case lowers it, or leaves none.
    pub mean_score: Option<BigRational>,
    /// The mean points by the run's own rule.
    pub mean_points: Option<BigRational>,
}

/// Groups the cases by value, and averages over each group. `values` has an entry for each case.
///
/// # Errors
/// Invalid results, as in [`score`].
pub fn group_by_feature(
    by: &str,
    values: &[Option<Number>],
    rule: &Rule,
    results: &Results<'_>,
) -> Result<Grouping, InvalidResults> {
    // Ordered with the absent value last.
    let mut members: BTreeMap<(bool, Option<&Number>), Vec<usize>> = BTreeMap::new();
    for (case, value) in values.iter().enumerate() {
        members.entry((value.is_none(), value.as_ref())).or_default().push(case);
    }
    let (by_score, by_points) = (score(&Rule::Mean, results)?, score(rule, results)?);
    let groups = members.into_iter().map(|((_, value), cases)| FeatureGroup {
        value: value.cloned(),
        cases: cases.len(),
        rows: (0..results.solvers.len()).map(|solver| row(results, &by_score, &by_points, solver, &cases)).collect(),
    });
    let (score_decimals, point_decimals) = (by_score.decimals, by_points.decimals);
    Ok(Grouping { by: by.to_owned(), score_decimals, point_decimals, groups: groups.collect() })
}

fn row(
    results: &Results<'_>,
    by_score: &Scoreboard,
    by_points: &Scoreboard,
    solver: usize,
    cases: &[usize],
) -> GroupRow {
    let own = &results.solvers[solver];
    GroupRow {
        accepted: cases.iter().filter(|&&case| own.scores[case].is_some()).count(),
        skipped: cases.iter().filter(|&&case| !own.has_run(case)).count(),
        mean_score: by_score.mean_over(&by_score.standings[solver], cases),
        mean_points: by_points.mean_over(&by_points.standings[solver], cases),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Direction;
    use crate::scoring::{CaseSet, CaseTerms, SolverScores, Terms};
    use checkers::Score;

    #[test]
    fn each_group_has_its_own_means() {
        let scores = |row: [Option<i32>; 4]| row.map(|score| score.map(Score::from)).to_vec();
        let solvers = [
            SolverScores {
                name: "a".to_owned(),
                scores: scores([Some(10), Some(7), None, Some(1)]),
                skipped: CaseSet::default(),
            },
            SolverScores {
                name: "b".to_owned(),
                scores: scores([Some(20), Some(7), Some(4), Some(1)]),
                skipped: CaseSet::default(),
            },
        ];
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
        let values = [Some(Number::from(5)), None, Some(Number::from(5)), Some(Number::from(-3))];
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
}
