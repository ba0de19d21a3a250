//! The order in which a user wants the rows of a table of cases, and how many of them.

use num_rational::BigRational;
use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// What rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKey {
    /// The raw score.
    Score,
    /// The points by the scoring rule.
    Points,
    /// CPU time.
    Cpu,
    /// Peak memory.
    Memory,
    /// What is missing to the best: of the points, of the score, or to the other solver of a comparison.
    Lost,
}

impl RowKey {
    /// Every key, by name.
    const NAMED: [(&str, Self); 5] = [
        ("score", Self::Score),
        ("points", Self::Points),
        ("cpu", Self::Cpu),
        ("memory", Self::Memory),
        ("lost", Self::Lost),
    ];

    /// Returns every name, as [`RowKey::from_str`] takes it.
    #[must_use]
    pub fn names() -> [&'static str; 5] {
        Self::NAMED.map(|(name, _)| name)
    }

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, key)| *key == self).map_or("", |(name, _)| name)
    }

    /// Returns whether a row without a value is worse than every other one: it has no accepted answer. Of times and sizes the
    /// value is only unknown.
    fn is_absent_worst(self) -> bool {
        matches!(self, Self::Score | Self::Points | Self::Lost)
    }
}

impl FromStr for RowKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::NAMED.iter().find(|(name, _)| *name == text);
        named.map(|(_, key)| *key).ok_or_else(|| format!("expected one of {}", Self::names().join(", ")))
    }
}

/// The order of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOrder {
    /// What they are sorted by.
    pub key: RowKey,
    /// Whether the best come first; otherwise the worst do.
    pub best_first: bool,
    /// How many rows are shown, if the user says so.
    pub top: Option<NonZeroUsize>,
}

impl RowOrder {
    /// Returns the rows in this order, all of them. Each row comes with how bad it is: larger is worse. Equally bad rows keep their
    /// order.
    #[must_use]
    pub fn sorted<T>(&self, mut rows: Vec<(Option<BigRational>, T)>) -> Vec<T> {
        rows.sort_by(|(left, _), (right, _)| self.compare(left.as_ref(), right.as_ref()));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn compare(&self, left: Option<&BigRational>, right: Option<&BigRational>) -> Ordering {
        let in_order = |order: Ordering| if self.best_first { order } else { order.reverse() };
        match (left, right) {
            (Some(left), Some(right)) => in_order(left.cmp(right)),
            _ if self.key.is_absent_worst() => in_order(left.is_none().cmp(&right.is_none())),
            _ => left.is_none().cmp(&right.is_none()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(key: &str, best_first: bool) -> Vec<usize> {
        let badness = [Some(2), None, Some(3), Some(1), Some(3)];
        let rows = badness
            .into_iter()
            .enumerate()
            .map(|(place, bad)| (bad.map(|bad| BigRational::from_integer(bad.into())), place));
        let key = key.parse().expect("a key");
        RowOrder { key, best_first, top: None }.sorted(rows.collect())
    }

    #[test]
    fn failures_are_the_worst_scores() {
        assert_eq!(order("score", false), [1, 2, 4, 0, 3]);
        assert_eq!(order("lost", true), [3, 0, 2, 4, 1]);
    }

    #[test]
    fn unknown_times_come_last_in_both_orders() {
        assert_eq!(order("cpu", false), [2, 4, 0, 3, 1]);
        assert_eq!(order("memory", true), [3, 0, 2, 4, 1]);
    }

    #[test]
    fn every_name_is_read() {
        assert!(RowKey::names().iter().all(|name| name.parse::<RowKey>().is_ok()));
        assert_eq!("wall".parse::<RowKey>(), Err("expected one of score, points, cpu, memory, lost".to_owned()));
    }
}
