//! The comparison on the cases whose feature lies in one range.

use super::{Inference, PairedComparison, TestParameters, infer_fixed};
use judge_problem::Number;

/// The number of distinct values up to which each is a range of its own.
const MOST_VALUES: usize = 10;

/// The number of ranges of about equal size for more values.
const RANGES: usize = 4;

/// A case with the value of the feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureValue {
    /// The case, by its place in the plan.
    pub case: usize,
    /// The value.
    pub value: Number,
}

/// The cases whose values lie in one range.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureRange {
    /// The smallest value.
    pub low: Number,
    /// The largest value.
    pub high: Number,
    /// The comparison on these cases.
    pub paired: PairedComparison,
    /// The inference from it.
    pub inference: Inference,
}

/// Splits a comparison by a feature: by its values, or into quarters of the cases if there are many values.
#[must_use]
pub fn by_feature(
    paired: &PairedComparison,
    mut cases: Vec<FeatureValue>,
    parameters: TestParameters,
) -> Vec<FeatureRange> {
    cases.sort_by(|left, right| left.value.cmp(&right.value));
    ranges(&cases).into_iter().filter_map(|members| on(paired, members, parameters)).collect()
}

/// Splits the cases, which are sorted by value, but never between equal values.
fn ranges(cases: &[FeatureValue]) -> Vec<&[FeatureValue]> {
    let values: Vec<&[FeatureValue]> = cases.chunk_by(|left, right| left.value == right.value).collect();
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

fn on(paired: &PairedComparison, members: &[FeatureValue], parameters: TestParameters) -> Option<FeatureRange> {
    let is_member = |case: usize| members.iter().any(|member| member.case == case);
    let mut part = paired.clone();
    part.retain(is_member);
    let inference = infer_fixed(&part, parameters);
    let (low, high) = (members.first()?.value.clone(), members.last()?.value.clone());
    Some(FeatureRange { low, high, paired: part, inference })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(values: impl Iterator<Item = i64>) -> Vec<usize> {
        let mut cases: Vec<_> =
            values.enumerate().map(|(case, value)| FeatureValue { case, value: value.into() }).collect();
        cases.sort_by(|left, right| left.value.cmp(&right.value));
        ranges(&cases).iter().map(|range| range.len()).collect()
    }

    #[test]
    fn few_values_are_ranges_and_many_are_quarters() {
        assert_eq!(sizes((0..30).map(|case| case % 3)), [10, 10, 10]);
        assert_eq!(sizes(0..40), [10, 10, 10, 10]);
        // Equal values stay together even if the sizes become unequal.
        assert_eq!(sizes((0..11).chain(std::iter::repeat_n(0, 29))), [30, 4, 3, 3]);
        assert_eq!(sizes(std::iter::empty()), Vec::<usize>::new());
    }
}
