//! The memory of a server: results of candidates, and the best candidate on each set of cases. Its size is bounded.

use judge_problem::{Digest, Features, Outcome};
use lru::LruCache;
use std::collections::HashMap;
use std::hash::Hash;
use std::path::PathBuf;
use std::sync::Arc;

/// A map whose values have weights. When their sum is too large, the least recently used values are dropped.
pub(crate) struct Bounded<K: Hash + Eq, V> {
    entries: LruCache<K, (V, usize)>,
    weight: usize,
    bound: usize,
}

impl<K: Hash + Eq, V> Bounded<K, V> {
    pub(crate) fn new(bound: usize) -> Self {
        Self { entries: LruCache::unbounded(), weight: 0, bound }
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        self.entries.get(key).map(|(value, _)| value)
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let (value, weight) = self.entries.pop(key)?;
        self.weight -= weight;
        Some(value)
    }

    /// Stores a value, which replaces the one before. A value that exceeds the bound by itself is not stored.
    pub(crate) fn put(&mut self, key: K, value: V, weight: usize) {
        self.remove(&key);
        if weight > self.bound {
            return;
        }
        self.entries.push(key, (value, weight));
        self.weight += weight;
        while self.weight > self.bound
            && let Some((_, (_, weight))) = self.entries.pop_lru()
        {
            self.weight -= weight;
        }
    }
}

/// What identifies a case across requests: its seed, or its file with the contents that it and its answer file had.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum CaseKey {
    Seed(u64),
    /// A seed with parameters, as a case is named by them.
    Made(String),
    File(PathBuf, [Option<Digest>; 2]),
}

impl CaseKey {
    /// Returns the hash that decides when the case is played: no candidate changes it.
    pub(crate) fn digest(&self) -> Digest {
        match self {
            Self::Seed(seed) => Digest::of_parts([&b"seed"[..], &seed.to_le_bytes()]),
            Self::Made(call) => Digest::of_parts([&b"made"[..], call.as_bytes()]),
            Self::File(path, contents) => {
                let [input, answer] = contents.map(|content| content.map(|content| content.0).unwrap_or_default());
                Digest::of_parts([path.as_os_str().as_encoded_bytes(), &input, &answer])
            }
        }
    }
}

/// A result of a candidate on a case.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) outcome: Outcome,
    pub(crate) features: Option<Arc<Features>>,
    /// The hash of the input.
    pub(crate) input: Option<Digest>,
}

impl Row {
    /// About how many bytes it takes.
    fn weight(&self) -> usize {
        let texts = self.outcome.note.len() + self.outcome.stderr.len();
        let features = self.features.as_ref().map_or(0, |features| features.iter().count() * size_of::<[usize; 6]>());
        // Each metric has a name of its own.
        let metrics = self.outcome.metrics.iter().count() * size_of::<[usize; 12]>();
        size_of::<Self>() + size_of::<CaseKey>() + texts + features + metrics + 64
    }
}

/// Results by case.
pub(crate) type Rows = HashMap<CaseKey, Arc<Row>>;

/// About how many bytes the tables of a candidate's results take.
const TABLES: usize = 512;

fn weight(rows: &Rows) -> usize {
    TABLES + rows.values().map(|row| row.weight()).sum::<usize>()
}

/// The best candidate on a set of cases, with its results.
#[derive(Clone)]
pub(crate) struct Best {
    pub(crate) candidate: String,
    pub(crate) rows: Arc<Rows>,
}

/// The maximal number of bytes of remembered results, and of the results of the best candidates.
const RESULTS_BOUND: usize = 64 << 20;
const BEST_BOUND: usize = 64 << 20;

/// The memory of a server.
pub(crate) struct Known {
    /// By candidate and conditions.
    results: Bounded<Digest, Rows>,
    /// By cases and conditions.
    best: Bounded<Digest, Best>,
}

impl Known {
    pub(crate) fn new() -> Self {
        Self { results: Bounded::new(RESULTS_BOUND), best: Bounded::new(BEST_BOUND) }
    }

    /// Returns the results of a candidate under these conditions.
    pub(crate) fn rows(&mut self, conditions: &Digest, cases: &[CaseKey]) -> Rows {
        let Some(rows) = self.results.get(conditions) else { return Rows::new() };
        cases.iter().filter_map(|case| Some((case.clone(), Arc::clone(rows.get(case)?)))).collect()
    }

    /// Adds results of a candidate under these conditions.
    pub(crate) fn add(&mut self, conditions: Digest, rows: &Rows) {
        let mut all = self.results.remove(&conditions).unwrap_or_default();
        all.extend(rows.iter().map(|(case, row)| (case.clone(), Arc::clone(row))));
        let weight = weight(&all);
        self.results.put(conditions, all, weight);
    }

    /// Returns the best candidate on these cases under these conditions.
    pub(crate) fn best(&mut self, cases: &Digest) -> Option<Best> {
        self.best.get(cases).cloned()
    }

    /// Sets the best candidate on these cases.
    pub(crate) fn set_best(&mut self, cases: Digest, best: Best) {
        let weight = weight(&best.rows);
        self.best.put(cases, best, weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_is_dropped() {
        let mut bounded = Bounded::new(10);
        for key in 0..3 {
            bounded.put(key, key, 4);
        }
        assert_eq!((bounded.get(&0).copied(), bounded.get(&1).copied()), (None, Some(1)));
        bounded.put(3, 3, 4);
        let left = [1, 2].map(|key| bounded.get(&key).copied());
        assert_eq!((left, bounded.weight), ([Some(1), None], 8));
        bounded.put(1, 9, 11);
        assert_eq!((bounded.get(&1).copied(), bounded.weight), (None, 4));
    }

    #[test]
    fn a_million_results_stay_within_the_bound() {
        let mut known = Known::new();
        let outcome = Outcome::without_run(judge_problem::Verdict::WrongAnswer, "x".repeat(1000));
        let row = Arc::new(Row { outcome, features: None, input: None });
        for candidate in 0..100_000_u64 {
            let rows = Rows::from([(CaseKey::Seed(candidate), Arc::clone(&row))]);
            known.add(CaseKey::Seed(candidate).digest(), &rows);
        }
        assert!(known.results.weight <= RESULTS_BOUND && known.results.entries.len() > 1000);
    }
}
