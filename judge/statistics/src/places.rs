//! The places of many solvers, from claims about pairs of them.
//!
//! A solver's place is at least 1 plus the number of solvers that are certainly above it, and at most the number of all
//! solvers minus the ones certainly below it. If no claim about a pair is false, every interval contains the true
//! place; if solvers tie, it contains every place that they share. Holm's step-down keeps the probability of any false
//! claim: each pair is tested at alpha over the number of pairs whose order is open. A pair whose order follows from
//! others needs no test of its own.

/// The relation of the first solver of a pair to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairOrder {
    /// Unknown so far.
    Open,
    /// The first is above.
    Above,
    /// The first is below.
    Below,
    /// The order is unknown and no longer tested: any difference is too small to matter.
    Level,
}

/// The possible places of a solver. The best place is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceInterval {
    /// The best.
    pub low: usize,
    /// The worst.
    pub high: usize,
}

/// The known part of the order of solvers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverOrder {
    count: usize,
    /// Row by row: the relation of the row's solver to the column's.
    pairs: Vec<PairOrder>,
}

impl SolverOrder {
    /// Starts with every pair open.
    pub fn new(count: usize) -> Self {
        Self { count, pairs: vec![PairOrder::Open; count * count] }
    }

    /// Tests the open pairs until no further one can be decided. `test` returns the claim about a pair that is false
    /// with at most the given probability. If this holds for each claim of `test` over all calls, any claim of all
    /// calls together is false with a probability of at most `alpha`.
    ///
    /// # Errors
    /// Those of `test`.
    pub fn decide<E>(
        &mut self,
        alpha: f64,
        mut test: impl FnMut(usize, usize, f64) -> Result<PairOrder, E>,
    ) -> Result<(), E> {
        loop {
            let before = self.pairs_without_order();
            let each = alpha / before.max(1) as f64;
            for (first, second) in self.open_pairs() {
                // The claims of this round may have settled it.
                if self.pair(first, second) == PairOrder::Open {
                    self.claim(first, second, test(first, second, each)?);
                }
            }
            if self.pairs_without_order() == before {
                return Ok(());
            }
        }
    }

    /// Returns the relation of a solver to another one.
    pub fn pair(&self, first: usize, second: usize) -> PairOrder {
        self.pairs[first * self.count + second]
    }

    /// Returns the pairs that are open, each once.
    pub fn open_pairs(&self) -> Vec<(usize, usize)> {
        self.all_pairs().filter(|&(first, second)| self.pair(first, second) == PairOrder::Open).collect()
    }

    /// Returns the solvers with an open pair.
    pub fn open_solvers(&self) -> Vec<usize> {
        let is_open =
            |&solver: &usize| self.row(solver).any(|(other, pair)| other != solver && pair == PairOrder::Open);
        (0..self.count).filter(is_open).collect()
    }

    /// Returns the possible places of every solver.
    pub fn places(&self) -> Vec<PlaceInterval> {
        let number = |solver, wanted| self.row(solver).filter(|&(_, pair)| pair == wanted).count();
        let interval = |solver| PlaceInterval {
            low: 1 + number(solver, PairOrder::Below),
            high: self.count - number(solver, PairOrder::Above),
        };
        (0..self.count).map(interval).collect()
    }

    /// Returns the number of pairs whose order is unknown, including level pairs: their claims do not use up
    /// hypotheses.
    fn pairs_without_order(&self) -> usize {
        let has_none =
            |&(first, second): &(usize, usize)| matches!(self.pair(first, second), PairOrder::Open | PairOrder::Level);
        self.all_pairs().filter(has_none).count()
    }

    fn all_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.count;
        (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
    }

    fn row(&self, solver: usize) -> impl Iterator<Item = (usize, PairOrder)> {
        (0..self.count).map(move |other| (other, self.pair(solver, other)))
    }

    /// Records a claim about a pair, and its consequences.
    fn claim(&mut self, first: usize, second: usize, order: PairOrder) {
        match order {
            PairOrder::Open => {}
            PairOrder::Level => {
                self.pairs[first * self.count + second] = order;
                self.pairs[second * self.count + first] = order;
            }
            PairOrder::Above => self.put_above(first, second),
            PairOrder::Below => self.put_above(second, first),
        }
    }

    /// Puts `upper` and all solvers above it above `lower` and all solvers below it.
    fn put_above(&mut self, upper: usize, lower: usize) {
        let with = |solver, wanted| {
            let others = self.row(solver).filter(move |&(_, pair)| pair == wanted).map(|(other, _)| other);
            others.chain([solver]).collect::<Vec<usize>>()
        };
        let (uppers, lowers) = (with(upper, PairOrder::Below), with(lower, PairOrder::Above));
        for &upper in &uppers {
            for &lower in &lowers {
                self.pairs[upper * self.count + lower] = PairOrder::Above;
                self.pairs[lower * self.count + upper] = PairOrder::Below;
            }
        }
    }
}

/// Returns the error probability at which each of these tests is decided, so that the probability of any false alarm is
/// at most `alpha` (Holm, Scandinavian Journal of Statistics 6, 1979). `levels` are their p-values, and a test rejects
/// if its p-value is at most the returned probability.
///
/// The smallest of m p-values is compared with alpha / m, the next with alpha / (m − 1), and so on, up to the first
/// that is larger. The remaining ones are compared with the same number.
pub fn holm(levels: &[f64], alpha: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by(|&left, &right| levels[left].total_cmp(&levels[right]));
    let mut shared = vec![alpha; levels.len()];
    let mut step = 0;
    for (place, &test) in order.iter().enumerate() {
        shared[test] = alpha / (levels.len() - step) as f64;
        if step == place && levels[test] <= shared[test] {
            step += 1;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decision, Random, Sequence, SequenceSettings};
    use std::convert::Infallible;

    /// All claims of Holm's procedure by the definition: p-values in ascending order, then all that follows, and the
    /// places by counting over every order of the solvers that agrees with the claims.
    fn slow_places(count: usize, alpha: f64, p: impl Fn(usize, usize) -> f64) -> Vec<PlaceInterval> {
        let mut above = vec![vec![false; count]; count];
        loop {
            let mut open: Vec<(usize, usize)> =
                (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).filter(|&(a, b)| !above[a][b]).collect();
            let level = alpha / open.len().max(1) as f64;
            open.retain(|&(a, b)| p(a, b) <= level);
            let Some(&(a, b)) = open.first() else { break };
            above[a][b] = true;
            for middle in 0..count {
                for a in 0..count {
                    for b in 0..count {
                        above[a][b] |= above[a][middle] && above[middle][b];
                    }
                }
            }
        }
        let mut places = vec![PlaceInterval { low: count, high: 1 }; count];
        for order in permutations(count) {
            let place = |solver| 1 + order.iter().position(|&other| other == solver).unwrap();
            if (0..count).all(|a| (0..count).all(|b| !above[a][b] || place(a) < place(b))) {
                for (solver, interval) in places.iter_mut().enumerate() {
                    interval.low = interval.low.min(place(solver));
                    interval.high = interval.high.max(place(solver));
                }
            }
        }
        places
    }

    fn permutations(count: usize) -> Vec<Vec<usize>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let longer = |order: Vec<usize>| {
            (0..count).map(move |place| {
                let mut order = order.clone();
                order.insert(place, count - 1);
                order
            })
        };
        permutations(count - 1).into_iter().flat_map(longer).collect()
    }

    #[test]
    fn places_are_those_of_every_possible_order() {
        let mut random = Random::new(7);
        for _ in 0..300 {
            let count = 2 + random.below(5);
            let scale = [1.0, 0.1, 0.01][random.below(3)];
            let p: Vec<f64> = (0..count * count).map(|_| scale * random.unit()).collect();
            // The solvers are in their true order. Every claim has the same direction, so claims never contradict each
            // other.
            let of = |a: usize, b: usize| p[a * count + b];
            let mut order = SolverOrder::new(count);
            let test =
                |a, b, alpha| Ok::<_, Infallible>(if of(a, b) <= alpha { PairOrder::Above } else { PairOrder::Open });
            order.decide(0.05, test).unwrap();
            assert_eq!(order.places(), slow_places(count, 0.05, of));
        }
    }

    #[test]
    fn level_pairs_are_not_tested_again_and_leave_both_places_open() {
        let mut order = SolverOrder::new(3);
        let claim = |first: usize, second: usize, _: f64| {
            Ok::<_, Infallible>(if (first, second) == (0, 1) { PairOrder::Level } else { PairOrder::Above })
        };
        order.decide(0.05, claim).unwrap();
        let two = PlaceInterval { low: 1, high: 2 };
        assert_eq!(order.places(), [two, two, PlaceInterval { low: 3, high: 3 }]);
        assert_eq!((order.open_solvers(), order.open_pairs()), (Vec::new(), Vec::new()));
        let never = |_, _, _| Err::<PairOrder, ()>(());
        assert_eq!(order.decide(0.05, never), Ok(()));
    }

    #[test]
    fn a_level_pair_does_not_make_the_others_easier() {
        let mut order = SolverOrder::new(3);
        let mut levels = Vec::new();
        let mut claim = |first: usize, second: usize, alpha: f64| {
            levels.push(alpha);
            Ok::<_, Infallible>(if (first, second) == (0, 1) { PairOrder::Level } else { PairOrder::Open })
        };
        order.decide(0.06, &mut claim).unwrap();
        order.decide(0.06, &mut claim).unwrap();
        assert!(levels.iter().all(|level| (level - 0.02).abs() < 1e-12), "{levels:?}");
    }

    #[test]
    fn ties_are_put_in_order_as_seldom_as_alpha_says() {
        let (mut random, mut false_claims) = (Random::new(11), 0);
        for _ in 0..100 {
            let mut order = SolverOrder::new(4);
            let scores: Vec<[f64; 4]> = (0..60).map(|_| [(); 4].map(|()| random.normal())).collect();
            let test = |a: usize, b: usize, alpha: f64| {
                let settings = SequenceSettings { alpha, min_effect: None, bound: None, rare: None };
                let mut sequence = Sequence::new(settings).unwrap();
                let decided = scores.iter().find_map(|case| {
                    sequence.push(case[a] - case[b]);
                    Some(sequence.decision()).filter(|decision| *decision != Decision::Undecided)
                });
                Ok::<_, Infallible>(decided.map_or(PairOrder::Open, |decision| match decision {
                    Decision::Better => PairOrder::Above,
                    _ => PairOrder::Below,
                }))
            };
            order.decide(0.05, test).unwrap();
            false_claims += usize::from(order.places().iter().any(|place| (place.low, place.high) != (1, 4)));
        }
        assert!(false_claims <= 10, "{false_claims}");
    }

    #[test]
    fn one_test_has_the_whole_level() {
        assert_eq!(holm(&[0.2], 0.05), [0.05]);
        assert!(holm(&[], 0.05).is_empty());
    }

    #[test]
    fn each_rejection_leaves_more_to_the_others() {
        // 0.01 <= 0.06 / 3; 0.025 <= 0.06 / 2; 0.07 > 0.06.
        assert_eq!(holm(&[0.07, 0.01, 0.025], 0.06), [0.06, 0.02, 0.03]);
    }

    #[test]
    fn nothing_is_rejected_behind_the_first_that_is_not() {
        // 0.03 > 0.06 / 3, so 0.05 is compared with 0.02 as well, and not with 0.03 or 0.06.
        assert_eq!(holm(&[0.05, 0.03, 0.055], 0.06), [0.02; 3]);
    }
}
