//! What a case counts as in its test group.

use super::points::PointList;
use super::results::{Results, SolverScores};
use super::rules::failed;
use crate::model::{Direction, GroupAggregate, Rule};
use std::cmp::Ordering;
use std::collections::HashSet;

/// Returns the points that every case counts as, of its own points: in a group that counts by its worst case those of the
/// worst, in one that is lost those of a failure. `direction` is that of the points.
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
        let played: Vec<usize> = cases.iter().copied().filter(|&case| row.has_run(case)).collect();
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

/// Returns the first case of those with the worst points. A case without points is worse than any other.
pub(super) fn worst(direction: Direction, points: &PointList, cases: &[usize]) -> Option<usize> {
    let compare = |left: usize, right: usize| match (points.get(left), points.get(right)) {
        (Some(left), Some(right)) => direction.compare(&left, &right),
        (left, right) => left.is_some().cmp(&right.is_some()),
    };
    cases.iter().copied().reduce(|worst, case| if compare(case, worst) == Ordering::Less { case } else { worst })
}

impl Results<'_> {
    /// Returns the groups in which the solver failed a case.
    pub(super) fn failing_groups(&self, row: &SolverScores) -> HashSet<usize> {
        let failed = (0..self.cases.len()).filter(|&case| row.has_failed(case));
        failed.filter_map(|case| self.cases.at(case).group).collect()
    }

    /// Returns the group that keeps a solver from this one: the first one with a failed case among those that it depends
    /// on, and those that they depend on.
    pub(super) fn blocked_by(&self, group: usize, failing: &HashSet<usize>) -> Option<usize> {
        let mut seen = HashSet::from([group]);
        let mut next: Vec<usize> = self.groups[group].depends_on.iter().rev().copied().collect();
        while let Some(needed) = next.pop() {
            if failing.contains(&needed) {
                return Some(needed);
            }
            if seen.insert(needed) {
                next.extend(self.groups[needed].depends_on.iter().rev());
            }
        }
        None
    }
}
