//! Sets of seeds, as ranges.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A set of seeds, as ranges that do not overlap.
#[derive(Debug, Default)]
pub(super) struct SeedRanges(BTreeMap<u64, u64>);

impl SeedRanges {
    /// Adds seeds.
    pub(super) fn add(&mut self, seeds: RangeInclusive<u64>) {
        if seeds.is_empty() {
            return;
        }
        let (mut first, mut last) = seeds.into_inner();
        // Neighbours become one range, so that a set built seed by seed stays small.
        let before = self.0.range(..=first).next_back().filter(|(_, end)| first <= end.saturating_add(1));
        if let Some((&start, &end)) = before {
            (first, last) = (start, last.max(end));
        }
        while let Some((&start, &end)) = self.0.range(first..=last.saturating_add(1)).next() {
            last = last.max(end);
            self.0.remove(&start);
        }
        self.0.insert(first, last);
    }

    /// Returns the ranges of the set, in order.
    pub(super) fn all(self) -> Vec<RangeInclusive<u64>> {
        self.0.into_iter().map(|(first, last)| first..=last).collect()
    }

    /// Returns the seeds of a range that are in the set, in order.
    pub(super) fn shared(&self, seeds: &RangeInclusive<u64>) -> Vec<RangeInclusive<u64>> {
        if seeds.is_empty() {
            return Vec::new();
        }
        let before = self.0.range(..seeds.start()).next_back();
        let overlapping = before.into_iter().chain(self.0.range(seeds.clone()));
        let shared = overlapping.map(|(start, end)| *start.max(seeds.start())..=*end.min(seeds.end()));
        shared.filter(|range| !range.is_empty()).collect()
    }

    /// Returns the first seed of a range that is in the set.
    pub(super) fn first_shared(&self, seeds: &RangeInclusive<u64>) -> Option<u64> {
        self.shared(seeds).first().map(|range| *range.start())
    }

    /// Returns whether a seed is in the set.
    pub(super) fn contains(&self, seed: u64) -> bool {
        self.first_shared(&(seed..=seed)).is_some()
    }
}
