//! The best moves that were found from all boards of a beam.

use super::game::Swap;
use std::cmp::Reverse;

/// A position that could follow.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// What the board is worth.
    pub(super) value: i32,
    /// The place of the board before in the beam.
    pub(super) parent: u32,
    /// Tells boards apart.
    pub(super) hash: u64,
    pub(super) swap: Swap,
    /// Whether the move completes no square.
    pub(super) quiet: bool,
}

/// The best candidates so far, and perhaps some more.
pub(super) struct Best {
    candidates: Vec<Candidate>,
    /// How many are wanted.
    width: usize,
    /// How many are kept when there are too many: more than are wanted, since some are equal.
    kept: usize,
    /// Values up to this are not among the best.
    threshold: i32,
}

impl Best {
    pub(super) fn new(width: usize) -> Self {
        let kept = 2 * width;
        Self { candidates: Vec::with_capacity(2 * kept), width, kept, threshold: i32::MIN }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    pub(super) fn would_take(&self, value: i32) -> bool {
        value > self.threshold
    }

    pub(super) fn add(&mut self, candidate: Candidate) {
        self.candidates.push(candidate);
        if self.candidates.len() >= 2 * self.kept {
            let (_, worst, _) = self.candidates.select_nth_unstable_by_key(self.kept - 1, Candidate::rank);
            self.threshold = worst.value;
            self.candidates.truncate(self.kept);
        }
    }

    /// Returns the best candidates that lead to different boards, the best first.
    pub(super) fn into_different(mut self) -> Vec<Candidate> {
        self.candidates.sort_unstable_by_key(Candidate::rank);
        // Equal boards after as many moves and squares have equal values: they stand side by side.
        self.candidates.dedup_by_key(|candidate| (candidate.value, candidate.hash));
        self.candidates.truncate(self.width);
        self.candidates
    }
}

impl Candidate {
    /// Returns what orders candidates from the best to the worst, the same in every run.
    fn rank(&self) -> impl Ord + use<> {
        (Reverse(self.value), self.hash, self.quiet, self.parent, self.swap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_different_candidates_remain() {
        let mut best = Best::new(3);
        for value in (0..50).chain(0..50) {
            let candidate = Candidate { value, parent: 0, hash: value as u64, swap: Swap::default(), quiet: false };
            if best.would_take(value) {
                best.add(candidate);
            }
        }
        let values: Vec<i32> = best.into_different().iter().map(|candidate| candidate.value).collect();
        assert_eq!(values, [49, 48, 47]);
    }
}
