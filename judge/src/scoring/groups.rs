//! How the solvers fared on cases of one kind: those that have the same value of a feature.

use super::results::{InvalidResults, Results};
use super::scoreboard::{Scoreboard, score};
use crate::model::{Number, Rule};
use num_rational::BigRational;
use std::collections::BTreeMap;

/// The cases of a run by a feature's value.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouping {
    /// The feature's name.
    pub by: String,
    /// By value; the cases that do not have the feature come last.
    pub groups: Vec<Group>,
}

/// The cases that have the same value.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The value; `None` for the cases that have none.
    pub value: Option<Number>,
    /// How many cases there are.
    pub cases: usize,
    /// How each solver fared on them, in the order of the solvers.
    pub rows: Vec<GroupRow>,
}

/// How a solver fared on a group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupRow {
    /// Cases with an accepted answer.
    pub accepted: usize,
    /// The mean score by the rule `mean`: failed cases pull it down, or leave none.
    pub mean_score: Option<BigRational>,
    /// The mean points by the run's own rule.
    pub mean_points: Option<BigRational>,
}

/// Puts the cases of equal value together, and averages over each group. `values` has an entry for each case.
///
/// # Errors
/// What makes the whole run's results invalid.
pub fn group(
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
    let groups = members.into_iter().map(|((_, value), cases)| Group {
        value: value.cloned(),
        cases: cases.len(),
        rows: (0..results.solvers.len()).map(|solver| row(results, &by_score, &by_points, solver, &cases)).collect(),
    });
    Ok(Grouping { by: by.to_owned(), groups: groups.collect() })
}

fn row(
    results: &Results<'_>,
    by_score: &Scoreboard,
    by_points: &Scoreboard,
    solver: usize,
    cases: &[usize],
) -> GroupRow {
    GroupRow {
        accepted: cases.iter().filter(|&&case| results.solvers[solver].scores[case].is_some()).count(),
        mean_score: by_score.mean_over(&by_score.standings[solver], cases),
        mean_points: by_points.mean_over(&by_points.standings[solver], cases),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Direction;
    use crate::scoring::{SolverScores, Terms};
    use checkers::Score;

    #[test]
    fn each_group_has_its_own_means() {
        let scores = |row: [Option<i32>; 4]| row.map(|score| score.map(Score::from)).to_vec();
        let solvers = [
            SolverScores { name: "a".to_owned(), scores: scores([Some(10), Some(7), None, Some(1)]) },
            SolverScores { name: "b".to_owned(), scores: scores([Some(20), Some(7), Some(4), Some(1)]) },
        ];
        let cases = vec![Terms::default(); 4];
        let failure = Score::from(0);
        let failure = Some(&failure);
        let results = Results { direction: Direction::Max, failure, cases: &cases, groups: &[], solvers: &solvers };
        let values = [Some(Number::from(5)), None, Some(Number::from(5)), Some(Number::from(-3))];
        let Grouping { by, groups } = group("N", &values, &Rule::Exact, &results).unwrap();
        assert_eq!(by, "N");
        let value = |group: &Group| group.value.as_ref().map(ToString::to_string);
        assert_eq!(groups.iter().map(value).collect::<Vec<_>>(), [Some("-3".to_owned()), Some("5".to_owned()), None]);
        assert_eq!(groups.iter().map(|group| group.cases).collect::<Vec<_>>(), [1, 2, 1]);
        let ratio = |numerator: i32, denominator: i32| Some(BigRational::new(numerator.into(), denominator.into()));
        assert_eq!(
            groups[1].rows,
            [
                GroupRow { accepted: 1, mean_score: ratio(5, 1), mean_points: ratio(1, 2) },
                GroupRow { accepted: 2, mean_score: ratio(12, 1), mean_points: ratio(1, 1) },
            ]
        );
    }
}
