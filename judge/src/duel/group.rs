//! The duel on the cases of one kind.

use super::{Duel, Ruling, Stakes, judge_fixed};
use crate::model::Number;

/// Up to so many values, each is a group of its own; more are put together.
const MOST_VALUES: usize = 10;

/// Into so many groups of about the same size.
const RANGES: usize = 4;

/// A case with the value of the feature that the groups are made by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// The case, by its place in the plan.
    pub case: usize,
    /// The value.
    pub value: Number,
}

/// The cases whose values lie in one range.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The smallest value.
    pub low: Number,
    /// The largest value.
    pub high: Number,
    /// The duel on these cases.
    pub duel: Duel,
    /// What follows from it.
    pub ruling: Ruling,
}

/// Groups a duel by a feature: by its values, or by quarters of the cases where there are many.
#[must_use]
pub fn group(duel: &Duel, mut cases: Vec<Described>, stakes: Stakes) -> Vec<Group> {
    cases.sort_by(|left, right| left.value.cmp(&right.value));
    ranges(&cases).into_iter().filter_map(|members| on(duel, members, stakes)).collect()
}

/// Splits the cases, which are sorted by value, and never between equal values.
fn ranges(cases: &[Described]) -> Vec<&[Described]> {
    let values: Vec<&[Described]> = cases.chunk_by(|left, right| left.value == right.value).collect();
    if values.len() <= MOST_VALUES {
        return values;
    }
    let mut ranges = Vec::new();
    let mut rest = cases;
    for left in (1..=RANGES).rev() {
        let wanted = rest.len().div_ceil(left);
        let Some(last) = wanted.checked_sub(1).map(|last| &rest[last].value) else { break };
        let (range, more) = rest.split_at(rest.partition_point(|case| case.value <= *last));
        ranges.push(range);
        rest = more;
    }
    ranges
}

fn on(duel: &Duel, members: &[Described], stakes: Stakes) -> Option<Group> {
    let is_member = |case: &usize| members.iter().any(|member| member.case == *case);
    let only = |cases: &[usize]| cases.iter().copied().filter(is_member).collect();
    let mut part = duel.clone();
    part.pairs.retain(|pair| is_member(&pair.case));
    part.failures.first = only(&duel.failures.first);
    part.failures.second = only(&duel.failures.second);
    part.failures.both = only(&duel.failures.both);
    let ruling = judge_fixed(&part, stakes);
    let (low, high) = (members.first()?.value.clone(), members.last()?.value.clone());
    Some(Group { low, high, duel: part, ruling })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(values: impl Iterator<Item = i64>) -> Vec<usize> {
        let mut cases: Vec<_> =
            values.enumerate().map(|(case, value)| Described { case, value: value.into() }).collect();
        cases.sort_by(|left, right| left.value.cmp(&right.value));
        ranges(&cases).iter().map(|range| range.len()).collect()
    }

    #[test]
    fn few_values_are_groups_and_many_are_quarters() {
        assert_eq!(sizes((0..30).map(|case| case % 3)), [10, 10, 10]);
        assert_eq!(sizes(0..40), [10, 10, 10, 10]);
        // Equal values stay together, whatever that does to the sizes.
        assert_eq!(sizes((0..11).chain(std::iter::repeat_n(0, 29))), [30, 4, 3, 3]);
        assert_eq!(sizes(std::iter::empty()), Vec::<usize>::new());
    }
}
