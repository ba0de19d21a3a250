//! Tools of every search: a clock with its time limit, and a random generator with the same numbers in every run.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustix::time::{ClockId, clock_gettime};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The environment variable with the number of seconds that a solution may take, such as `2.5`. Without it, a solution
/// uses the limit of its problem, minus a margin.
pub const TIME_LIMIT_VARIABLE: &str = "SOLVER_TIME_LIMIT";

/// How much more wall time than processor time a search may take on a busy machine. Judges limit both.
const PATIENCE: f64 = 2.0;

/// Measures the time since a solution started, as processor time of its thread, so that other programs do not count.
#[derive(Debug)]
pub(crate) struct Clock {
    limit: f64,
    processor: Duration,
    wall: Instant,
}

impl Clock {
    /// Starts the clock with the limit from the environment, or else with this one, in seconds.
    pub(crate) fn start(default_limit: f64) -> Self {
        let setting = std::env::var(TIME_LIMIT_VARIABLE).ok().and_then(|text| text.parse().ok());
        let limit = setting.filter(|limit: &f64| limit.is_finite() && *limit >= 0.0).unwrap_or(default_limit);
        Self { limit, processor: processor_time(), wall: Instant::now() }
    }

    /// Returns the used share of the limit. It is above 1 when no time is left.
    pub(crate) fn used(&self) -> f64 {
        let processor = (processor_time() - self.processor).as_secs_f64();
        let wall = self.wall.elapsed().as_secs_f64() / PATIENCE;
        // A limit of 0 is used up at once.
        processor.max(wall) / self.limit.max(f64::MIN_POSITIVE)
    }
}

fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("the clock shows no negative time")
}

/// Returns a number rounded down; 0 for a negative or unknown one. Searches use it to compute a width from the
/// remaining time.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats saturate")]
pub(crate) fn whole(number: f64) -> usize {
    number as usize
}

/// The moves of all games of a search. Each move has a number and follows another one; number 0 is the start.
#[derive(Debug)]
pub(crate) struct History<M> {
    /// The moves, the first with the number 1, and the number of the move before each.
    moves: Vec<(M, u32)>,
}

impl<M> History<M> {
    pub(crate) fn new() -> Self {
        Self { moves: Vec::new() }
    }

    /// Adds a move after another one and returns its number.
    pub(crate) fn add(&mut self, played: M, before: u32) -> u32 {
        self.moves.push((played, before));
        u32::try_from(self.moves.len()).expect("a search plays fewer than 2^32 moves")
    }

    /// Returns the moves from a move back to the first one.
    pub(crate) fn back_from(&self, last: u32) -> impl Iterator<Item = &M> {
        let mut number = last;
        std::iter::from_fn(move || {
            let (played, before) = &self.moves[number.checked_sub(1)? as usize];
            number = *before;
            Some(played)
        })
    }

    /// Returns the moves from the first one to this move.
    pub(crate) fn up_to(&self, last: u32) -> Vec<M>
    where
        M: Clone,
    {
        let mut moves: Vec<M> = self.back_from(last).cloned().collect();
        moves.reverse();
        moves
    }
}

/// A possible next position of a beam search.
pub(crate) struct Candidate<P, M> {
    pub(crate) position: P,
    /// The move that leads to it.
    pub(crate) played: M,
    /// The number of the move before it.
    pub(crate) before: u32,
    pub(crate) value: f64,
    /// Equal positions have equal hashes.
    pub(crate) hash: u64,
}

/// Returns the best distinct positions with the numbers of their moves, which it adds to the history.
pub(crate) fn select<P, M>(
    mut candidates: Vec<Candidate<P, M>>,
    width: usize,
    history: &mut History<M>,
) -> impl Iterator<Item = (P, u32)> {
    candidates.sort_unstable_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.hash.cmp(&b.hash)));
    let mut seen = HashSet::new();
    let different = candidates.into_iter().filter(move |candidate| seen.insert(candidate.hash)).take(width);
    different.map(|Candidate { position, played, before, .. }| (position, history.add(played, before)))
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Returns a number below `bound`, which is from 1 to 2^32. It is as good as uniform.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The product of two 32-bit numbers, shifted back to 32 bits, fits a usize again.
        (((self.0.next_u64() >> 32) * bound as u64) >> 32) as usize
    }

    /// Returns a random element. `choices` is not empty.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_comes() {
        let mut random = Random::new(1);
        let mut seen = [0; 6];
        (0..6_000).for_each(|_| seen[random.below(6)] += 1);
        assert!(seen.iter().all(|count| (850..1_150).contains(count)), "{seen:?}");
    }
}
