//! A test of the mean effect over a fixed set of cases, while the cases are drawn one after another without
//! replacement.
//!
//! Each case has a size, which is known before it is drawn. The next case is drawn from the remaining cases with a
//! probability in proportion to its size. So the mean of effect / size of the next draw is the sum of the remaining
//! effects divided by the sum of the remaining sizes. Let the effects of the set sum to at least 0, and the drawn ones
//! to S. Then this mean is at least -S / left. A bettor stakes a share c of the wealth against it, case by case:
//!
//! ```text
//! W = mean over c of ∏ (1 - c (effect / size + S / left) / (bound + S / left))
//! ```
//!
//! If no effect is larger than its size times `bound`, no factor is negative, and its mean is at most 1. So W is a test
//! supermartingale, and *ever* reaches 1 / alpha with a probability of at most alpha (Ville). As cases run out, W says
//! more about the remaining ones. Once they cannot make up for the loss, the result is certain. For another mean m,
//! effect - m base takes the place of the effect.
//!
//! Sources: D. Raj, "Some estimators in sampling with varying probabilities without replacement", JASA 51, 1956; I.
//! Waudby-Smith, A. Ramdas, "Confidence sequences for sampling without replacement", NeurIPS 2020, and "Estimating
//! means of bounded random variables by betting", JRSS B 86, 2024.

/// The number of shares of the wealth that are bet: 1, and down by the square root of two.
const BETS: usize = 8;

/// Relative differences below this are rounding errors of the sums.
const ROUNDING: f64 = 1e-6;

/// A case of a set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetCase {
    /// The size, above 0.
    pub size: f64,
    /// The base of the case: its part of the total that the mean is a share of. At least 0.
    pub base: f64,
}

/// The cases of a set that were drawn so far.
#[derive(Debug, Clone)]
pub struct SetSample {
    /// The sums over the set.
    size: f64,
    base: f64,
    /// The largest base / size of a case.
    max_base: f64,
    /// The largest gain and the largest loss of a case, in sizes. `None`: losses have no bound.
    max_gain: f64,
    max_loss: Option<f64>,
    draws: Vec<(f64, SetCase)>,
}

impl SetSample {
    /// Starts without a draw from these cases. `max_gain` and `max_loss` are the largest effects in each direction, as
    /// multiples of the cases' sizes; a loss may have no bound. `None` if the sums of sizes and bases are not numbers
    /// above 0.
    pub fn new(cases: &[SetCase], max_gain: f64, max_loss: Option<f64>) -> Option<Self> {
        let size: f64 = cases.iter().map(|case| case.size).sum();
        let base: f64 = cases.iter().map(|case| case.base).sum();
        let max_base = cases.iter().map(|case| case.base / case.size).fold(0.0, f64::max);
        let is_useful = |number: f64| number > 0.0 && number.is_finite();
        (is_useful(size) && is_useful(base) && max_base.is_finite()).then(|| Self {
            size,
            base,
            max_base,
            max_gain,
            max_loss,
            draws: Vec::new(),
        })
    }

    /// Returns the rank of a case in the drawing order: the case with the smallest number is drawn next. `uniform` lies
    /// between 0 and 1, and must differ for each case (the exponential order of sampling in proportion to size).
    pub fn turn(uniform: f64, size: f64) -> f64 {
        -uniform.ln() / size
    }

    /// Adds the next draw.
    pub fn push(&mut self, effect: f64, case: SetCase) {
        self.draws.push((effect, case));
    }

    /// Raises the largest gain to at least this many sizes.
    pub fn raise_gain(&mut self, gain: f64) {
        self.max_gain = self.max_gain.max(gain);
    }

    /// Takes a case that was not drawn out of the set.
    pub fn remove(&mut self, case: SetCase) {
        self.size -= case.size;
        self.base -= case.base;
    }

    /// Returns whether the mean effect of the set is below `mean`. If it is not, the probability that this is ever
    /// returned is at most `alpha`.
    pub fn is_below(&self, mean: f64, alpha: f64) -> bool {
        self.excludes(1.0, mean, self.max_gain, alpha)
    }

    /// Returns the estimate of the mean effect of the set. `None` without a draw.
    pub fn mean(&self) -> Option<f64> {
        let count = self.draws.len() as f64;
        let drawn: f64 = self.draws.iter().map(|(effect, _)| effect).sum();
        let sizes: f64 = self.draws.iter().map(|(_, case)| case.size).sum();
        let shares: f64 = self.draws.iter().map(|(effect, case)| effect / case.size).sum();
        (count > 0.0).then(|| (drawn + shares / count * (self.size - sizes).max(0.0)) / self.base)
    }

    /// Returns the smallest mean that is not excluded. It holds at all times with a probability of 1 - `alpha`. `None` if
    /// there is none, as where losses have no bound.
    pub fn low(&self, alpha: f64) -> Option<f64> {
        self.end(-1.0, self.max_loss?, alpha)
    }

    /// Returns the largest mean that is not excluded, likewise.
    pub fn high(&self, alpha: f64) -> Option<f64> {
        self.end(1.0, self.max_gain, alpha)
    }

    /// Returns the end of the interval on the side of this sign.
    fn end(&self, side: f64, bound: f64, alpha: f64) -> Option<f64> {
        let mean = self.mean()?;
        let is_out = |distance: f64| self.excludes(side, mean + side * distance, bound, alpha);
        let mut inside = 0.0;
        let mut outside = (0..64).map(|step| f64::from(step).exp2() * mean.abs().max(1e-6)).find(|far| is_out(*far))?;
        for _ in 0..50 {
            let middle = f64::midpoint(inside, outside);
            *(if is_out(middle) { &mut outside } else { &mut inside }) = middle;
        }
        Some(mean + side * outside)
    }

    /// Returns whether the bets against a mean effect of at least `mean` have won; with the side -1, against a mean
    /// effect of at most `mean`.
    fn excludes(&self, side: f64, mean: f64, bound: f64, alpha: f64) -> bool {
        let shares: [f64; BETS] = std::array::from_fn(|bet| (-0.5 * bet as f64).exp2());
        let total: f64 = shares.iter().sum();
        let mut wealths = shares.map(|share| share / total);
        let bound = bound + (-side * mean * self.max_base).max(0.0);
        let (mut left, mut sum) = (self.size, 0.0);
        for (effect, case) in &self.draws {
            let value = side * (effect - mean * case.base);
            let least = -sum / left;
            let room = bound - least;
            if room < -ROUNDING * bound {
                return true;
            }
            // If only the largest possible gains of all remaining cases would suffice, a bet would be on rounding
            // errors.
            let surprise = (value / case.size - least) / room.max(ROUNDING * bound);
            for (wealth, share) in wealths.iter_mut().zip(shares) {
                *wealth *= (1.0 - share * surprise).max(0.0);
            }
            if wealths.iter().sum::<f64>() >= 1.0 / alpha {
                return true;
            }
            (left, sum) = (left - case.size, sum + value);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interval, Random};

    const ALPHA: f64 = 0.05;

    /// Draws cases of different sizes until the mean is known to be below 0. Returns how many were drawn.
    fn draws(effects: &[(f64, f64)], random: &mut Random) -> Option<usize> {
        let cases: Vec<SetCase> = effects.iter().map(|(_, size)| SetCase { size: *size, base: *size }).collect();
        let mut sample = SetSample::new(&cases, 1.0, None).unwrap();
        let mut order: Vec<(f64, usize)> =
            cases.iter().enumerate().map(|(case, of)| (SetSample::turn(random.unit(), of.size), case)).collect();
        order.sort_by(|left, right| left.0.total_cmp(&right.0));
        order.into_iter().enumerate().find_map(|(count, (_, case))| {
            sample.push(effects[case].0, cases[case]);
            sample.is_below(0.0, ALPHA).then_some(count + 1)
        })
    }

    /// Effects of cases with these sizes that sum to 0: the share `rare` of them gains the maximum, in turn.
    fn balanced(count: usize, rare: f64, random: &mut Random) -> Vec<(f64, f64)> {
        let sizes: Vec<f64> = (0..count).map(|_| (0.8 * random.normal()).exp()).collect();
        let gains: Vec<bool> = sizes.iter().map(|_| random.unit() < rare).collect();
        let sum =
            |wanted: bool| sizes.iter().zip(&gains).filter(|pair| *pair.1 == wanted).map(|pair| pair.0).sum::<f64>();
        let loss = (sum(true) / sum(false)).min(1.0);
        let effects = sizes.iter().zip(&gains).map(|(size, gains)| (if *gains { *size } else { -loss * size }, *size));
        effects.collect()
    }

    #[test]
    fn sets_without_a_loss_are_rarely_below() {
        let mut random = Random::new(1);
        for rare in [0.05, 0.2, 0.45] {
            let wrong = (0..1_000).filter(|_| draws(&balanced(100, rare, &mut random), &mut random).is_some()).count();
            // Three standard errors above 5 %.
            assert!(wrong <= 70, "{rare}: {wrong} of 1,000");
        }
    }

    #[test]
    fn large_losses_are_seen_in_few_draws() {
        let mut random = Random::new(2);
        for (loss, most) in [(0.5, 12), (0.2, 20), (0.05, 50)] {
            let effect = |random: &mut Random| {
                let size = (0.8 * random.normal()).exp();
                (size * (0.05 * random.normal() - loss), size)
            };
            let effects: Vec<(f64, f64)> = (0..100).map(|_| effect(&mut random)).collect();
            let count = draws(&effects, &mut random).unwrap();
            assert!(count <= most, "{loss}: {count} draws");
        }
    }

    #[test]
    fn the_interval_holds_the_mean_and_shrinks_to_it() {
        let mut random = Random::new(3);
        let mut missed = 0;
        for _ in 0..200 {
            let effects: Vec<f64> = (0..60).map(|_| 0.6 * random.unit() - 0.4).collect();
            let mean = effects.iter().sum::<f64>() / 60.0;
            let cases = [SetCase { size: 1.0, base: 1.0 }; 60];
            let mut sample = SetSample::new(&cases, 1.0, Some(1.0)).unwrap();
            effects[..30].iter().for_each(|effect| sample.push(*effect, cases[0]));
            let interval_of = |sample: &SetSample| {
                let [low, high] = [sample.low(ALPHA), sample.high(ALPHA)].map(Option::unwrap);
                Interval { low, high }
            };
            let interval = interval_of(&sample);
            let estimate = sample.mean().unwrap();
            assert!(interval.low <= estimate && estimate <= interval.high);
            missed += usize::from(!interval.contains(mean));
            effects[30..59].iter().for_each(|effect| sample.push(*effect, cases[0]));
            let last = interval_of(&sample);
            assert!(last.high - last.low < 0.05 && last.contains(mean), "{last:?} {mean}");
        }
        assert!(missed <= 20, "{missed} of 200");
    }

    #[test]
    fn what_the_rest_cannot_make_up_for_is_certain() {
        let cases = [SetCase { size: 1.0, base: 1.0 }; 3];
        let mut sample = SetSample::new(&cases, 0.5, None).unwrap();
        sample.push(-1.0, cases[0]);
        assert!(!sample.is_below(0.0, 1e-9));
        sample.push(-0.2, cases[1]);
        sample.push(0.5, cases[2]);
        assert!(sample.is_below(0.0, 1e-9));
        assert_eq!(sample.low(1e-9), None, "losses have no bound");
        assert!(sample.high(1e-9).is_some_and(|high| high < 0.0));
        assert!(SetSample::new(&[], 1.0, None).is_none());
    }
}
