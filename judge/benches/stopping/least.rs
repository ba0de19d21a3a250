//! A lower bound on the error rate of every fast rule, from dynamic programming.
//!
//! If a share p of the cases has a large loss, the first T cases show none with a probability of (1 - p)^T. They then
//! look like normal effects. So a rule that stops such effects after T cases has an error rate of at least E (1 - p)^T.
//! The bound is the minimum of this among the rules that keep the level at mean 0 and take at most a given number of
//! cases on average at other means. Each of these goals gets a price: a rule pays in proportion to its use, and gets
//! the price back once. For any prices, no rule that meets the goals has an error rate below the payment of the
//! cheapest rule (Lagrangian duality). The search finds the prices that maximize this payment.
//!
//! The cheapest rule is found backwards from the last case. The spread is assumed to be known, so the number of cases
//! and their sum contain all information. Alternating between a rule and its mirror image is as good as either of them,
//! so only the absolute value of the sum matters. All expectations are at mean 0, weighted with the likelihood ratio of
//! the mean m (of either sign) after n cases with the sum s, exp(-n m^2 / 2) cosh(m s).

use crate::simulate::{ALPHA, LOOKS};

/// The distance of distinct sums, in standard deviations. Half of it changes no printed digit.
const STEP: f64 = 0.5;
/// Larger sums are ignored: beyond them nothing is paid, which can only lower the bound.
const SUMS: usize = 640;
/// The longest step of one case: seven standard deviations.
const REACH: usize = 14;

/// The first change of a price in the search, and the last.
const COARSE: f64 = 0.1;
const FINE: f64 = 0.000_5;

/// A goal: at most this many cases on average at this mean effect, in standard deviations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speed {
    pub(crate) mean: f64,
    pub(crate) cases: f64,
}

/// Returns the lowest rate of wrong claims, in percent, of the rules that keep the level and meet the goals. This share
/// of the cases loses much, and the others have this mean, in standard deviations.
pub(crate) fn least_false_percent(share: f64, mean: f64, goals: &[Speed]) -> f64 {
    let payments = Payments {
        claim: Likelihood::of(mean),
        no_loss: 1.0 - share,
        speeds: goals.iter().map(|goal| (*goal, Likelihood::of(goal.mean))).collect(),
        steps: normal_steps(),
    };
    // The last price belongs to the level.
    100.0 * largest(vec![COARSE; goals.len() + 1], |prices| payments.cheapest(prices))
}

/// The quantities that a rule pays for.
struct Payments {
    claim: Likelihood,
    no_loss: f64,
    speeds: Vec<(Speed, Likelihood)>,
    steps: [f64; REACH + 1],
}

impl Payments {
    /// Returns the payment of the cheapest rule, minus the prices. From the thousandth case on, everything is free.
    fn cheapest(&self, prices: &[f64]) -> f64 {
        let mut later = vec![0.0; SUMS + REACH];
        for count in (1..LOOKS).rev() {
            let claim = self.no_loss.powf(count as f64) * self.claim.scale(count);
            let level = prices[self.speeds.len()] / ALPHA;
            let cases: Vec<f64> = self
                .speeds
                .iter()
                .zip(prices)
                .map(|((goal, at), price)| price / goal.cases * at.scale(count))
                .collect();
            let now = |sum: usize| {
                let one_more: f64 = self.speeds.iter().zip(&cases).map(|((_, at), scale)| scale * at.cosh[sum]).sum();
                (claim * self.claim.cosh[sum] + level).min(one_more + self.expected(&later, sum))
            };
            let mut sums: Vec<f64> = (0..SUMS).map(now).collect();
            sums.resize(SUMS + REACH, 0.0);
            later = sums;
        }
        let first: f64 = self.speeds.iter().zip(prices).map(|((goal, _), price)| price / goal.cases).sum();
        first + self.expected(&later, 0) - prices.iter().sum::<f64>()
    }

    /// The mean after one more case with mean 0, given the sum so far. Both signs of a sum are equivalent.
    fn expected(&self, later: &[f64], sum: usize) -> f64 {
        let both = |step: usize| self.steps[step] * (later[sum.abs_diff(step)] + later[sum + step]);
        self.steps[0] * later[sum] + (1..=REACH).map(both).sum::<f64>()
    }
}

/// The likelihood ratio of a mean, of either sign, to mean 0.
struct Likelihood {
    mean: f64,
    /// By the sum.
    cosh: Vec<f64>,
}

impl Likelihood {
    fn of(mean: f64) -> Self {
        Self { mean, cosh: (0..SUMS).map(|sum| (mean * STEP * sum as f64).cosh()).collect() }
    }

    /// The factor for this many cases.
    fn scale(&self, count: usize) -> f64 {
        (-self.mean * self.mean / 2.0 * count as f64).exp()
    }
}

/// The probabilities of the steps of one case, to either side.
fn normal_steps() -> [f64; REACH + 1] {
    let density = |step: usize| (-(STEP * step as f64).powi(2) / 2.0).exp();
    let all = 1.0 + 2.0 * (1..=REACH).map(density).sum::<f64>();
    std::array::from_fn(|step| density(step) / all)
}

/// Returns the largest value of a concave function found by a search, one price at a time, none below 0.
fn largest(mut prices: Vec<f64>, value: impl Fn(&[f64]) -> f64) -> f64 {
    let mut best = value(&prices);
    let mut change = COARSE;
    while change > FINE {
        let before = best;
        for place in 0..prices.len() {
            for signed in [change, -change] {
                let old = prices[place];
                prices[place] = (old + signed).max(0.0);
                let found = value(&prices);
                if found > best { best = found } else { prices[place] = old }
            }
        }
        if best <= before {
            change /= 2.0;
        }
    }
    best
}
